"""What is in a file that a call has changed without spelling it out: `sed -i s/a/b/ run.py`, `cp a.py b.py`, `>> x.sh`.

The text follows from what was in it before, which the disk knows and the reading does not. So the change is kept, and
worked out only where the text is needed, because the file is run: then what was in it before is asked for as a fact.
A change that cannot be worked out exactly leaves the text unknown.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING
from .origins import Origin
from .words import NUL, Arg, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...model.action import Action
    from .state import Shell

    Change = Callable[[str], str | None]

__all__ = [
    "Adding",
    "Built",
    "Changed",
    "Edited",
    "Perhaps",
    "brought",
    "changed",
    "changed_by_pattern",
    "edits_in",
    "either",
    "filled_above",
    "is_among_changed",
    "likely_text",
    "may_bring",
    "may_name",
    "restored",
    "settle_edits",
    "text_of",
    "texts_in",
    "texts_of_file",
]

_MOST = 32  # changes of one file that are kept
_MOST_WAYS = 4  # texts of one file that are kept
_LONGEST = 200_000


class Adding:
    """The change that `>>` makes."""

    __slots__ = ("more",)

    def __init__(self, more: str) -> None:
        self.more = more

    def __call__(self, text: str) -> str:
        return text + self.more


class Changed(Arg):
    """A text that is not known, but for what was made of it: the text of the file `base` before this call, changed."""

    __slots__ = ("base", "changes", "sure")

    def __init__(self, base: str, changes: tuple[Change, ...], span: tuple[int, int], *, sure: bool = False) -> None:
        super().__init__(NUL, span, origin=Origin("changed"))
        self.base = base
        self.changes = changes
        self.sure = sure  # the changes have worked


class Edited(Arg):
    """A text that is known if the edit worked; `before` is what is still there if it did not, as `sed -i` on macOS."""

    __slots__ = ("before",)

    def __init__(self, text: str, before: str, span: tuple[int, int]) -> None:
        super().__init__(text, span, quoted=True)
        self.before = before


class Built(Arg):
    """A program that a compiler made; `by` are the words that it was given."""

    __slots__ = ("by",)

    def __init__(self, by: tuple[str, ...], span: tuple[int, int]) -> None:
        super().__init__(NUL, span, origin=Origin("written"))
        self.by = by


class Perhaps(Arg):
    """A file that was written, or not; `likely` is what is in it if all went well.

    `ways` are all that this call may have left in it, None among them where it may not have touched the file. Without
    ways it may be anything: a part of a text that is being written.
    """

    __slots__ = ("likely", "ways")

    likely: Arg | None

    def __init__(self, likely: Arg | None, ways: tuple[Arg | None, ...] = ()) -> None:
        super().__init__(NUL, (0, 0), origin=Origin("perhaps"))
        self.likely = likely.likely if isinstance(likely, Perhaps) else likely
        self.ways = ways


def either(one: Arg | None, two: Arg | None) -> Perhaps:
    """A file in which is the one, or the other."""
    sides = [held.ways if isinstance(held, Perhaps) else (held,) for held in (one, two)]
    ways = tuple(dict.fromkeys(sides[0] + sides[1])) if all(sides) else ()
    return Perhaps(one or two, ways if len(ways) <= _MOST_WAYS else ())


def brought(path: str, origin: Origin, span: tuple[int, int], shell: Shell) -> None:
    """A file, or a folder with whatever is in it, that something else has filled: nothing of it is known any more."""
    files = shell.files
    unknown = Arg(NUL, span, origin=origin)
    if len(files) > 0:
        below = path.rstrip("/") + "/"
        for other in [name for name in files if name.startswith(below)]:
            files[other] = unknown
    files[path] = unknown


def changed_by_pattern(pattern: str, change: Change | None, span: tuple[int, int], shell: Shell) -> None:
    """`sed -i s/a/b/ *.sh`: any file that the pattern may name has changed, those that this call wrote among them."""
    for path in [path for path in shell.files if may_name(pattern, path)]:
        shell.files[path] = Arg(NUL, span, origin=Origin("changed"))
    known = shell.found.changed
    known[pattern] = change if pattern not in known else None


def may_name(pattern: str, path: str) -> bool:
    """Whether a pattern of paths may name this one; `**` stands for any number of folders, none among them."""
    from ..core.regular import NO, glob_fits

    return glob_fits(pattern.replace("/**/", "/**"), path) != NO


def is_among_changed(path: str, shell: Shell) -> bool:
    """Whether a pattern that this call has changed may name the file. A pattern makes no file."""
    found = shell.found
    return path not in found.facts.absent and any(may_name(pattern, path) for pattern in found.changed)


# What git puts in place of what lies there: a commit, a stash, another branch.
_RESTORED = frozenset(
    "git:stash-pop git:stash-apply git:switch git:checkout git:merge git:rebase git:cherry-pick git:revert git:am "
    "git:reset".split()
)


def restored(actions: list[Action], span: tuple[int, int], shell: Shell) -> None:
    """Files that this session wrote may hold again what it once wrote in them: what the disk says now is not that."""
    if any(action.name == "fs:write" for action in actions):
        return  # it names the files, and they are noted
    if any(action.name in _RESTORED and _moves_the_tree(action) for action in actions):
        for path in sorted(shell.found.facts.written):
            if path not in shell.files:
                shell.files[path] = Arg(NUL, span, origin=Origin("changed"))


def _moves_the_tree(action: Action) -> bool:
    """`git reset FILE` moves the index only, `git checkout -b NEW` only HEAD."""
    if action.name == "git:reset":
        return "hard" in action.target
    return action.name not in ("git:checkout", "git:switch") or "ref" in action.target


def changed(
    path: str, before: Arg | None, change: Change | None, span: tuple[int, int], shell: Shell, *, makes: bool = False
) -> Arg:
    """What is in the file once it was changed so; `before` is what this call had left in it, None: nothing yet.

    `makes`: a file that is not there is made, and begins empty.
    """
    if change is None:
        return Arg(NUL, span, origin=Origin("written"))
    if before is None:
        if makes and path in shell.found.facts.absent:
            return _made_of("", change, span)
        return Changed(path, (change,), span)
    if isinstance(before, Changed):
        if len(before.changes) >= _MOST:
            return Arg(NUL, span, origin=Origin("changed"))
        return Changed(before.base, (*before.changes, change), span)
    if not before.known:
        return Arg(NUL, span, origin=before.origin)
    made = _made_of(before.text, change, span)
    return made if makes or not made.known else Edited(made.text, _oldest(before), span)


def _oldest(held: Arg) -> str:
    return held.before if isinstance(held, Edited) else held.text


def settle_edits(since: set[int], shell: Shell) -> None:
    """The command that ran last has worked: what it edited, and was not edited before, is what it made of it."""
    for path, held in shell.files.items():
        if isinstance(held, Changed) and id(held) not in since:
            shell.files[path] = Changed(held.base, held.changes, held.span, sure=True)
        elif isinstance(held, Edited) and id(held) not in since:
            shell.files[path] = literal(held.text, held.span)


def edits_in(shell: Shell) -> set[int]:
    return {id(held) for held in shell.files.values() if isinstance(held, (Changed, Edited))}


def _made_of(text: str, change: Change, span: tuple[int, int]) -> Arg:
    made = change(text)
    return (
        literal(made, span) if made is not None and len(made) <= _LONGEST else Arg(NUL, span, origin=Origin("changed"))
    )


def text_of(path: str, shell: Shell) -> Arg | None:
    """What this call has left in the file, worked out where that can be done; None: it has not touched it."""
    held = shell.files.get(path)
    if held is None and shell.found.changed and is_among_changed(path, shell):
        held = _by_patterns(path, shell)
    return None if held is None else _settled(held, path, shell)


def _settled(held: Arg, path: str, shell: Shell) -> Arg:
    if path in shell.found.facts.fixed and held.known and not isinstance(held, Edited):
        held = Changed(path, (lambda _, text=held.text: text,), held.span)  # type: ignore[misc]  # it may have failed
    if not isinstance(held, Changed):
        return held
    base = shell.found.facts.scripts.get(held.base)
    if base is None:
        shell.found.want(Script(held.base))
        return held
    return _worked_out(held, base)


def texts_in(held: Arg, path: str, shell: Shell) -> tuple[str, ...] | None:
    """Every text that may be in the file, of which `text_of` has said this. None: one of them is not known.

    None at all: there may be no file.
    """
    if not isinstance(held, Perhaps):
        return None if not held.known else (held.before, held.text) if isinstance(held, Edited) else (held.text,)
    found: list[str] = []
    for way in held.ways:
        texts = _untouched(path, shell) if way is None else texts_in(_settled(way, path, shell), path, shell)
        if texts is None:
            return None
        found += texts
    return tuple(dict.fromkeys(found)) if held.ways else None


def _untouched(path: str, shell: Shell) -> tuple[str, ...] | None:
    """What was in the file before this call, if nothing but what is followed can have put something there since."""
    facts = shell.found.facts
    if filled_above(path, shell) is not None or any(map(may_bring, shell.found.actions)):
        return None
    if path in facts.absent:
        return ()
    if path in facts.scripts:
        return (facts.scripts[path],)
    shell.found.want(Script(path))
    return None


def may_bring(action: Action) -> bool:
    """Whether git may have put files in place of others, under names that nobody has said."""
    return action.name[:4] == "git:" and any(effect is not Effect.READ for effect in action.effects)


def filled_above(path: str, shell: Shell) -> Arg | None:
    """A folder above that this call has filled: cloned, unpacked or copied, so that the file is not the project's."""
    for folder, held in shell.files.items():
        if held.unknown and path.startswith(folder.rstrip("/") + "/"):
            return held
    return None


