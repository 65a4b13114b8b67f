"""Tool calls in the host's transcript that no hook saw: the hooks were off, or the host did not call them.

The transcript is read from where the last event stopped, never changed, and never more than a bound at a time. The
transcripts of sub-agents lie in a folder beside it. Whoever may write these files can hide a call.
"""

from __future__ import annotations

import os
import time

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_FOLLOWED_ROWS, MAX_STATE_BYTES, MAX_TRANSCRIPT_BYTES, MAX_TRANSCRIPTS
from ...record.unseen import calls_that_ran
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..clock import now
from ..home.files import Descriptor
from .rows import attempt_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...model.session import Session
    from .ledger import AnyDatabase, Turn

__all__ = [
    "News",
    "bytes_at",
    "gaps_in",
    "heard_on",
    "news_of",
    "told_of_gap",
    "transcripts_of",
    "unmarked",
    "whole_lines",
]

_REGULAR, _KIND = 0o100000, 0o170000
_SHOWN = 20


def transcripts_of(transcript: str) -> dict[str, str]:
    """Name -> path of the transcript itself and of those of its sub-agents, the newest names last."""
    if not transcript.startswith("/") or not transcript.endswith(".jsonl"):
        return {}
    found = {"": transcript}
    folder = transcript.removesuffix(".jsonl") + "/subagents"
    try:
        names = sorted([name for name in os.listdir(folder) if name.endswith(".jsonl")])
    except (OSError, ValueError):
        names = []
    found.update({name: f"{folder}/{name}" for name in names[-MAX_TRANSCRIPTS:]})
    return found


class News(Value):
    """What is new in the transcripts of a session, read before anything is locked.

    since, heard  as the session had them: from where on it was read
    lines         name of the transcript -> where the new lines begin, and the lines
    ends          name -> up to where it is heard with them
    shorter       transcripts that lost what had been heard
    """

    since: str
    heard: Mapping[str, int]
    lines: Mapping[str, tuple[int, list[bytes]]] = FrozenMap({})
    ends: Mapping[str, int] = FrozenMap({})
    shorter: tuple[str, ...] = ()

    def fits(self, session: Session) -> bool:
        """Whether it was read from where this session stopped."""
        return (self.since, self.heard) == (session.since, session.heard)


def news_of(session: Session, transcript: str) -> News:
    """Reads the files; nothing is kept of it before `heard_on`."""
    files = transcripts_of(transcript)
    found = News(since=session.since, heard=session.heard)
    if not session.since:  # what came before the first event was never ours to see
        return found.replace(ends=FrozenMap({name: _size(path) for name, path in files.items()}))
    lines: dict[str, tuple[int, list[bytes]]] = {}
    ends: dict[str, int] = {}
    shorter = []
    left = MAX_TRANSCRIPT_BYTES
    for name, path in files.items():
        at, size = session.heard.get(name, 0), _size(path)
        if size < at:
            shorter.append(path)
            at = size
        new, ends[name] = whole_lines(path, at, left) if size > at and left > 0 else ([], at)
        left -= ends[name] - at
        lines[name] = at, new
    return found.replace(lines=FrozenMap(lines), ends=FrozenMap(ends), shorter=tuple(shorter))


def heard_on(turn: Turn, session: Session, news: News) -> tuple[Session, tuple[str, ...]]:
    """The session, having looked through what is new in its transcripts, and what a person is told of gaps."""
    if not news.ends:
        return session, ()
    if not session.since:
        return session.replace(since=now(), heard=news.ends), ()
    session = session.replace(heard=news.ends)
    ran: dict[str, str] = {}
    for _, lines in news.lines.values():
        ran.update(calls_that_ran(lines, session.since))
    unseen = unmarked(ran, [row.body for row in turn.newest(turn.id, MAX_FOLLOWED_ROWS) if row.kind == "decision"])
    if not unseen and not news.shorter:
        return session, ()
    calls = [{"id": name[:80], "tool": tool[:80]} for name, tool in list(unseen.items())[:_SHOWN]]
    body = {"calls": calls, "count": len(unseen), "shorter": list(news.shorter)}
    turn.append("gap", canonical(body), key=turn.id, session=turn.id)
    told = [told_of_gap(unseen)] if unseen else []
    told += [f"the transcript `{path}` got shorter: calls that were in it may be hidden" for path in news.shorter]
    return session, tuple(told)


def gaps_in(database: AnyDatabase) -> dict[str, dict[str, str]]:
    """Session -> calls of its transcripts that ran and of which no row tells, while the transcripts are there.

    Looked at from when the first row that is left of the session was written: what was pruned is not missing.
    """
    began: dict[str, tuple[int, str]] = {}
    for session, at, body in database.rows("SELECT key, at, body FROM ledger WHERE kind = 'session' ORDER BY seq"):
        transcript = str(parse_object(body, limit=MAX_STATE_BYTES).get("transcript", ""))
        began[session] = (began.get(session, (at, ""))[0], transcript or began.get(session, (at, ""))[1])
    found = {}
    for session, (at, transcript) in began.items():
        since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at / 1000))
        ran: dict[str, str] = {}
        for path in transcripts_of(transcript).values():
            ran.update(calls_that_ran(_all_lines(path), since))
        bodies = database.rows("SELECT body FROM ledger WHERE session = ? AND kind = 'decision'", (session,))
        unseen = unmarked(ran, [body for (body,) in bodies])
        if unseen:
            found[session] = unseen
    return found


def _all_lines(path: str) -> Iterator[bytes]:
    at, end = 0, _size(path)
    while at < end:
        lines, after = whole_lines(path, at, MAX_TRANSCRIPT_BYTES)
        if after == at:
            return
        yield from lines
        at = after


def unmarked(ran: dict[str, str], decisions: Iterable[bytes]) -> dict[str, str]:
    """Those calls of which no decision's row tells."""
    marks = {attempt_mark(name): name for name in ran}
    longest = max(map(len, marks), default=0)
    left = dict(ran)
    for body in decisions:
        if not left:
            break
        name = marks.get(body[: body.find(b",", 0, longest) + 1])
        if name is not None:
            left.pop(name, None)
    return left


def told_of_gap(unseen: dict[str, str]) -> str:
    tools = ", ".join(dict.fromkeys([tool[:40] or "a tool" for tool in unseen.values()]))
    calls = "1 tool call" if len(unseen) == 1 else f"{len(unseen)} tool calls"
    return f"{calls} of this session ran unseen ({tools[:200]}): the hooks were off, or the host did not call them"


def whole_lines(path: str, at: int, most: int) -> tuple[list[bytes], int]:
    """The whole lines from there on, and where they end. Of a line longer than the bound nothing is kept."""
    raw = _piece(path, at, most)
    if raw is None:
        return [], at
    end = raw.rfind(b"\n") + 1
    if not end and len(raw) == most == MAX_TRANSCRIPT_BYTES:
        return [], at + most
    return raw[:end].splitlines(), at + end


def bytes_at(path: str, at: int, size: int) -> bytes:
    """So many bytes from there on; fewer where the file does not have them."""
    return _piece(path, at, size) or b""


def _piece(path: str, at: int, size: int) -> bytes | None:
    """None where no regular file can be read."""
    try:
        with Descriptor(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as fd:
            return os.pread(fd, size, at) if os.fstat(fd).st_mode & _KIND == _REGULAR else None
    except (OSError, ValueError):
        return None


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0
