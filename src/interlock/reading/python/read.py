"""`read_python`: the one door to the reading of Python."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..machine.acts import emit, keep_moved
from .accounting import account_for_strings
from .annotations import ASKS_FOR_TYPES, makes_annotations
from .functions import Spent
from .own_modules import ANYWHERE, MOVES, read_examples
from .probes import only_probes
from .statements import Reader
from .tasks import follow_tasks
from .values import UNKNOWN, Held, parsed

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from .refused import why_refused
else:
    why_refused = lazy(globals(), ".refused", "why_refused")

__all__ = ["MAX_CODE", "read_python"]

MAX_CODE = 200_000


def read_python(
    code: Arg,
    shell: Shell,
    span: tuple[int, int],
    args: list[Arg] | None = None,
    name: str = "-c",
    *,
    whole: bool = False,
) -> None:
    """Everything that the text would do; opaque where it cannot be parsed. `args` follow it on the command line.

    `whole`: a plain Python gets the text, all of it, and nothing besides; what it refuses does nothing.
    """
    if len(code.text) > MAX_CODE:
        shell.unclear("the Python code is too long to read", span)
        return
    tree = parsed(code.text)
    if tree is None:
        if whole:
            why = why_refused(code.text)
            if why is not None:
                emit(shell, span, name="exec:python", effects=(), target={"refused": why})
                return
        shell.unclear("the Python code could not be parsed", span)
        emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
        return
    before, moved = len(shell.found.actions), shell.found.moved
    reader = Reader(shell, span)
    if args is not None:
        known = all(arg.known for arg in args)
        reader.argv = [Held(name), *[Held(arg.text, arg.glob) if known else UNKNOWN for arg in args]]
    folder = name.rpartition("/")[0] if name[:1] == "/" else (shell.folders or (None,))[0]
    reader.base = folder if shell.files or shell.found.facts.written else None
    if reader.base is not None:
        if any(word in code.text for word in MOVES):
            shell.found.seen.add(ANYWHERE)
    reader.file = name if name[:1] == "/" else ""
    if "socket" in code.text:
        reader.probes = only_probes(tree)
    if "__annotations__" in code.text and any(word in code.text for word in ASKS_FOR_TYPES) and makes_annotations(tree):
        reader.unclear("types are put together, and asked for")
    reader.of_doit = "def task_" in code.text
    reader.binds_outside = "global" in code.text or "nonlocal" in code.text
    try:
        reader.run(tree.body)
        follow_tasks(reader)
        reader.finish()
    except RecursionError:
        shell.unclear("the Python code is nested too deeply", span)
    except Spent:
        shell.unclear("the Python code is too long to follow", span)
    if "doctest" in code.text and ">>>" in code.text:
        read_examples(code.text, span, shell)
    account_for_strings(tree, before, span, shell)
    if shell.found.moved > moved:
        keep_moved(before, shell)
    if reader.foreign:
        modules = tuple(sorted(reader.foreign))[:5]
        emit(
            shell,
            span,
            name="exec:project",
            effects=(Effect.EXECUTE,),
            tags=("unread",),
            target={"module": modules},
        )
    elif not reader.acted:
        emit(shell, span, name="exec:python", effects=())
