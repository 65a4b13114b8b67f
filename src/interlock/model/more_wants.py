"""What a reading may ask besides where paths lead and what scripts say: see `wants.py`."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .wants import Want

if TYPE_CHECKING:
    from typing import Literal

    from ..reading.lands.placing import Placement
    from ..reading.reach.declared import Declared as Declared
    from ..reading.reach.destinations import Query
    from ..reading.reach.pushed import Push
    from ..reading.reach.pushed import Sent as Sent

    Paths = tuple[str, ...]
    Pairs = tuple[tuple[str, str], ...]

__all__ = [
    "Begins",
    "BranchCommit",
    "DefiningFiles",
    "Destination",
    "Digest",
    "Git",
    "HoldsSettings",
    "Landings",
    "Listing",
    "Loaded",
    "LostFromHead",
    "Matching",
    "Packages",
    "PlainTags",
    "Pushed",
    "RewrittenCommits",
    "SameAsCommit",
    "SameAsHead",
    "SameTask",
    "Stood",
    "UncommittedWork",
]

# --- files -----------------------------------------------------------------------------------------------------------


class Digest(Want[str]):
    """The digest of a program that this session made and that has no text."""

    path: str


class HoldsSettings(Want[bool]):
    """Whether each line of the file is empty, a comment, or one setting: `NAME=VALUE`, and the value ends with it."""

    path: str


class Stood(Want[str]):
    """Whether what is at the path was there before the session, and what it is; an empty answer: it was not.

    `whole`: everything below the path is meant.
    """

    path: str
    whole: bool


class Matching(Want["Paths"]):
    """The folders that a pattern in the last part of a path names; with `files`, the files too.

    The answer is an empty name where they are too many, or one of them is a link.
    """

    pattern: str
    files: bool


# --- what hosts and people obey --------------------------------------------------------------------------------------


class DefiningFiles(Want["Paths"]):
    """The files that may define a skill, a command or an agent of this name. Their texts become known, too."""

    kind: Literal["skill", "agent"]
    name: str


class Begins(Want[bool]):
    """Whether a project, a plug-in or a folder of modules begins there: `where` is a key of `obeyed.MARKERS`."""

    where: str
    folder: str


class Loaded(Want[bool]):
    """Whether Claude Code loads plug-ins from the folder."""

    folder: str


class Listing(Want["Pairs"]):
    """The files below a folder that somebody obeys, each with its kind. See reading/places/searched.py.

    tracked  only those that git tracks
    texts    only those in which one of these stands; none: all of them
    """

    folder: str
    tracked: bool
    texts: tuple[str, ...]

    taken_as_empty = True


class Landings(Want["Pairs"]):
    """What a program places where somebody obeys it: the role of the action, and the path."""

    placement: Placement

    taken_as_empty = True


# --- what leaves this machine ----------------------------------------------------------------------------------------


class Pushed(Want["Sent"]):
    """What a push would send, and where."""

    push: Push


class Destination(Want["Paths"]):
    """Where an action arrives; no place: it cannot be told."""

    query: Query


class Packages(Want["Declared"]):
    """What the project declares of its packages in a language, in the folder and those above it up to `root`.

    `commit`: the one that names them.
    """

    collection: str
    folder: str
    root: str
    commit: str


# --- git: see reading/reach/git_facts.py for the words that answer ---------------------------------------------------


class Git(Want[str]):
    """A question about the repository that holds `place`."""

    place: str


class RewrittenCommits(Git):
    """Are commits of the tip that the base does not have on a remote? LOCAL or SHARED."""

    base: str
    tip: str


class UncommittedWork(Git):
    """Would tracked files lose work that is not committed? CLEAN, CHANGED or LARGE."""

    how: str
    revision: str
    paths: tuple[str, ...]


class BranchCommit(Git):
    """The commit that a branch names."""

    name: str


class PlainTags(Git):
    """Is every tag a plain word, so that none can be taken for an option, a path or code? CLEAN or CHANGED."""


class SameAsCommit(Git):
    """Is the file as this commit has it, and did no session write it? CLEAN or CHANGED."""

    commit: str


class SameTask(Git):
    """Are the files of these names in the folder, and above it up to `root`, as the commit has them, and did no session
    write them? CLEAN only where there is one at all.
    """

    commit: str
    names: Paths
    root: str


class LostFromHead(Git):
    """Is there a file of this name in the folder, or the folder itself, that HEAD does not have as it is? CHANGED."""

    name: str


class SameAsHead(Git):
    """Is the file as HEAD has it? CLEAN or CHANGED."""
