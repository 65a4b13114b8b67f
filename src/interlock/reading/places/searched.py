"""Files that count among what a search finds: those that somebody obeys, and the guard's own keys.

A search prints names that the disk decides. Its output is a pattern, `src/**/*.py`: anything below the folder. Which of
the files that count are among them no pattern says. So whoever would change such names asks for a `Listing`:
the store lists those files (searched.py). The call is read again, and the search adds each that its tests let
through as a name of its own. The guard's keys lie at known places and need no fact.

A name that only may be among the results is put down in `Found.possible`: changing it asks and is not denied.
"""

from __future__ import annotations

from ...model.more_wants import Listing
from ...value import TYPE_CHECKING
from ..core.find_tests import Seen
from ..core.regular import MAYBE, NO, YES
from ..evaluate.words import NUL, Arg
from ..lands.placing import bases_of, tells
from ..machine.places import before_glob
from .own_places import SECRET_NAMES
from .paths import Unsettled, folded, holds, settle
from .place_table import is_pattern, would_match
from .places import guarded_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...model.facts import Facts
    from ..core.regular import Globs
    from ..evaluate.state import Shell

    Test = Callable[[Seen, Sequence[Seen]], int]

__all__ = ["ANY_DEPTH", "all_below", "among", "held_in", "settled_places", "want_listing"]

ANY_DEPTH = "**"  # in what a search prints: any folders, hidden ones too
_MOST_NAMES = 64
_UNUSED = ".sample"  # hooks that git brings along and does not run


def all_below(place: str) -> str:
    """Everything below a place, as a pattern."""
    return (place.rstrip("/") or "") + "/" + ANY_DEPTH


def want_listing(path: str, shell: Shell) -> None:
    """Asks for the files that count below the folder of a search whose results are changed."""
    folder = before_glob(path)
    shell.found.ask(Listing(folder, False, ()))
    if folder in shell.found.tracked:
        shell.found.ask(Listing(folder, True, ()))


def among(
    places: Sequence[Arg], test: Test, shell: Shell, *, tracked: bool = False, text: Globs | None = None
) -> list[Arg]:
    """The files that count which a search of these places finds, each by its own name.

    `test` says of a file, with the folders above it, whether it is found; `text` what must stand in it. `tracked`: git
    searches, in what it tracks.
    """
    found = shell.found
    bases = bases_of(found.facts, (found.cwd,) if found.cwd else ())
    names: dict[str, Arg] = {}
    for place in places:
        for seen, at, above, own in _candidates(place, tracked, shell):
            sure = test(seen, above)
            if sure != NO and text is not None and not own:
                sure = min(sure, _holds_text(place, at, text, tracked, shell))
            if sure == NO or len(names) >= _MOST_NAMES or (text is not None and at.endswith(_UNUSED)):
                continue
            obeyed_now = own or guarded_by(at, found.facts) is None or tells(at, found.facts, bases)
            if sure == YES and obeyed_now and not at.endswith(_UNUSED):
                found.possible.discard(at)
            else:
                found.possible.add(at)
            names.setdefault(seen.name, Arg(seen.name, place.span, True, place.origin))
    return list(names.values())


def _candidates(place: Arg, tracked: bool, shell: Shell) -> Iterator[tuple[Seen, str, list[Seen], bool]]:
    """Each file that counts below a place: as it is printed, its path, the folders above it, whether it is our own."""
    facts = shell.found.facts
    for folder, path in settled_places(place, shell):
        listed = [(kind, at, False) for kind, at in facts.answer(Listing(folder, tracked, ())) or ()]
        if not tracked:
            listed += [(kind, at, True) for kind, at in _own_below(folder, facts)]
        for kind, at, own in listed:
            if folder != path and not _is_below(path, at):
                continue
            start = folder if folder == path else "/" + "/".join(at.split("/")[1 : path.count("/") + 1])
            shown = place.text.rstrip("/") if folder == path else start
            if at != start and not at.startswith(start.rstrip("/") + "/"):
                continue
            parts = [part for part in at[len(start) :].split("/") if part]
            names = [shown or "/"]
            for part in parts:
                names.append(f"{names[-1].rstrip('/')}/{part}")
            above = [Seen(name=name, depth=depth, kind="folder") for depth, name in enumerate(names[:-1])]
            yield Seen(name=names[-1], depth=len(parts), kind=kind), at, above, own


def settled_places(place: Arg, shell: Shell) -> Iterator[tuple[str, str]]:
    """The folder that is listed, and the path that is searched: the same, unless the place is a pattern."""
    if NUL in place.text or (shell.folders is None and place.text[:1] != "/"):
        return
    for folder in ("/",) if place.text[:1] == "/" else shell.folders or ():
        try:
            path = settle("./" + place.text if place.text[:1] == "~" else place.text or ".", cwd=folder, home="/")
        except Unsettled:
            continue
        yield (before_glob(path), path) if place.glob and is_pattern(path) else (path, path)


def _is_below(pattern: str, at: str) -> bool:
    parts, names = pattern.split("/"), at.split("/")
    if ANY_DEPTH in parts:
        return True
    return len(names) >= len(parts) and all(map(would_match, parts, names))


def _own_below(folder: str, facts: Facts) -> Iterator[tuple[str, str]]:
    """The guard's keys, and the folders that lead to them."""
    above = folded(folder).rstrip("/") + "/"
    for keep in facts.keeps:
        if not keep.startswith(above):
            continue
        parts = keep[len(above) :].split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            yield "folder", f"{folder.rstrip('/')}/{'/'.join(parts[:depth])}"
        start = "/".join([folder.rstrip("/"), *parts])
        for name in SECRET_NAMES:
            yield "file", f"{start}/{name}"


def _holds_text(place: Arg, at: str, text: Globs, tracked: bool, shell: Shell) -> int:
    """Whether the text stands in the file; the store looks, the next time."""
    for folder, _ in settled_places(place, shell):
        if holds(folder, at):
            want = held_in(folder, tracked, text)
            holding = None if want is None else shell.found.ask(want)
            if holding is None:
                return MAYBE
            if not any(path == at for _, path in holding):
                return NO
            return YES if text.exact and not any("*" in glob for glob in text.globs) else MAYBE
    return MAYBE


def held_in(folder: str, tracked: bool, text: Globs) -> Listing | None:
    """Asks for those files of a listing that hold a text; None if it has control characters."""
    texts = tuple([glob.strip("\x02\x03") for glob in text.globs])
    return Listing(folder, tracked, texts) if "".join((folder, *texts)).isprintable() else None
