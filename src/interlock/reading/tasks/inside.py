"""Follows a shell text that a file of tasks holds, and says how much of it counts.

A file that this session wrote is followed as if its text had been typed: what is not understood is opaque. What the
project brought along is trusted as far as before: it may run tools that nobody knows, fetch what its own files name and
clear away what its build makes, and what is not understood there stays `unread`. What was read and is dangerous counts
in both. Within the project's own text, a script that this session wrote is still this session's.
"""

from __future__ import annotations

from ...model.action import lowered_effects
from ...model.effects import Effect
from ...model.obeyed import NAMES
from ...value import TYPE_CHECKING
from ..evaluate.state import Stop
from ..evaluate.traps import fire
from ..evaluate.words import Arg
from ..machine.index import find_program
from ..machine.places import has_written
from ..places.paths import holds, in_project
from ..places.places import obeyed_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model.action import Action
    from ...model.facts import Facts
    from ..evaluate.origins import Origin
    from ..evaluate.state import Found, Shell

__all__ = ["MAX_TASKS", "Tasks", "as_own", "begin", "follow_task"]

MAX_TASKS = 12  # tasks that run tasks
_OWN_BUDGET = 600  # commands followed in one text of the project; beyond it the text is unread

# What counts in the project's own text as well: the code is not the project's.
_NOT_OWN = frozenset(("written-here", "outside", "fetched"))
# What stays in front for as long as the call takes is not left running.
_SERVES = frozenset(("compose:up", "desktop:open", "exec:project", "net:serve", "sql:server", "wrangler:dev"))
_LOST = frozenset(("guard", "secret", "root", "home", "device", "project-root", "unread", "outside"))
_CHANGES = frozenset(("fs:write", "fs:move", "fs:link"))


class Tasks:
    """The tasks that are being followed in one call. `own`: how many of them are the project's, and answer for what
    they run. `full`: ranges of actions and opaque parts of the session.
    """

    __slots__ = ("active", "full", "own")

    def __init__(self) -> None:
        self.active: list[tuple[str, ...]] = []
        self.own = 0
        self.full: list[tuple[int, int, int, int]] = []

    def as_session(self, read: Callable[[], Arg | None], found: Found) -> Arg | None:
        """Something that this session wrote is read from within a task: all of it counts."""
        actions, opaque = len(found.actions), len(found.opaque)
        output = read()
        self.full.append((actions, len(found.actions), opaque, len(found.opaque)))
        return output


def begin(shell: Shell) -> Tasks:
    if shell.found.tasks is None:
        shell.found.tasks = Tasks()
    return shell.found.tasks


def follow_task(
    text: str,
    args: tuple[Arg, ...],
    path: str,
    name: str,
    folder: str,
    shell: Shell,
    span: tuple[int, int],
    *,
    own: bool | None = None,
    said: tuple[str, ...] = (),
    posix: bool = True,
    tools: Callable[[str], bool] = lambda _: False,
    variables: dict[str, list[Arg]] | None = None,
) -> bool:
    """Follows one task of the file. True if it was all read.

    own    whether the text is the project's; None: if this session has not written the file
    said   values that the call gives it: what it removes or fetches of these is the call's choice
    posix  run by a plain `sh`
    tools  whether a name is one of the project's tools
    variables  what the text finds in its environment besides
    """
    found = shell.found
    tasks = begin(shell)
    around = [f"{name}={arg.text}" for name in sorted(shell.exported) for arg in shell.variables.get(name, ())]
    key = (path, name, text, *(arg.text for arg in args), *around)
    if key in tasks.active:
        return True  # it runs itself again: there is nothing new to read
    if own is None:
        own = not has_written(path, shell)
    if len(tasks.active) >= MAX_TASKS:
        if not own:
            shell.unclear(
                f"the tasks of `{path}`, which was written in this session, run one another too deeply",
                span,
                kind="written-here",
            )
        return False
    actions, opaque = len(found.actions), len(found.opaque)
    inner = _shell_for(folder, args, shell, span, own=own)
    inner.posix = posix
    if variables:
        inner.variables.update(variables)
        inner.exported = {*inner.exported, *variables}
    budget = found.budget
    if own:
        found.budget = min(budget, _OWN_BUDGET)
    whole = True
    tasks.active.append(key)
    tasks.own += own
    try:
        inner.found.follow.run_code_here(Arg(text, span), inner, span)
        if inner.traps:
            fire(inner, last=True)  # its own shell ends here
    except (Stop, RecursionError):
        if not own:
            raise
        whole = False
    finally:
        tasks.active.pop()
        tasks.own -= own
        if own:
            found.budget = budget - (min(budget, _OWN_BUDGET) - max(found.budget, 0))
    if own:
        exported = [name for name in shell.exported if name in text or name.startswith("npm_config_")]
        words = [*args, *[arg for name in exported for arg in shell.variables.get(name, ())]]
        words += [arg for name, given in (variables or {}).items() if name in text for arg in given if arg.unknown]
        hidden = frozenset([arg.origin for arg in words if arg.unknown and arg.origin is not None])
        return as_own(actions, opaque, tasks, found, (*said, *[arg.text for arg in words]), hidden) and whole
    for at in range(actions, len(found.actions)):
        found.actions[at] = _in_front(_known_tool(found.actions[at], tools))
    tasks.full.append((actions, len(found.actions), opaque, len(found.opaque)))
    return True


