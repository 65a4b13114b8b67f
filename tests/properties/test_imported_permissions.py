"""Imported permission rules, held against a small matcher of the client's own rules: nothing becomes looser."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import interlock.policy
from chance import FEWER, tried_on
from claude_rules import verdict_of
from interlock.decide import decide
from interlock.evals.lexical import read_lexically
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool
from interlock.policy.compile import compile_policy
from interlock.policy.importers import import_policy
from interlock.policy.model import Policy
from interlock.policy.rules import looks_for
from interlock.store.clock import live_grants, now
from interlock.value import FrozenMap, Value

ROOT, HOME = "/repo", "/home/user"
DEFAULT = (Path(interlock.policy.__file__).parent / "default.toml").read_bytes()

WORDS = ["git", "ls", "push", "-f", "main", "x/y"]
NAMES = ["src", "a", ".env", "key.pem", "x.py"]
FILE_TOOLS = ["Read", "Edit", "Write", "Grep"]
OTHERS = ["Bash", "Bash(*)", "Read", "Edit", "WebFetch", "WebFetch(domain:docs.example)", "mcp__db", "mcp__db__query"]


def a_call(chance: Random) -> tuple[str, str]:
    kind = chance.randrange(9)
    if kind == 0:
        return chance.choice([("WebFetch", "docs.example"), ("WebFetch", "other.example"), ("mcp__db__query", "")])
    if kind < 5:
        begin = chance.choice(["", "", "", "/opt/", f"{HOME}/", f"{ROOT}/"])
        names = [chance.choice(NAMES) for _ in range(chance.randint(1, 3))]
        return chance.choice(FILE_TOOLS), begin + "/".join(names)
    parts = [
        chance.choice(["", "", "timeout 5 ", "nohup ", "A=1 "]) + " ".join(some_words(chance))
        for _ in range(chance.randint(1, 3))
    ]
    return "Bash", chance.choice([" && ", "; ", " | "]).join(parts)


def some_words(chance: Random) -> list[str]:
    return [chance.choice(WORDS) for _ in range(chance.randint(1, 4))]


def a_rule(chance: Random, tool: str, what: str) -> str:
    """A rule that has to do with the call: random ones are about nothing."""
    if chance.randrange(12) == 0 or tool not in FIELDS:
        return chance.choice(OTHERS)
    if tool == "Bash":
        words = chance.choice(parts_of(what))
        return f"Bash({a_pattern(chance, words)})"
    return f"{chance.choice([tool, tool, *FILE_TOOLS])}({a_glob(chance, what)})"


def a_pattern(chance: Random, words: list[str]) -> str:
    words = words[: chance.randint(1, len(words))] if chance.randrange(3) == 0 else [*words]
    if chance.randrange(4) == 0:
        words[chance.randrange(len(words))] = chance.choice(["*", *WORDS])
    if chance.randrange(6) == 0:
        words.append(chance.choice(WORDS))
    return " ".join(words) + chance.choice(["", "", ":*", " *", "*"])


def a_glob(chance: Random, path: str) -> str:
    names = path.removeprefix(f"{HOME}/").removeprefix(f"{ROOT}/").removeprefix("/").split("/")
    names = names[chance.randrange(len(names)) :] if chance.randrange(3) == 0 else names
    names = names[: chance.randint(1, len(names))] if chance.randrange(4) == 0 else names
    changed = [
        chance.choice(["*", "**", f"*{name[-3:]}", f"{name[:1]}*"]) if chance.randrange(3) == 0 else name
        for name in names
    ]
    inside = [*changed, *(["**"] if chance.randrange(4) == 0 else [])]
    return chance.choice(["", "", "/", "./", f"/{ROOT}/", "//", "~/"]) + "/".join(inside)


def exactly(tool: str, what: str) -> list[str]:
    """The rules that allow just this call."""
    if tool == "Bash":
        return [f"Bash({' '.join(words)})" for words in parts_of(what)]
    return [f"{tool}(/{what})"] if tool in FIELDS else []


def parts_of(line: str) -> list[list[str]]:
    parts = line.replace(" && ", "|").replace("; ", "|").replace(" | ", "|").split("|")
    return [part.removeprefix("timeout 5 ").removeprefix("nohup ").removeprefix("A=1 ").split() for part in parts]


class Asked(Value):
    tool: str
    what: str
    permissions: dict[str, list[str]]


def a_question(chance: Random) -> Asked:
    tool, what = a_call(chance)
    rules = {
        kind: [a_rule(chance, tool, what) for _ in range(chance.choice([0, 0, 1, 2]))]
        for kind in ("allow", "ask", "deny")
    }
    if chance.randrange(2) == 0:
        rules["allow"] += exactly(tool, what)
    return Asked(tool=tool, what=what, permissions=rules)


FIELDS = {"Bash": "command", "Read": "file_path", "Edit": "file_path", "Write": "file_path", "Grep": "path"}


def imported(permissions: dict[str, Any]) -> Policy:
    raw = json.dumps({"permissions": permissions}).encode()
    text, _ = import_policy(raw, kind="permissions", root=ROOT, home=HOME)
    return compile_policy((("default", "default.toml", DEFAULT), ("user", "p.toml", text.encode())))


def decided(policy: Policy, tool: str, what: str) -> Decision:
    said = {"url": f"https://{what}/"} if tool == "WebFetch" else {FIELDS[tool]: what} if tool in FIELDS else {}
    call = Call(tool=tool, input=FrozenMap(said), cwd=ROOT)
    facts = Facts(root=ROOT, home=HOME, declared=declared_tool(policy, tool), looks=looks_for(policy, tool))
    reading, _ = read_lexically(call, facts)
    return decide(call, reading, policy, Session(), live_grants(policy, now(), reading))


def held(permissions: dict[str, list[str]], tool: str, what: str) -> None:
    there = verdict_of(permissions, tool, what, root=ROOT, home=HOME)
    here = decided(imported(permissions), tool, what)
    if there in ("deny", "ask"):
        assert here.verdict.name != "allow"
    if there == "allow":
        denied = [reason.rule for reason in here.reasons if reason.verdict.name == "deny"]
        assert [rule for rule in denied if rule.startswith("imported-")] == []


@tried_on(a_question, examples=FEWER)
def test_no_import_is_looser_and_none_denies_what_was_allowed(asked: Asked) -> None:
    held(asked.permissions, asked.tool, asked.what)


def test_the_matcher_knows_what_the_client_does() -> None:
    cases = [
        (["Bash(git push:*)"], "git push", True),
        (["Bash(git push:*)"], "git push origin", True),
        (["Bash(git push:*)"], "git pushx", False),
        (["Bash(git push *)"], "git push", True),
        (["Bash(ls*)"], "lsof", True),
        (["Bash(npm run build)"], "npm run build x", False),
        (["Bash(rm:*)"], "ls && timeout 5 rm x", True),
    ]
    for rules, command, expected in cases:
        found = verdict_of({"deny": rules}, "Bash", command, root=ROOT, home=HOME)
        assert (rules, command, found == "deny") == (rules, command, expected)
    paths = [
        ("Read(.env)", "a/.env", True),
        ("Read(./.env)", "a/.env", False),
        ("Read(/a/**)", "a/b/c", True),
        ("Read(src)", "src/x", True),
        ("Read(src/*.py)", "src/a/x.py", False),
        ("Read(//opt/x)", "/opt/x", True),
        ("Read(~/x/**)", "/home/user/x/y", True),
    ]
    for rule, path, expected in paths:
        found = verdict_of({"deny": [rule]}, "Read", path, root=ROOT, home=HOME)
        assert (rule, path, found == "deny") == (rule, path, expected)
