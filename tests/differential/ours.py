"""Our reading of a text in the same plain values as `oracle.Reading`, and the comparison of the two."""

from __future__ import annotations

from collections import Counter
from typing import Any

from differential.oracle import At, Summary
from interlock.reading.shell import parse, syntax
from interlock.reading.shell.walk import nodes

__all__ = ["compare", "summary"]

KINDS = {
    "Subshell": "Subshell",
    "Group": "Block",
    "If": "IfClause",
    "While": "WhileClause",
    "For": "ForClause",
    "ForArith": "ForClause",
    "Case": "CaseClause",
    "Cond": "TestClause",
    "Arith": "ArithmCmd",
    "FunctionDef": "FuncDecl",
    "Coproc": "CoprocClause",
    "CmdSub": "CmdSubst",
    "ProcSub": "ProcSubst",
    "ArithSub": "ArithmExp",
}


def summary(text: str, script: syntax.Script) -> Summary:
    simple: Counter[Any] = Counter()
    shape: Counter[Any] = Counter()
    names: Counter[str] = Counter()

    def at(node: Any) -> At:
        return (*node.span, text[node.span[0] : node.span[1]])

    def redirects(node: Any) -> tuple[tuple[str, str, At], ...]:
        return tuple((redirect.fd, redirect.op, at(redirect.target)) for redirect in node.redirects)

    for found in nodes(script):
        node: Any = found
        kind = type(node).__name__
        if kind == "Simple":
            words: tuple[Any, ...] = tuple(at(word) for word in node.words)
            if words and words[0][2] == "let" and len(words) > 1:
                words = (("let", words[0][0], words[-1][1]),)
            simple[(tuple(at(item) for item in node.assigns), words, redirects(node))] += 1
        elif kind == "Pipeline":
            shape["!"] += node.negated
            shape["TimeClause"] += node.timed
            for both in node.stderr[:-1]:
                shape["|&" if both else "|"] += 1
        elif kind == "AndOr":
            shape.update(node.ops)
        elif kind == "Background":
            shape["&"] += 1
        elif kind == "Param":
            names[node.name] += 1
        elif kind in KINDS:
            shape[KINDS[kind]] += 1
            if getattr(node, "redirects", None):
                shape[("redirects", redirects(node))] += 1
    return simple, +shape, names


def compare(text: str, theirs: Summary) -> str:
    """ "opaque", "equal", or what differs."""
    script = parse(text)
    if script.opaque:
        return "opaque"
    for what, mine, other in zip(("commands", "shape", "names"), summary(text, script), theirs, strict=True):
        if mine != other:
            return f"{what}: ours only {list((mine - other).items())}; shfmt only {list((other - mine).items())}"
    return "equal"
