"""Other tools' policy files, turned into ours. What cannot be carried over is said, never dropped in silence.

`manifest` is the JSON manifest of effect runtimes: tools with effects, permitted postures and
confirmation. `capabilities` is the JSON file of granted actions: granted, scope, expires. `permissions` are
the permission rules in Claude Code's settings.
Nothing that is imported is looser than it was where it came from.
"""

from __future__ import annotations

from ..effects import Effect
from ..errors import InputError
from ..posture import Posture
from ..record.strict import parse_object
from ..value import TYPE_CHECKING, FrozenMap
from .permissions import import_permissions, is_permissions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["FORMATS", "import_policy"]

FORMATS = ("manifest", "capabilities", "permissions")

# What is one action there and several here.
_NAMES = {"gh:release": "gh:release-*"}

# For these actions the free-text scope has one meaning here; for any other it has none.
_SCOPE_FIELDS = {"npm:publish": "package", "pypi:publish": "package"}


def import_policy(raw: bytes, *, kind: str = "auto") -> tuple[str, tuple[str, ...]]:
    """The policy as TOML text, and what could not be carried over. InputError if the file is neither kind."""
    import tomli_w

    data = parse_object(raw)
    if kind == "auto":
        kind = "manifest" if type(data.get("tools")) is FrozenMap else "capabilities"
        kind = "permissions" if is_permissions(data) else kind
        if kind == "capabilities" and not all(_is_capability(entry) for entry in data.values()):
            raise InputError(
                "this is no manifest (`tools`), no file of capabilities (`granted`) and no permission rules"
            )
    tables: dict[str, Any] = {"version": 1}
    notes: list[str] = []
    if kind == "manifest":
        _manifest(data, tables, notes)
    elif kind == "permissions":
        if not is_permissions(data):
            raise InputError("permission rules need `permissions`, an object")
        import_permissions(data, tables, notes)
    else:
        _capabilities(data, tables, notes)
    return tomli_w.dumps(tables), tuple(notes)


def _manifest(data: Mapping[str, Any], tables: dict[str, Any], notes: list[str]) -> None:
    tools = data.get("tools")
    if type(tools) is not FrozenMap:
        raise InputError("a manifest needs `tools`, an object")
    notes += [f"`{key}`: not part of a manifest" for key in data if key != "tools"]
    # There, a tool that the manifest does not declare is refused.
    tables["risk"] = {"unregistered": "deny"}
    tables["tools"] = {}
    for name, entry in tools.items():
        if type(entry) is not FrozenMap:
            raise InputError(f"the tool `{name}` is not an object")
        tables["tools"][name] = _tool(name, entry, notes)


def _tool(name: str, entry: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
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
    for key, value in entry.items():
        if key == "description" and value:
            notes.append(f"tools.{name}.description: kept nowhere; it bears on no decision")
        elif key == "metadata" and value:
            notes.append(f"tools.{name}.metadata: kept nowhere; it bears on no decision")
        elif key not in ("name", "description", "effects", "permitted_postures", "require_confirmation", "metadata"):
            notes.append(f"tools.{name}.{key}: unknown in a manifest")
    return table


def _words(name: str, key: str, value: Any, known: tuple[str, ...]) -> list[str]:
    if type(value) is not tuple or any(word not in known for word in value):
        raise InputError(f"`{key}` of `{name}` must be a list of {', '.join(known)}")
    return [word for word in known if word in value]


def _is_capability(entry: Any) -> bool:
    return type(entry) is FrozenMap and "granted" in entry


def _capabilities(data: Mapping[str, Any], tables: dict[str, Any], notes: list[str]) -> None:
    grants = []
    for action, entry in data.items():
        if not _is_capability(entry):
            notes.append(f"{action}: not an object with `granted`, so it grants nothing")
            continue
        if entry["granted"] is not True:
            notes.append(f"{action}: `granted` is not true, so it grants nothing")
            continue
        grant: dict[str, Any] = {"id": f"imported-{action.replace(':', '-')}", "action": _NAMES.get(action, action)}
        if _add_scope(action, entry.get("scope"), grant, notes) and _add_expiry(action, entry, grant, notes):
            grants.append(grant)
        notes += [f"{action}.{key}: unknown" for key in entry if key not in ("granted", "scope", "expires")]
    tables["capability"] = {"enforce": True}  # there, what is not granted is denied
    if grants:
        tables["grants"] = grants


def _add_scope(action: str, scope: Any, grant: dict[str, Any], notes: list[str]) -> bool:
    """There, a scope is a remark; here it would be enforced. Where its meaning is not clear, nothing is granted."""
    if scope is None:
        return True
    field = _SCOPE_FIELDS.get(action)
    if field is not None and type(scope) is str and scope and "*" not in scope and "?" not in scope:
        grant["scope"] = {field: scope}
        return True
    notes.append(
        f"{action}: what its `scope` means is not clear, so it was left out; write the grant with scope = {{ … }}"
    )
    return False


def _add_expiry(action: str, entry: Mapping[str, Any], grant: dict[str, Any], notes: list[str]) -> bool:
    import datetime

    if "expires" not in entry:
        return True
    expires = entry["expires"]
    try:
        if type(expires) is not str:
            raise ValueError
        if len(expires) == len("2026-12-01"):
            # There, a bare date ends at its first moment, UTC; ours would last until the evening.
            day = datetime.date.fromisoformat(expires)
            moment = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC)
        else:
            moment = datetime.datetime.fromisoformat(expires)
            if moment.tzinfo is None:
                notes.append(f"{action}: `expires` has no offset; taken as UTC")
                moment = moment.replace(tzinfo=datetime.UTC)
    except ValueError:
        notes.append(f"{action}: `expires` is not a date, so it grants nothing")
        return False
    grant["expires"] = moment
    return True
