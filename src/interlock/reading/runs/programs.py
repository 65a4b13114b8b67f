"""Every program that a command line would run, wrappers seen through: what a plan is held against.

`timeout 60 bash -c './sim | tee log'` runs `sim` and `tee`. A wrapper stands aside for what it runs, and builtins
that change nothing but the shell itself do not count. Where something may run that cannot be named (an
unknown name, code put together from what is not known, text outside the grammar) the list holds a nameless program,
so that nobody can take the list for complete.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value
from ..bash import follow_bash, follow_words
from ..evaluate.words import NUL
from ..places.system_places import SYSTEM_FOLDERS

if TYPE_CHECKING:
    from ...model.facts import Facts
    from ..evaluate.state import Found, Noted
    from ..evaluate.words import Arg

__all__ = ["UNKNOWN", "Command", "Program", "commands_in", "noted_in", "programs_of"]

# Builtins that act on the shell alone. Those of the last two rows only run what they are given, which is noted itself.
_EFFECT_FREE = frozenset(
    (
        *(":", "true", "false", "test", "[", "echo", "printf", "pwd", "cd", "pushd", "popd", "dirs", "times"),
        *("exit", "return", "break", "continue", "wait", "jobs", "fg", "bg", "disown", "caller", "logout", "suspend"),
        *("export", "declare", "typeset", "local", "readonly", "unset", "set", "shift", "read", "getopts", "let"),
        *("mapfile", "readarray", "shopt", "unalias", "umask", "ulimit"),
        *("eval", "source", ".", "trap", "exec"),
        *("command", "builtin"),
    )
)

# Programs that do nothing of their own but start another, with the same rights and on this machine.
_WRAPPERS = frozenset(
    (
        *("env", "timeout", "gtimeout", "time", "gtime", "nice", "ionice", "nohup", "setsid", "stdbuf", "unbuffer"),
        *("caffeinate", "taskset", "chrt", "numactl", "faketime", "flock", "xargs", "eatmydata", "watch"),
        *("bash", "sh", "dash", "ash", "ksh", "zsh", "busybox"),
    )
)

# Of the above, those that leave variables and input of what they start as they are.
_PASS_ON = frozenset(("timeout", "gtimeout", "time", "gtime", "nice", "ionice", "nohup", "command"))

_MOVES = frozenset(("cd", "pushd", "popd"))


class Program(Value):
    """`words` as far as they are known, the name as it was written among them; None for a word that is not."""

    name: str
    words: tuple[str | None, ...] = ()


UNKNOWN = Program(name="")


class Command(Value):
    """A command of a line that counts, and how it stands there.

    span    its place in the text
    folder  where it runs; empty: not known
    plain   nothing else in the line changes how it runs
    """

    program: Program
    span: tuple[int, int]
    folder: str
    plain: bool


def programs_of(text: str | tuple[str, ...], *, cwd: str, facts: Facts) -> tuple[Program, ...]:
    """The programs of a command line, or of a command given word by word, each once and in their order."""
    return _counted(_noted(text, cwd, facts))


def commands_in(text: str, *, cwd: str, facts: Facts) -> tuple[Command, ...]:
    """The commands of a line that count, in their order; the same one twice where it runs twice."""
    found = _noted(text, cwd, facts)
    noted = found.programs or []
    aside = _aside(found)
    return tuple(
        [
            Command(
                program=_program(one.args),
                span=one.span,
                folder=one.folders[0] if one.folders is not None and len(one.folders) == 1 else "",
                plain=one.plain and _only_held(one, noted),
            )
            for at, one in enumerate(noted)
            if at not in aside
        ]
    )


def _only_held(one: Noted, noted: list[Noted]) -> bool:
    """Whether what it stands in, if anything, passes its words on and changes nothing else."""
    while one.outer >= 0:
        one = noted[one.outer]
        if not one.args[0].known or one.args[0].text not in _PASS_ON:
            return False
    return True


def noted_in(
    text: str | tuple[str, ...], *, cwd: str, facts: Facts
) -> tuple[tuple[tuple[str, ...], ...], tuple[Program, ...]]:
    """The words of every command of a line, builtins and wrappers among them; and its programs, as above."""
    found = _noted(text, cwd, facts)
    words = [tuple([arg.text for arg in noted.args]) for noted in found.programs or ()]
    return tuple(dict.fromkeys(words)), _counted(found)


def _noted(text: str | tuple[str, ...], cwd: str, facts: Facts) -> Found:
    # Scripts on the disk are programs themselves: what is in them is not part of the line.
    if type(text) is str:
        return follow_bash(text, cwd=cwd, facts=facts, noting=True)
    return follow_words(text, cwd=cwd, facts=facts, noting=True)  # type: ignore[arg-type]


def _counted(found: Found) -> tuple[Program, ...]:
    noted = found.programs or []
    aside = _aside(found)
    programs = [_program(one.args) for at, one in enumerate(noted) if at not in aside]
    # A program that counts answers for what is not known about it; what nobody answers for may be any program.
    if any(at < 0 or (at in aside and noted[at].args[0].text not in _MOVES) for at in set(found.blamed)):
        programs.append(UNKNOWN)
    return tuple(dict.fromkeys(programs))


def _aside(found: Found) -> set[int]:
    """Those that do not count, by their places."""
    noted = found.programs or []
    holding = {one.outer for one in noted}
    doubts = set(found.blamed)
    return {at for at, one in enumerate(noted) if _stands_aside(one.args, at in holding or at in doubts)}


def _stands_aside(args: list[Arg], holds: bool) -> bool:
    first = args[0]
    if not first.known:
        return False
    folder, _, name = first.text.rpartition("/")
    if folder:
        return holds and name in _WRAPPERS and folder + "/" in SYSTEM_FOLDERS
    return name in _EFFECT_FREE or (holds and name in _WRAPPERS)


def _program(args: list[Arg]) -> Program:
    first = args[0]
    name = first.text.rpartition("/")[2] if first.known else ""
    if not name:
        return UNKNOWN
    return Program(name=name, words=tuple([None if arg.glob or NUL in arg.text else arg.text for arg in args]))
