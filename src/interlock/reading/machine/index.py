"""Which file describes a program. Families are imported when one of their programs is met."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tables.spec import Program

__all__ = ["FAMILIES", "OBEYING", "all_actions", "all_fields", "all_outward", "family_of", "find_program", "is_known"]

FAMILIES: tuple[str, ...] = (
    "own_command",
    "agents",
    "text",
    "files",
    "system",
    "wrap",
    "shells",
    "network",
    "remote",
    "secrets",
    "git",
    "forge",
    "vcs",
    "python_tools",
    "python_modules",
    "node",
    "build",
    "toolchains",
    "languages",
    "scripting",
    "documents",
    "data",
    "packages",
    "containers",
    "clusters",
    "cloud",
    "sites",
    "databases",
    "admin",
    "servers",
    "disks",
    "desktop",
    "macos",
    "publishers",
    "trade",
)

OBEYING = ("node", "cloud")  # families with programs that take settings from a package.json

_PROGRAMS: dict[str, Program] = {}
_LOADED: set[str] = set()


def find_program(name: str) -> Program | None:
    """The row for a program, by the name it is called with."""
    found = _PROGRAMS.get(name)
    if found is not None:
        return found
    from ..tables.names import NAMES

    family = NAMES.get(name) or NAMES.get(_unversioned(name))
    if family is None:
        return None
    if family not in _LOADED:
        _load(family)
    return _PROGRAMS.get(name) or _PROGRAMS.get(_unversioned(name))


def family_of(name: str) -> str | None:
    from ..tables.names import NAMES

    return NAMES.get(name)


def is_known(name: str) -> bool:
    """Whether a table has the program, without loading it."""
    from ..tables.names import NAMES

    return name in NAMES or _unversioned(name) in NAMES


def _unversioned(name: str) -> str:
    """`python3.12` is python3, `gcc-13` is gcc, `clang++-17` is clang++."""
    plain = name.rstrip("0123456789.")
    plain = plain.removesuffix("-")
    return plain if plain and plain != name else name


def _load(family: str) -> None:
    # `importlib` itself would be one more module on the hook's path
    for row in __import__(f"interlock.reading.tables.{family}", fromlist=("PROGRAMS",)).PROGRAMS:
        for name in (row.name, *row.also):
            _PROGRAMS[name] = row
    _LOADED.add(family)


def all_actions() -> frozenset[str]:
    """The name of every action that a table gives. Loads all families, so it is for people's commands only."""
    return frozenset(
        [name for row in _all_rows() for name in (row.action, *[adds.action for adds in row.flags.values()]) if name]
    )


def all_outward() -> frozenset[str]:
    """The names of actions that leave this machine whenever they are done."""
    return frozenset([row.action for row in _all_rows() if row.action and "external" in row.tags])


def all_fields() -> frozenset[str]:
    """The fields of targets that options of the tables give a name of their own: `--force!force`."""
    words = [word for row in _all_rows() for word in row.options.split() if "!" in word]
    return frozenset([word.rpartition("!")[2] for word in words])


def _all_rows() -> Iterator[Program]:
    for family in FAMILIES:
        if family not in _LOADED:
            _load(family)
    rows = list(_PROGRAMS.values())
    while rows:
        row = rows.pop()
        yield row
        rows += [*row.subs.values(), *([row.default] if row.default is not None else [])]
