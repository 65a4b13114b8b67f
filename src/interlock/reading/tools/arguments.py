"""Arguments of tools that have no row of their own: by the roles that the policy gives them, and patches.

The roles are those of the program tables (`read`, `write`, `delete`, `fetch`, …) and `sql`, `command`, `text`. The same
code reads a path here and in a command line.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.toolnames import FLOW_ROLES
from ...value import TYPE_CHECKING, FrozenMap, lazy
from .. import follow
from ..evaluate.state import Found, Shell
from ..evaluate.words import Arg

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...model.call import Call
    from ...model.facts import Facts
    from ..core.accounting import holds_code, marks_to_be_wary_of, may_name, open_place, settled
    from ..machine.acts import emit, on_path
    from ..places.system_places import host_of
    from ..runs.wrappers import run_code
    from .patch import files_of_patch
    from .tools import Part
else:
    holds_code = lazy(globals(), "..core.accounting", "holds_code")
    marks_to_be_wary_of = lazy(globals(), "..core.accounting", "marks_to_be_wary_of")
    may_name = lazy(globals(), "..core.accounting", "may_name")
    open_place = lazy(globals(), "..core.accounting", "open_place")
    settled = lazy(globals(), "..core.accounting", "settled")
    emit = lazy(globals(), "..machine.acts", "emit")
    on_path = lazy(globals(), "..machine.acts", "on_path")
    host_of = lazy(globals(), "..places.system_places", "host_of")
    run_code = lazy(globals(), "..runs.wrappers", "run_code")
    files_of_patch = lazy(globals(), ".patch", "files_of_patch")

__all__ = [
    "ARGUMENT_ROLES",
    "DEEPEST",
    "MOST",
    "PROSE",
    "in_role",
    "is_role",
    "items_of",
    "read_arguments",
    "read_patch",
    "texts_of",
]

ARGUMENT_ROLES = (
    "read",
    "list",
    "search",
    "write",
    "edit",
    "move",
    "delete",
    "fetch",
    "sends",
    "sql",
    "command",
    "text",
    *FLOW_ROLES,
)


def is_role(role: object) -> bool:
    """One of the roles; those that say where a value may come from may name a kind, as in `object:file`."""
    if type(role) is not str:
        return False
    return role in ARGUMENT_ROLES or (role.partition(":")[0] in FLOW_ROLES and role.partition(":")[2].isidentifier())


def read_arguments(call: Call, roles: Mapping[str, str], facts: Facts) -> Part:
    found = Found(facts, "", follow=follow)
    for field, role in roles.items():
        value = call.input.get(field)
        if value is None or role == "text" or role.partition(":")[0] in FLOW_ROLES:
            continue
        found.field = field
        shell = Shell(found, (call.cwd,))
        for item in value if type(value) is tuple else (value,):
            if type(item) is str:
                in_role(role, item, shell)
            else:
                found.unclear(f"`{field}` is not a text", (0, 0))
    _unnamed_fields(call, roles, Shell(found, (call.cwd,)))
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


def _unnamed_fields(call: Call, roles: Mapping[str, str], shell: Shell) -> None:
    """Fields to which the policy gives no role, where one of them names a place to be wary of."""
    found = shell.found
    for field, text in texts_of({name: value for name, value in call.input.items() if name not in roles}):
        path = settled(text, call.cwd, found.facts.home) if may_name(text) and field not in PROSE else None
        marks = marks_to_be_wary_of(path, found.facts) if path is not None else None
        if path is not None and marks and not holds_code(path):
            found.field = field
            open_place(call.tool, path, marks, (0, len(text)), shell)


def in_role(role: str, text: str, shell: Shell) -> None:
    """What one argument stands for, in its role."""
    arg = Arg(text, (0, len(text)), quoted=True)
    if role == "command":
        run_code("code.sh", arg, shell, arg.span)
    elif role in ("fetch", "sends"):
        host = host_of(text)
        if host is None:
            shell.unclear("the address is not a plain http or https URL", arg.span)
        tags = ("external", "sends") if role == "sends" else ()
        name = "net:send" if role == "sends" else "net:fetch"
        emit(
            shell, arg.span, name=name, effects=(Effect.NETWORK,), tags=tags, target={"host": host or "?", "url": text}
        )
    elif role == "sql":
        from ..sql.sql_clients import Client, run_sql

        run_sql(arg, "sql", Client(shell, arg.span))
    else:
        path = Arg("./" + text if text.startswith("~") else text, arg.span, quoted=True)
        on_path(role, path, shell)
        if role == "search":
            on_path("read", path, shell)  # what it finds is shown


def read_patch(call: Call, field: str, facts: Facts) -> Part | None:
    """The files that a patch touches; None if it cannot be told."""
    text = call.input.get(field)
    files = files_of_patch(text) if type(text) is str else None
    if files is None:
        return None
    found = Found(facts, field, follow=follow)
    shell = Shell(found, (call.cwd,))
    for role, path, span in files:
        on_path(role, Arg(path, span, quoted=True), shell)
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


DEEPEST, MOST = 6, 200  # levels and values of an input that are looked at
PROSE = frozenset(
    "answer body caption comment content contents data description details explanation html instructions markdown "
    "message note notes prompt question reason reply subject summary text thought title".split()
)


def texts_of(value: object, at: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for field, item in items_of(value, at, depth):
        if type(item) is str:
            yield field, item


def items_of(value: object, at: str, depth: int) -> Iterator[tuple[str, object]]:
    """Every value that is no list and no table, with its place in the input."""
    left = [(at, value, depth)]
    count = 0
    while left and count < MOST:
        where, item, level = left.pop(0)
        count += 1
        if type(item) is FrozenMap or isinstance(item, dict):
            if level < DEEPEST:
                inside = [(f"{where}.{key}" if where else str(key), one, level + 1) for key, one in item.items()]
                left[:0] = inside
        elif type(item) is tuple or isinstance(item, list):
            if level < DEEPEST:
                left[:0] = [(f"{where}[]", one, level + 1) for one in item]
        else:
            yield where, item
