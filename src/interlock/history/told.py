"""A call that a host's transcript tells of, and what a transcript as a whole comes to.

A transcript was written by a host for itself. Its shape is not ours, and changes without notice: what is not
understood is counted and left out, and never stops the rest.
"""

from __future__ import annotations

from datetime import UTC, datetime

from ..bytes.canon import digest_of_text
from ..bytes.strict import parse_object
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from ..value import Json

__all__ = ["SPOKE", "PastCall", "Taking", "Transcript", "moment_of", "result_of"]

SPOKE = ""  # the tool of an entry that is a person's message, and no call


class PastCall(Value):
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

    told: tuple[PastCall, ...] = ()
    lines: int = 0
    skipped: Mapping[str, int] = FrozenMap({})


class Taking:
    """A transcript while it is taken down: what is told so far, and which call an outcome belongs to."""

    def __init__(self, lines: Iterable[bytes | None]) -> None:
        self._lines = lines
        self._count = 0
        self._skipped: dict[str, int] = {}
        self._told: list[PastCall] = []
        self._place: dict[str, int] = {}

    def objects(self) -> Iterator[Mapping[str, Any]]:
        """The JSON objects of the lines. None stands for a line that is too long to be read at all."""
        for line in self._lines:
            self._count += 1
            if line is None:
                self.skip("too long")
            elif line.strip():
                try:
                    yield parse_object(line)
                except InputError:
                    self.skip("not a JSON object")

    def skip(self, why: str) -> None:
        self._skipped[why] = self._skipped.get(why, 0) + 1

    def spoke(self, head: PastCall) -> None:
        self._told.append(head)

    def call(self, call: PastCall | None, *, otherwise: str) -> None:
        """A call, once for each attempt: a session that is taken up again tells of its first part twice."""
        if call is None:
            self.skip(otherwise)
        elif call.attempt not in self._place:
            if call.attempt:
                self._place[call.attempt] = len(self._told)
            self._told.append(call)

    def outcome(self, attempt: object, settled: Callable[[PastCall], PastCall]) -> None:
        at = self._place.get(str(attempt))
        if at is not None:
            self._told[at] = settled(self._told[at])

    def whole(self) -> Transcript:
        return Transcript(told=tuple(self._told), lines=self._count, skipped=FrozenMap(self._skipped))


def result_of(content: object) -> str | None:
    """A digest of what came back; nothing of it is kept."""
    return None if content is None else digest_of_text(str(content))


def moment_of(text: object) -> int | None:
    """`2026-12-01T10:00:00.000Z` as milliseconds since 1970; None where it is no moment."""
    if type(text) is not str:
        return None
    try:
        when = datetime.fromisoformat(text)
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
