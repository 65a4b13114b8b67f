"""What shfmt and bash make of a text, as plain values that can be compared with our own reading.

shfmt is asked for its tree, bash only whether it accepts the text (`bash -n`). Each question costs a process, so
answers are kept in a file. Offsets from shfmt are bytes and become code points here.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["BASH", "Answer", "Reading", "Summary", "ask_all", "bash_accepts", "missing_programs"]

COMPOUND = frozenset(
    (
        "Subshell", "Block", "IfClause", "WhileClause", "ForClause", "CaseClause", "TestClause", "ArithmCmd",
        "FuncDecl", "CoprocClause", "TimeClause", "CmdSubst", "ProcSubst", "ArithmExp",
    )
)  # fmt: skip
BASH = shutil.which("bash")
PROCESSES = 2  # at a time

At = tuple[int, int, str]
Summary = tuple[Counter[Any], Counter[Any], Counter[str]]  # simple commands, everything else, parameter names
Answer = tuple[bool, Summary | None]  # does bash accept it; what shfmt has read, or None if it refuses


@cache
def shfmt() -> str | None:
    """The program that shfmt-py puts beside the interpreter, or one on PATH."""
    beside = Path(sys.executable).parent / "shfmt"
    return str(beside) if beside.exists() else shutil.which("shfmt")


def missing_programs() -> str:
    """Which of the two is missing; empty if both are there."""
    return ", ".join(name for name, place in (("bash", BASH), ("shfmt (shfmt-py)", shfmt())) if place is None)


def bash_accepts(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        done = subprocess.run(
            [BASH or "bash", "-n", "-c", "--", text],
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
    """shfmt's tree: each simple command by the spans and sources of its parts; everything else counted."""

    def __init__(self, text: str, tree: dict[str, Any]) -> None:
        self.text = text
        self.simple: Counter[Any] = Counter()
        self.shape: Counter[Any] = Counter()
        self.names: Counter[str] = Counter()
        self.map: dict[int, int] | None = None
        if not text.isascii():
            self.map = {}
            at = 0
            for i, char in enumerate(text):
                self.map[at] = i
                at += len(char.encode("utf-8", "surrogatepass"))
            self.map[at] = len(text)
        self.visit(tree)

    def span(self, node: dict[str, Any]) -> tuple[int, int]:
        a, b = node["Pos"].get("Offset", 0), node["End"].get("Offset", 0)
        if self.map is not None:
            a, b = self.map.get(a, -a - 1), self.map.get(b, -b - 1)
        return a, b

    def at(self, node: dict[str, Any]) -> At:
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

    def redirects(self, stmt: dict[str, Any]) -> tuple[tuple[str, str, At], ...]:
        return tuple(
            (redirect["N"]["Value"] if redirect.get("N") else "", redirect["Op"], self.at(redirect["Word"]))
            for redirect in stmt.get("Redirs") or []
        )

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
        elif kind in COMPOUND:
            self.shape[kind] += 1
        elif kind == "ParamExp" and self.text[self.span(node)[0]] == "$":  # not a bare `a[1]` in arithmetic
            param = node.get("Param") or {}
            self.names[param.get("Value", "?")] += 1
        for key, value in node.items():
            if isinstance(value, dict | list) and key not in ("Pos", "End", "Position"):
                self.visit(value)

    def statement(self, stmt: dict[str, Any]) -> None:
        redirects = self.redirects(stmt)
        if stmt.get("Negated"):
            self.shape["!"] += 1
        if stmt.get("Background"):
            self.shape["&"] += 1
        command = stmt.get("Cmd") or {}
        kind = command.get("Type", "CallExpr")
        assigns: tuple[At, ...] = ()
        words: tuple[Any, ...]
        if kind == "CallExpr":
            assigns = tuple(self.at(item) for item in command.get("Assigns") or [])
            words = tuple(self.at(word) for word in command.get("Args") or [])
        elif kind == "DeclClause":
            words = (self.at(command["Variant"]), *(self.at(item) for item in command.get("Args") or []))
        elif kind == "LetClause":
            words = (("let", *self.span(command)),)
        else:
            if redirects:
                self.shape[("redirects", redirects)] += 1
            return
        self.simple[(assigns, words, redirects)] += 1


def ask(text: str) -> Answer:
    accepted = bash_accepts(text)
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return accepted, None
    done = subprocess.run([shfmt() or "shfmt", "-ln", "bash", "--to-json"], input=raw, capture_output=True, check=False)
    if done.returncode:
        return accepted, None
    reading = Reading(text, json.loads(done.stdout))
    return accepted, (reading.simple, reading.shape, reading.names)


def ask_all(texts: Iterable[str], folder: Path, name: str) -> dict[str, Answer]:
    """Ask about many texts, two at a time; answers are kept in `folder`, under the versions of the programs."""
    texts = list(dict.fromkeys(texts))
    path = folder / f"{name}-{_key(_versions())[:8]}.pickle"
    known: dict[str, Answer] = pickle.loads(path.read_bytes()) if path.exists() else {}
    unasked = [text for text in texts if _key(text) not in known]
    if unasked:
        with ThreadPoolExecutor(PROCESSES) as pool:
            known.update(zip(map(_key, unasked), pool.map(ask, unasked), strict=True))
        path.write_bytes(pickle.dumps(known))
    return {text: known[_key(text)] for text in texts}


@cache
def _versions() -> str:
    commands = ([BASH or "bash", "--version"], [shfmt() or "shfmt", "--version"])
    return "".join(subprocess.run(command, capture_output=True, text=True, check=True).stdout for command in commands)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
