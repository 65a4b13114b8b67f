"""Which kinds of place a path is: what the tables say of it, and what lies below it or would be taken in.

The kinds that `marks.py` counts. A path may have two names: as it is written, and where it leads. A place is what it is
under either; what makes less of it, such as being public, must hold of each name that is one, and where it leads. What
only concerns folders costs more to find out, so that it is looked up where the role asks for it.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from .marks import Place, counted
from .paths import folded
from .places import marks_of, place_of
from .secret_files import sort_of
from .system_places import ground

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Set

    from ...model.facts import Facts
    from .place_folders import is_key_of_ours, kinds_below

    Named = Mapping[
        str, Collection[str]
    ]  # a path as it is named and, if that differs, where it leads: each with its marks
else:  # few calls of a file tool need these
    is_key_of_ours = lazy(globals(), ".place_folders", "is_key_of_ours")
    kinds_below = lazy(globals(), ".place_folders", "kinds_below")

__all__ = ["FILES", "OUTSIDE", "joined", "kinds_of", "place_at"]

OUTSIDE = frozenset(("no-project", "outside", "own-folder"))

# How names end of what is a file, so that nobody has to ask what lies in it. Any other name may be a folder's.
FILES = frozenset(
    "c cpp css go h html java js json jsx lock md mjs php py rb rs sh sql toml ts tsx txt yaml yml".split()
)
_KEYS = (".key", ".pgpass", ".token")  # as own_places.py has them
# What such a name leaves open of what lies below: a folder of the project may be called `app.js`, too.
_OF_ANY_NAME = frozenset(("guard-below", "guard-led-to", "own-below", "settings-below"))
_OF_FOLDERS = _OF_ANY_NAME | {
    *("obeyed-below", "own-secrets-below", "secret-folder", "secrets-below", "takes-guarded", "takes-guarded-plain")
}


def place_at(role: str, path: str, real: str | None, facts: Facts, *, new: bool = False) -> Place:
    """The place of a path that stands by itself; `new`: there is nothing yet."""
    named = {path: marks_of(path, facts)}
    if real is not None and real != path:
        named[real] = marks_of(real, facts)
    marks = joined(named, facts)
    for name in named:
        marks.update(ground(name, False, facts))
    if new:
        marks.add("new")
    return Place(path=path, real=real, kinds=kinds_of(named, marks, counted(role), facts))


def joined(named: Named, facts: Facts) -> set[str]:
    """The marks of all names of a path. Whether it lies outside is said by where it leads, not through which name."""
    marks = set[str]().union(*named.values())
    if len(named) > 1 and place_of(tuple(named)[-1], facts) != "outside":
        marks -= OUTSIDE
    if not all("own-folder" in known for known in named.values()):
        marks.discard("own-folder")
    return marks


def kinds_of(named: Named, marks: Set[str], asks: Set[str], facts: Facts, glob: bool = False) -> frozenset[str]:
    """`marks`: what is known of the place already; `asks`: the kinds that count."""
    found, names = set(marks), tuple(named)
    if "guard" in found:
        found.add("obeyed-denied")
    if "outside" in found and "privileged" in found:
        found.add("privileged-outside")
    if "secret" in found:
        secrets = [name for name in names if name is names[-1] or "secret" in named[name]]
        found.update(_sorts_of_secret(secrets, "outside" in found, "new" in found))
    if "own-secret" in asks and (glob or any(folded(name).endswith(_KEYS) for name in names)):
        if is_key_of_ours(names, facts, glob):
            found.add("own-secret")
    folders = asks & (_OF_ANY_NAME if len(names) == 1 and not glob and _is_file(names[0]) else _OF_FOLDERS)
    if folders:
        found.update(kinds_below(folders, names, facts, glob))
        if "obeyed" in found:  # its own level counts
            found -= _UNLESS_OBEYED
    return frozenset(found)


def _is_file(path: str) -> bool:
    """By its name. Folders right below a home or the root, and hidden ones such as `.acme.sh`, have any names."""
    return path.rpartition(".")[2] in FILES and path.count("/") > 2 and path.rpartition("/")[2][:1] != "."


_UNLESS_OBEYED = frozenset(("obeyed-below", "takes-guarded-plain"))


def _sorts_of_secret(names: list[str], outside: bool, new: bool) -> list[str]:
    sorts = ["secret-outside"] if outside else []
    if not all(map(_is_public, names)):
        sorts += ["secret-foreign", "secret-private"] if outside else ["secret-private"]
    if outside or not all(_shows_nothing(name, new) for name in names):
        sorts.append("secret-lost")
    return sorts


_MADE_ANEW = (".env", ".npmrc", ".pypirc")  # files that projects bring along, with or without a secret in them


def _shows_nothing(path: str, new: bool) -> bool:
    """`cp .env.example .env`, `openssl … -keyout server.key`: where nothing was, no secret is lost or seen.

    A file that only may hold secrets is the project's to write: a value in `prod.tfvars`, a manifest.
    """
    if new and path.rpartition("/")[2].startswith(_MADE_ANEW):
        return True
    sort = sort_of(folded(path).split("/")[1:])
    return sort == "judged" or (new and sort != "")


_PUBLIC_SSH = ("config", "known_hosts", "known_hosts.old")


def _is_public(path: str) -> bool:
    """What lies beside private keys to be seen: public ones, and settings."""
    return path.endswith(".pub") or ("/.ssh/" in path and path.rpartition("/")[2] in _PUBLIC_SSH)
