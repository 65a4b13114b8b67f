"""Where a shell is while its script is followed: variables, folder, functions, what was found.

`Found` is shared by everything that one call runs; `Shell` is copied for each subshell, so that what a
subshell changes stays there. `folders` are the folders in which the shell may be: after
`cd x; …` that is x, or the old one if x could not be entered. None: it is not known.
"""

from __future__ import annotations

from ...model.action import Action, Opaque
from ...value import TYPE_CHECKING
from .words import Arg

if TYPE_CHECKING:
    from typing import Any, Protocol

    from ...model.action import OpaqueKind
    from ...model.facts import Facts
    from ...model.wants import Answer_co, Want
    from ..core.follow import Follow
    from ..lands.placing import Placement
    from ..shell.syntax import Command
    from ..tasks.inside import Tasks
    from .contents import Change
    from .origins import Origin

    class Leads(Protocol):
        def get(self, path: str, /) -> str | None: ...


__all__ = ["MAX_COMMANDS", "MAX_NESTING", "Found", "Noted", "Shell", "Stop", "silent"]

MAX_COMMANDS = 4000  # commands followed in one call, unrolled loops and functions included
MAX_NESTING = 24  # scripts in scripts, functions in functions
_OF_CD = frozenset(("PWD", "OLDPWD"))
_ONLY_A_PATH = frozenset(("path", "removal"))  # which file is meant is open, and not which program is run


class Stop(Exception):
    """Too much to follow; the rest of the call is opaque."""


class Noted:
    """One command that would be run, where programs are noted.

    outer    which command it stands in, by its place in the list; -1: none
    span     where it stands in the text of the call
    folders  in which it may run
    plain    nothing in the text changes how it runs: no variable, no function, nothing that is fed to it
    """

    __slots__ = ("args", "folders", "outer", "plain", "span")

    def __init__(
        self, args: list[Arg], outer: int, span: tuple[int, int], folders: tuple[str, ...] | None, plain: bool
    ) -> None:
        self.args = args
        self.outer = outer
        self.span = span
        self.folders = folders
        self.plain = plain


