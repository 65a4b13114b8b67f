"""What a call lays down itself and then unpacks or copies: `tar cf n.tar d && tar xf n.tar`, `mv d e && cp -r e/. .`.

Every placement of a call is kept. An archive that the call packs counts as a folder with its members in it, and so does
a pipe that carries one. A later placement from such a place takes the earlier ones along in its request, so that the
store lists what will be there by then. What some other program of the call has filled cannot be listed: placing it
where somebody obeys files asks. What is fetched from another machine is no different from what `git pull` brings: it
passes, and is looked at once it is there.
"""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING
from ..evaluate.contents import Changed, Perhaps
from ..evaluate.flow import comes_from_elsewhere
from ..evaluate.flows import Fetched, Laid, Stream
from ..evaluate.origins import printed
from ..evaluate.words import NUL, Arg
from ..machine.acts import on_path
from ..machine.places import through_links
from ..places.paths import Unsettled, settle
from .placing import ARCHIVE, FOLDER, MADE, TREE, UNLISTED, Placement, bases_of, may_tell, spelt, want_of

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = [
    "copied",
    "filled",
    "is_blind",
    "is_laid",
    "keep",
    "keep_stream",
    "lay",
    "may_land",
    "on_blind_pipe",
    "pack",
    "refuse_blind",
    "source_of",
    "stream",
    "with_earlier",
]

_MOST = 128  # placements of one call that are kept
_LONGEST = 16_000  # of a request with all that it depends on


def stream(span: tuple[int, int], shell: Shell) -> Stream:
    """A new one, empty. Nothing on a disk lies below a device."""
    return Stream(f"/dev/null/{len(shell.found.laid)}", span)


def keep(placement: Placement, shell: Shell) -> bool:
    """Remembers what was placed; False if there is no room for more."""
    laid = shell.found.laid
    if len(laid) >= _MOST:
        return False
    if placement not in laid:
        laid.append(placement)
    return True


def keep_stream(held: Stream, path: str, shell: Shell) -> Arg:
    """The archive that a pipe carries is in this file now: what to remember of the file."""
    options = (("deep", "1"), ("within", "never"))
    placement = with_earlier(Placement(kind=FOLDER, source=held.path, into=path, options=options), shell)
    if placement is None or not keep(placement, shell):
        return Arg(NUL, held.span, origin=printed())
    return Laid(held.span)


def copied(source: str, path: str, span: tuple[int, int], shell: Shell, *, within: str = "never") -> bool:
    """What is in the one file is in the other then, packed or not. `within`: or in a file of its name there."""
    plain = Placement(kind=FOLDER, source=source_of(source, shell), into=path, options=(("within", within),))
    placement = with_earlier(plain, shell)
    if placement is None or not keep(placement, shell):
        return False
    if is_blind(plain.source, shell) is not None:
        name = plain.source.rpartition("/")[2]
        for place in (*((path,) if within != "always" else ()), *((f"{path}/{name}",) if within != "never" else ())):
            if not keep(Placement(kind=MADE, source=plain.source, into=place), shell):
                return False
    filled(path, span, shell)
    return True


def is_laid(path: str, shell: Shell) -> bool:
    """Whether a placement of this call has filled the folder that the path is, or lies in, by the very same name."""
    path = source_of(path, shell)
    return any(path == one.into or path.startswith(one.into.rstrip("/") + "/") for one in shell.found.laid)


def filled(path: str, span: tuple[int, int], shell: Shell) -> None:
    """What this call has put at the path is among its placements, if it was written at all."""
    if path in shell.files and len(shell.found.laid) < _MOST and not shell.files[path].known:
        shell.files[path] = Laid(span)


def pack(
    source: str, archive: str, name: str, options: tuple[tuple[str, str], ...], shell: Shell, *, pattern: str = ""
) -> bool:
    """Puts a file or folder into an archive under this name. With a pattern: those that it names in the folder."""
    into = f"{archive}/{name.strip('/')}" if name.strip("/") else archive
    more = (("deep", "1"), ("match", pattern)) if pattern else (("deep", "1"), ("within", "never"))
    placement = with_earlier(Placement(kind=FOLDER, source=source, into=into, options=(*more, *options)), shell)
    if placement is None or not keep(placement, shell):
        return False
    below = source.rstrip("/") + "/"
    for path, held in shell.files.items():
        if path.startswith(below) and not isinstance(held, Laid):
            made = f"{into}/{path[len(below) :]}"
            if not keep(Placement(kind=MADE, source=path, into=made), shell):
                return False
    return is_blind(source, shell) is None


def source_of(path: str, shell: Shell) -> str:
    """The path without `.` and `..`, and behind names that this call has given to it."""
    if "/." in path and path[:1] == "/":
        try:
            path = settle(path, cwd="/", home="/")
        except Unsettled:
            return path
    if not shell.links:
        return path
    return through_links(path, shell.links) or path


