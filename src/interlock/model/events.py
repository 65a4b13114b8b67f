"""What a host tells, and what it is told: the same nouns for every host. One file of `hosts/` speaks each host's own.

Every event has a `place`: all that is known of where it happened. Nothing behind a front looks at its own process.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..value import Json
    from .call import Call
    from .decision import Decision
    from .facts import Definition

__all__ = [
    "Began",
    "Block",
    "Chosen",
    "Closed",
    "Decided",
    "Declined",
    "EndTurn",
    "Ended",
    "Passing",
    "Place",
    "Proposed",
    "Refusal",
    "Resettled",
    "Said",
    "Shown",
    "Spoken",
    "Stopping",
    "Tell",
    "Typed",
]


class Place(Value):
    """
    host         which host's session it is
    session      the host's own id of it
    cwd          where the agent works
    root         the project, where the host names it
    attended     somebody sits in front of the host
    run          the label that whoever started an unattended run gave it
    transcript   where the host writes down what happens
    environment  the variables that count (environment.py)
    variables    those that say where an action would arrive; None: those of this process
    parent       the process that runs the agent; 0: not known
    starter      who runs the agent: `login:ann`, or `uid:1000`, whose name is looked up when it is needed
    scratch      the folder that the host gives this session for throw-away files, `{uid}` in it for the number of the
                 user; empty: none is known
    """

    host: str = ""
    session: str = ""
    cwd: str = "/"
    root: str | None = None
    attended: bool = True
    run: str = ""
    transcript: str = ""
    environment: Mapping[str, str] = FrozenMap({})
    variables: Mapping[str, str] | None = None
    parent: int = 0
    starter: str = ""
    scratch: str = ""


class Proposed(Value):
    """The agent wants to make a call.

    planning  the host only plans now, and an allow would lift that
    mode      how far the host asks by itself, in its own word; empty: it does not tell
    definition  how its server defines the tool, where a relay has seen that
    malformed   why what the agent sent is no call that can be read in one way: it is denied, and that is recorded
    here        a question of ours can be put in the host's own dialog, and what a person says there counts
    word        of our shield inside the host, which can put a question; empty: none was there
    """

    place: Place
    call: Call
    planning: bool = False
    mode: str = ""
    definition: Definition | None = None
    malformed: str = ""
    here: bool = False
    word: str = ""


class Shown(Value):
    """The host puts a question about a call before somebody. Another hook may answer it all the same."""

    place: Place
    call: Call


class Declined(Value):
    """Calls that a person was asked about in the host, and did not let run. It says what they are, and not their ids.

    event  the host's name of the event that tells it
    """

    place: Place
    calls: tuple[Call, ...]
    event: str


class Ended(Value):
    """What became of a call.

    outcome  ran, failed or unknown: a call that was interrupted may have done anything
    result   what came back
    event    the host's name of the event that tells it
    asked    the host itself asks its person in this mode, so that an ask that ran was put before one
    size     how many bytes came back, where that is known; 0: it is not told
    """

    place: Place
    call: Call
    outcome: str
    result: Json
    event: str
    asked: bool = False
    size: int = 0


class Said(Value):
    """A message to the agent. `notice`: the host put it in by itself, for example that a job has ended.

    `prompt` is the host's id of it, by which its transcript says later who typed it. `program`: the program that runs
    the agent says what its person said; nobody need sit in front of anything.
    """

    place: Place
    prompt: str
    text: str
    notice: bool
    program: bool = False


class Typed(Value):
    """A message that names a skill or a command, which the host is about to load. `call` is the tool call like it."""

    place: Place
    call: Call


class Began(Value):
    """A session began, or goes on. `anew`: files that the host obeys are compared with how they are now."""

    place: Place
    source: str
    anew: bool


class Stopping(Value):
    """The agent is about to stop. `again`: it goes on because of a hook already."""

    place: Place
    again: bool


class Resettled(Value):
    """A file of settings was changed, and the host asks whether to take it."""

    place: Place
    path: str
    source: str


class Closed(Value):
    """The session ended."""

    place: Place


class Passing(Value):
    """An event that nothing follows from."""

    place: Place


class Chosen(Value):
    """A person's answer in a dialog that code inside the host has put up. `text`, `choices`: as they were shown.
    `ended`: the call that it is to the host.
    """

    place: Place
    text: str
    choices: tuple[str, ...]
    answer: str
    ended: Ended


class Decided(Value):
    """The answer to a proposed call, as the person and the agent are told it where it does not simply pass.

    Notes are for the agent, warnings for the person. `held`: the question that is open elsewhere, by its id. `defers`:
    it ends the run. `silent`: the host gets no decision, so that its own rules apply. `dialog`: what our shield inside
    the host is to put before the person.
    """

    decision: Decision
    person: str = ""
    agent: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    held: str = ""
    defers: bool = False
    silent: bool = False
    dialog: str = ""


class Tell(Value):
    """Nothing is decided; the person or the agent is told something, or nobody is."""

    person: tuple[str, ...] = ()
    agent: str = ""


class Block(Value):
    """What was about to happen does not: the agent does not stop, a message is not sent, settings are not taken."""

    reason: str
    person: tuple[str, ...] = ()


class EndTurn(Value):
    """The agent does not go on by itself; the person is told why."""

    person: tuple[str, ...]


class Refusal(Value):
    """The event could not be taken in. Where it gates something, that does not happen."""

    reason: str
    person: tuple[str, ...] = ()


class Spoken(Value):
    """How a host is answered."""

    stdout: bytes = b""
    stderr: bytes = b""
    code: int = 0


if TYPE_CHECKING:
    Event = (
        Proposed | Shown | Declined | Ended | Said | Typed | Began | Stopping | Resettled | Closed | Passing | Chosen
    )
    Reply = Decided | Tell | Block | EndTurn | Refusal
