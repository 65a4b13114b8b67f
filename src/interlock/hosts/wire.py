"""What the file of every host needs: the fields of an event, and a decision in words.

Hosts name their fields alike (`session_id`, `cwd`, `tool_input`); where one does not, its own file reads them.
"""

from __future__ import annotations

from ..errors import InputError, printable
from ..limits import MAX_ID_CHARS, MAX_REASON_CHARS
from ..record.canon import digest
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..decision import Decision, Finding
    from ..value import Json

__all__ = ["cut", "folder_of", "input_of", "name_of", "reason_of", "remedies_of", "seen", "session_of", "text_of"]


def text_of(data: Mapping[str, Json], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if type(value) is not str:
        raise InputError(f"the event's `{key}` is not a text")
    return value


def session_of(data: Mapping[str, Json]) -> str:
    """The session's name. One that is longer than any host's stands in every row, so its digest does instead."""
    name = text_of(data, "session_id")
    return name if len(name) <= MAX_ID_CHARS else digest(name)


def name_of(data: Mapping[str, Json]) -> str:
    """The tool, as the host names it."""
    tool = data.get("tool_name")
    if type(tool) is not str or not tool.strip():
        raise InputError("the event has no `tool_name`")
    return tool


def input_of(data: Mapping[str, Json]) -> Mapping[str, Json]:
    arguments = data.get("tool_input")
    if type(arguments) is not FrozenMap:
        raise InputError("the event's `tool_input` is missing or not an object")
    return arguments  # type: ignore[return-value,unused-ignore]


def folder_of(data: Mapping[str, Json]) -> str:
    cwd = text_of(data, "cwd")
    if not cwd.startswith("/"):
        raise InputError("the event's `cwd` is not an absolute path")
    return cwd


def reason_of(decision: Decision) -> str:
    """Why, and what to do instead: only what made the verdict what it is."""
    deciding = [finding for finding in decision.reasons if finding.verdict is decision.verdict]
    if all(finding.layer in ("posture", "strength") for finding in deciding):  # it only answered what others found
        deciding = list(decision.reasons)
    lines = [f"Interlock: {'; '.join(_told(deciding))}."]
    advice = list(dict.fromkeys(finding.instead for finding in deciding if finding.instead))
    return cut(" ".join(lines + advice))


def remedies_of(decision: Decision) -> list[str]:
    """For the person: what would permit a call that was denied for want of a grant."""
    remedies = dict.fromkeys(finding.remedy for finding in decision.reasons if finding.remedy)
    return ["to permit it, in a terminal of your own or in your policy:", *remedies] if remedies else []


def _told(findings: list[Finding]) -> list[str]:
    return list(dict.fromkeys(f"{finding.text} [{finding.layer}/{finding.rule}]" for finding in findings))


def seen(text: str) -> str:
    """Nothing that a terminal obeys; whoever puts somebody else's words on a line of their own has shown them first."""
    return "\n".join(map(printable, text.split("\n")))


def cut(text: str) -> str:
    return text if len(text) <= MAX_REASON_CHARS else text[: MAX_REASON_CHARS - 1] + "…"
