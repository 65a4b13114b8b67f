"""Claude Code's permission rules, turned into ours: `Bash(git push:*)`, `Read(//etc/**)`, `mcp__server__tool`.

What denies or asks becomes a rule with the client's own meaning: a command by its program and first words, a file by
its path. Where ours would be wider, it asks instead of denying; it is never left out. What allows becomes a grant only
where the grant covers just that. An allow by words says nothing of what a command does, so none of those is carried
over: most are free here, and of the others a person is told.
"""

from __future__ import annotations

from ..approve.glob import may_meet
from ..value import TYPE_CHECKING, FrozenMap
from .claude_paths import globs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .importers import ImportNotes

    Found = tuple[list[dict[str, Any]], str]  # conditions, and why they are wider than the rule; empty: they are not
    IsFree = Callable[[str], bool]  # whether a command is allowed without any rule

__all__ = ["import_permissions", "is_permissions"]

_READS = frozenset(("Read", "Glob", "Grep", "LS", "NotebookRead"))
_WRITES = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_LOOKING = ("fs:read", "fs:list", "fs:search")
_AGENTS = ("Agent", "Task")
# Tools that need no grant: the built-in policy lets them do what is ordinary, and asks about the rest.
_FREE = frozenset((*_READS, *_WRITES, *_AGENTS, "WebFetch", "WebSearch", "TodoWrite", "Skill", "ToolSearch"))
_BLOCKS = {
    "blockReadsOutsideWorkingDirectories": ["read"],
    "blockWritesOutsideWorkingDirectories": ["write", "destructive"],
}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@ ")


def is_permissions(data: Mapping[str, Any]) -> bool:
    return type(data.get("permissions")) is FrozenMap


def import_permissions(
    data: Mapping[str, Any], tables: dict[str, Any], told: ImportNotes, *, root: str, home: str, is_free: IsFree
) -> None:
    """`root` is the folder that the settings belong to, empty where that is not known."""
    given = data["permissions"]
    rules: list[dict[str, Any]] = []
    grants: list[dict[str, Any]] = []
    for kind in ("deny", "ask", "allow"):
        listed = given.get(kind, ())
        if type(listed) is not tuple:
            told.lost.append(f"permissions.{kind}: it is no list")
            continue
        for number, text in enumerate(listed, start=1):
            name = f"imported-{kind}-{number}"
            if type(text) is not str or not text.partition("(")[0].strip():
                told.lost.append(f"permissions.{kind}[{number - 1}]: it names no tool")
            elif kind == "allow":
                grants += _grants(text, name, root, home, told, is_free)
            else:
                rules += _rules(text, name, kind, root, home, told)
    rules += _blocks(given, told)
    for key in given:
        if key not in ("allow", "ask", "deny", *_BLOCKS):
            told.lost.append(f"permissions.{key}: it has no counterpart here")
    if rules:
        tables["rules"] = rules
    grants = [grant for grant in grants if not _is_asked(grant, rules, told)]
    if grants:
        tables["grants"] = grants


def _rules(text: str, name: str, kind: str, root: str, home: str, told: ImportNotes) -> list[dict[str, Any]]:
    conditions, wider = _conditions(*_split(text), root, home)
    if wider:
        told.wider.append(f"{text}: {wider}, so it asks" + (" instead of denying" if kind == "deny" else ""))
    found = []
    for number, when in enumerate(conditions, start=1):
        rule = {
            "id": name if number == 1 else f"{name}-{number}",
            "when": when,
            "verdict": "ask" if wider else kind,
            "reason": f"Imported from the permission rule {text}.",
        }
        example = _example(when.get("command", ""))
        found.append({**rule, "matches": [example]} if example else rule)
    return found


def _split(text: str) -> tuple[str, str]:
    tool, bracket, inside = text.strip().partition("(")
    return tool.strip(), (inside.removesuffix(")").strip() if bracket else "")


def _conditions(tool: str, inside: str, root: str, home: str) -> Found:
    """What a rule matches, as `when`s of which one must hold."""
    if tool.startswith("mcp__") and tool.count("__") == 1 and "*" not in tool:
        tool = f"{tool}__*"
    if not inside or (inside == "*" and tool not in _READS | _WRITES):
        return [{"tool": tool}], ""
    if tool == "Bash":
        command, dropped = _command(inside)
        return [{"command": command}], "variables before a command are not looked at" if dropped else ""
    if tool in _READS or tool in _WRITES:
        globs, wider = globs_of(inside, root, home)
        effects = ["read"] if tool in _READS else ["write", "destructive"]
        return [{"effects": effects, "target": {"path": glob}} for glob in globs], wider
    if tool == "WebFetch" and inside.startswith("domain:"):
        host = inside.removeprefix("domain:").strip().lower()
        return [{"tool": tool, "action": "net:fetch", "target": {"host": host}}], ""
    if tool in _AGENTS:
        return [{"tool": name, "target": {"name": inside}} for name in _AGENTS], ""
    if tool == "Skill":
        return [{"tool": tool, "target": {"name": inside.removesuffix(":*").removesuffix(" *")}}], ""
    return [{"tool": tool}], "what stands in the brackets is not understood"


