"""Our reading of a text in the same plain values as `oracle.Reading`, and the comparison of the two."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from interlock.reading.shell import parse, syntax  # noqa: E402
from interlock.reading.shell.walk import nodes  # noqa: E402

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


def reading(text: str, script: syntax.Script) -> tuple[Counter, Counter, Counter]:
    simple: Counter = Counter()
    shape: Counter = Counter()
    names: Counter = Counter()

    def at(node):
        return (*node.span, text[node.span[0] : node.span[1]])

    def redirects(node):
        return tuple((r.fd, r.op, at(r.target)) for r in node.redirects)

    for node in nodes(script):
        kind = type(node).__name__
        if kind == "Simple":
            words = tuple(at(w) for w in node.words)
            if words and words[0][2] == "let" and len(words) > 1:
                words = (("let", words[0][0], words[-1][1]),)
            simple[(tuple(at(a) for a in node.assigns), words, redirects(node))] += 1
        elif kind == "Pipeline":
            shape["!"] += node.negated
            shape["TimeClause"] += node.timed
            for both in node.stderr[:-1]:
                shape["|&" if both else "|"] += 1
        elif kind == "AndOr":
            for op in node.ops:
                shape[op] += 1
        elif kind == "Background":
            shape["&"] += 1
        elif kind == "Param":
            names[node.name] += 1
        elif kind in KINDS:
            shape[KINDS[kind]] += 1
            if getattr(node, "redirects", None):
                shape[("redirects", redirects(node))] += 1
    return simple, +shape, names


def compare(text: str, theirs) -> str:
    """ "opaque", "equal", or what differs."""
    script = parse(text)
    if script.opaque:
        return "opaque"
    simple, shape, names = reading(text, script)
    if simple != theirs[0]:
        return f"simple: ours only {list((simple - theirs[0]).elements())}; shfmt only {list((theirs[0] - simple).elements())}"  # noqa: E501
    if shape != theirs[1]:
        return f"shape: ours {dict(shape - theirs[1])}; shfmt {dict(theirs[1] - shape)}"
    if names != theirs[2]:
        return f"names: ours {dict(names - theirs[2])}; shfmt {dict(theirs[2] - names)}"
    return "equal"
