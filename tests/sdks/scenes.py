"""One run of an agent for the contract: the scene that is played, what was seen of it, and the world around it.

A driver plays the turns of a scripted model against one tool `send(to)`, whose runs are written to a file, and keeps
what the SDK keeps below the scene's folder: so `resume` is the same thing in this process and in a new one.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

import interlock
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.answering import answered, every_question, one_question

__all__ = ["CANNOT", "Driver", "Scene", "Seen", "Turn", "World", "play_guide"]

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

POLICY = """
version = 1

[tools.send]
effects = ["read"]

[approvals]
timeout = 5

[[rules]]
id = "not-there"
when = { tool = "send", input = { to = ["= bad", "= changed"] } }
verdict = "deny"
reason = "Nothing is sent there."
instead = "Send it to ok."

[[rules]]
id = "look-first"
when = { tool = "send", input = { to = ["maybe*"] } }
verdict = "ask"
reason = "A person looks at these."
instead = "Send it to ok."
"""

Turn = Sequence[tuple[str, str]]  # calls that the model makes at once: id and `to`


@dataclass
class Scene:
    """One run of an agent. `gate` may be broken; `meddles`: other code of the program changes `to` to "changed"."""

    gate: interlock.Gate
    folder: Path
    turns: Sequence[Turn]
    session: str = "s1"
    turn: str = "each"
    streams: bool = False
    meddles: bool = False
    fails: bool = False

    def send(self, to: str) -> str:
        """The tool's body."""
        with (self.folder / "ran").open("a") as file:
            file.write(to + "\n")
        if self.fails:
            raise ValueError("the post office is closed")
        return f"sent to {to}"


@dataclass
class Seen:
    """What came of a run. `told`: what the model was told last of each call, by its id. `questions`: what a pause says,
    one for each call that waits. `failed`: the error that the run ended with.
    """

    told: Mapping[str, str] = field(default_factory=dict)
    questions: Sequence[Mapping[str, Any]] = ()
    failed: str = ""


class Driver(Protocol):
    """
    cannot  what this SDK has no way to do, each with the reason; of CANNOT
    agent   what the adapter says the agent is called; empty where the SDK has no names that last
    tool    what the SDK calls the tool, where that is not `send`
    """

    cannot: Mapping[str, str]
    agent: str

    def run(self, scene: Scene) -> Seen: ...
    def resume(self, scene: Scene) -> Seen:
        """Wakes up every call that waits, with the SDK's own yes, from what lies in the scene's folder."""
        ...


CANNOT = ("pause", "new process", "stream", "turn", "parallel", "call id")


class World:
    """A home with a ledger, a policy and a gate."""

    def __init__(self, folder: Path, module: str) -> None:
        self.folder, self.module = folder, module
        self.home = folder / "home"
        self.policy = folder / "policy.toml"
        (folder / "project").mkdir(exist_ok=True)
        self.home.mkdir(exist_ok=True)
        self.tool = getattr(importlib.import_module(module).TestContract.driver, "tool", "send")
        self.policy.write_text(POLICY.replace("tools.send", f"tools.{self.tool}").replace('"send"', f'"{self.tool}"'))
        os.chdir(folder / "project")
        self.gate = interlock.Gate(self.policy, home=self.home, deadline=60)

    def scene(self, *turns: Turn, **more: Any) -> Scene:
        (self.folder / "kept").mkdir(exist_ok=True)
        return Scene(gate=more.pop("gate", self.gate), folder=self.folder / "kept", turns=turns, **more)

    @property
    def ran(self) -> list[str]:
        file = self.folder / "kept" / "ran"
        return file.read_text().split() if file.exists() else []

    def answer(self, *, yes: bool, most: int | None = None) -> list[str]:
        """Somebody answers every open question at a terminal, or the first ones."""
        folders = folders_for(str(self.home))
        ledger = Ledger(folders.ledger, front="cli:approvals")
        found = [one.question.id for one in every_question(ledger) if one.is_open]
        found = found[:most]
        for id in found:
            answered(ledger, one_question(ledger, id), yes=yes, by="ann", why="")
        ledger.close()
        return found

    def rows(self, kind: str) -> list[Any]:
        ledger = Ledger(folders_for(str(self.home)).ledger)
        found = list(ledger.connect().entries("SELECT * FROM ledger WHERE kind = ? ORDER BY seq", (kind,)))
        ledger.close()
        return found

    def outcomes(self) -> list[str]:
        return [str(json.loads(row.body)["outcome"]) for row in self.rows("outcome")]

    def later(self, minutes: int, monkeypatch: pytest.MonkeyPatch) -> interlock.Gate:
        """A gate whose clock is ahead."""
        for makes in (Ledger.__init__, Ledger.on.__func__):  # type: ignore[attr-defined]
            defaults: dict[str, Any] = makes.__kwdefaults__
            now = defaults["clock"]
            monkeypatch.setitem(defaults, "clock", lambda now=now: now() + minutes * 60_000)
        self.gate.close()
        self.gate = interlock.Gate(self.policy, home=self.home, deadline=60)
        return self.gate

    def elsewhere(self, verb: str, scene: Scene) -> Seen:
        """The same in a process of its own."""
        told = {"turns": scene.turns, "session": scene.session, "turn": scene.turn, "streams": scene.streams}
        done = subprocess.run(
            [sys.executable, str(HERE / "scenes.py"), self.module, verb, str(self.folder), json.dumps(told)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            timeout=300,
            env=os.environ,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return Seen(**json.loads(done.stdout.splitlines()[-1]))


class Payments:
    """What the tool of a guide does."""

    def __init__(self) -> None:
        self.made: list[tuple[str, int]] = []

    def refund(self, order: str, amount: int) -> str:
        self.made.append((order, amount))
        return f"refunded {amount}"


def play_guide(world: World, page: str, patch: pytest.MonkeyPatch, model: Any, **more: Any) -> dict[str, Any]:
    """Does what a guide shows, with its policy: defines the agent, runs it until it asks, goes on after a yes.

    The model calls `refund` with order 7 and 50. `more`: other names that the guide takes for granted.
    """
    text = (ROOT / "docs" / "guides" / page).read_text(encoding="utf-8")
    (policy,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    define, ask, go_on = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    Path("policy.toml").write_text(policy)
    patch.setattr("interlock.gate.local.folders_for", lambda _home: folders_for(str(world.home)))
    payments = Payments()
    names: dict[str, Any] = {"model": model, "payments": payments, **more}
    for part in (define, ask):
        exec(compile(part, page, "exec"), names)
    assert payments.made == []
    assert len(world.answer(yes=True)) == 1
    exec(compile(go_on, page, "exec"), names)
    assert payments.made == [("7", 50)]
    names["gate"].close()
    return names


def main(module: str, verb: str, folder: str, told: str) -> None:
    """One half of a run, in a process of its own."""
    sys.path[:0] = [str(HERE.parent), str(HERE / "cases")]
    driver: Driver = importlib.import_module(module).TestContract.driver
    world = World(Path(folder), module)
    said = json.loads(told)
    scene = world.scene(*said.pop("turns"), **said)
    seen = driver.run(scene) if verb == "run" else driver.resume(scene)
    world.gate.close()
    print(json.dumps({"told": dict(seen.told), "questions": list(seen.questions), "failed": seen.failed}))


if __name__ == "__main__":
    main(*sys.argv[1:])