class Found:
    """What one call would do, as far as it was followed. Filled while the script is walked.

    follow    the ways back in: what reads a command, a file or code that is met inside another (core/follow.py)
    programs  every command that would be run, inside wrappers too; None: nobody asks (reading/runs/programs.py does)
    blamed    the commands that were being followed when something was not clear that may hide a program
    """

    __slots__ = (
        "actions",
        "again",
        "blamed",
        "breaks",
        "budget",
        "changed",
        "commands",
        "cwd",
        "escapes",
        "facts",
        "fetched",
        "field",
        "files",
        "folders",
        "follow",
        "holds_secret",
        "kept",
        "laid",
        "links",
        "listens",
        "rounds",
        "made",
        "marked",
        "meanwhile",
        "missing",
        "jobs",
        "moved",
        "opaque",
        "possible",
        "real",
        "programs",
        "refs",
        "refused",
        "removed_by",
        "running",
        "secret",
        "seen",
        "shown",
        "steps",
        "tasks",
        "tracked",
        "unordered",
        "unsettled",
        "used",
        "variables",
    )

    def __init__(self, facts: Facts, field: str, real: Leads | None = None, cwd: str = "", *, follow: Follow) -> None:
        self.facts = facts
        self.follow = follow
        self.cwd = cwd  # the folder in which the call begins
        self.real: Leads = facts.real if real is None else real  # where paths lead
        self.field = field
        self.actions: list[Action] = []
        self.opaque: list[Opaque] = []
        self.missing: list[Want[object]] = []
        self.again: list[Action] = []  # what is done as before: in a second round, or when a trap is followed again
        self.commands: list[tuple[tuple[Arg, ...], tuple[int, int]]] = []  # every command that would be run
        self.files: dict[str, Arg] = {}  # what the call has written, for those who follow a session without a disk
        self.folders: tuple[str, ...] | None = None  # where the shell may be in the end
        self.changed: dict[str, Change | None] = {}  # patterns whose files the call has changed, and how, if known
        self.made: set[str] = set()  # paths that the call has made where nothing was
        self.fetched: set[str] = set()  # paths that the call has filled from the network
        self.links: dict[str, str] = {}  # names that the call has made for other files, for the same
        self.kept: set[str] = set()  # paths to which the call has moved what was there before
        self.laid: list[Placement] = []  # what the call has placed so far (reading/lands/laid.py)
        self.refs: dict[str, tuple[str, ...]] = {}  # names of git that the call has moved (specials/git_names.py)
        self.secret = False  # some action is marked so
        self.holds_secret = False  # a variable or a file holds what was read from a secret place
        self.jobs = 0  # how many were started in the background so far
        self.moved = 0  # how many of those moves there were
        self.shown: list[str] = []  # secret variables of the environment whose value was put into a word
        self.variables: set[str] = set()  # variables of the script that got such a value
        self.escapes = False  # the text holds `$'…'`, in which letters can be spelt by their numbers
        self.rounds = 0  # `while` loops around what is followed now
        self.listens = False  # the text holds the address that stands for all interfaces
        self.programs: list[Noted] | None = None
        self.removed_by: dict[tuple[str, tuple[int, int]], Origin] = {}  # opaque removals: where the path came from
        self.refused: object = None  # the `${…}` that no shell takes, met last
        self.running = -1  # the one that is being followed, by its place in `programs`
        self.blamed: list[int] = []
        self.seen: set[tuple[object, ...]] = set()
        self.budget = MAX_COMMANDS
        self.meanwhile: dict[str, Arg | None] | None = None  # files that jobs run, and what was in them then
        self.breaks = 0  # how often something was met after which the rest of a script may not run
        self.used: dict[int, Arg] = {}  # inputs that a command has read from, by their identity
        self.marked: dict[tuple[str, bool], list[str]] = {}  # the marks of each path, or pattern, as the tables say
        self.possible: set[str] = set()  # files that may be among what a search finds, and may not
        self.tracked: set[str] = set()  # folders whose tracked files git was asked to list
        # Of each action, by name, span and path: how many commands had begun when it was met first, and last.
        self.steps: dict[tuple[str, tuple[int, int], object], tuple[int, int]] = {}
        self.unordered: list[tuple[int, int]] = []  # commands, from and to, whose order is not that of the text
        # How many commands had begun when something came after which losses may not be as read: a job, a wait for a
        # person's choice, a program whose name is not spelt out.
        self.unsettled: list[int] = []
        self.tasks: Tasks | None = None  # those of task files that are being followed

    def act(self, action: Action) -> None:
        target, tags = action.target, action.tags
        items = tuple(sorted(target.items())) if target else ()
        key = (action.name, items, action.span, tags, action.effects)
        place, step = (action.name, action.span, target.get("path")), len(self.commands)
        self.steps[place] = (self.steps[place][0] if place in self.steps else step, step)
        if key in self.seen:
            self.again.append(action)
            return
        self.seen.add(key)
        self.actions.append(action)
        if "secret" in tags:
            self.secret = True

    def unclear(
        self, reason: str, span: tuple[int, int], *, kind: OpaqueKind = "", origin: Origin | None = None
    ) -> None:
        """`reason` is for people. Code decides by `kind`, and by `origin`: where the missing value came from."""
        if self.programs is not None and kind not in _ONLY_A_PATH:
            self.blamed.append(self.running)
        key = (reason, span)
        if key not in self.seen:
            self.seen.add(key)
            self.opaque.append(Opaque.in_order(reason, self.field, span, kind))
            if kind == "removal" and origin is not None:
                self.removed_by[key] = origin

    def want(self, fact: Want[object]) -> None:
        if fact not in self.missing:
            self.missing.append(fact)

    def ask(self, fact: Want[Answer_co]) -> Answer_co | None:
        """The answer, if it is known; else it is asked for."""
        answer = self.facts.answer(fact)
        if answer is None:
            self.want(fact)
        return answer

    def runs(self, args: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
        """Notes a command, or a script that a shell is given: `bash run.sh` runs both."""
        programs = self.programs
        if programs is None or (self.running >= 0 and programs[self.running].args[0] is args[0]):
            return  # `./run.sh` is noted as a command, and then again as a script
        programs.append(Noted(args, self.running, shell.span(span), shell.folders, shell.is_plain))
        self.running = len(programs) - 1

    def ran_others(self, begun: int) -> None:
        """A command is over, the last of those that had begun: what it has run it may run again and again."""
        if len(self.commands) > begun:
            self.unordered.append((begun - 1, len(self.commands)))

    def spend(self) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise Stop


class Shell:
    __slots__ = (
        "aliases",
        "allexport",
        "awaited",
        "background",
        "depth",
        "entered",
        "exported",
        "files",
        "folders",
        "found",
        "frozen_span",
        "functions",
        "git",
        "links",
        "local",
        "odd",
        "posix",
        "parameters",
        "path_changed",
        "privileged",
        "stdin",
        "strict",
        "trapped",
        "traps",
        "variables",
    )

    def __init__(self, found: Found, folders: tuple[str, ...] | None) -> None:
        self.found = found
        self.folders = folders
        # what `folders` became by the last `cd`, and what they are if it has worked
        self.entered: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self.variables: dict[str, list[Arg]] = {}
        self.exported: set[str] = set()
        self.allexport = False  # `set -a`: what is set from here on is exported
        self.functions: dict[str, Command] = {}
        self.aliases: set[str] = set()
        self.parameters: list[Arg] | None = []
        self.files: dict[str, Arg] = {}  # files that this script has written, where their text is known
        self.links: dict[str, str] = {}  # names that this script has made for other files
        self.git: dict[str, Any] = {}  # what the script has done to HEAD and branches so far (specials/git_moves.py)
        self.stdin: Arg | None = None  # what a pipe or a here-document brings, where it is known
        self.odd: frozenset[str] = (
            frozenset()
        )  # variables with attributes: what an assignment leaves in them is not followed
        self.local: dict[str, list[Arg] | None] | None = None  # in a function: what its local variables hide
        self.posix = False  # a plain `sh`, whose echo has its own rules
        self.depth = 0
        self.frozen_span: tuple[int, int] | None = None  # inside code that was handed over as a word: that word
        self.path_changed: str | None = None
        self.privileged = False
        self.background = False
        self.strict = False  # a command that fails may end the script
        self.awaited = False  # a `wait` behind the loop or group that is being followed: no job of it is left running
        self.traps: tuple[tuple[Arg, bool], ...] = ()  # what runs at the end or a signal, and whether it goes on then
        self.trapped: object = None  # with what the traps were followed last (evaluate/traps.py)

    def copy(self) -> Shell:
        other = Shell.__new__(Shell)
        other.found = self.found
        other.folders = self.folders
        other.entered = self.entered
        other.variables = self.variables.copy()
        other.exported = self.exported
        other.allexport = self.allexport
        other.functions = self.functions.copy()
        other.aliases = self.aliases
        other.parameters = self.parameters
        other.files = self.files  # the disk is one
        other.links = self.links
        other.git = self.git
        other.stdin = self.stdin
        other.odd = self.odd
        other.local = self.local
        other.posix = self.posix
        other.depth = self.depth
        other.frozen_span = self.frozen_span
        other.path_changed = self.path_changed
        other.privileged = self.privileged
        other.background = self.background
        other.strict = self.strict
        other.traps = self.traps
        other.trapped = self.trapped
        other.awaited = False  # jobs of a subshell are not those of this one
        return other

    def branch(self) -> Shell:
        """A copy for something that may or may not happen: what it writes is its own until the two are joined."""
        other = self.copy()
        other.files = dict(self.files)
        other.links = dict(self.links)
        other.git = dict(self.git)
        other.awaited = self.awaited
        return other

    def child(self) -> Shell:
        """A shell of its own process: it sees what is exported, and nothing else of this one."""
        other = self.copy()
        other.variables = {name: value for name, value in self.variables.items() if name in self.exported}
        other.allexport = False
        other.functions = {}
        other.aliases = set()
        other.parameters = []
        other.odd = frozenset()
        other.local = None
        other.traps = ()
        return other

    @property
    def is_plain(self) -> bool:
        """Whether a command runs here as it would in a shell that has just begun."""
        fed = self.stdin is not None and self.stdin.text != ""  # `</dev/null` feeds nothing
        changed = fed or self.path_changed is not None or self.frozen_span is not None
        if changed or self.exported or self.functions or self.aliases or self.privileged or self.background:
            return False
        return self.variables.keys() <= _OF_CD

    def span(self, span: tuple[int, int]) -> tuple[int, int]:
        """A place in the text of the call, also for what was read inside a word of it."""
        return span if self.frozen_span is None else self.frozen_span

    def unclear(
        self, reason: str, span: tuple[int, int], *, kind: OpaqueKind = "", origin: Origin | None = None
    ) -> None:
        self.found.unclear(reason, self.span(span), kind=kind, origin=origin)


def silent(shell: Shell) -> Shell:
    """A shell whose findings go nowhere: to learn where a path lies."""
    other, found = shell.copy(), shell.found
    other.found = Found(found.facts, found.field, found.real, found.cwd, follow=found.follow)
    return other
