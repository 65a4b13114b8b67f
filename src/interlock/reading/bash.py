"""A bash command line, read: parsed, followed, and every command of it named."""

from __future__ import annotations

from ..model.action import Action
from ..model.effects import Effect
from ..value import TYPE_CHECKING, lazy
from . import follow
from .evaluate.state import Found, Shell, Stop
from .evaluate.traps import fire
from .evaluate.walk import run_script
from .evaluate.words import NUL, Arg
from .machine.engine import run_command
from .places.places import is_judged
from .shell import parse

if TYPE_CHECKING:
    from ..model.facts import Facts
    from .any_shell import in_doubt
    from .core.order import note_first
    from .evaluate.shown import only_shown
    from .evaluate.state import Leads
    from .machine.services import as_jobs
    from .places.obeyed_content import spare_in_shell
    from .shell.dialect import only_bash
    from .written.follows import Run
else:
    in_doubt = lazy(globals(), ".any_shell", "in_doubt")
    note_first = lazy(globals(), ".core.order", "note_first")
    only_shown = lazy(globals(), ".evaluate.shown", "only_shown")
    as_jobs = lazy(globals(), ".machine.services", "as_jobs")
    spare_in_shell = lazy(globals(), ".places.obeyed_content", "spare_in_shell")
    only_bash = lazy(globals(), ".shell.dialect", "only_bash")

__all__ = ["follow_bash", "follow_words"]


# Controls of the direction of writing: what is seen is not what runs.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def follow_bash(
    text: str,
    *,
    cwd: str,
    facts: Facts,
    field: str = "command",
    background: bool = False,
    real: Leads | None = None,
    noting: bool = False,
    any_shell: bool = False,
    script: Run | None = None,
) -> Found:
    """Everything that the text would do. Total: what is not understood is opaque. `noting`: programs are listed.

    `any_shell`: which shell runs it is not told, nor whether the agent can type into what runs. `script`: how a
    file that others obey has it run.
    """
    found = Found(facts, field, real, cwd, follow=follow)
    found.programs = [] if noting or any_shell else None
    shell = Shell(found, (cwd,))
    shell.posix = any_shell
    if script is not None:
        shell.posix = script.by == "sh"
        shell.parameters = None if script.words is None else [Arg(word or NUL, (0, 0)) for word in script.words]
    shell.background = background
    shell.files = found.files
    found.escapes = "$'" in text
    found.listens = "0.0.0.0" in text or "::" in text or "--host" in text or "--bind" in text  # noqa: S104 - looked for
    if not text.isascii() and not _TURNS.isdisjoint(text):
        found.unclear("characters that show the text in another order than it runs", (0, len(text)))
    try:
        parsed = parse(text)
        if script is not None and shell.posix and (odd := only_bash(parsed, text)):
            found.unclear(f"a plain `sh` takes `{odd}` for something else than bash does", (0, len(text)))
        run_script(parsed, shell)
        if any_shell:
            in_doubt(parsed, text, found)
        if shell.traps:
            fire(shell, last=True)
        if background:
            as_jobs(parsed, found, 0, 0)
        found.folders, found.links = shell.folders, shell.links
        for path, held in (found.meanwhile or {}).items():
            if shell.files.get(path) is not held:
                found.unclear(f"`{path}` is run by a job, and written while that may not have begun", (0, len(text)))
        for action in found.actions:
            if "accounts" in action.tags or "hunts" in action.tags:
                only_shown(parsed, found)
                break
        for action in found.actions:
            if "obeyed" in action.tags and is_judged(str(action.target.get("path", "")), facts):
                spare_in_shell(found)
                break
    except (Stop, RecursionError):
        found.running = -1
        found.unclear("there is too much of it to follow", (0, len(text)))
    if not background and not found.opaque and any(Effect.DESTRUCTIVE in action.effects for action in found.actions):
        note_first(found)
    if not found.actions and not found.opaque:
        found.act(Action(name="exec:nothing", effects=(), field=field, span=(0, len(text))))
    elif not found.actions:
        found.act(
            Action(name="exec:shell", effects=(Effect.EXECUTE,), tags=("unread",), field=field, span=(0, len(text)))
        )
    return found


def follow_words(
    words: tuple[str, ...], *, cwd: str, facts: Facts, field: str = "command", noting: bool = False
) -> Found:
    """A command that is given word by word, as `execve` takes it."""
    found = Found(facts, field, cwd=cwd, follow=follow)
    found.programs = [] if noting else None
    whole = (0, sum(map(len, words)) + len(words) - 1)
    shell = Shell(found, (cwd,))
    shell.frozen_span = whole
    try:
        run_command([Arg(word, whole, quoted=True) for word in words], whole, shell)
    except (Stop, RecursionError):
        found.running = -1
        found.unclear("there is too much of it to follow", whole)
    if not found.opaque and any(Effect.DESTRUCTIVE in action.effects for action in found.actions):
        note_first(found)
    if not found.actions:
        found.act(Action(name="exec:shell", effects=(Effect.EXECUTE,), tags=("unread",), field=field, span=whole))
    return found
