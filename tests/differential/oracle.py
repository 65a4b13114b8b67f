"""What shfmt and bash make of a text, as plain values that can be compared with our own reading.

shfmt is asked for its tree, bash only whether it accepts the text (`bash -n`). Results are kept in a
cache file, since each question costs a process. Offsets from shfmt are bytes and become code points here.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path

SHFMT = str(Path(sys.executable).parent / "shfmt")
CACHE = Path(__file__).resolve().parent.parent / "cache"
COMPOUND = {
    "Subshell",
    "Block",
    "IfClause",
    "WhileClause",
    "ForClause",
    "CaseClause",
    "TestClause",
    "ArithmCmd",
    "FuncDecl",
    "CoprocClause",
    "TimeClause",
}


def bash_accepts(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        done = subprocess.run(
            ["bash", "-n", "-c", "--", text],
            capture_output=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=3,
            check=False,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
    except subprocess.TimeoutExpired:  # bash 5.2 itself loops for ever on some of the generated texts
        return False
    errors = [line for line in done.stderr.splitlines() if "warning: here-document" not in line]
    return done.returncode == 0 and not errors


class Reading:
    """Simple commands as (assignments, words, redirections), each by span and source; counts of
    everything else."""

    def __init__(self, text: str, tree: dict) -> None:
        self.text = text
        self.simple: Counter = Counter()
        self.shape: Counter = Counter()
        self.names: Counter = Counter()
        raw = text.encode("utf-8", "surrogatepass")
        self.map = None
        if len(raw) != len(text):
            self.map = {}
            at = 0
            for i, char in enumerate(text):
                self.map[at] = i
                at += len(char.encode("utf-8", "surrogatepass"))
            self.map[at] = len(text)
        self.visit(tree)

    def span(self, node: dict) -> tuple[int, int]:
        a, b = node["Pos"].get("Offset", 0), node["End"].get("Offset", 0)
        if self.map is not None:
            a, b = self.map.get(a, -a - 1), self.map.get(b, -b - 1)
        return a, b

    def at(self, node: dict) -> tuple[int, int, str]:
        """Span and source, after three habits of shfmt that say nothing about how it splits words.

        It counts a line continuation behind a word as part of it, leaves the `=` out of an empty `x+=`,
        and takes the backslash of an escaped closing back-quote into the last word before it.
        """
        a, b = self.span(node)
        text = self.text
        while b - a > 2 and (text[a:b].endswith("\\\n") or text[b - 1 : b + 1] == "\\\n"):
            b -= 2 if text[b - 1] == "\n" else 1
        if text[a:b].endswith("+") and text[b : b + 1] == "=" and "Name" in node:
            b += 1
        if text[b : b + 1] == "`" and b - a > 1:
            while text[b - 1] == "\\" and b - a > 1:
                b -= 1
        return a, b, text[a:b]

    def redirects(self, stmt: dict) -> tuple:
        found = []
        for redirect in stmt.get("Redirs") or []:
            fd = redirect["N"]["Value"] if redirect.get("N") else ""
            found.append((fd, redirect["Op"], self.at(redirect["Word"])))
        return tuple(found)

    def visit(self, node: object) -> None:
        if isinstance(node, list):
            for item in node:
                self.visit(item)
            return
        if not isinstance(node, dict):
            return
        if "Position" in node and ("Cmd" in node or "Redirs" in node):
            self.statement(node)
        kind = node.get("Type")
        if kind == "BinaryCmd":
            self.shape[node["Op"]] += 1
        elif kind in COMPOUND or kind in ("CmdSubst", "ProcSubst", "ArithmExp"):
            self.shape[kind] += 1
        elif kind == "ParamExp" and self.text[self.span(node)[0]] == "$":  # not a bare `a[1]` in arithmetic
            param = node.get("Param") or {}
            self.names[param.get("Value", "?")] += 1
        for key, value in node.items():
            if isinstance(value, (dict, list)) and key not in ("Pos", "End", "Position"):
                self.visit(value)

    def statement(self, stmt: dict) -> None:
        redirects = self.redirects(stmt)
        if stmt.get("Negated"):
            self.shape["!"] += 1
        if stmt.get("Background"):
            self.shape["&"] += 1
        command = stmt.get("Cmd")
        kind = command["Type"] if command else None
        if kind == "CallExpr" or command is None:
            assigns = tuple(self.at(a) for a in (command or {}).get("Assigns") or [])
            words = tuple(self.at(w) for w in (command or {}).get("Args") or [])
        elif kind == "DeclClause":
            assigns = ()
            words = (self.at(command["Variant"]), *(self.at(a) for a in command.get("Args") or []))
        elif kind == "LetClause":
            a, b = self.span(command)
            assigns, words = (), (("let", a, b),)
        else:
            if redirects:
                self.shape[("redirects", redirects)] += 1
            return
        self.simple[(assigns, words, redirects)] += 1


def ask(text: str) -> tuple[bool, tuple | None]:
    """(does bash accept it, what shfmt read or None if it refuses)."""
    accepted = bash_accepts(text)
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return accepted, None
    done = subprocess.run([SHFMT, "-ln", "bash", "--to-json"], input=raw, capture_output=True, check=False)
    if done.returncode:
        return accepted, None
    reading = Reading(text, json.loads(done.stdout))
    return accepted, (reading.simple, reading.shape, reading.names)


def ask_all(texts: list[str], name: str) -> dict[str, tuple[bool, tuple | None]]:
    """Ask about many texts, two at a time and nicely; answers are cached under `name`."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"{name}.pickle"
    known: dict[str, tuple] = {}
    if path.exists():
        known = pickle.loads(path.read_bytes())
    missing = [t for t in dict.fromkeys(texts) if key(t) not in known]
    if missing:
        os.nice(10)
        with multiprocessing.Pool(2) as pool:
            for text, answer in zip(missing, pool.imap(ask, missing, chunksize=64), strict=True):
                known[key(text)] = answer
        path.write_bytes(pickle.dumps(known))
    return {text: known[key(text)] for text in texts}


def key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
