"""The calls that happened, as the loop guard compares them: which round this is that brings nothing new.

A call comes round when it was made before with the same outcome, and nothing happened since that had not happened
before it as well. What counts as having happened depends on the call: a read is new once anything else than a read was
done; what reaches out of this machine or cannot be taken back stays the same, whatever was read in between.
Pure: the moments are data, and whoever decides hands in the one that counts.
"""

from __future__ import annotations

from ..bytes.canon import digest
from ..limits import LONGEST_CYCLE, MAX_RECENT, NEAR_REPEATS
from ..value import TYPE_CHECKING, Value
from .effects import Effect

if TYPE_CHECKING:
    from .action import Action, Reading

__all__ = [
    "ACTS",
    "EDITS",
    "IDLES",
    "LOOKS",
    "MANNERS",
    "MARK",
    "QUIET",
    "RUNS",
    "WAITS",
    "WRITES",
    "Ran",
    "Repeated",
    "agent_mark",
    "kind_of",
    "manner_of",
    "mark_of",
    "near_repeats",
    "outcome_mark",
    "repetition",
    "waited",
    "with_step",
]

# How a call bears on a loop: it waits for something, it does nothing, it only looks, it runs the project's own code, it
# changes a file, it changes something else of its caller's, or it does what is felt elsewhere or cannot be undone.
WAITS, IDLES, LOOKS, RUNS, EDITS, WRITES, ACTS = "waits", "idles", "looks", "runs", "edits", "writes", "acts"
MANNERS = (WAITS, IDLES, LOOKS, RUNS, EDITS, WRITES, ACTS)
QUIET = (WAITS, IDLES, LOOKS)
_CHANGING = (EDITS, WRITES, ACTS)
_WAITING = ("exec:sleep", "proc:read")  # `sleep 5`; the output of a job that runs in the background
_WAITING_ENDS = (":wait", "-wait", ":watch", "-watch")  # kubectl wait, gh run watch
_EDITING = ("fs:write", "fs:move", "git:apply", "exec:patch")
_FETCHING = ("net:fetch", "net:lookup", "net:ping")
_LASTING = (Effect.SPAWN, Effect.DESTRUCTIVE)
_REACHES = ("external", "install", "privileged", "sends", "unknown")
MARK = 16  # characters of a digest by which two calls are told apart
_LONGEST = 2 * LONGEST_CYCLE  # steps that a round may take, some of its calls being made more than once
_KEPT_OF_EACH = 5 * LONGEST_CYCLE  # of the newest steps all are kept; of older ones, reads go first


class Ran(Value):
    """A call that happened: what it was, what came of it, and how it bears on a loop.

    at     the moment at which it was decided, in seconds; 0: not known
    agent  which of the session's agents made it
    kind   what its actions are called
    """

    projection: str
    outcome: str
    manner: str = ACTS
    at: int = 0
    agent: str = ""
    kind: str = ""


class Repeated(Value):
    """What the calls before it say of a call.

    times  which time this is that it comes round
    calls  how many calls are in a round
    reads  whether the round is made of calls that only look
    paced  whether it comes long enough after the last time
    polls  how many such reads came at their time before, since anything else was done
    alike  how many calls of its kind have just given one same outcome; 0: not enough to speak of
    """

    times: int = 1
    calls: int = 1
    reads: bool = False
    paced: bool = False
    polls: int = 0
    alike: int = 0

    @property
    def polls_again(self) -> bool:
        """Whether it is one more read that comes at its time and has brought nothing new."""
        return self.reads and self.paced and self.times > 2


def mark_of(reading: Reading) -> str:
    """What the call is known by among the steps of a session."""
    return reading.step[-MARK:]


def agent_mark(agent: str) -> str:
    return agent if len(agent) <= MARK else digest(agent)[-MARK:]


def outcome_mark(outcome: str, result: str | None) -> str:
    if result is None:
        return outcome
    return f"{outcome} {result if len(result) <= MARK else digest(result)[-MARK:]}"


def kind_of(reading: Reading) -> str:
    kind = " ".join(dict.fromkeys([action.name for action in reading.actions]))
    return kind if len(kind) <= 2 * MARK else digest(kind)[-MARK:]


def manner_of(reading: Reading) -> str:
    if any(action.name in _EDITING for action in reading.actions):
        return EDITS
    if reading.opaque:
        return ACTS
    effects = {effect for action in reading.actions for effect in action.effects}
    if not effects.isdisjoint(_LASTING) or any(tag in _REACHES for action in reading.actions for tag in action.tags):
        return ACTS
    if Effect.WRITE in effects or any(_may_change(action) for action in reading.actions):
        return WRITES
    if any(action.name in _WAITING or action.name.endswith(_WAITING_ENDS) for action in reading.actions):
        return WAITS
    if Effect.EXECUTE in effects:
        return RUNS
    # What a tool of the agent's own does, such as asking its person, has no effect and may still bring something new.
    return LOOKS if effects or any(action.name.startswith("agent:") for action in reading.actions) else IDLES


