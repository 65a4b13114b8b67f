"""Programs that place many files at once: an archive unpacked, a folder copied, a commit checked out.

Which files those are stands in no command line. So the reading asks for its `Landings`: the store lists the
members within limits and says which of them land where a host, a shell or git obeys them. Those become ordinary writes;
everything else stays the one action that the program is. What cannot be listed has no landings and passes as before.

This module is the pure part: how a request is spelt, under which name a member lands, and which places tell.
"""

from __future__ import annotations

from ...model.more_wants import Landings
from ...value import TYPE_CHECKING, Value, lazy
from ..places.paths import folded, holds, in_project, within
from ..places.place_folders import holds_guarded
from ..places.places import is_secret, obeyed_by

if TYPE_CHECKING:
    from ...model.facts import Facts
    from ..core.substitutions import sed_change
else:
    sed_change = lazy(globals(), "..core.substitutions", "sed_change")

__all__ = [
    "ARCHIVE",
    "FOLDER",
    "MADE",
    "TREE",
    "UNLISTED",
    "Naming",
    "Placement",
    "bases_of",
    "may_tell",
    "names_of",
    "spelt",
    "tells",
    "unspelt",
    "want_of",
]

ARCHIVE, FOLDER, TREE = "archive", "folder", "tree"
MADE = "made"  # a file or folder of unknown contents, which an earlier part of the call puts there
UNLISTED = "unlisted"  # in place of a role: members cannot be listed, and might land where somebody obeys them
_KINDS = frozenset((ARCHIVE, FOLDER, TREE, MADE))
# Options of a request, and whether they may be given more than once.
_OPTIONS = frozenset(
    (
        "as",  # archive: which kinds the program unpacks: tar, zip, plain (not compressed), any
        "loose",  # archive: the program obeys `..` and names that begin with a slash
        "strip",  # archive: how many folders are taken off the front of each name
        "flat",  # archive: only the last part of each name is kept
        "change",  # archive: a `sed` expression that is applied to each name
        "only",  # these members, and what lies below them
        "skip",  # and not these
        "asked",  # what a person would be asked about counts too: it is not the project's own that is placed
        "base",  # a folder whose settings somebody obeys, beside the project and the home
        "within",  # folder: `always` lands in a folder of its name there, `never`, or `maybe`, if that is there
        "match",  # of what is in the folder, the names that match this pattern: those files, or these archives
        "hidden",  # and so do names that begin with a dot, which a pattern of the shell leaves out
        "deep",  # folder: what is in folders too
        "follow",  # folder: links are followed
        "rev",  # tree: the commit
        "from",  # tree: the commit that the other one is compared with
        "how",  # tree: which files of it are written (store/facts/git_trees.py)
        "gitdir",  # tree: the repository, if it is not the one that holds the folder
        "via",  # an earlier placement of the same call, which fills the source (reading/lands/laid.py)
    )
)


class Placement(Value):
    """
    kind     archive, folder or tree
    source   the archive, the folder, or a folder in the work tree
    into     the folder in which members land
    options  what else decides where they land
    """

    kind: str
    source: str
    into: str
    options: tuple[tuple[str, str], ...] = ()

    def given(self, name: str) -> str:
        return next((value for key, value in self.options if key == name), "")

    def every(self, name: str) -> tuple[str, ...]:
        return tuple([value for key, value in self.options if key == name])


def _pair(option: str) -> tuple[str, str]:
    name, _, value = option.partition("=")
    return name, value


def want_of(placement: Placement) -> Landings | None:
    """What is to be known of the placement; None if a name has control characters."""
    if placement.kind not in _KINDS or not _OPTIONS.issuperset([name for name, _ in placement.options]):
        raise ValueError(f"no such request: {placement}")
    texts = (placement.source, placement.into, *[value for _, value in placement.options])
    return Landings(placement) if "".join(texts).isprintable() else None


def spelt(placement: Placement) -> str:
    """The placement as the value of an option of another one."""
    parts = (placement.kind, placement.source, placement.into, *[f"{key}={text}" for key, text in placement.options])
    return "%t".join([part.replace("%", "%%") for part in parts])


def unspelt(text: str) -> Placement:
    """The placement that is spelt so."""
    parts, at, part = [], 0, ""
    while at < len(text):
        if text[at] != "%":
            part += text[at]
        elif text[at + 1 : at + 2] == "t":
            parts.append(part)
            part, at = "", at + 1
        else:
            part, at = part + "%", at + 1
        at += 1
    kind, source, into, *options = (*parts, part)
    return Placement(kind=kind, source=source, into=into, options=tuple([_pair(option) for option in options]))


# --- where a member lands --------------------------------------------------------------------------------------------


class Naming(Value):
    """How a program makes the path of a file out of the name of a member."""

    loose: bool = False
    flat: bool = False
    strip: int = 0
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    change: str = ""

    @classmethod
    def of(cls, placement: Placement) -> Naming:
        strip = placement.given("strip")
        return cls(
            loose=bool(placement.given("loose")),
            flat=bool(placement.given("flat")),
            strip=int(strip) if strip.isdecimal() and len(strip) < 6 else 0,
            only=tuple([_plainly(name) for name in placement.every("only")]),
            skip=placement.every("skip"),
            change=placement.given("change"),
        )


