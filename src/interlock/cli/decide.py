"""`interlock decide`: host-neutral calls in, decisions out."""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ..approve.answers import ANSWERS, OPEN, settled
from ..bytes.strict import parse_object
from ..calls.world import Outcome, World
from ..engine import Engine, Given
from ..limits import LOCK_QUEUE_SECONDS, MAX_INPUT_BYTES
from ..model.call import Call, call_from
from ..model.environment import looked_at
from ..model.errors import InputError, InterlockError
from ..model.events import Place
from ..model.posture import Posture
from ..model.session import HAPPENED, Session
from ..model.verdict import Verdict
from ..policy.model import ApprovalMode
from ..record.answer import decision_to_wire
from ..runtime import judge
from ..store.home.folders import Folders
from ..value import FrozenMap, lazy
from ..words.told import told
from .commands import MODES, POSTURES, pass_folders
from .said import outcome_of, said
from .workers import MIN_LINES, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..model.action import Reading
    from ..model.facts import Facts
    from ..store.facts.told import StreamFiles
    from ..value import Json

    Sessions = dict[str, tuple[Session, "Files"]]
else:
    StreamFiles = lazy(globals(), "..store.facts.told", "StreamFiles")

__all__ = ["Desk", "Files", "answer_of", "command", "encoded"]

EXIT_CODES = {Verdict.ALLOW: 0, Verdict.DENY: 1, Verdict.ASK: 2}


@click.command()
@click.option("--jsonl", is_flag=True, help="One call a line; each is answered as it comes.")
@click.option(
    "--root", type=click.Path(file_okay=False), help="The project folder. Default: found from the call's cwd."
)
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(dir_okay=False),
    help="Use this file in place of yours and the project's.",
)
@click.option("--posture", type=POSTURES, help="Decide as in this posture.")
@click.option("--mode", type=MODES, help="Decide as in this approval mode.")
@click.option(
    "--answer",
    type=click.Choice(ANSWERS),
    default="refuse",
    show_default=True,
    help="How a person answers asks while a stream goes on. A yes is remembered for the session where it may be, a no "
    "denies its variants; a call that a line tells to have run was not refused. `open`: nobody answers, the call does "
    "not run, and nothing is remembered.",
)
@click.option("--record", "recording", is_flag=True, help="Keep the receipts, as the hook does.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON also to a terminal.")
@pass_folders
def command(
    folders: Folders,
    jsonl: bool,
    root: str | None,
    policy_file: str | None,
    posture: str | None,
    mode: str | None,
    answer: str,
    recording: bool,
    as_json: bool,
) -> int:
    """Decide a call that is read from stdin as JSON.

    \b
    A call:   {"tool": "Write", "input": {"file_path": "a.txt", "content": "hi"}, "cwd": "/repo"}
    Also:     "session", "agent", "agent_type", "host", "state", "attempt"; with --jsonl "outcome", "result"

    The exit code is the verdict: 0 allow, 1 deny, 2 ask; 64 bad input, 65 bad policy. With --jsonl
    every line gets an answer on its own line, a bad one an object with `error`; calls that name the
    same session share its state as if each allowed call had run (or as its `outcome` says: ran, failed,
    not_run, unknown), and the exit code is 0 unless the input could not be read. A line may also be
    {"event": "user_message", "from": "user", "text": …} or {"event": "revoke"}, with a session.

    In observe mode the answer has `"enforced": false` unless the floor refuses the call, and the exit code is 0.

    \b
    Examples:
      echo '{"tool": "Read", "input": {"file_path": "README.md"}}' | interlock decide
      interlock decide --jsonl --root /repo < calls.jsonl > decisions.jsonl
    """
    desk = Desk(folders, root=root, policy_file=policy_file, posture=posture, mode=mode, recording=recording)
    if jsonl:
        return _stream(desk, answer=None if answer == OPEN else answer)
    if sys.stdin.isatty():
        click.echo("reading one call as JSON from the terminal; end it with Ctrl-D", err=True)
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    outcome = desk.judge(call_from(parse_object(raw), cwd=os.getcwd()))
    if as_json or not sys.stdout.isatty():
        click.echo(encoded(answer_of(outcome)))
    else:
        from .show import show_outcome

        show_outcome(outcome)
    for notice in (*outcome.policy.notices, *desk.warnings(outcome.call), *outcome.warnings):
        click.echo(f"interlock: {notice}", err=True)
    return 0 if outcome.observed else EXIT_CODES[outcome.decision.verdict]


