"""Arguments of tools that have no row of their own: by the roles that the policy gives them, and patches.

The roles are those of the program tables (`read`, `write`, `delete`, `fetch`, …) and `sql`, `command`, `text`. The same
code reads a path here and in a command line.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.toolnames import FLOW_ROLES
from ...value import TYPE_CHECKING
from ..evaluate.state import Found, Shell
from ..evaluate.words import Arg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.call import Call
    from ...model.facts import Facts
    from .tools import Part

__all__ = ["ARGUMENT_ROLES", "in_role", "is_role", "read_arguments", "read_patch"]

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
    found = Found(facts, "")
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
    from ..core.accounting import holds_code, marks_to_be_wary_of, may_name, open_place, settled
    from .given import PROSE, texts_of

    found = shell.found
    for field, text in texts_of({name: value for name, value in call.input.items() if name not in roles}):
        path = settled(text, call.cwd, found.facts.home) if may_name(text) and field not in PROSE else None
        marks = marks_to_be_wary_of(path, found.facts) if path is not None else None
        if path is not None and marks and not holds_code(path):
            found.field = field
            open_place(call.tool, path, marks, (0, len(text)), shell)


def in_role(role: str, text: str, shell: Shell) -> None:
    """What one argument stands for, in its role."""
    from ..commands.acts import emit, on_path

    arg = Arg(text, (0, len(text)), quoted=True)
    if role == "command":
        from ..runs.wrappers import run_code

        run_code("code.sh", arg, shell, arg.span)
    elif role in ("fetch", "sends"):
        from .tools import host_of

        host = host_of(text)
        if host is None:
            shell.unclear("the address is not a plain http or https URL", arg.span)
        tags = ("external", "sends") if role == "sends" else ()
        name = "net:send" if role == "sends" else "net:fetch"
        emit(
            shell, arg.span, name=name, effects=(Effect.NETWORK,), tags=tags, target={"host": host or "?", "url": text}
        )
    elif role == "sql":
        from ..specials.clients import Client, run_sql

        run_sql(arg, "sql", Client(shell, arg.span))
    else:
        path = Arg("./" + text if text.startswith("~") else text, arg.span, quoted=True)
        on_path(role, path, shell)
        if role == "search":
            on_path("read", path, shell)  # what it finds is shown


def read_patch(call: Call, field: str, facts: Facts) -> Part | None:
    """The files that a patch touches; None if it cannot be told."""
    from ..commands.acts import on_path
    from .patch import files_of_patch

    text = call.input.get(field)
    files = files_of_patch(text) if type(text) is str else None
    if files is None:
        return None
    found = Found(facts, field)
    shell = Shell(found, (call.cwd,))
    for role, path, span in files:
        on_path(role, Arg(path, span, quoted=True), shell)
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)
