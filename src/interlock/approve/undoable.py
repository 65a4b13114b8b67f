"""Which losses of a call a checkpoint would take away, and the reading in which it has.

Pure: what the disk holds is looked at later, and refused there where it cannot be held. Only the *loss* of an action is
taken away, that it is destructive and cannot be undone; every mark of it stays, and so does what any layer but `tiers`
and `risk` has to say. It is no candidate where something unread, waiting, on the network or in the background may run
before it in the same call: then it may not be lost as it was read.
"""

from __future__ import annotations

from ..model.action import COMMAND_FIELDS, REMOVES, REWRITES, is_held_anyway, is_settled, lower
from ..model.effects import Effect
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.action import Action, Reading
    from ..model.decision import Decision
    from ..model.session import Session

__all__ = [
    "GIT",
    "MADE_AGAIN",
    "Loss",
    "held_anyway",
    "is_in_flight",
    "losses_of",
    "lowered",
    "only_losses",
    "stays",
    "touched_by",
]

# What may be held of git: action -> the option of its target that makes it a loss; empty: it always is one.
GIT = frozenset(
    "git:reset git:checkout git:restore git:switch git:clean git:branch git:tag git:stash-drop git:stash-clear "
    "git:worktree-remove".split()
)
MADE_AGAIN = "made-again"  # of folders that a build makes: what git neither has nor ignores
# Where a path lies that is not the project's, or who else reads it: a copy does not make that good.
_NEVER = frozenset(
    "guard own-secret secret outside no-project device root home project-root obeyed obeyed-asked obeyed-noted "
    "privileged unread moved earlier fetched nowhere remote-code written-here history external".split()
)
_LAYERS = frozenset(("tiers", "risk"))


class Loss(Value):
    """What one action would lose: the path that it names, or (`git`) work of the repository at `path`."""

    action: int
    path: str
    glob: bool = False
    git: bool = False


def only_losses(decision: Decision) -> bool:
    """Whether nothing stands against the call but that something would be lost. A person's no, a rule, a signature that
    is needed, the floor: all of them stay. With nobody there to ask, the posture's deny follows from the asks.
    """
    asks = False
    for finding in decision.reasons:
        if finding.layer == "posture" and finding.rule == "autonomous":
            continue
        if finding.layer not in _LAYERS or finding.verdict is not Verdict.ASK:
            return False
        asks = True
    return asks


def stays(before: Decision, after: Decision) -> bool:
    """Whether all that was satisfied before by a grant still had to be: a rule may not fall silent with the loss."""
    kept = {(found.layer, found.rule, found.actions) for found in after.satisfied}
    return all(found.layer in _LAYERS or (found.layer, found.rule, found.actions) in kept for found in before.satisfied)


def is_in_flight(session: Session) -> bool:
    """Whether another call of the session may still run: it was let through, and nobody has said what became of it.
    Where a host never says, nothing can be told by that.
    """
    outcomes = [ran.outcome for ran in session.recent]
    return "unknown" in outcomes and any(outcome != "unknown" for outcome in outcomes)


def losses_of(reading: Reading, root: str) -> tuple[Loss, ...]:
    """What a checkpoint would have to hold; empty where that would not help."""
    if reading.opaque or not root:
        return ()
    found: list[Loss] = []
    for at, action in enumerate(reading.actions):
        if action.irreversible or Effect.DESTRUCTIVE in action.effects:
            loss = _loss(at, action, root)
            if loss is not None and _comes_first(at, reading.actions):
                found.append(loss)
    return tuple(found)


def held_anyway(reading: Reading, root: str) -> tuple[Loss, ...]:
    """What a call loses although nobody is asked about it; it is held where it can be. Commits come first: a
    checkpoint takes in one command of git.
    """
    found = [(at, action) for at, action in enumerate(reading.actions) if is_held_anyway(action)]
    commits = [Loss(action=at, path=action.at, git=True) for at, action in found if action.name in REWRITES]
    if commits or not found:
        return tuple(commits)
    losses = [loss for at, action in found if (loss := _loss(at, action, root)) is not None and not loss.glob]
    if not losses:
        return ()
    return (losses[0].replace(path="\t".join((root, MADE_AGAIN, "", *[loss.path for loss in losses])), git=True),)


def _loss(at: int, action: Action, root: str) -> Loss | None:
    if not _NEVER.isdisjoint(action.tags) or not is_settled(action):
        return None
    if action.name in GIT:
        return Loss(action=at, path=action.at, git=True) if action.at else None
    path = action.target.get("path")
    if action.name not in REMOVES or type(path) is not str or "real" in action.target or not _is_below(root, path):
        return None
    return Loss(action=at, path=path, glob="glob" in action.target)


def _is_below(root: str, path: str) -> bool:
    return path.startswith(root.rstrip("/") + "/") and "/.git/" not in path + "/"


def _comes_first(at: int, actions: Sequence[Action]) -> bool:
    """Whether all that may run before this one only changes what it was read to change. What comes later may do
    anything: what was there when the call began is held by then.
    """
    mine = actions[at]
    if mine.first:  # of its own script the reading says so
        return all(action.field == mine.field or is_settled(action) for action in actions)
    return mine.field not in COMMAND_FIELDS and all(map(is_settled, actions))


def touched_by(reading: Reading, root: str) -> tuple[tuple[str, bool], ...]:
    """Paths of the project that the call changes besides, and whether the loss cannot do without them: what is moved
    may be what is lost under another name.
    """
    found: dict[str, bool] = {}
    for action in reading.actions:
        path = action.target.get("path")
        if type(path) is not str or Effect.WRITE not in action.effects or not action.name.startswith("fs:"):
            continue
        if "glob" in action.target or "real" in action.target or not _is_below(root, path):
            if action.name in ("fs:move", "fs:link") or "moved" in action.tags:
                found[path] = True
            continue
        needed = action.name in ("fs:move", "fs:link") or "moved" in action.tags
        found[path] = found.get(path, False) or needed
    return tuple(found.items())


def lowered(reading: Reading, losses: Sequence[Loss], checkpoint: str) -> Reading:
    """The reading in which these losses are held by the checkpoint."""
    held = {loss.action for loss in losses}
    actions = []
    for at, action in enumerate(reading.actions):
        if at in held:
            action = lower(
                action,
                compensator=f"interlock undo {checkpoint[:12]}" if checkpoint else action.compensator,
                tags=tuple(sorted({*action.tags, "undoable"})),
            )
        actions.append(action)
    return reading.replace(actions=tuple(actions), undo=checkpoint)
