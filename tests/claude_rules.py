"""What Claude Code's permission rules say of a call: a small matcher of its own, for tests of the import.

Written from the client's documented behaviour, without any of our code: deny before ask before allow; a compound
command is split, one part is enough to deny or ask, every part must be allowed; wrappers and assignments before a
command do not count. Paths are those of gitignore.
"""

from __future__ import annotations

import posixpath
import re

__all__ = ["verdict_of"]

_READS = {"Read", "Glob", "Grep"}
_WRITES = {"Edit", "Write", "MultiEdit"}
_WRAPPERS = re.compile(r"^(?:timeout \d+|nohup|time|nice) ")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=\S* ")


def verdict_of(permissions: dict[str, list[str]], tool: str, given: str, *, root: str, home: str) -> str | None:
    """deny, ask, allow, or None where no rule is about it. `given` is the command, the path or the host."""
    parts = _parts(given) if tool == "Bash" else [given]
    for kind in ("deny", "ask"):
        if any(_matches(rule, tool, part, root, home) for rule in permissions.get(kind, []) for part in parts):
            return kind
    allowed = permissions.get("allow", [])
    return "allow" if all(any(_matches(rule, tool, part, root, home) for rule in allowed) for part in parts) else None


def _parts(command: str) -> list[str]:
    found = []
    for part in re.split(r"\s*(?:&&|\|\||;|\|)\s*", command):
        while True:
            shorter = _WRAPPERS.sub("", _ASSIGNMENT.sub("", part))
            if shorter == part:
                break
            part = shorter
        found.append(part)
    return found


def _matches(rule: str, tool: str, given: str, root: str, home: str) -> bool:
    name, _, rest = rule.partition("(")
    inside = rest.removesuffix(")")
    if not inside:
        return name == tool or (name.startswith("mcp__") and tool.startswith(f"{name}__"))
    if name == "Bash":
        return tool == "Bash" and _is_command(inside, given)
    if (name in _READS and tool in _READS) or (name in _WRITES and tool in _WRITES):
        return _is_path(inside, given, root, home)
    if name == "WebFetch":
        return tool == "WebFetch" and inside == f"domain:{given}"
    return False


def _is_command(pattern: str, given: str) -> bool:
    if pattern == "*":
        return True
    prefix = re.sub(r":\*$", " *", pattern)
    if prefix.endswith(" *") and _line(prefix[:-2]).fullmatch(given):
        return True
    return _line(prefix).fullmatch(given) is not None


def _line(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)


def _is_path(pattern: str, given: str, root: str, home: str) -> bool:
    path = posixpath.normpath(posixpath.join(root, given))
    base = root
    if pattern.startswith("//"):
        base, pattern = "/", pattern[1:]
    elif pattern.startswith("~/"):
        base, pattern = home, pattern[1:]
    elif pattern.startswith("./"):
        pattern = pattern[1:]
    if not path.startswith(base.rstrip("/") + "/"):
        return False
    relative = path[len(base.rstrip("/")) + 1 :]
    anchored = "/" in pattern.rstrip("/")
    names = pattern.strip("/").split("/")
    if not anchored and names[0] != "**":
        names = ["**", *names]
    return _names(names, relative.split("/"))


def _names(pattern: list[str], names: list[str]) -> bool:
    if not pattern:
        return True  # what is in a folder that is meant is meant
    if pattern == ["**"]:
        return bool(names)
    if not names:
        return False
    if pattern[0] == "**":
        return _names(pattern[1:], names) or _names(pattern, names[1:])
    one = re.compile("[^/]*".join(re.escape(part) for part in pattern[0].split("*")))
    return one.fullmatch(names[0]) is not None and _names(pattern[1:], names[1:])