def _shell_for(folder: str, args: tuple[Arg, ...], shell: Shell, span: tuple[int, int], *, own: bool) -> Shell:
    inner = shell.child()
    inner.background = False
    inner.frozen_span = shell.span(span)
    inner.folders = (folder,)
    inner.parameters = list(args)
    if own:  # what the project's own build writes is no more this session's than the build is
        inner.files = dict(shell.files)
        inner.links = dict(shell.links)
    return inner


def as_own(
    actions: int, opaque: int, tasks: Tasks, found: Found, said: tuple[str, ...], hidden: frozenset[Origin]
) -> bool:
    """Marks what the project's own text does as the project's; True if it was all understood.

    hidden  where unknown values that the call gives came from: what the text removes by them nobody can tell
    """
    whole = True
    own = not any(_is_of_session(action, found) for action in found.actions[actions:])
    kept: list[Action] = found.actions[:actions]
    for at, action in enumerate(found.actions[actions:], actions):
        if any(first <= at < last for first, last, _, _ in tasks.full):
            kept.append(action)
        elif "unknown" in action.tags or "nowhere" in action.tags or _is_anywhere(action):
            whole = False
        else:
            kept.append(_in_front(action) if said and _is_chosen(action, said) else _trusted(action, found.facts, own))
    told = found.opaque[:opaque]
    for at, part in enumerate(found.opaque[opaque:], opaque):
        removes = part.kind == "removal" and found.removed_by.get((part.reason, part.span)) in hidden
        if removes or any(first <= at < last for _, _, first, last in tasks.full) or part.kind in _NOT_OWN:
            told.append(part)
        else:
            whole = False
            found.seen.discard((part.reason, part.span))
    # INVARIANT: places in the two lists move, and so everything kept of this stretch is one range from now on.
    sure = [entry for entry in tasks.full if entry[1] <= actions and entry[3] <= opaque]
    inside = len(sure) < len(tasks.full)
    found.actions[:] = kept
    found.opaque[:] = told
    tasks.full = [*sure, (actions, len(kept), opaque, len(told))] if inside else sure
    return whole


def _is_anywhere(action: Action) -> bool:
    """`rm -rf $OUT`: a path that is not known is a part that was not read."""
    return action.name.startswith("fs:") and "unread" in action.tags and "path" not in action.target


def _is_chosen(action: Action, said: tuple[str, ...]) -> bool:
    """`make clean DIR=src`: what it works on is, or may be, what the call itself has named."""
    target = " ".join(map(str, action.target.values()))
    for word in said:
        value = word.partition("=")[2] if word[:1] == "-" else word
        parts = [part for part in value.split("/") if part not in ("", ".")]
        if parts and (parts[-1] in target or find_program(parts[-1]) is not None):
            return True  # or what does it is what the call has named
        if value and (not parts or ".." in parts or not _SPELT_OUT.isdisjoint(value)):
            return True
    return False


_SPELT_OUT = frozenset("*?[]{}$~ \0\\'\"`")  # what stands for something else


def _is_of_session(action: Action, found: Found) -> bool:
    """Whether it works on a file that this session wrote, or on a folder of such."""
    path = action.target.get("path")
    if type(path) is not str or not found.facts.written:
        return False
    return any(holds(path, written) for written in found.facts.written)


def _trusted(action: Action, facts: Facts, own: bool) -> Action:
    """`own`: nothing that this session wrote goes into it."""
    root = facts.root
    tags = set(action.tags) - {"install"}  # it is the project's own file that names the package
    if own and "obeyed" in tags and _sets_up(action, facts):
        tags -= {"guard", "obeyed", *NAMES.values()}
    if action.name == "net:serve":
        tags.discard("sends")
    path = action.target.get("path")
    if action.name == "fs:delete" and type(path) is str and in_project(root, path) and tags.isdisjoint(_LOST):
        if path != root and "/.git" not in path[len(root) :]:
            tags.add("regenerable")
    elif action.name in _CHANGES:
        tags.add("built")
    return _in_front(action.replace(tags=tuple(sorted(tags))))


def _sets_up(action: Action, facts: Facts) -> bool:
    """`prepare` puts the project's own hooks where git runs them; other files that are denied stay so."""
    spelt = [path for path in (action.target.get("path"), action.target.get("real")) if type(path) is str]
    found = [obeyed_by(path, facts) for path in spelt if in_project(facts.root, path)]
    return len(found) == len(spelt) and all(
        level is None or level[1] != "denied" or level[0] == "git's hooks" for level in found
    )


def _in_front(action: Action) -> Action:
    if action.name not in _SERVES or Effect.SPAWN not in action.effects or "detach" in action.target:
        return action
    return action.replace(effects=lowered_effects(action.effects, Effect.SPAWN))


def _known_tool(action: Action, tools: Callable[[str], bool]) -> Action:
    """A program that no table knows is the project's own tool, if the project keeps it among its tools."""
    kind, _, name = action.name.partition(":")
    if kind != "exec" or "unknown" not in action.tags or not tools(name):
        return action
    marks = tuple(sorted({*action.tags, "unread"} - {"unknown"}))
    return action.replace(name="exec:project", tags=marks)