def names_of(name: str, naming: Naming) -> tuple[str, ...]:
    """The paths, below the folder or absolute, under which a member may land. Empty: it is left out."""
    plain = _plainly(name)
    if naming.only and not any(_is_meant(plain, only) for only in naming.only):
        return ()
    if naming.skip and any(_is_left_out(name, skip) for skip in naming.skip):
        return ()
    if naming.change:
        changed = _changed(name, naming.change)
        if changed is None:
            return ()
        name = changed
    parts = [part for part in name.split("/") if part and part != "."]
    if naming.strip:
        parts = parts[naming.strip :]
    if naming.flat:
        parts = parts[-1:]
    safe = "/".join([part for part in parts if part != ".."])
    if not naming.loose:
        return (safe,) if safe else ()
    bold = ("/" if name[:1] == "/" and not naming.strip else "") + "/".join(parts)
    return tuple(dict.fromkeys([text for text in (bold, safe) if text]))


def _plainly(name: str) -> str:
    return "/".join([part for part in name.split("/") if part and part != "."])


def _is_meant(name: str, only: str) -> bool:
    """Whether a member is asked for by this name or pattern; in doubt it is."""
    if not only or name == only or name.startswith(only + "/"):
        return True
    wild = [at for at, char in enumerate(only) if char in "*?[\\"]
    if not wild:
        return False
    return name.casefold().startswith(only[: wild[0]].casefold())


def _is_left_out(name: str, skip: str) -> bool:
    """Whether a member surely is not placed: by a plain name, of it or of a folder above it (`a/`: only that).

    Names are compared as they are written: to tar, `./a` and `/a` are not `a`.
    """
    if not skip.strip("/") or any(char in skip for char in "*?[\\!"):
        return False
    return f"/{skip}" in f"/{name}" if skip[-1] == "/" else f"/{skip}/" in f"/{name}/"


def _changed(name: str, expression: str) -> str | None:
    change = sed_change([expression], extended=False)
    made = None if change is None else change(name + "\n")
    return None if made is None else made.removesuffix("\n")


# --- which places tell -----------------------------------------------------------------------------------------------


def bases_of(facts: Facts, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Folders whose settings are obeyed now: the home, the project, and every folder from it down to the agent's.

    Settings in any other folder wait for somebody to start a host there. A copy of another project, or the unpacked
    sources of one, would otherwise be refused for files that nobody obeys.
    """
    found = [facts.home, facts.root, *facts.moved]
    for folder in more:
        while in_project(facts.root, folder) and folder not in found:
            found.append(folder)
            folder = folder.rpartition("/")[0] or "/"
        if folder not in found:
            found.append(folder)
    return tuple(found)


def tells(
    path: str, facts: Facts, bases: tuple[str, ...], *, link: bool = False, levels: tuple[str, ...] = ("denied",)
) -> bool:
    """Whether somebody obeys what is at this path. `link`: another folder takes the place of one that holds such.

    `levels`: those that count. What a project has committed is trusted as its code is, but for what unhooks.
    """
    guarded = _counts(path, facts, levels)
    if not guarded and not (link and holds_guarded(path, facts)):
        return is_secret(path) and _is_kept_secret(path, facts)
    if guarded and (within(facts.own, folded(path)) or path.startswith(_SYSTEM)):
        return True
    return any(_right_below(base, path, facts, levels, link=link and not guarded) for base in bases)


def _counts(path: str, facts: Facts, levels: tuple[str, ...]) -> bool:
    found = obeyed_by(path, facts)
    return found is not None and found[1] in levels


_SYSTEM = ("/etc/", "/Library/")  # fixed places: no folder of a project lies there


def _right_below(base: str, path: str, facts: Facts, levels: tuple[str, ...], *, link: bool) -> bool:
    """Whether the row of the path begins right in the folder: `base/.claude/settings.json`.

    It does if the path has no row once its first folder is taken out, or if all of that folder has one.
    """
    if path == base or not holds(base, path):
        return False
    above = base.rstrip("/")
    first, _, rest = path[len(above) + 1 :].partition("/")
    if not rest:
        return True
    if link:
        return not holds_guarded(f"{above}/{rest}", facts)
    return not _counts(f"{above}/{rest}", facts, levels) or _counts(f"{above}/{first}/x", facts, levels)


def may_tell(folder: str, bases: tuple[str, ...], facts: Facts) -> bool:
    """Rows begin right in a base, with a hidden folder: what is beside that is never listed."""
    for base in bases:
        above = base.rstrip("/") + "/"
        if base == folder or base.startswith(folder.rstrip("/") + "/"):
            return True
        if folder.startswith(above) and (folder[len(above)] == "." or base in facts.moved):
            return True
    plain = folded(folder)
    return (
        folder.startswith(("/etc", "/Library"))
        or within(facts.own, plain)
        or any(own.startswith(plain + "/") for own in facts.own)
    )


def _is_kept_secret(path: str, facts: Facts) -> bool:
    """A person's own, not the certificates that a project's tests or an unpacked folder bring along."""
    return holds(facts.home, path) and not in_project(facts.root, path)
