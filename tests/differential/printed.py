"""Our reading of a text equals our reading of what bash prints of it.

bash is asked to define a function with the text as its body and to print it (`declare -f`), which shows the tree that
bash has built, in a plain layout. The text itself does not run: it is only wrapped if `bash -n` accepts it and if we
read the wrapped form as one function definition; the shell is a restricted one without PATH.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from typing import Any

from differential.oracle import BASH, bash_accepts
from interlock.reading.shell import dump, parse, syntax
from interlock.reading.shell.walk import nodes

__all__ = ["judge"]

COMPOUND = frozenset(
    (
        "Subshell", "Group", "If", "For", "ForArith", "While", "Case", "Cond", "Arith", "FunctionDef", "Coproc",
        "Background",
    )
)  # fmt: skip


def judge(text: str) -> tuple[str, str]:
    """A verdict, `DIFFERENT` if it is bad, and what differs."""
    script = parse(text)
    if script.opaque:
        return "opaque", ""
    if any(getattr(node, "doc", None) is not None for node in nodes(script)):
        return "here-document", ""  # bash prints some of them in the wrong place (README.md)
    if not script.commands or not bash_accepts(text):
        return "nothing to print", ""
    shown = _printed(text)
    if shown is None:
        return "not printed", ""
    again = parse(shown)
    if again.opaque:
        return "print opaque", f"{again.opaque[0].reason} {shown!r:.300}"
    (function,) = again.commands
    for found in nodes(function):
        node: Any = found
        # bash prints `coproc ls` as `coproc COPROC ls`, which it would read differently
        if type(node) is syntax.Coproc and type(node.command) is syntax.Simple:
            words = node.command.words
            node.command.words = [word for word in words if dump(word.parts) != [["Lit", "COPROC", False]]]
    mine, theirs = _summary(script), _summary(function)
    theirs.subtract({"Group": 1, "FunctionDef": 1})
    theirs = +theirs
    if mine == theirs:
        return "equal", ""
    only = list((mine - theirs).items())[:3], list((theirs - mine).items())[:3]
    return "DIFFERENT", f"ours only {only[0]}; bash only {only[1]}"


def _printed(text: str) -> str | None:
    wrapped = "f () {\n" + text + "\n}\ndeclare -f f\n"
    script = parse(wrapped)
    if script.opaque or [type(command) for command in script.commands] != [syntax.FunctionDef, syntax.Simple]:
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [BASH or "bash", "--norc", "--noprofile", "-r", "-c", "--", wrapped],
                capture_output=True,
                check=False,
                timeout=3,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                env={"LC_ALL": "C.UTF-8", "PATH": "/nonexistent"},
                errors="surrogateescape",
            )
        except subprocess.TimeoutExpired:
            return None
    return done.stdout if done.returncode == 0 else None


def _canon(value: Any) -> Any:
    """Like `dump`, but blind to what printing changes in words.

    `$'…'` is printed as `'…'` with escaped quotes between, `$"…"` as `"…"`, and scripts in a new layout; those are
    compared on their own, since their commands are found by walking.
    """
    kind = type(value).__name__
    if kind in ("CmdSub", "ProcSub"):
        return [kind]
    if kind == "DoubleQuoted":
        return [kind, _canon(value.parts)]
    if kind == "Lit":
        return [kind, value.text, value.quoted]
    if kind == "Test":
        inner = value.operands[0]
        if value.op == "!" and inner.op == "!":
            return _canon(inner.operands[0])
        return [kind, value.op or "-n", _canon(value.operands)]
    if isinstance(value, syntax.Node):
        return [kind, *(_canon(getattr(value, field)) for field in value.fields if field != "opaque")]
    if isinstance(value, list | tuple):
        out: list[Any] = []
        for item in map(_canon, value):
            if _is_text(item) and out and _is_text(out[-1]) and out[-1][2] == item[2]:
                out[-1] = ["Lit", out[-1][1] + item[1], item[2]]
            else:
                out.append(item)
        return [item for item in out if item != ["Lit", "", True]] if len(out) > 1 else out
    return value


def _is_text(item: Any) -> bool:
    return isinstance(item, list) and item[:1] == ["Lit"]


def _key(value: Any) -> str:
    return json.dumps(_canon(value))


def _summary(script: Any) -> Counter[str]:
    """Commands and operators, blind to what printing changes: order of redirections, default descriptors, `|&`."""
    found: Counter[str] = Counter()
    for each in nodes(script):
        node: Any = each
        kind = type(node).__name__
        if kind == "Simple":
            found[_key([node.assigns, node.words])] += 1
            found.update(map(_redirect_key, node.redirects))
        elif kind == "Pipeline":
            found["|"] += len(node.commands) - 1
            found["!"] += node.negated
            found["time"] += node.timed
            found[json.dumps(["2", ">&", ["Word", [["Lit", "1", False]]]])] += sum(node.stderr)
        elif kind == "AndOr":
            found.update(node.ops)
        elif kind in COMPOUND:
            found[kind] += len(node.branches) if kind == "If" else 1  # elif is printed as an if in an else
            found.update(map(_redirect_key, getattr(node, "redirects", [])))
            if kind == "FunctionDef" and type(node.body) is not syntax.Group:
                found["Group"] += 1  # printed inside braces
            if kind == "Cond":
                found[_key(node.test)] += 1
            if kind == "Case":
                found[_key(node.word)] += 1
            if kind == "For" and node.words is not None and _key(node.words) != DEFAULT_WORDS:
                found[_key(node.words)] += 1
    return +found


def _redirect_key(redirect: Any) -> str:
    fd, op = redirect.fd, redirect.op
    if not fd and op not in ("&>", "&>>"):
        fd = "0" if op[0] == "<" else "1"
    if op == "<>":
        fd = "0"  # printed without its descriptor
    if op == "<&" and _key(redirect.target) == DASH:
        op = ">&"
    return json.dumps([fd, op, _canon(redirect.target)])


def _first(text: str) -> Any:
    return parse(text).commands[0]


DEFAULT_WORDS = _key(_first('for x in "$@"; do :; done').words)
DASH = _key(_first("-").words[0])
