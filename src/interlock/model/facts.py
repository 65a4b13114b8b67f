"""What is known of the world when a call is read. Facts only grow.

The reading is pure: it never looks at the disk. What it would like to know it lists in
`Reading.missing`; the store gathers that and the call is read again.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..contracts.model import Contract
    from ..policy.model import ToolSpec
    from ..value import Json
    from .wants import Answer_co, Want

__all__ = ["DEFINITION", "MALFORMED", "NO_PROJECT", "TEMP", "Definition", "Facts", "project_at"]

NO_PROJECT = "/proc/no-project"  # nothing can be made there
DEFINITION = "tools/list"  # stands for a field of the call where the tool itself, not its input, is in question
MALFORMED = "wire"  # the same where what was sent is no call that can be read in one way

TEMP = (  # names of places, nothing is written there
    "/tmp/",  # noqa: S108
    "/var/tmp/",  # noqa: S108
    "/private/tmp/",
    "/var/folders/",
    "/private/var/folders/",
)


class Definition(Value):
    """What a tool server says of the tool that is called, held against what it said before.

    `trouble` is why a person should look at it first; empty: it is as it was. `hints` is what its annotations warn of:
    `destructive`, `external`. They raise what a tool counts as that the policy does not declare, and lower nothing.
    """

    digest: str
    trouble: str = ""
    hints: tuple[str, ...] = ()


class Facts(Value):
    """
    root      the project folder; what lies below it is the project's. `NO_PROJECT`: there is none
    home      the home folder of the person, from the system's user table
    beside    folders that count as the project too, with a slash at the end: linked work trees of its repository
    own       folders that hold the guard's own files, spelt as `paths.folded` does, with a slash at the end
    hooks     folders that git takes its hooks from by `core.hooksPath`, spelt in the same way
    linked    files that a link in the home folder makes a start-up file, spelt in the same way
    moved     folder -> the place in the home folder that it stands for, by a variable such as `CLAUDE_CONFIG_DIR`
    obeyed    pattern -> level that the policy sets for files that others obey; `obeyed_at_least` can only tighten
    keeps     folders that hold the guard's keys and passwords, spelt the same way
    temp      folders for throw-away files, with a slash at the end
    declared  what the policy says of the tool that is being called, if anything
    known     for a want that the store has looked up (wants.py), what it found
    real      for a path, where it leads once links are followed
    absent    paths at which there is nothing yet
    created   paths that this session has made, where nothing was before
    written   paths whose content is this session's: those above among them, but for what the project's build made
    since     the moment at which the session began; empty: not known
    began     the commit that HEAD named when the session began; empty: not known
    kept      paths to which this session has moved what was there before it
    commands  programs that the policy describes
    scripts   the texts of script files that the call runs
    unread    and such files as are there, but whose text could not be had
    fixed     files that this user may not write: what a call writes there may not be there afterwards
    contracts what the arguments of the called tool must fulfil
    looks     what rules ask of the words of the call (policy/looks.py)
    registries  hosts of registries that the policy counts as the person's own
    keys      files that begin with a private key, whatever they are called
    plain     files whose names say that they hold secrets, and in which none was found
    parent    the process that runs the agent; 0: not known
    variables those of the host that say where an action would arrive (environment.py); None: those of this process
    definition  how the called tool is defined by its server, where a relay has seen that
    server    the known server (reading/servers) that the client's configuration starts for this tool; empty: none
    pages     whose pages a browser was sent to in this session: `own`, `other`; empty: none so far
    malformed   why what was sent is no call that can be read in one way; then nothing else is known of it
    """

    root: str
    home: str
    beside: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    moved: Mapping[str, str] = FrozenMap({})
    obeyed: Mapping[str, str] = FrozenMap({})
    obeyed_at_least: Mapping[str, str] = FrozenMap({})
    keeps: tuple[str, ...] = ()
    temp: tuple[str, ...] = TEMP
    declared: ToolSpec | None = None
    known: Mapping[Want[object], Any] = FrozenMap({})  # type: ignore[assignment]  # its keys are no texts
    real: Mapping[str, str] = FrozenMap({})
    absent: frozenset[str] = frozenset()
    created: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    since: str = ""
    began: str = ""
    scripts: Mapping[str, str] = FrozenMap({})
    unread: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    commands: Mapping[str, Mapping[str, Json]] = FrozenMap({})
    contracts: tuple[Contract, ...] = ()
    looks: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    parent: int = 0
    variables: Mapping[str, str] | None = None
    definition: Definition | None = None
    server: str = ""
    pages: str = ""
    malformed: str = ""

    def answer(self, want: Want[Answer_co]) -> Answer_co | None:
        """What was found out about it; None: nobody has looked yet, or it could not be had."""
        found: Answer_co | None = self.known.get(want)
        return found

    def knowing(self, more: Mapping[Any, object]) -> Facts:
        """The facts, with these answers to wants."""
        known: dict[Any, object] = {**self.known, **more}
        return self.replace(known=FrozenMap(known))


def project_at(root: str, home: str) -> str:
    """The project of a session that was started in `root`. A home folder is none: all that a person has lies there."""
    return NO_PROJECT if root == home else root
