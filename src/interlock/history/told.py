"""A call that a host's transcript tells of, and what a transcript as a whole comes to.

A transcript was written by a host for itself. Its shape is not ours, and changes without notice: what is not
understood is counted and left out, and never stops the rest.
"""

from __future__ import annotations

from ..errors import InputError
from ..record.canon import digest_of_text
from ..record.strict import parse_object
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from ..value import Json

__all__ = ["SPOKE", "Told", "Transcript", "moment_of", "objects", "result_of"]

SPOKE = ""  # the tool of an entry that is a person's message, and no call


class Told(Value):
    """
    at       milliseconds since 1970; None where the transcript does not say
    attempt  the host's id of the call
    outcome  ran, failed, not_run or unknown
    result   digest of what came back, where something did
    refused  a person said no to it
    """

    tool: str
    input: Mapping[str, Json] = FrozenMap({})
    host: str = ""
    session: str = ""
    agent: str = ""
    cwd: str = "/"
    at: int | None = None
    attempt: str = ""
    outcome: str = "unknown"
    result: str | None = None
    refused: bool = False


class Transcript(Value):
    """`skipped`: why lines were left out, and how many for each reason."""

    told: tuple[Told, ...] = ()
    lines: int = 0
    skipped: Mapping[str, int] = FrozenMap({})


def objects(lines: Iterable[bytes | None], skip: Callable[[str], None]) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of the lines. None stands for a line that is too long to be read at all."""
    for line in lines:
        if line is None:
            skip("too long")
        elif line.strip():
            try:
                yield parse_object(line)
            except InputError:
                skip("not a JSON object")


def result_of(content: object) -> str | None:
    """A digest of what came back; nothing of it is kept."""
    return None if content is None else digest_of_text(str(content))


def moment_of(text: object) -> int | None:
    """`2026-12-01T10:00:00.000Z` as milliseconds since 1970; None where it is no moment."""
    if type(text) is not str:
        return None
    from datetime import UTC, datetime

    try:
        when = datetime.fromisoformat(text)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