class Desk:
    """Everything that calls are judged with. Policies are loaded once for each project folder."""

    def __init__(
        self,
        folders: Folders,
        *,
        root: str | None,
        policy_file: str | None,
        posture: str | None,
        mode: str | None,
        recording: bool,
        undo: str = "",
    ) -> None:
        self.cwd = os.getcwd()
        self.recording = recording
        self.environment = looked_at(os.environ)
        self.engine = Engine(
            folders,
            front="cli:decide",
            records=recording,
            resumes=False,
            answers=False,
            patience=LOCK_QUEUE_SECONDS,
            undo="holds" if recording else undo,
            given=Given(
                root=root,
                policy=policy_file,
                posture=None if posture is None else Posture.of(posture),
                mode=None if mode is None else ApprovalMode.of(mode),
            ),
        )
        self.places: dict[str, tuple[World, Session]] = {}
        if root is not None or policy_file is not None:
            self.world("/")  # a broken policy is told before any call is read

    def at(self, cwd: str) -> tuple[World, Session]:
        """The world of that folder, and a session that would begin there. A stream looks once."""
        found = self.places.get(cwd)
        if found is None:
            starter = f"uid:{os.getuid()}"
            place = Place(cwd=cwd, environment=self.environment, parent=os.getppid(), starter=starter)
            world = self.engine.world(place)
            found = self.places[cwd] = world, self.engine.worlds.session(place, world)[0]
        return found

    def world(self, cwd: str) -> World:
        return self.at(cwd)[0]

    def warnings(self, call: Call) -> tuple[str, ...]:
        """What a person should know of the catalogues of contracts."""
        contracts = self.world(call.cwd).contracts
        return () if contracts is None else contracts.warnings

    def fresh_session(self, call: Call) -> Session:
        return self.at(call.cwd)[1].replace(id=call.session)

    def judge(self, call: Call, session: Session | None = None, files: Files | None = None) -> Outcome:
        """A recorded call is of a session of this front: whatever host and session it names, it is not the hook's."""
        if self.recording and call.session:
            call = call.replace(session=f"decide:{call.session}")
        world = self.world(call.cwd)
        if files is not None:
            world = world.replace(read=files.read)
        return judge(call, world, session or self.fresh_session(call))


class Files:
    """The files of one session of a stream, as if its calls had run."""

    def __init__(self) -> None:
        self.told: StreamFiles | None = None  # None: the disk, no call has left anything yet
        self.facts: Facts | None = None  # those that the last call was read with

    def read(self, call: Call, facts: Facts, _wrote: Callable[[str], bool] | None = None) -> Reading:
        reading, self.facts = (self.told or StreamFiles()).read(call, facts)
        return reading

    def ran(self, judged: Outcome, *, failed: bool) -> None:
        if self.facts is not None:
            self.told = (self.told or StreamFiles()).after(judged.call, judged.reading, self.facts, failed=failed)


def _stream(desk: Desk, *, answer: str | None) -> int:
    """Every line is answered as soon as it is here; lines that come together are answered together."""
    gc.freeze()  # what is loaded stays; only what the calls leave behind is looked at
    gc.set_threshold(50_000, 20, 20)
    sessions: Sessions = {}

    def answers(lines: list[bytes], first: int) -> bytes:
        return "\n".join([_answered(desk, sessions, line, first + i, answer) for i, line in enumerate(lines)]).encode()

    workers = Workers(answers)
    number = 1
    for lines in _batches(0):
        alone = desk.recording or len(lines) < MIN_LINES or any(b'"session"' in line for line in lines)
        _write((answers if alone else workers.share)(lines, number) + b"\n")
        number += len(lines)
    return 0