def _may_change(action: Action) -> bool:
    """What talks to another machine may change something there, unless it is known to fetch."""
    talks = Effect.NETWORK in action.effects and Effect.EXECUTE not in action.effects
    return talks and Effect.READ not in action.effects and action.name not in _FETCHING


def repetition(
    recent: tuple[Ran, ...], projection: str, manner: str = ACTS, agent: str = ""
) -> tuple[int, tuple[Ran, ...]]:
    """Which time this is that the call comes round, and the calls of the round that it begins anew, each once.

    A round is up to `LONGEST_CYCLE` different calls. Two are the same if the same calls had the same outcomes in them,
    in whatever order. An outcome that is not known is the same as no other. Rounds that wait and change nothing are
    polling. A call that changes no file itself is no repetition once a file was changed since: `make test` after each
    edit.
    """
    if all(ran.projection != projection for ran in recent):
        return 1, ()
    return _times_round(_past(recent, manner, agent), projection, manner)


def _past(recent: tuple[Ran, ...], manner: str, agent: str) -> list[Ran]:
    """The calls that count as having happened, for one that bears on a loop so. Those of the session's other agents
    count as far as they may have changed something for it.
    """
    if manner in QUIET:
        since = next((at + 1 for at in range(len(recent) - 1, -1, -1) if recent[at].manner not in QUIET), 0)
        return [ran for ran in recent[since:] if ran.agent == agent]
    if manner == ACTS:  # INVARIANT: no read and no wait in between hides that it comes again
        return [ran for ran in recent if ran.manner == EDITS or (ran.agent == agent and ran.manner not in QUIET)]
    return [ran for ran in recent if ran.manner in _CHANGING or (ran.agent == agent and ran.manner != IDLES)]


def _times_round(past: list[Ran], projection: str, manner: str) -> tuple[int, tuple[Ran, ...]]:
    found: tuple[int, tuple[Ran, ...]] = (1, ())
    for start in range(len(past) - 1, max(-1, len(past) - 1 - _LONGEST), -1):
        ran = past[start]
        if ran.outcome == "unknown":
            break
        if manner != EDITS and ran.manner == EDITS and ran.outcome.startswith("ran"):
            break
        if ran.projection != projection:
            continue
        calls = past[start:]
        if any(one.manner == WAITS for one in calls) and all(one.manner not in _CHANGING for one in calls):
            continue
        same = frozenset([(one.projection, one.outcome) for one in calls])
        if len(same) > LONGEST_CYCLE:
            break
        times, end = 2, _round_before(past, start, projection, same)
        while end is not None:
            times, end = times + 1, _round_before(past, end, projection, same)
        if times > found[0]:
            found = times, tuple({(one.projection, one.outcome): one for one in calls}.values())
    return found


def _round_before(past: list[Ran], end: int, projection: str, same: frozenset[tuple[str, str]]) -> int | None:
    """Where a round of the same calls begins that ends here; None where there is none."""
    met = set()
    for at in range(end - 1, max(-1, end - 1 - _LONGEST), -1):
        one = past[at].projection, past[at].outcome
        if one not in same:
            return None
        met.add(one)
        if one[0] == projection and len(met) == len(same):
            return at
    return None


def near_repeats(recent: tuple[Ran, ...], kind: str, projection: str, agent: str) -> int:
    """How many calls of this kind, of which none is this one, have just failed or looked with one same outcome."""
    count, outcome = 0, ""
    for ran in reversed(recent):
        if ran.agent != agent:
            continue
        outcome = outcome or ran.outcome
        alike = ran.kind == kind != "" and ran.projection != projection and ran.outcome == outcome
        if not alike or " " not in outcome or not (ran.manner == LOOKS or outcome.startswith("failed")):
            break
        count += 1
    return count if count >= NEAR_REPEATS and count % NEAR_REPEATS == 0 else 0


def waited(recent: tuple[Ran, ...], projection: str, agent: str, at: int, pace: int) -> bool:
    """Whether the call comes long enough after the last time. Where a moment is not known it does not."""
    last = next((ran.at for ran in reversed(recent) if ran.projection == projection and ran.agent == agent), 0)
    return 0 < last <= at - pace


def with_step(recent: tuple[Ran, ...], ran: Ran) -> tuple[Ran, ...]:
    """The steps with one more, bounded: acts stay known longer than what was read between them."""
    if len(recent) < MAX_RECENT:
        return (*recent, ran)
    older = recent[: len(recent) - _KEPT_OF_EACH + 1]
    gone = next((at for at, one in enumerate(older) if one.manner in QUIET), 0)
    return (*recent[:gone], *recent[gone + 1 :], ran)
