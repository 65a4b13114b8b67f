"""A project with files of tasks whose texts are known, for tests that read a command in it."""

from __future__ import annotations

from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.state import Found
from interlock.value import FrozenMap

BAD = "rm -rf /srv/data"


class EveryPathLeadsWhereItSays(dict[str, str]):
    def get(self, path: str, default: object = None) -> str:
        return path.replace("/./", "/")


def read_in_project(
    command: str, texts: dict[str, str], *, written: tuple[str, ...] = (), absent: tuple[str, ...] = ()
) -> Found:
    """The command in /repo, which holds these texts. `written`: the files that this session wrote."""
    facts = Facts(
        root="/repo",
        home="/home/user",
        real=EveryPathLeadsWhereItSays(),
        scripts=FrozenMap(texts),
        written=frozenset(written),
        absent=frozenset(absent),
    )
    return follow_bash(command, cwd="/repo", facts=facts)


def deleted(found: Found) -> list[object]:
    return [action.target.get("path") for action in found.actions if action.name == "fs:delete"]


def reasons(found: Found) -> list[str]:
    return [part.reason for part in found.opaque]


def says(path: str) -> str:
    return f"runs what `{path}` says, which was written in this session"
