"""Other tools' policy files, turned into ours. What cannot be carried over is said, never dropped in silence.

`manifest` is the JSON manifest of effect runtimes: tools with effects, permitted postures and
confirmation. `capabilities` is the JSON file of granted actions: granted, scope, expires. `permissions` are
the permission rules in Claude Code's settings.
Nothing that is imported is looser than it was where it came from.
"""

from __future__ import annotations

import datetime

import tomli_w

from ..approve.gated import GATES
from ..bytes.strict import parse_object
from ..model.effects import Effect
from ..model.errors import InputError
from ..model.posture import Posture
from ..model.toolnames import action_of_tool
from ..reading.core.tags import close_to
from ..reading.tools.given import named_like_a_command
from ..reading.tools.tools import TOOLS
from ..value import TYPE_CHECKING, FrozenMap
from .permissions import import_permissions, is_permissions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["FORMATS", "ImportNotes", "import_policy"]

FORMATS = ("manifest", "capabilities", "permissions")

# What has another name here. There, no other change of a release is gated, so nothing was said of them.
_NAMES = {"gh:release": "gh:release-create"}
_COVERED_MORE = {"gh:repo-edit": "`gh repo delete`"}

# For these actions a scope that is one text has one meaning here; for any other it has none.
_SCOPE_FIELDS = {"npm:publish": "package", "pypi:publish": "package", "cargo:publish": "package"}


