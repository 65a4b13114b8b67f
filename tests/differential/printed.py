"""An extra check against bash itself: our reading of a text equals our reading of what bash prints of it.

bash is asked to define a function with the text as its body and to print it (`declare -f`), which shows
the tree that bash has built, in a plain layout. The text itself does not run: it is only wrapped if `bash
-n` accepts it and if we read the wrapped form as one function definition; the shell is a restricted one
without PATH.

    python checks/printed.py [name … | nests] [--show N]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import tempfile
from collections import Counter

import corpora
import nests
import oracle
import ours

from interlock.reading.shell import dump
from interlock.reading.shell.walk import nodes

EMPTY = tempfile.mkdtemp()


def printed(text: str) -> str | None:
    wrapped = "f () {\n" + text + "\n}\ndeclare -f f\n"
    script = ours.parse(wrapped)
    if script.opaque or [type(c).__name__ for c in script.commands] != ["FunctionDef", "Simple"]:
        return None
    try:
        done = subprocess.run(
            ["/bin/bash", "--norc", "--noprofile", "-r", "-c", "--", wrapped],
            capture_output=True,
            check=False,
            timeout=3,
            cwd=EMPTY,
            stdin=subprocess.DEVNULL,
            env={"LC_ALL": "C.UTF-8", "PATH": "/nonexistent"},
            errors="surrogateescape",
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def canon(value) -> object:
    """Like `dump`, but blind to what printing changes in words.

    `$'…'` is printed as `'…'` with escaped quotes between, `$"…"` as `"…"`, and scripts in a new layout;
    those are compared on their own, since their commands are found by walking.
    """
    kind = type(value).__name__
    if kind in ("CmdSub", "ProcSub"):
        return [kind]
    if kind == "DoubleQuoted":
        return [kind, canon(value.parts)]
    if kind == "Lit":
        return [kind, value.text, value.quoted]
    if kind == "Test":
        inner = value.operands[0]
        if value.op == "!" and inner.op == "!":
            return canon(inner.operands[0])
        return [kind, value.op or "-n", canon(value.operands)]
    if isinstance(value, ours.syntax.Node):
        return [kind, *(canon(getattr(value, field)) for field in type(value).__slots__ if field != "opaque")]
    if isinstance(value, (list, tuple)):
        out: list = []
        for item in map(canon, value):
            if isinstance(item, list) and item[:1] == ["Lit"] and out and isinstance(out[-1], list):
                if out[-1][:1] == ["Lit"] and out[-1][2] == item[2]:
                    out[-1] = ["Lit", out[-1][1] + item[1], item[2]]
                    continue
            out.append(item)
        lits = [item for item in out if item == ["Lit", "", True]]
        return [item for item in out if item not in lits] if len(out) > 1 else out
    return value


def key(value) -> str:
    return json.dumps(canon(value))


def summary(script) -> Counter:
    """Simple commands and operators, blind to what printing changes: order of redirections, default
    descriptors, `|&`."""
    found: Counter = Counter()
    for node in nodes(script):
        kind = type(node).__name__
        if kind == "Simple":
            found[key([node.assigns, node.words])] += 1
            for redirect in node.redirects:
                found[redirect_key(redirect)] += 1
        elif kind == "Pipeline":
            found["|"] += len(node.commands) - 1
            found["!"] += node.negated
            found["time"] += node.timed
            found[json.dumps(["2", ">&", ["Word", [["Lit", "1", False]]]])] += sum(node.stderr)
        elif kind == "AndOr":
            for op in node.ops:
                found[op] += 1
        elif kind in (
            "Subshell",
            "Group",
            "If",
            "For",
            "ForArith",
            "While",
            "Case",
            "Cond",
            "Arith",
            "FunctionDef",
            "Coproc",
            "Background",
        ):
            found[kind] += len(node.branches) if kind == "If" else 1  # elif is printed as an if in an else
            for redirect in getattr(node, "redirects", []):
                found[redirect_key(redirect)] += 1
            if kind == "FunctionDef" and type(node.body).__name__ != "Group":
                found["Group"] += 1  # printed inside braces
            if kind == "Cond":
                found[key(node.test)] += 1
            if kind == "Case":
                found[key(node.word)] += 1
            if kind == "For":
                found[key(node.words or [])] += node.words is not None and key(node.words) != DEFAULT_WORDS
    return +found


DEFAULT_WORDS = key(ours.parse('for x in "$@"; do :; done').commands[0].words)


def redirect_key(redirect) -> str:
    fd, op = redirect.fd, redirect.op
    if not fd and op not in ("&>", "&>>"):
        fd = "0" if op[0] == "<" else "1"
    if op == "<>":
        fd = "0"  # printed without its descriptor
    if op == "<&" and key(redirect.target.parts) == key(ours.parse("-").commands[0].words[0].parts):
        op = ">&"
    if redirect.doc is not None:
        op = "<<"
        return json.dumps([fd, op, canon(redirect.doc.parts), redirect.doc.delimiter])
    return json.dumps([fd, op, canon(redirect.target)])


def judge(text: str) -> tuple[str, str]:
    script = ours.parse(text)
    if script.opaque:
        return "opaque", ""
    if not script.commands:
        return "empty", ""
    if not oracle.bash_accepts(text):
        return "bash refuses", ""
    shown = printed(text)
    if shown is None:
        return "not printed", ""
    again = ours.parse(shown)
    if again.opaque:
        return "print opaque", again.opaque[0].reason + " " + json.dumps(shown)[:300]
    (function,) = again.commands
    for node in nodes(function):  # bash prints `coproc ls` as `coproc COPROC ls`, which it would read differently
        if type(node).__name__ == "Coproc" and type(node.command).__name__ == "Simple":
            node.command.words = [w for w in node.command.words if dump(w.parts) != [["Lit", "COPROC", False]]]
    mine = summary(script)
    theirs = summary(function)
    theirs["Group"] -= 1
    theirs["FunctionDef"] -= 1
    theirs = +theirs
    if mine == theirs:
        return "equal", ""
    return (
        "DIFFERENT",
        f"ours only {list((mine - theirs).items())[:3]}; bash only {list((theirs - mine).items())[:3]}",
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=["agent_commands", "bypasses", "redcode_exec_bash", "nests"])
    parser.add_argument("--show", type=int, default=8)
    parser.add_argument("--cases", type=int, default=4000)
    options = parser.parse_args()
    os.nice(10)
    bad = 0
    for name in options.names:
        texts = (
            [nests.make(30_000_000 + k) for k in range(options.cases)] if name == "nests" else corpora.commands(name)
        )
        texts = list(dict.fromkeys(texts))
        counts: Counter = Counter()
        with multiprocessing.Pool(2) as pool:
            shown = 0
            for text, (verdict, why) in zip(texts, pool.imap(judge, texts, chunksize=32), strict=True):
                counts[verdict] += 1
                if verdict in ("DIFFERENT", "print opaque") and shown < options.show:
                    shown += 1
                    print(" ", verdict, json.dumps(text, ensure_ascii=False)[:500], "\n     ", why[:900])
        bad += counts["DIFFERENT"]
        print(name, dict(counts))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