def _answered(desk: Desk, sessions: Sessions, line: bytes, number: int, answer: str | None) -> str:
    try:
        told = _answer_line(desk, sessions, line, answer=answer)
    except InterlockError as error:
        kind = type(error).__name__.removesuffix("Error").lower()
        told = {"error": {"kind": kind, "line": number, "message": str(error)}}
    return encoded(told)


def _write(raw: bytes) -> None:
    view = memoryview(raw)
    while view:
        view = view[os.write(1, view) :]


def _answer_line(desk: Desk, sessions: Sessions, line: bytes, *, answer: str | None) -> dict[str, Any]:
    data = parse_object(line)
    if "event" in data:
        return _answer_event(desk, sessions, data)
    call = call_from(data, cwd=desk.cwd)
    outcome, result = outcome_of(data)
    if not call.session:  # nothing to share: every such call stands alone
        return answer_of(desk.judge(call))
    session, files = sessions.get(call.session) or (desk.fresh_session(call), Files())
    judged = desk.judge(call, session, files)
    said = None if answer == "refuse" and outcome in HAPPENED else answer  # what ran was not refused
    reading, decision = judged.reading, judged.decision
    after = settled(session, reading, decision, answer=said, outcome=outcome, result=result, agent=call.agent)
    sessions[call.session] = after, files
    if _has_run(judged.decision.verdict, said, outcome):
        files.ran(judged, failed=outcome in ("failed", "unknown"))
    return answer_of(judged)


def _has_run(verdict: Verdict, answer: str | None, outcome: str | None) -> bool:
    """Whether the call is taken to have run: as its line tells, else if it was allowed or a person said yes."""
    if outcome is not None:
        return outcome in HAPPENED or (outcome == "unknown" and verdict is Verdict.ALLOW)
    return verdict is Verdict.ALLOW or (verdict is Verdict.ASK and answer == "approve")


def _answer_event(desk: Desk, sessions: Sessions, data: Mapping[str, Json]) -> dict[str, Any]:
    # An event has the same head as a call, so that the policy and the session are found in the same way.
    head = call_from({**data, "tool": "event", "input": FrozenMap({})}, cwd=desk.cwd)
    if not head.session:
        raise InputError("an event needs a `session`")
    session, files = sessions.get(head.session) or (desk.fresh_session(head), Files())
    session, told = said(data, session, desk.world(head.cwd).policy)
    sessions[head.session] = session, files
    return told


def _batches(stream: int) -> Iterator[list[bytes]]:
    """The whole lines of each piece of input, without their ends.

    A line beyond the limit is cut just past it, so that it is refused for its size, and the rest of it is skipped.
    """
    kept, skipping = b"", False
    while piece := os.read(stream, 1 << 16):
        *whole, rest = (kept + piece).split(b"\n")
        if whole and skipping:
            whole, skipping = whole[1:], False
        if skipping:
            kept = b""
            continue
        if len(rest) > MAX_INPUT_BYTES:
            whole, rest, skipping = [*whole, rest[: MAX_INPUT_BYTES + 1]], b"", True
        kept = rest
        if whole:
            yield whole
    if kept and not skipping:
        yield [kept]


def answer_of(outcome: Outcome) -> dict[str, Any]:
    answer = decision_to_wire(outcome.decision, outcome.body, outcome.receipt)
    if outcome.decision.reasons:
        answer["person"], answer["agent"] = told(outcome.call, outcome.reading, outcome.decision, outcome.policy)
    if outcome.observed:  # observe mode: whoever asks lets the call pass
        answer["enforced"] = False
    if outcome.warnings:
        answer["warnings"] = list(outcome.warnings)
    if outcome.trouble is not None:
        answer["trouble"] = outcome.trouble
    return answer


def encoded(answer: dict[str, Any]) -> str:
    return _encoder.encode(answer)


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "), default=dict, check_circular=False)
