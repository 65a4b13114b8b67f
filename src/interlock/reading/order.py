"""What runs before a loss, told as a fact of the action: see `Action.first`.

A script is followed in the order in which a shell runs it, and every command is noted when it begins. So whatever was
noted before a loss ran before it; of a loop, a pipeline or a command that runs others the order is not known, and all
of it counts. A job, once begun, runs beside all that follows.
"""

from __future__ import annotations

from ..action import is_settled
from ..effects import Effect
from ..value import TYPE_CHECKING
from .commands.engine import SYSTEM_FOLDERS

if TYPE_CHECKING:
    from ..action import Action
    from .evaluate.state import Found
    from .evaluate.words import Arg

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
    for at, action in enumerate(found.actions):
        if Effect.DESTRUCTIVE in action.effects and _comes_first(action, found):
            found.actions[at] = action.replace(first=True)


def _comes_first(loss: Action, found: Found) -> bool:
    step = _reached(_steps(loss, found)[1], found.unordered)
    if any(begun < step for begun in found.unsettled):
        return False
    if not all(_is_plain(words, found) for words, _ in found.commands[:step]):
        return False
    return not any(
        other is not loss and _steps(other, found)[0] <= step and _spoils(other, loss) for other in found.actions
    )


def _steps(action: Action, found: Found) -> tuple[int, int]:
    """How many commands had begun when it was met first, and last; what nobody noted may come anywhere."""
    return found.steps.get((action.name, action.span, action.target.get("path")), (0, len(found.commands)))


def _reached(step: int, unordered: list[tuple[int, int]]) -> int:
    """The last command that may run before this one is done."""
    for start, end in sorted(unordered):
        if start < step < end:
            step = end
    return step


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


def _spoils(other: Action, loss: Action) -> bool:
    if not is_settled(other):
        return True
    # Files may be others once git has changed some; what git itself would lose is told by `Action.at`.
    return (
        not loss.name.startswith("git:")
        and other.name.startswith("git:")
        and other.name not in _STILL
        and any(effect is not Effect.READ for effect in other.effects)
    )
