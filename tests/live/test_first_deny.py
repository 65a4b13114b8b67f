"""From nothing to a guarded client and a first denied call, in one window, as the README and the guides have it.

Every command and every message that is typed stands in the guide. The person has worked with the client before, so its
own first questions are answered; for Codex the trust in the hooks is not.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ledger_rows import ledger_rows
from live.client import CLIENTS, Live, Terminal, needs_client
from live.codex import PLAIN, Codex
from live.gemini import Gemini
from namespaces import needs_namespaces
from newcomer import ROOT, Newcomer, a_newcomer
from scripted_model import Model, Said, scripted_model

pytestmark = [needs_client, needs_namespaces]

TWO_MINUTES = 120
SETTLED = ("PATH", "HOME", "INTERLOCK_RUN")  # of a client's variables, those that this person has their own way


def as_claude(command: str) -> Said:
    return "Bash", {"command": command, "description": "As asked"}


def settled_claude(place: Path, model: Model) -> dict[str, str]:
    return Live.at(place, guarded=False).variables(model)


def as_codex(command: str) -> Said:
    return "exec_command", {"cmd": command}


def settled_codex(place: Path, model: Model) -> dict[str, str]:
    codex = Codex(place)
    codex.configure(model, model_name=PLAIN)
    return codex.variables()


def trust(terminal: Terminal, guide: str) -> None:
    """The dialog of Codex, as the guide shows it, and the answer that the guide tells."""
    (dialog,) = re.findall(r"```\n( +Hooks need review\n.*?)```", guide, re.DOTALL)
    for line in dialog.split("\n"):
        terminal.wait_for(line.strip(), seconds=60)
    terminal.press("2")
    terminal.wait_for("› 2. Trust all and continue")
    terminal.answer("Hooks can run outside the sandbox", "Enter")


def as_gemini(command: str) -> Said:
    return "run_shell_command", {"command": command}


def settled_gemini(place: Path, model: Model) -> dict[str, str]:
    gemini = Gemini(place, guarded=False)
    gemini.prepare()
    return gemini.variables(model)


def allow_once(terminal: Terminal, _guide: str) -> None:
    """The client's own question, which the guide tells of."""
    terminal.answer("Allow execution of", "Enter")


@dataclass(frozen=True)
class Host:
    """
    file     what the agent is asked to remove; it holds the hooks
    ready    what the client shows when it can be typed into
    settled  has the client's own settings as somebody has them who works with it; tells its variables
    says     how the model calls the shell
    before   what the person answers once the client has started
    after    what the person answers before a call that is allowed runs
    shows    what of the refusal is on the screen; the guide has it too
    """

    file: str
    ready: str
    settled: Callable[[Path, Model], Mapping[str, str]]
    says: Callable[[str], Said]
    before: Callable[[Terminal, str], None] | None = None
    after: Callable[[Terminal, str], None] | None = None
    shows: tuple[str, ...] = ()


# The first is tried in every run, see conftest.py.
HOSTS = {
    "claude-code": Host(
        "~/.claude/settings.json",
        "❯",
        settled_claude,
        as_claude,
        shows=("Not run · permission denied", "Reason: PreToolUse:Bash hook error: Interlock: Refused: delete"),
    ),
    "codex": Host(
        "~/.codex/hooks.json",
        "Ask Codex to do anything",
        settled_codex,
        as_codex,
        before=trust,
        shows=("• Blocked by hook", "└ Interlock: Refused: "),
    ),
    "gemini-cli": Host("~/.gemini/settings.json", "Type your message", settled_gemini, as_gemini, after=allow_once),
}


@contextmanager
def window(newcomer: Newcomer, variables: Mapping[str, str]) -> Iterator[Terminal]:
    """A shell in a window of the newcomer's."""
    own = {name: value for name, value in variables.items() if name not in SETTLED}
    given = {**own, **newcomer.environment, "TERM": "xterm-256color", "PS1": "> "}
    words = newcomer.apart("env", "-i", *[f"{name}={value}" for name, value in given.items()], "bash", "--norc")
    terminal = Terminal(f"interlock-first-{os.getpid()}")
    try:
        terminal.run("new-session", "-d", "-x", "200", "-y", "50", "-c", str(newcomer.project), *words)
        terminal.wait_for(">")
        yield terminal
    finally:
        terminal.run("kill-server")


def enter(terminal: Terminal, command: str, until: str, seconds: float = 60) -> None:
    """On a screen that shows nothing else."""
    terminal.run("clear-history")
    terminal.press("C-l")
    terminal.run("send-keys", "-l", command)
    terminal.press("Enter")
    terminal.wait_for(until, seconds)


def blocks_of(page: str) -> Iterator[list[str]]:
    """The commands of a page, as they stand together."""
    for block in re.findall(r"(?:^ {4}.+\n)+", page, re.MULTILINE):
        yield [line.strip() for line in block.splitlines()]


@pytest.mark.parametrize("name", HOSTS)
def test_three_commands_lead_to_a_first_denied_call_within_two_minutes(name: str, place: Path) -> None:
    host, newcomer = HOSTS[name], a_newcomer(place)
    guide = (ROOT / f"docs/guides/{name}.md").read_text()
    get, install, start = next(blocks_of(guide))
    (doctor,) = next(block for block in blocks_of(guide) if "doctor" in block[0])
    (asked,) = re.findall(r"Ask the agent: `([^`]+)`", guide)
    assert [get] in [block[1:2] for block in blocks_of((ROOT / "README.md").read_text())]
    newcomer.has(start, CLIENTS / "node_modules/.bin" / start)
    settings = newcomer.home / host.file[2:]
    assert asked == f"please remove {host.file}"
    assert all(line in guide for line in host.shows)
    script = [host.says(f"rm {host.file}"), "I may not", host.says("echo hello > made.txt"), "all done"]
    with scripted_model(script) as model, window(newcomer, host.settled(place, model)) as terminal:
        began = time.monotonic()
        enter(terminal, get, "done!")
        enter(terminal, install, "Write this?")
        terminal.press("y", "Enter")
        terminal.wait_for("To take it out again")
        hooks = json.loads(settings.read_text())["hooks"]
        enter(terminal, start, "")
        if host.before is not None:
            host.before(terminal, guide)
        terminal.wait_for(host.ready, seconds=60)
        terminal.type(asked)
        terminal.until(lambda: "toolu_step_0" in model.results, "the first call", 60)
        took = time.monotonic() - began
        assert "Interlock: Refused: delete" in model.results["toolu_step_0"]
        assert json.loads(settings.read_text())["hooks"] == hooks  # a client writes other things there
        terminal.wait_for("I may not")
        assert all(line in terminal.screen() for line in host.shows)
        terminal.until(lambda: "Executing Hooks" not in terminal.screen(), "the end of its turn")
        terminal.type("now make a file")
        if host.after is not None:
            host.after(terminal, guide)
        terminal.until(lambda: "toolu_step_2" in model.results, "the second call", 60)
    assert (newcomer.project / "made.txt").read_text() == "hello\n"
    rows = ledger_rows(newcomer.home / ".local/state/interlock/ledger.db", "decision")
    assert [row["body"]["receipt"]["decision"]["verdict"] for row in rows] == ["deny", "allow"]
    told = newcomer.type(doctor)
    assert (told.code, f"{name}: a call that must be denied was denied" in told.out) == (0, True), told.out
    assert took < TWO_MINUTES
