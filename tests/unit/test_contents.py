"""What is in a file that a call has changed: worked out of what was in it before, which is asked for if it is run."""

from __future__ import annotations

import pytest

from interlock.model.wants import Script
from interlock.reading.evaluate.state import Found
from task_files import read_in_project


def _read(command: str, absent: tuple[str, ...] = (), **scripts: str) -> Found:
    texts = {f"/repo/{name}.sh": text for name, text in scripts.items()}
    return read_in_project(command, texts, absent=absent)


def _deleted(found: Found) -> list[object]:
    return [action.target.get("path") for action in found.actions if action.name == "fs:delete"]


def test_a_file_that_is_edited_and_not_run_is_not_asked_for() -> None:
    found = _read("sed -i s/a/b/ run.sh && echo x >> run.sh && cp run.sh other.sh")
    assert (found.opaque, found.missing) == ([], [])


def test_a_file_that_is_edited_and_run_is_asked_for_and_then_read() -> None:
    first = _read("sed -i s/a/b/ run.sh && sh run.sh")
    assert Script("/repo/run.sh") in first.missing
    assert [part.reason for part in first.opaque] == [
        "`/repo/run.sh` was written in this session, and its content was not read"
    ]
    found = _read("sed -i s/a/b/ run.sh && sh run.sh", run="rm a\n")
    assert (_deleted(found), found.opaque) == (["/repo/b"], [])


@pytest.mark.parametrize(
    ("command", "deleted"),
    [
        ("echo 'rm b' >> run.sh; sh run.sh", ["/repo/a", "/repo/b"]),
        ("cp run.sh new.sh; sh new.sh", ["/repo/a"]),
        ("cp run.sh new.sh; sed -i s/a/c/ new.sh && sh new.sh", ["/repo/c"]),
        ("cp run.sh new.sh; echo ls > run.sh; sh new.sh", ["/repo/a"]),
        ("mv run.sh new.sh && sh new.sh", ["/repo/a"]),
        ("sed -i s/a/b/ run.sh && sed -i s/b/c/ run.sh && sh run.sh", ["/repo/c"]),
        ("sed -i -e s/a/b/ -e s/b/d/ run.sh && sh run.sh", ["/repo/d"]),
        ("sed -i -E 's/a/b/' run.sh && . ./run.sh", ["/repo/b"]),
    ],
)
def test_changes_of_a_file_that_was_there(command: str, deleted: list[str]) -> None:
    found = _read(command, run="rm a\n")
    assert (_deleted(found), found.opaque) == (deleted, [])


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/a/b/ run.sh; sh run.sh",
        "sed -i s/a/b/ run.sh || true; sh run.sh",
        "sed -i s/a/b/ run.sh; true && sh run.sh",
        "{ sed -i s/a/b/ run.sh; true; } && sh run.sh",
        "echo 'rm a' > run.sh; sed -i s/a/b/ run.sh; sh run.sh",
        "sed -i s/a/b/ run.sh; . ./run.sh",
        "test -f x && sed -i s/a/b/ run.sh; sh run.sh",
    ],
)
def test_an_edit_may_fail_where_nothing_says_that_it_worked(command: str) -> None:
    """On macOS `sed -i SCRIPT FILE` takes the script for a suffix, fails, and leaves the file as it was."""
    found = _read(command, run="rm a\n")
    assert set(_deleted(found)) == {"/repo/a", "/repo/b"} or found.opaque != []
    assert "/repo/a" in _deleted(found) or found.opaque != []


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/a.*/b/' run.sh; sh run.sh",
        "sed -n -i s/a/b/ run.sh; sh run.sh",
        "sed -i '' s/a/b/ run.sh; sh run.sh",
        'sed -i "s/a/$X/" run.sh; sh run.sh',
        "date >> run.sh; sh run.sh",
        "cp -r lib copy; sh copy/run.sh",
        "if true; then cp run.sh new.sh; else date > new.sh; fi; sh new.sh",
    ],
)
def test_what_cannot_be_worked_out_is_not_known(command: str) -> None:
    assert _read(command, run="rm a\n").opaque != []


def test_a_file_that_was_not_there_begins_empty_where_it_is_added_to() -> None:
    found = _read("echo 'rm b' >> new.sh; sh new.sh", absent=("/repo/new.sh",))
    assert (_deleted(found), found.opaque) == (["/repo/b"], [])
    found = _read("sed -i s/a/b/ new.sh; sh new.sh", absent=("/repo/new.sh",))
    assert found.opaque != [], "an edit of what is not there fails, and makes nothing"


def test_a_file_of_settings_is_free_to_make_and_not_to_overwrite() -> None:
    def marks(absent: tuple[str, ...], path: str) -> bool:
        found = _read(f"cp .env.example {path}", absent)
        return any("secret" in action.tags for action in found.actions if action.name == "fs:write")

    assert marks(("/repo/.env",), ".env") is False
    assert marks((), ".env") is True
    assert marks(("/home/user/.env",), "/home/user/.env") is True
