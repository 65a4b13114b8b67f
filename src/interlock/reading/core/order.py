"""What runs before a loss, told as a fact of the action: see `Action.first`.

A script is followed in the order in which a shell runs it, and every command is noted when it begins. So whatever was
noted before a loss ran before it; of a loop, a pipeline or a command that runs others the order is not known, and all
of it counts. A job, once begun, runs beside all that follows.
"""

from __future__ import annotations

from bisect import bisect_left

from ...model.action import is_settled
from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..places.system_places import SYSTEM_FOLDERS

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Found
    from ..evaluate.words import Arg

__all__ = ["note_first"]

# Programs that do what was read of them, run nothing but what was read, and wait for nothing.
_PLAIN = frozenset(
    "rm rmdir unlink shred rimraf trash find xargs mv cp ln mkdir touch chmod dd tee truncate cd pushd popd pwd ls cat "
    "head tail echo printf true false : test [ grep sort uniq wc cut tr sed basename dirname realpath readlink stat du "
    "date set shopt export local declare unset exit git python python3 env command builtin nice time".split()
)
# Commands of git after which files are still what they were.
_STILL = frozenset(("git:add", "git:commit"))


def note_first(found: Found) -> None:
    """Marks each loss before which everything is settled."""
    losses = [at for at, action in enumerate(found.actions) if Effect.DESTRUCTIVE in action.effects]
    if not losses:
        return
    order = _Order(found)
    for at in losses:
        if order.comes_first(found.actions[at]):
            found.actions[at] = found.actions[at].replace(first=True)


class _Order:
    """The script, looked through once: a line may have a thousand losses.

    plain     so many commands at the beginning are plain
    begun     the first command that runs beside others
    spans     where the order of commands is not known, those that overlap as one
    restless  the first two actions that are not settled, and when
    by_git    the same of those by which git changes files
    """

    def __init__(self, found: Found) -> None:
        self.found = found
        commands = found.commands
        self.plain = next((at for at, (words, _) in enumerate(commands) if not _is_plain(words, found)), len(commands))
        self.begun = min(found.unsettled, default=len(commands))
        self.spans: list[tuple[int, int]] = []
        for start, end in sorted(found.unordered):
            if self.spans and start < self.spans[-1][1]:
                self.spans[-1] = self.spans[-1][0], max(end, self.spans[-1][1])
            else:
                self.spans.append((start, end))
        self.restless = self._first_two([action for action in found.actions if not is_settled(action)])
        self.by_git = self._first_two([action for action in found.actions if _changes_by_git(action)])

    def comes_first(self, loss: Action) -> bool:
        step = self._reached(self._steps(loss)[1])
        if self.begun < step or self.plain < step:
            return False
        # What git itself would lose is told by `Action.at`.
        spoilers = self.restless if loss.name.startswith("git:") else (*self.restless, *self.by_git)
        return not any(start <= step and other is not loss for start, other in spoilers)

    def _first_two(self, actions: list[Action]) -> list[tuple[int, Action]]:
        """Two, because one of them may be the loss that is asked about."""
        return sorted([(self._steps(action)[0], action) for action in actions], key=lambda pair: pair[0])[:2]

    def _steps(self, action: Action) -> tuple[int, int]:
        """How many commands had begun when it was met first, and last; what nobody noted may come anywhere."""
        found = self.found
        return found.steps.get((action.name, action.span, action.target.get("path")), (0, len(found.commands)))

    def _reached(self, step: int) -> int:
        """The last command that may run before this one is done."""
        at = bisect_left(self.spans, (step, 0)) - 1  # the last that begins before it
        return max(step, self.spans[at][1]) if at >= 0 else step


def _is_plain(words: tuple[Arg, ...], found: Found) -> bool:
    if not words[0].known:
        return False
    folder, slash, name = words[0].text.rpartition("/")
    if (slash and f"{folder}/" not in SYSTEM_FOLDERS) or name not in _PLAIN or name in found.facts.commands:
        return False
    return name != "tail" or not any(_follows(word.text) for word in words[1:])


def _follows(word: str) -> bool:
    """`tail -f` ends when somebody ends it."""
    return word[:2] in ("--", "\0") or (word[:1] in "-+" and "f" in word.lower())


def _changes_by_git(action: Action) -> bool:
    """Files may be others once git has changed some."""
    return (
        action.name.startswith("git:")
        and action.name not in _STILL
        and any(effect is not Effect.READ for effect in action.effects)
    )