class ImportNotes:
    """What a person is told of an import: what is lost, what became wider, and what bears on no decision."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self.wider: list[str] = []
        self.notes: list[str] = []


def import_policy(
    raw: bytes,
    *,
    kind: str = "auto",
    root: str = "",
    home: str = "",
    moment: str = "",
    is_free: Callable[[str], bool] = lambda line: False,
) -> tuple[str, ImportNotes]:
    """The policy as TOML text, and what to say of it. InputError if the file is neither kind.

    root     the folder that the settings belong to
    moment   now, as `2026-12-01T23:59:59Z`: what ended before it is said
    is_free  whether a command is allowed without any rule
    """
    data = parse_object(raw)
    if kind == "auto":
        kind = "manifest" if type(data.get("tools")) is FrozenMap else "capabilities"
        kind = "permissions" if is_permissions(data) else kind
        if kind == "capabilities" and not all(_is_capability(entry) for entry in data.values()):
            raise InputError(
                "this is no manifest (`tools`), no file of capabilities (`granted`) and no permission rules"
            )
    tables: dict[str, Any] = {"version": 1}
    told = ImportNotes()
    if kind == "manifest":
        _manifest(data, tables, told)
    elif kind == "permissions":
        if not is_permissions(data):
            raise InputError("permission rules need `permissions`, an object")
        import_permissions(data, tables, told, root=root, home=home, is_free=is_free)
    else:
        _capabilities(data, tables, told, moment)
    return tomli_w.dumps(tables), told


def _manifest(data: Mapping[str, Any], tables: dict[str, Any], told: ImportNotes) -> None:
    tools = data.get("tools")
    if type(tools) is not FrozenMap:
        raise InputError("a manifest needs `tools`, an object")
    told.notes += [f"`{key}`: not part of a manifest" for key in data if key != "tools"]
    # There, a tool that the manifest does not declare is refused, whatever the host has built in.
    tables["risk"] = {"unregistered": "deny", "built_in_tools": False}
    tables["tools"] = {}
    for name, entry in tools.items():
        if type(entry) is not FrozenMap:
            raise InputError(f"the tool `{name}` is not an object")
        tables["tools"][name] = _tool(name, entry, told)
    # There, a tool runs unless it is to be confirmed; here, what it does would have a tier besides.
    # That goes for a name that some host gives to a tool of its own, too: on any other host it is this tool.
    free = {action_of_tool(name): 1 for name, tool in tables["tools"].items() if _has_a_tier(name, tool["effects"])}
    if free:
        tables["tiers"] = {"actions": free}


def _has_a_tier(tool: str, effects: list[str]) -> bool:
    return tool not in TOOLS and effects != ["read"]


def _tool(name: str, entry: Mapping[str, Any], told: ImportNotes) -> dict[str, Any]:
    if entry.get("name", name) != name:
        raise InputError(f"the tool `{name}` calls itself `{entry['name']}`")
    table: dict[str, Any] = {"effects": _words(name, "effects", entry.get("effects"), Effect.names())}
    if not table["effects"]:
        raise InputError(f"the tool `{name}` declares no effects")
    postures = entry.get("permitted_postures")
    if postures is not None:
        table["postures"] = _words(name, "permitted_postures", postures, Posture.names())
    confirm = entry.get("require_confirmation", False)
    if type(confirm) is not bool:
        raise InputError(f"`require_confirmation` of `{name}` must be true or false")
    if confirm:
        table["confirm"] = True
    if name != "Bash" and {"execute", "spawn"} & {*table["effects"]}:
        told.notes.append(
            f'tools.{name}: if it takes a command, add `args = {{ command = "command" }}`, with the name of its '
            f"argument; until then only arguments called {', '.join(named_like_a_command())} are read as commands"
        )
    for key, value in entry.items():
        if key in ("description", "metadata") and value:
            told.notes.append(f"tools.{name}.{key}: kept nowhere; it bears on no decision")
        elif key not in ("name", "description", "effects", "permitted_postures", "require_confirmation", "metadata"):
            told.lost.append(f"tools.{name}.{key}: unknown in a manifest")
    return table


def _words(name: str, key: str, value: Any, known: tuple[str, ...]) -> list[str]:
    if type(value) is not tuple or any(word not in known for word in value):
        raise InputError(f"`{key}` of `{name}` must be a list of {', '.join(known)}")
    return [word for word in known if word in value]


def _is_capability(entry: Any) -> bool:
    return type(entry) is FrozenMap and "granted" in entry


def _capabilities(data: Mapping[str, Any], tables: dict[str, Any], told: ImportNotes, moment: str) -> None:
    grants = []
    known = frozenset([gate.action for gate in GATES])
    for action, entry in data.items():
        if not _is_capability(entry):
            told.lost.append(f"{action}: not an object with `granted`, so it grants nothing")
            continue
        if entry["granted"] is not True:
            told.notes.append(f"{action}: `granted` is not true, so it grants nothing")
            continue
        told.lost += [f"{action}.{key}: unknown" for key in entry if key not in ("granted", "scope", "expires")]
        if action not in known and action not in _NAMES:
            told.lost.append(f"{action}: no action has this name{close_to(action, frozenset((*known, *_NAMES)))}")
            continue
        grant: dict[str, Any] = {"id": f"imported-{action.replace(':', '-')}", "action": _NAMES.get(action, action)}
        if _add_scope(action, entry.get("scope"), grant, told) and _add_expiry(action, entry, grant, told, moment):
            _add_destination(action, grant, told)
            grants.append(grant)
            if action in _COVERED_MORE:
                told.notes.append(
                    f"{action}: there, it covers {_COVERED_MORE[action]} too; here that is another action"
                )
    tables["capability"] = {"enforce": True}  # there, what is not granted is denied
    if grants:
        tables["grants"] = grants


def _add_scope(action: str, scope: Any, grant: dict[str, Any], told: ImportNotes) -> bool:
    """There, a scope is a remark; here it is enforced. Where its meaning is not clear, nothing is granted."""
    if scope is None:
        return True
    if type(scope) is FrozenMap and scope and all(type(value) is str and value for value in scope.values()):
        fields = {field for gate in GATES if gate.action == _NAMES.get(action, action) for field in gate.scope}
        for field in scope:
            if field not in fields:
                near = close_to(field, frozenset(fields))
                told.lost.append(f"{action}: it was left out, because such a call has no `{field}`{near}")
                return False
        grant["scope"] = dict(scope)
        return True
    if action in _SCOPE_FIELDS and type(scope) is str and scope:
        grant["scope"] = {_SCOPE_FIELDS[action]: scope}
        return True
    told.lost.append(
        f"{action}: what its `scope` means is not clear, so it was left out; write it as an object of fields"
    )
    return False


def _add_destination(action: str, grant: dict[str, Any], told: ImportNotes) -> None:
    """There, a grant says nothing of where things go, so it is for anywhere; here that has to be said."""
    scope = grant.setdefault("scope", {})
    if "destination" not in scope:
        scope["destination"] = "*"
        told.notes.append(f"{action}: it may go anywhere, as there; name the place in `destination` to narrow it")


def _add_expiry(action: str, entry: Mapping[str, Any], grant: dict[str, Any], told: ImportNotes, moment: str) -> bool:
    if "expires" not in entry:
        return True
    expires = entry["expires"]
    try:
        if type(expires) is not str:
            raise ValueError
        if len(expires) == len("2026-12-01"):
            # There, a bare date ends at its first moment, UTC; ours would last until the evening.
            day = datetime.date.fromisoformat(expires)
            end = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC)
        else:
            end = datetime.datetime.fromisoformat(expires)
            if end.tzinfo is None:
                told.notes.append(f"{action}: `expires` has no offset; taken as UTC")
                end = end.replace(tzinfo=datetime.UTC)
        over = bool(moment) and end < datetime.datetime.fromisoformat(moment)
    except ValueError:
        told.lost.append(f"{action}: `expires` is not a date, so it grants nothing")
        return False
    if over:
        told.lost.append(f"{action}: it ended {expires}, so it grants nothing")
        return False
    grant["expires"] = end
    return True