def _command(inside: str) -> tuple[str, bool]:
    """The words without the assignments before them: the reading has taken those in already."""
    words = inside.split()
    count = 0
    while count < len(words) - 1 and "=" in words[count] and words[count].partition("=")[0].isidentifier():
        count += 1
    return (" ".join(words[count:]) if count else inside), bool(count)


def _example(command: str) -> str:
    """A command that the rule matches, where that is plain to see: it is tried when the file is loaded."""
    plain = command[:-2] if command.endswith((":*", " *")) else command
    return plain if plain.strip() and set(plain) <= _PLAIN and plain == " ".join(plain.split()) else ""


def _blocks(given: Mapping[str, Any], told: ImportNotes) -> list[dict[str, Any]]:
    """Folders outside the working ones that are closed. Which further ones count is not known here: then it asks."""
    found = []
    for key, effects in _BLOCKS.items():
        if key not in given:
            continue
        if given[key] is True:
            verdict = "ask" if "additionalDirectories" in given else "deny"
            when = {"effects": effects, "place": ["outside", "temp"]}
            reason = f"Imported from the setting {key}."
            found.append({"id": f"imported-{key}", "when": when, "verdict": verdict, "reason": reason})
            if verdict == "ask":
                told.wider.append(f"permissions.{key}: which folders are added is not known here, so it asks")
        elif given[key] is not False:
            told.lost.append(f"permissions.{key}: it is neither true nor false")
    return found


def _grants(text: str, name: str, root: str, home: str, told: ImportNotes, is_free: IsFree) -> list[dict[str, Any]]:
    tool, inside = _split(text)
    inside = "" if inside == "*" else inside
    if tool == "Bash" and inside:
        _on_command(text, inside, told, is_free)
        return []
    if tool.startswith("mcp__") and not inside:
        server, _, named = tool.removeprefix("mcp__").partition("__")
        return [{"id": name, "action": f"mcp:{server}:{named or '*'}", "why": text}]
    if inside and (tool in _READS or tool in _WRITES):
        globs, wider = globs_of(inside, root, home)
        if wider:
            told.lost.append(f"{text}: {wider}, and a grant must not cover more")
            return []
        actions = _LOOKING if tool in _READS else ("fs:write",)
        scopes = [(action, glob) for action in actions for glob in globs]
        return [
            {"id": name if at == 1 else f"{name}-{at}", "action": action, "scope": {"path": glob}, "why": text}
            for at, (action, glob) in enumerate(scopes, start=1)
        ]
    if tool in _FREE:
        told.notes.append(f"{text}: not needed, {tool} is free here but for secrets and what lies outside the project")
    else:
        told.lost.append(f"{text}: a grant for it would cover far more; approve it when it is asked")
    return []


def _is_asked(grant: dict[str, Any], rules: list[dict[str, Any]], told: ImportNotes) -> bool:
    """There, what is asked is asked although it is allowed too. Here a grant would lift the ask, so it is left out."""
    for rule in rules:
        if rule["verdict"] == "ask" and _meet(grant, rule["when"]):
            lost = f"{grant['why']}: something in it is asked about ({rule['id']}), and a grant would end that"
            told.lost += [] if lost in told.lost else [lost]
            return True
    return False


def _meet(grant: dict[str, Any], when: dict[str, Any]) -> bool:
    """Whether an action may be both within the grant and what the rule asks about."""
    action, path = grant["action"], grant.get("scope", {}).get("path")
    if path is None:  # a tool of a server
        return may_meet(when.get("tool", ""), action.replace(":", "__"))
    if "effects" in when:
        effect = "write" if action == "fs:write" else "read"
        return effect in when["effects"] and may_meet(when.get("target", {}).get("path", "*"), path)
    return "tool" in when and "target" not in when and not when["tool"].startswith(("mcp__", "Web", "Todo"))


def _on_command(text: str, inside: str, told: ImportNotes, is_free: IsFree) -> None:
    prefix = inside.removesuffix(":*").removesuffix(" *").strip()
    tried = [prefix] if prefix == inside else [prefix, f"{prefix} operand"]
    if prefix and "*" not in prefix and all(is_free(line) for line in tried):
        told.notes.append(f"{text}: not needed, such commands are free here but for what is asked about in any command")
        return
    told.lost.append(
        f"{text}: an allow by words says nothing of what the command does; give a grant with a scope: interlock grant"
    )
