"""The words in which a program is described. A row is data; machine/engine.py is what reads it.

    P("cp", "read+ write",
      options="-r -R -f -i -n -v -t:write --target-directory:write --backup?:text",
      example="cp -r a b")

options   blank-separated: `-x` and `--long` are switches; `-x:role` takes a value, next to it or as
          the next word; `-x?:role` takes a value only next to it (`-xV`, `--long=V`); `-x!name` is a switch
          that shows in the action's target as `name=true`. Several names of one option are joined
          with `|`: `-r|-R|--recursive!recursive`. A colon that belongs to a name is written `\\:`.
operands  roles in order, each with a quantifier: none for exactly one, `?`, `*`, `+`. The last words
          are served first where a `+` or `*` stands before others (`read+ write`).
roles     a closed set: ROLES below and vocabulary.py. A role in ROLES makes an action of its own for each operand; a
          name of FIELDS (`remote`, `package`, …) and `field.NAME` are data and show as a field of the main action's
          target; `text` and `number` show nowhere. `command` is a command line of its own, word by word, to the
          end; `code.sh`, `code.py`, `code.other` is text that is run; `baked` is a setting that stays in an image,
          `loads` a module by its name or its file, `imports` the same of Python, where its text is read, `names` a
          file in which the names of files to read stand, `starts` a program that is started: an interpreter by its
          name is free, any other is read as if called; `lists` a list of packages that are looked up, `daemon`
          who builds or runs containers, by address or name: another machine is one that the project is handed to.
action    the main action's name and effects; without one, the program's own run makes no action unless
          nothing else does (then `exec:<name>`, with the effects given).
flags     what a named switch or a used option adds: {"force": Adds(…), "--post-data": Adds(…)}; under `operand`,
          what it adds that there is any operand at all (`hostname NAME`).
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..core.tags import PROGRAM_TAGS, close_to

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..machine.options import Table

__all__ = ["ROLES", "Adds", "P", "Program", "Role", "check_tags", "effects", "tags_of"]


_EFFECTS: dict[str, tuple[Effect, ...]] = {}


def effects(words: str) -> tuple[Effect, ...]:
    """The effects named; thousands of rows name the same few."""
    found = _EFFECTS.get(words)
    if found is None:
        found = _EFFECTS[words] = tuple([Effect.of(word) for word in words.split()])
    return found


_TAGGED: dict[str, tuple[str, ...]] = {}


def tags_of(words: str) -> tuple[str, ...]:
    """The tags named; ValueError for one that there is not."""
    found = _TAGGED.get(words)
    if found is None:
        found = tuple(words.split())
        check_tags(found)
        _TAGGED[words] = found
    return found


def check_tags(tags: tuple[str, ...]) -> None:
    for tag in tags:
        if tag not in PROGRAM_TAGS:
            raise ValueError(f"unknown tag `{ascii(tag[:40])[1:-1]}`{close_to(tag, PROGRAM_TAGS)}")


class Role(Value):
    """What an operand in this role means: an action on a path, an address or a script."""

    action: str
    effects: tuple[Effect, ...] = ()
    field: str = "path"
    irreversible: bool = False
    tags: tuple[str, ...] = ()


ROLES: dict[str, Role] = {
    "read": Role(action="fs:read", effects=effects("read")),
    "count": Role(action="fs:read", effects=effects("read")),  # how much there is, and nothing of what it says
    "taken": Role(action="fs:read", effects=effects("read")),  # settings that the program takes in and does not show
    "list": Role(action="fs:list", effects=effects("read")),
    "checked": Role(
        action="fs:list", effects=effects("read")
    ),  # looked through, and its lines are shown: see machine/acts.py
    "search": Role(action="fs:search", effects=effects("read")),
    "covered": Role(action="fs:list", effects=effects("read")),  # another file system lies over it, or is taken off it
    "linked": Role(action="fs:list", effects=effects("read")),  # a second name, by which it can be read later
    "write": Role(action="fs:write", effects=effects("write")),
    "folder": Role(action="fs:write", effects=effects("write")),  # made, and empty
    "touched": Role(action="fs:write", effects=effects("write")),  # made, and empty; what it held stays as it is
    "builds": Role(action="fs:write", effects=effects("write"), tags=("built",)),  # filled by the project's own build
    "brings": Role(action="fs:write", effects=effects("write"), tags=("fetched",)),  # filled from the network
    "edit": Role(action="fs:write", effects=effects("read write")),
    "move": Role(action="fs:move", effects=effects("write")),
    "link": Role(action="fs:link", effects=effects("write")),
    "mode": Role(action="fs:chmod", effects=effects("write")),
    "opened": Role(action="fs:chmod", effects=effects("write")),  # others than its owner may read it
    "handed": Role(action="fs:chmod", effects=effects("write")),  # both: others may, and its owner may not
    "closed": Role(action="fs:chmod", effects=effects("write")),  # its owner may no longer read or enter it
    "delete": Role(action="fs:delete", effects=effects("destructive"), irreversible=True),
    "wipe": Role(action="fs:wipe", effects=effects("destructive"), irreversible=True),
    "send": Role(action="fs:read", effects=effects("read"), tags=("sends",)),
    "fetch": Role(action="net:fetch", effects=effects("network"), field="url"),
    "script": Role(action="exec:script", effects=effects("execute")),
    "runs": Role(action="fs:read", effects=effects("read")),  # code that is run unread: opaque outside the project
}


class Adds(Value):
    """What a switch adds to the main action (or, without one, to every action of the program)."""

    effects: tuple[Effect, ...] = ()
    tags: tuple[str, ...] = ()
    risk: Risk = Risk.LOW
    irreversible: bool = False
    action: str | None = None  # the main action is this one instead
    opaque: str | None = None  # why it cannot be read
    role: str | None = None  # operands that would be listed or read are in this role instead
    ends: bool = False  # what would be left running does this and ends, if every other word is known


class _Worked:
    """Holds what machine/options.py has worked out for a row, which is no part of what the row says."""

    __slots__ = ("table",)
    table: Table


class Program(_Worked, Value):
    """
    name      how the program is called; other names of it in `also`
    special   the function of specials/ that reads it, where a table cannot
    subs      sub-commands, each a Program; the words before one are options of this
    dryrun    switches with which it only shows what it would do
    words     how many leading words make the grant key (`git push` is 2)
    stdin     what becomes of standard input: `read`, `code.sh`, `code.py`, `code.other`, `send`
    """

    name: str
    operands: str = "text*"
    options: str = ""
    also: tuple[str, ...] = ()
    action: str | None = None
    effects: tuple[Effect, ...] = ()
    tags: tuple[str, ...] = ()
    risk: Risk = Risk.LOW
    irreversible: bool = False
    compensator: str | None = None
    flags: Mapping[str, Adds] = FrozenMap({})
    subs: Mapping[str, Program] = FrozenMap({})
    default: Program | None = None  # without a sub-command, or with one that is not in `subs`
    special: str | None = None
    dryrun: str = ""
    words: int = 1
    stdin: str = "read"
    example: str = ""


_Draft: Any = Program.draft()
_NOTHING: Any = FrozenMap({})


def P(
    name: str,
    operands: str = "text*",
    *,
    does: str = "",
    subs: tuple[Program, ...] = (),
    flags: Mapping[str, Adds] | None = None,
    risk: str = "low",
    tags: str = "",
    also: str = "",
    options: str = "",
    action: str | None = None,
    irreversible: bool = False,
    compensator: str | None = None,
    default: Program | None = None,
    special: str | None = None,
    dryrun: str = "",
    words: int = 1,
    stdin: str = "read",
    example: str = "",
) -> Program:
    """A row of a table: `does` are the effects, everything else as in Program, in plain words."""
    # Thousands of rows are made when families are loaded: each costs what it says and little more.
    row = _Draft()
    row.name = name
    row.operands = operands
    row.options = options
    row.also = tuple(also.split()) if also else ()
    row.action = action
    row.effects = effects(does) if does else ()
    row.tags = tags_of(tags) if tags else ()
    row.risk = Risk.LOW if risk == "low" else Risk.of(risk)
    row.irreversible = irreversible
    row.compensator = compensator
    row.flags = FrozenMap(dict(flags)) if flags else _NOTHING
    row.subs = FrozenMap({name: sub for sub in subs for name in (sub.name, *sub.also)}) if subs else _NOTHING
    row.default = default
    row.special = special
    row.dryrun = dryrun
    row.words = words
    row.stdin = stdin
    row.example = example
    row.__class__ = Program
    made: Program = row
    return made
