"""The table of roles and of kinds of place: each row by what people would say of it."""

from __future__ import annotations

import pytest

from interlock.model.facts import Facts
from interlock.model.obeyed import OBEYED
from interlock.reading.core.tags import TAGS
from interlock.reading.places.kinds import FILES, place_at
from interlock.reading.places.marks import COUNTS, GIVES, Place, counted, marks_for
from interlock.reading.places.place_folders import BELOW
from interlock.reading.places.secret_places import SECRET
from interlock.reading.tables.spec import ROLES
from interlock.reading.tools.tools import TOOLS

FACTS = Facts(root="/repo", home="/home/user", own=("/repo/.interlock/",), keeps=("/home/user/.config/interlock/",))


def marks(role: str, path: str, real: str | None = None) -> set[str]:
    return marks_for(role, place_at(role, path, real, FACTS))


def test_every_role_and_every_file_tool_has_a_row() -> None:
    actions = {tool.action for tool in TOOLS.values() if tool.path}
    assert set(COUNTS) == {*ROLES, *actions}


def test_what_the_table_gives_are_marks() -> None:
    given = {mark for kind in counted("") for mark in GIVES.get(kind, (kind,))}
    assert given - TAGS == set()


def test_what_has_no_row_counts_everything() -> None:
    assert counted("nothing of the kind") == frozenset().union(*map(counted, COUNTS))


@pytest.mark.parametrize("path", ["/tmp/a/notes.txt", "/repo/src/app.py"])
def test_a_file_by_its_name_is_not_looked_through_for_folders(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.reading.places.kinds.kinds_below", lambda *_: pytest.fail("looked below a file"))
    assert marks("fs:read", path) == set()


@pytest.mark.parametrize("path", ["/home/user.js", "/tmp/notes", "/tmp/.acme.sh", "/srv.txt"])
def test_any_other_name_may_be_a_folders(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[frozenset[str]] = []

    def noted(asks: frozenset[str], *_: object) -> tuple[str, ...]:
        asked.append(asks)
        return ()

    monkeypatch.setattr("interlock.reading.places.kinds.kinds_below", noted)
    marks("fs:read", path)
    assert asked


def test_every_kind_that_gives_a_mark_counts_somewhere_and_is_found_out() -> None:
    assert set(GIVES) <= counted("")
    assert set(BELOW) <= set(GIVES)


@pytest.mark.parametrize(
    ("role", "path", "expected"),
    [
        ("list", "/home/user/.aws", {"outside"}),
        ("count", "/repo/config/prod.tfvars", set()),
        ("read", "/home/user/.aws", {"outside", "secret"}),
        ("read", "/home/user/.config/interlock/ledger.key", {"guard", "outside", "own-secret", "secret"}),
        ("runs", "/home/user/.aws", {"outside"}),
        ("taken", "/repo/config/prod.tfvars", set()),
        ("taken", "/home/user/.ssh/id_rsa", {"outside", "secret"}),
        ("write", "/repo/config/prod.tfvars", set()),
        ("write", "/repo/node_modules/a/index.js", {"vendored"}),
        ("write", "/repo/.claude", {"guard"}),
        ("folder", "/repo/.vscode/tasks.json", set()),
        ("move", "/repo/.vscode", {"obeyed", "obeyed-asked"}),
        ("delete", "/repo/.claude", {"guard"}),
        ("delete", "/repo/.vscode/tasks.json", set()),
        ("mode", "/repo/server.key", set()),
        ("opened", "/repo/server.key", {"secret"}),
        ("closed", "/repo", {"guard", "project-root"}),
        ("covered", "/repo", {"guard", "project-root"}),
        ("fs:read", "/etc/passwd", {"outside"}),
        ("read", "/etc/passwd", {"accounts", "outside"}),
        ("fs:search", "/home/user", {"outside"}),
        ("fs:search", "/home/user/.aws", {"outside", "secret"}),
        ("fs:read", "/home/user/.acme.sh", {"outside", "secret"}),
        ("fs:delete", "/home/user", {"home", "outside"}),
    ],
)
def test_an_act_has_the_marks_of_what_counts_for_it(role: str, path: str, expected: set[str]) -> None:
    assert marks(role, path) == expected


def test_what_only_may_be_found_is_asked_about() -> None:
    kinds = frozenset(("guard", "own-secret", "possible"))
    assert marks_for("delete", Place(path="/repo/.claude/settings.json", kinds=kinds)) == {"obeyed-asked", "secret"}


def test_a_link_of_another_name_goes_alone_from_a_command() -> None:
    assert marks("delete", "/repo/mine", "/repo/.claude") == set()
    assert marks("fs:delete", "/repo/mine", "/repo/.claude") == {"guard"}


def test_no_folder_that_counts_is_called_like_a_file() -> None:
    """`kinds.py` asks nothing about folders of a path that ends like a file of code or data."""
    names = {part for pattern in (*OBEYED, *SECRET) for part in pattern.split("/")[:-1] if part[:1] != "."}
    assert [name for name in names if name.rpartition(".")[2] in FILES and "." in name] == []