def _by_patterns(path: str, shell: Shell) -> Arg:
    """What patterns may have made of a file that was there before: it is as it was, or as the one change leaves it."""
    changes = [change for pattern, change in shell.found.changed.items() if may_name(pattern, path)]
    change = changes[0] if len(changes) == 1 else None
    return changed(path, None, change, (0, 0), shell)


def _worked_out(held: Changed, base: str) -> Arg:
    text: Arg = literal(base, held.span)
    for change in held.changes:
        text = _made_of(text.text, change, held.span)
        if not text.known:
            return text
    return text if held.sure or text.text.startswith(base) else Edited(text.text, base, held.span)


def likely_text(held: Arg, texts: Mapping[str, str]) -> str | None:
    """The text, if all went well and these were the files before; None where nobody can tell."""
    if isinstance(held, Perhaps):
        return None if held.likely is None else likely_text(held.likely, texts)
    if isinstance(held, Changed):
        base = texts.get(held.base)
        return None if base is None else likely_text(_worked_out(held, base), texts)
    return held.text if held.known else None


def texts_of_file(path: str, shell: Shell) -> tuple[str, ...] | None:
    """What may be in the file: two texts where an edit may have failed. None: not known, or not yet."""
    held = text_of(path, shell)
    if held is not None:
        return texts_in(held, path, shell)
    text = shell.found.facts.scripts.get(path)
    if text is None:
        shell.found.want(Script(path))
        return None
    return (text,)