def with_earlier(placement: Placement, shell: Shell) -> Placement | None:
    """The same, with earlier placements of the call that fill its source; None if that is too much to tell."""
    source = placement.source
    via = [("via", spelt(earlier)) for earlier in shell.found.laid if _meet(earlier.into, source)]
    if not via:
        return placement
    if sum([len(text) for _, text in via]) > _LONGEST:
        return None
    return placement.replace(options=(*placement.options, *via))


def _meet(one: str, other: str) -> bool:
    return one == other or one.startswith(other.rstrip("/") + "/") or other.startswith(one.rstrip("/") + "/")


def is_blind(path: str, shell: Shell, pattern: str = "") -> str | None:
    """The file or folder that this call fills in a way that cannot be listed, if the path is it or lies in it.

    With a pattern: also one of those that it names in the folder.
    """
    files = shell.files
    if not files:
        return None
    at = path
    while at not in ("", "/"):
        if at in files and not _is_told(files[at]) and not _is_fetched(at, files[at], shell):
            return at
        at = at.rpartition("/")[0]
    if pattern:
        for other, held in files.items():
            folder, _, name = other.rpartition("/")
            if folder == path and matches(pattern, name) and not _is_told(held) and not _is_fetched(other, held, shell):
                return other
    return None


def _is_told(held: Arg) -> bool:
    """Whether all that is in the file or folder is known, or kept among the placements."""
    if isinstance(held, Perhaps):
        return held.likely is not None and _is_told(held.likely)
    return held.known or isinstance(held, Laid) or (isinstance(held, Changed) and not held.changes)


def _is_fetched(path: str, held: Arg, shell: Shell) -> bool:
    """Whether it comes from another machine: by a pipe, a download, or code that talks to one and writes it."""
    if isinstance(held.likely if isinstance(held, Perhaps) else held, Fetched):
        return True
    away = [action.span for action in shell.found.actions if comes_from_elsewhere(action)]
    if not away or path in shell.found.fetched:
        return bool(away)
    return any(action.span in away for action in shell.found.actions if action.target.get("path") == path)


def may_land(placement: Placement, shell: Shell) -> bool:
    """Whether names that are not known could be those of files that somebody obeys, where they are placed."""
    facts = shell.found.facts
    bases = bases_of(facts, placement.every("base"))
    into, name = placement.into.rstrip("/") or "/", placement.source.rstrip("/").rpartition("/")[2]
    within = placement.given("within")
    inside = f"{into.rstrip('/')}/{name}"
    if placement.kind == FOLDER and not placement.given("match"):
        if within == "always" or (
            within == "maybe" and any(base == into or base.startswith(into + "/") for base in bases)
        ):
            into = inside
    only = placement.every("only")
    if only and not any(char in text for text in only for char in "*?[\\"):
        parts = [text.strip("/").removeprefix("./") for text in only]
        return any(may_tell(f"{into.rstrip('/')}/{part}", bases, facts) for part in parts if part not in ("", "."))
    return may_tell(into, bases, facts)


def refuse_blind(kind: str, made: str, span: tuple[int, int], shell: Shell) -> None:
    """Says why a placement cannot be listed."""
    verb = "unpacks" if kind == ARCHIVE else "copies"
    shell.unclear(
        f"it {verb} `{_shown(made, shell)}`, which this call makes; it is unclear what that writes here", span
    )


def on_blind_pipe(into: str, options: tuple[tuple[str, str], ...], span: tuple[int, int], shell: Shell) -> None:
    """An archive from a pipe whose contents nobody can tell."""
    given, found = shell.stdin, shell.found
    if given is None or not given.unknown or isinstance(given, Fetched):
        return
    options = (*options, ("base", found.cwd)) if found.cwd else options
    if may_land(Placement(kind=ARCHIVE, source="", into=source_of(into, shell), options=options), shell):
        shell.unclear("it unpacks what a pipe brings; it is unclear what that writes here", span)


def _shown(path: str, shell: Shell) -> str:
    root = shell.found.facts.root
    return path[len(root) + 1 :] if path.startswith(root + "/") else path


def lay(
    kind: str, source: str, into: str, span: tuple[int, int], shell: Shell, options: tuple[tuple[str, str], ...] = ()
) -> None:
    """Asks where the members land, and puts down a write for each that lands in a place that tells."""
    found = shell.found
    into = source_of(into, shell)
    source = source_of(source, shell) if kind != TREE else source
    if found.cwd and found.cwd != found.facts.root:
        options = (*options, ("base", found.cwd))
    plain = Placement(kind=kind, source=source, into=into, options=options)
    made = is_blind(source, shell, plain.given("match")) if kind != TREE else None
    if made is not None and may_land(plain, shell):
        refuse_blind(kind, made, span, shell)
    placement = with_earlier(plain, shell) if kind != TREE else plain
    if placement is None:
        refuse_blind(kind, source, span, shell)
        return
    keep(placement, shell)
    want = want_of(placement)
    if want is None:
        return
    for role, path in found.ask(want) or ():
        if role == UNLISTED:
            refuse_blind(kind, path, span, shell)
        else:
            on_path(role, Arg(path, span, quoted=True), shell)
