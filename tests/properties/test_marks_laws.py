"""Laws of the table of marks: it is total and pure, and more danger never means fewer marks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interlock.model.facts import Facts
from interlock.reading.places.kinds import place_at
from interlock.reading.places.marks import COUNTS, Place, counted, marks_for

ROLES = st.sampled_from(sorted(COUNTS)) | st.text(max_size=8)
KINDS = st.frozensets(st.sampled_from(sorted(counted("any"))) | st.text(max_size=8))
NAMES = st.sampled_from(
    [
        *("repo", "home", "user", "etc", "dev", "proc", "tmp", ".ssh", "id_rsa", "id_rsa.pub", ".claude", ".git"),
        *("hooks", "settings.json", "ledger.key", ".env", "x.tfvars", "node_modules", "src", "a.py", "-rf", "*", "**"),
    ]
) | st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=6)
PATHS = st.lists(NAMES, max_size=5).map(lambda names: "/" + "/".join(names))
OWN = st.lists(PATHS.map(lambda path: path.rstrip("/").lower() + "/"), max_size=2).map(tuple)
LESS = {"obeyed", "obeyed-asked", "obeyed-noted"}  # of levels only the strictest is told


@given(ROLES, PATHS, KINDS)
def test_any_role_at_any_place_has_marks(role: str, path: str, kinds: frozenset[str]) -> None:
    place = Place(path=path, kinds=kinds)
    found = marks_for(role, place)
    assert all(type(mark) is str for mark in found)
    assert found == marks_for(role, place)


@given(ROLES, KINDS, KINDS)
def test_a_stricter_place_never_has_fewer_marks(role: str, kinds: frozenset[str], more: frozenset[str]) -> None:
    kinds, more = kinds - {"possible"}, more - {"possible"}
    assert marks_for(role, Place(path="/", kinds=kinds)) <= marks_for(role, Place(path="/", kinds=kinds | more))


@given(ROLES, PATHS, st.none() | PATHS, st.booleans())
def test_any_path_is_some_place(role: str, path: str, real: str | None, new: bool) -> None:
    facts = Facts(root="/repo", home="/home/user")
    first, second = (marks_for(role, place_at(role, path, real, facts, new=new)) for _ in range(2))
    assert first == second


@given(ROLES, PATHS, st.none() | PATHS, OWN)
def test_what_belongs_to_the_guard_only_adds_marks(
    role: str, path: str, real: str | None, own: tuple[str, ...]
) -> None:
    before, after = (
        marks_for(role, place_at(role, path, real, Facts(root="/repo", home="/home/user", own=folders, keeps=folders)))
        for folders in ((), own)
    )
    assert before - LESS <= after
    if before & LESS:
        assert after & (LESS | {"guard"})


@given(ROLES, PATHS, PATHS)
def test_a_key_in_a_file_only_adds_marks(role: str, path: str, real: str) -> None:
    before, after = (
        marks_for(role, place_at(role, path, real, Facts(root="/repo", home="/home/user", keys=keys)))
        for keys in (frozenset[str](), frozenset((path, real)))
    )
    assert before <= after
