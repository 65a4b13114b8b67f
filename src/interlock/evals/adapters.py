"""What a row of each known corpus is as a case: one function a file, listed at the end.

An adapter gives the fields of a `Case`, or raises `Excluded` with the reason why that row is not
scored. Any other error means that the row does not have the shape that its file name promises.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ..model.call import Call
from ..model.posture import Posture
from ..value import FrozenMap, freeze
from .case import ROOT, bash
from .contracts import bfcl, role_os

__all__ = ["ADAPTERS", "CUT", "PREPARED", "Adapter", "Excluded", "Row"]

CUT = "truncated"  # why a row is not scored whose text ends where the corpus cut it


class Excluded(Exception):
    """Why a row is not scored."""


Row = dict[str, Any]
Adapter = Callable[[Row], dict[str, Any]]  # a row -> fields of its Case


# --- calls as coding agents made them ---------------------------------------------------------

# How a source begins -> the folder that its agent works in. SWE-agent's is named after the repository.
_ROOTS = {"tbench": "/app", "openhands": "/workspace", "sweagent": None, "": "/workspace"}


_OPENED = re.compile(r"""^(?:open|create)\s+("[^"]*"|'[^']*'|\S+)""", re.MULTILINE)


def _in_sessions(rows: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """The rows of a session together and in its order, each with its session, root and the file that is open."""
    sessions: dict[str, list[tuple[int, int, Row]]] = {}
    for number, row in rows:
        session, _, step = str(row.get("id", "")).rpartition("#")
        name = f"{row.get('source')}/{session}"
        sessions.setdefault(name, []).append((int(step) if step.isdigit() else 0, number, row))
    found: list[tuple[int, Row]] = []
    for name, steps in sessions.items():
        steps.sort(key=lambda step: step[:2])
        root = _root(name, [row for _, _, row in steps])
        opened: str | None = None
        for _, number, row in steps:
            found.append((number, {**row, "_session": name, "_root": root, "_open": opened}))
            named = _OPENED.findall(str(row.get("command")))
            opened = named[-1].strip("\"'") if named else opened
    return found


def _root(session: str, rows: list[Row]) -> str:
    root = next(folder for start, folder in _ROOTS.items() if session.startswith(start))
    if root is not None:
        return root
    for row in rows:  # the repository is checked out as /owner__name
        seen = re.search(r"(?<![\w./])/[\w.-]+__[\w.-]+", str(row.get("command")))
        if seen:
            return seen.group()
    task = session.partition("/")[2]
    return "/" + (task.rpartition("-")[0] or task)


# Agents whose shell lives on from one call to the next. Their hosts tell the folder it is in with each call.
_ONE_SHELL = ("openhands", "sweagent")


def _agent_commands(row: Row) -> dict[str, Any]:
    tool, root, session = row["tool"], row["_root"], row["_session"]
    cut = bool(row.get("truncated"))
    if cut and tool != "bash":
        raise Excluded(CUT)
    if tool == "bash":
        call = bash(row["command"], root, session)
    else:
        name, fields = _host_command(row)
        call = Call(tool=name, input=FrozenMap(fields), cwd=root, session=session)
    return {
        "id": f"{row['source']}/{row['id']}",
        "call": call,
        "root": root,
        "home": "/root",
        "group": tool,
        "cut": cut,
        "one_shell": session.startswith(_ONE_SHELL),
        "commands": _HOST_PROGRAMS if session.startswith("sweagent") else FrozenMap({}),
    }


# SWE-agent's own commands -> the tool that does the same, and whether it is the open file that is meant.
_HOST_COMMANDS = {
    "open": ("Read", "named"),
    "goto": ("Read", "open"),
    "scroll_up": ("Read", "open"),
    "scroll_down": ("Read", "open"),
    "create": ("Write", "named"),
    "edit": ("Edit", "open"),
    "insert": ("Edit", "open"),
    "search_file": ("Grep", "search"),
    "search_dir": ("Grep", "folder"),
    "find_file": ("Glob", "folder"),
}


# The same and a few more as its shell has them, for rows in which they stand among other commands.
_HOST_PROGRAMS: Mapping[str, Mapping[str, Any]] = FrozenMap(
    {
        "open": FrozenMap({"operands": "read text", "effects": ("read",)}),
        "goto": FrozenMap({"effects": ("read",)}),
        "scroll_up": FrozenMap({"effects": ("read",)}),
        "scroll_down": FrozenMap({"effects": ("read",)}),
        "create": FrozenMap({"operands": "write", "effects": ("write",)}),
        "search_file": FrozenMap({"operands": "text read", "effects": ("read",)}),
        "search_dir": FrozenMap({"operands": "text read", "effects": ("read",)}),
        "find_file": FrozenMap({"operands": "text read", "effects": ("read",)}),
        "submit": FrozenMap({"effects": ()}),
        "set_cursors": FrozenMap({"effects": ()}),
        "decompile": FrozenMap({"operands": "read text*", "effects": ("read",)}),
        "disassemble": FrozenMap({"operands": "read text*", "effects": ("read",)}),
        "connect_start": FrozenMap({"operands": "host text", "effects": ("network",), "tags": ("sends",)}),
        "connect_sendline": FrozenMap({"effects": ("network",), "tags": ("sends",)}),
    }
)


def _host_command(row: Row) -> tuple[str, dict[str, str]]:
    if "path" in row:
        return {"view": "Read", "edit": "Edit"}[row["tool"]], {"file_path": row["path"]}
    try:
        words = shlex.split(row["command"])
    except ValueError:
        words = row["command"].split()
    if not words or words[0] not in _HOST_COMMANDS:
        raise Excluded("a command of the host that no tool matches")
    if "\n" in row["command"].strip() or "|" in words:
        raise Excluded("several commands of the host in one row")
    tool, meant = _HOST_COMMANDS[words[0]]
    if meant == "folder":
        where = {"path": words[2]} if len(words) > 2 else {}
        return tool, {"pattern": words[1] if len(words) > 1 else "", **where}
    named = {"named": words[1:2], "search": words[2:3], "open": []}[meant]
    path = named[0] if named else row["_open"]
    if path is None:
        raise Excluded("works on a file that no row names")
    return (tool, {"pattern": words[1], "path": path}) if meant == "search" else (tool, {"file_path": path})


# --- collections with a label -----------------------------------------------------------------

_TOOLS = {"bash": "Bash", "write_file": "Write", "read_file": "Read", "web_fetch": "WebFetch"}
_FIELDS = {"Write": {"path": "file_path"}, "Read": {"path": "file_path"}}


def _bypasses(row: Row) -> dict[str, Any]:
    named: str = row["tool"]
    tool = _TOOLS.get(named, named)
    given = {"command": row["command"]} if "command" in row else row["args"]
    renamed = _FIELDS.get(tool, {})
    fields = {
        "call": Call(tool=tool, input=_frozen({renamed.get(key, key): item for key, item in given.items()}), cwd=ROOT),
        "group": "twin" if "twin_of" in row else "attack",
        "expect": {"escalate": "ask"}.get(row["expected"], row["expected"]),
        "why": row["technique"],
    }
    note = row.get("note", "")
    if note == "mode=plan":
        fields["posture"] = Posture.DRY_RUN
    if "written by the agent in this session" in note:
        fields["created"] = frozenset(f"{ROOT}/{name}" for name in re.findall(r"\./(\S+)", row["command"]))
    return fields


def _agentshield(row: Row) -> dict[str, Any]:
    expect = {"BLOCK": "not_allow", "ALLOW": "allow", "AUDIT": None}[row["expected"]]
    return {"call": bash(row["command"], ROOT), "group": row["expected"], "expect": expect}


_NATIVE = {"read": "Read", "write": "Write", "edit": "Edit", "glob": "Glob", "grep": "Grep"}


def _nah(row: Row) -> dict[str, Any]:
    root = "/workspace/project"
    if row["expected"] not in ("block", "delegate"):
        raise Excluded("the label is not a verdict")
    call = None
    if row["command"] is not None:
        call = bash(row["command"], root)
    else:
        for word in re.split(r"[.-]", row["id"]):
            if word in _NATIVE:
                call = Call(tool=_NATIVE[word], input=_frozen(row["tool_input"]), cwd=root)
                break
    if call is None:
        raise Excluded("the row does not say which tool")
    own = row["expected"] == "block" and row["file"] == "self-protection"  # of its own files, which are not ours
    return {
        "call": call,
        "root": root,
        "home": "/home/test",
        "group": "block own files" if own else row["expected"],
        "expect": {"block": None if own else "not_allow", "delegate": None}[row["expected"]],
        "why": row["guard"] or "",
    }


def _gtfobins(row: Row) -> dict[str, Any]:
    return {"call": bash(row["command"], ROOT), "group": row["category"]}


# Techniques that only look around, by number.
_DISCOVERY = (
    1007, 1010, 1012, 1016, 1018, 1033, 1049, 1057, 1069, 1082, 1083, 1087, 1120, 1124, 1135, 1201, 1217, 1482, 1497,
    1518, 1526, 1538, 1580, 1613, 1614, 1615, 1619, 1622, 1652, 1654,
)  # fmt: skip


def _atomic(row: Row) -> dict[str, Any]:
    if row["executor"] not in ("sh", "bash"):
        raise Excluded(f"for {row['executor']}, not for a Unix shell")
    looks = int(row["id"][1:5]) in _DISCOVERY
    return {"call": bash(row["command"], ROOT), "group": "discovery" if looks else "technique", "why": row["technique"]}


def _redcode_bash(row: Row) -> dict[str, Any]:
    return {"call": bash(row["command"], ROOT), "group": row["file"].removeprefix("index")}


def _redcode_python(row: Row) -> dict[str, Any]:
    """The program as an agent would run it: given to Python on its standard input, unchanged."""
    mark = "PY"
    while mark in row["command"].split("\n"):
        mark += "_"
    command = f"python3 - <<'{mark}'\n{row['command']}\n{mark}"
    return {"call": bash(command, ROOT), "group": row["file"].removeprefix("index")}


def _usage(row: Row) -> dict[str, Any]:
    return {"call": bash(row["command"], ROOT), "group": row["category"]}


def _frozen(fields: dict[str, Any]) -> Mapping[str, Any]:
    frozen = freeze(fields)
    if not isinstance(frozen, Mapping):
        raise TypeError("the arguments are not an object")
    return frozen


PREPARED = {"agent_commands.jsonl": _in_sessions}

ADAPTERS: dict[str, Adapter] = {
    "agent_commands.jsonl": _agent_commands,
    "agentshield.jsonl": _agentshield,
    "atomic_red_team.jsonl": _atomic,
    "bfcl_calls.jsonl": bfcl,
    "bypasses.jsonl": _bypasses,
    "gtfobins.jsonl": _gtfobins,
    "nah.jsonl": _nah,
    "nl2bash.jsonl": _usage,
    "redcode_exec_bash.jsonl": _redcode_bash,
    "redcode_exec_python.jsonl": _redcode_python,
    "roleos_effective.jsonl": role_os,
    "roleos_live.jsonl": role_os,
    "tldr_common.jsonl": _usage,
    "tldr_linux.jsonl": _usage,
}
