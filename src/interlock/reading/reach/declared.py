"""What the project declares of its packages: a fact, answered from HEAD's files and today's.

Only HEAD says which packages are the project's: the work tree is what the agent writes. Where packages come from is
said by the files of today, because these are what a program obeys.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap, Value
from .package_lists import FILES, hosts_in, listed_in

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Declared", "declared"]


class Declared(Value):
    """
    names    package -> what HEAD's manifests ask for, and what its lock files hold of it
    sources  lock file or manifest of today -> hosts that its packages come from, other than the usual ones
    project  file of settings in the project -> other registries that it names
    person   the same of the person
    """

    names: Mapping[str, tuple[str, ...]] = FrozenMap({})
    sources: Mapping[str, tuple[str, ...]] = FrozenMap({})
    project: Mapping[str, tuple[str, ...]] = FrozenMap({})
    person: Mapping[str, tuple[str, ...]] = FrozenMap({})


def declared(
    collection: str,
    head: Mapping[str, str],
    today: Mapping[str, str],
    project: Mapping[str, str],
    person: Mapping[str, str],
) -> Declared:
    """From the texts of the files, by their paths. A file that cannot be followed names nothing, and may come from
    anywhere: of such a lock file the source is `?`.
    """
    names: dict[str, list[str]] = {}
    for path, text in head.items():
        listed = listed_in(collection, path.rpartition("/")[2], text)
        for package, versions in (listed.names if listed is not None else {}).items():
            held = names.setdefault(package, [])
            held += [version for version in versions if version not in held]
    sources: dict[str, tuple[str, ...]] = {}
    for path, text in today.items():
        name = path.rpartition("/")[2]
        listed = listed_in(collection, name, text)
        if listed is not None:
            sources[path] = listed.sources
        elif name in FILES[collection].locks:
            sources[path] = ("?",)
    return Declared(
        names=FrozenMap({package: tuple(versions) for package, versions in names.items()}),
        sources=FrozenMap({path: found for path, found in sources.items() if found}),
        project=FrozenMap({path: found for path, text in project.items() if (found := hosts_in(collection, text))}),
        person=FrozenMap({path: found for path, text in person.items() if (found := hosts_in(collection, text))}),
    )
