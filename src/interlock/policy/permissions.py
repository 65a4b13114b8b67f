"""Claude Code's permission rules, turned into ours: `Bash(git push:*)`, `Read(//etc/**)`, `mcp__server__tool`.

A rule on a command is compiled into the actions that the command would do, so that it holds however the
command is written. What allows becomes a grant, what asks or denies becomes a rule. A rule that says
less here than there, or cannot be said at all, is told and left out; nothing becomes looser.
"""

from __future__ import annotations

from ..facts import Facts
from ..reading.bash import follow_bash
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["import_permissions", "is_permissions"]

_FILE_ACTIONS = {"Read": "fs:read", "Edit": "fs:write", "Write": "fs:write", "MultiEdit": "fs:write", "Glob": "fs:list"}
# Actions that stand for many different things: a grant for one would be far wider than the rule was.
_WIDE = ("exec:project", "exec:script", "exec:shell", "exec:code", "exec:nothing", "exec:stdin")


def is_permissions(data: Mapping[str, Any]) -> bool:
    return type(data.get("permissions")) is FrozenMap


def import_permissions(data: Mapping[str, Any], tables: dict[str, Any], notes: list[str]) -> None:
    rules: list[dict[str, Any]] = []
    grants: list[dict[str, Any]] = []
    for kind in ("deny", "ask", "allow"):
        listed = data["permissions"].get(kind, ())
        for number, text in enumerate(listed if type(listed) is tuple else (), start=1):
            when = _when(text, notes) if type(text) is str else None
            if when is None:
                continue
            name = f"imported-{kind}-{number}"
            if kind == "allow":
                _grant(text, name, when, grants, notes)
            else:
                reason = f"Imported from the permission rule {text}."
                rules.append({"id": name, "when": when, "verdict": kind, "reason": reason})
    for key in data["permissions"]:
        if key not in ("allow", "ask", "deny"):
            notes.append(f"permissions.{key}: has no counterpart here")
    if rules:
        tables["rules"] = rules
    if grants:
        tables["grants"] = grants


def _grant(text: str, name: str, when: dict[str, Any], grants: list[dict[str, Any]], notes: list[str]) -> None:
    unlimited = "target" not in when and when.get("action", "").startswith(("fs:", "net:"))
    if "action" not in when or when["action"] in _WIDE or unlimited:
        notes.append(f"{text}: a grant for it would allow far more; approve it when it is asked")
        return
    grant = {"id": name, "action": when["action"]}
    grants.append({**grant, "scope": when["target"]} if "target" in when else grant)


def _when(text: str, notes: list[str]) -> dict[str, Any] | None:
    """What a rule matches, as a `when`; None, with a note, where it cannot be said."""
    tool, bracket, inside = text.partition("(")
    inside = inside.removesuffix(")") if bracket else ""
    if tool == "Bash" and inside and inside != "*":
        return _command(text, inside, notes)
    if tool in _FILE_ACTIONS and inside:
        return {"action": _FILE_ACTIONS[tool], "target": {"path": _path(inside)}}
    if tool == "WebFetch" and inside.startswith("domain:"):
        return {"action": "net:fetch", "target": {"host": inside.removeprefix("domain:")}}
    if inside and inside != "*":
        notes.append(f"{text}: what stands in the brackets is not understood")
        return None
    return {"tool": f"{tool}*" if tool.startswith("mcp__") and tool.count("__") == 1 else tool}


def _command(text: str, inside: str, notes: list[str]) -> dict[str, Any] | None:
    prefix = inside.removesuffix(":*").removesuffix(" *").strip()
    if "*" in prefix or not prefix:
        notes.append(f"{text}: a pattern inside a command line is not carried over")
        return None
    # `rm` alone does nothing; with an operand it shows what it is for
    facts = Facts(root="/project", home="/home/user")
    found = follow_bash(f"{prefix} operand", cwd="/project", facts=facts)
    names = sorted({action.name for action in found.actions})
    if len(names) != 1:
        notes.append(f"{text}: it stands for several actions ({', '.join(names)}); write a rule for each")
        return None
    return {"action": names[0]}


def _path(inside: str) -> str:
    """`//abs`, `~/x`, `/x` from the settings' root, `./x` from the working folder; `**` is our `*`."""
    path = inside.replace("**", "*")
    if path.startswith("//"):
        return path[1:]
    if path.startswith("~/"):
        return "*" + path[1:]
    return "*/" + path.removeprefix("./").lstrip("/")
