"""What is run by another name than that under which this session wrote or fetched it: links, folders, new places."""

from __future__ import annotations

import pytest

from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.value import FrozenMap

FACTS = Facts(
    root="/repo",
    home="/home/user",
    real=FrozenMap({path: path for path in ("/repo", "/repo/d", "/repo/d/a.js", "/tmp/x", "/tmp/x/a.js", "/repo/y")}),
)


def _opaque(command: str, facts: Facts) -> list[str]:
    return [part.reason for part in follow_bash(command, cwd="/repo", facts=facts).opaque]


def _fetched(command: str, facts: Facts) -> list[object]:
    found = follow_bash(command, cwd="/repo", facts=facts)
    return [action.target["path"] for action in found.actions if "fetched" in action.tags]


def test_a_file_of_the_session_is_that_through_a_link_to_its_folder() -> None:
    facts = FACTS.replace(
        written=frozenset(("/repo/d/a.js",)), real=FrozenMap({**FACTS.real, "/repo/e/a.js": "/repo/d/a.js"})
    )
    assert _opaque("node e/a.js", facts) == ["`/repo/e/a.js` was written in this session, and its content was not read"]


def test_code_outside_is_not_the_projects_through_a_link_of_the_session() -> None:
    real = FrozenMap({**FACTS.real, "/repo/y/a.js": "/tmp/x/a.js", "/repo/y": "/tmp/x"})
    linked = FACTS.replace(written=frozenset(("/repo/y",)), real=real)
    assert _opaque("node y/a.js", linked) == ["`/repo/y/a.js` is outside the project, and its content was not read"]
    assert _opaque("cd y && make", linked) == ["runs code of `/repo/y`, which is outside the project"]


def test_a_link_that_was_there_before_is_the_projects() -> None:
    facts = FACTS.replace(real=FrozenMap({**FACTS.real, "/repo/y/a.js": "/tmp/x/a.js", "/repo/y": "/tmp/x"}))
    assert _opaque("node y/a.js", facts) == []


def test_what_was_fetched_is_that_through_a_link() -> None:
    facts = FACTS.replace(
        written=frozenset(("/repo/d/",)), real=FrozenMap({**FACTS.real, "/repo/e/a.js": "/repo/d/a.js"})
    )
    found = follow_bash("node e/a.js", cwd="/repo", facts=facts)
    assert [dict(action.target) for action in found.actions if action.name == "exec:fetched"] == [
        {"fetched": "/repo/d"}
    ]


@pytest.mark.parametrize(
    ("absent", "places"),
    [(frozenset(), ["/repo/y/x"]), (frozenset(("/repo/y",)), ["/repo/y/x", "/repo/y"])],
    ids=["into a folder that is there", "as a new folder"],
)
def test_a_folder_from_elsewhere_is_put_into_another_or_becomes_it(absent: frozenset[str], places: list[str]) -> None:
    assert _fetched("cp -r /tmp/x y", FACTS.replace(absent=absent)) == places
    assert _fetched("mv /tmp/x y", FACTS.replace(absent=absent)) == places


def test_many_files_make_the_whole_place_doubtful() -> None:
    facts = FACTS.replace(written=frozenset(f"/repo/d/{at}.js" for at in range(80)))
    assert _fetched("cp -r d y", facts) == ["/repo/y/d", "/repo/y"]


def test_only_what_the_session_wrote_is_carried_along() -> None:
    facts = FACTS.replace(written=frozenset(("/repo/d/a.js", "/repo/other.js")))
    found = follow_bash("cp -r d y", cwd="/repo", facts=facts)
    written = sorted({str(action.target["path"]) for action in found.actions if action.name == "fs:write"})
    assert written == ["/repo/y", "/repo/y/a.js", "/repo/y/d/a.js"]
