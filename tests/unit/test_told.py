"""What the person and the agent are told, word for word, across layers and kinds of calls: told.yaml holds both.

A row is a call and what stands around it: the policy of the user, the session before it, how that was answered.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import interlock
from catalogue import ROWS, judged, policy_of, session_of
from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.layers import ADVISORY, LAYERS
from interlock.model.action import Judgement, Line
from interlock.model.decision import Finding, gravest_first, unrecorded
from interlock.model.origins import Origin
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.ahead import permitted_ahead
from interlock.policy.plan import Enforcement, Planned
from interlock.words.marks import COMMANDS
from interlock.words.phrases import PHRASES
from interlock.words.told import told


def said(name: str) -> tuple[str, str]:
    row = ROWS[name]
    policy = policy_of(row)
    if "faults" in row:
        policy = policy.replace(faults=tuple(row["faults"]))
    policy = policy.replace(two_for=tuple(row.get("two_for", ())))
    if "plan" in row:
        planned = Planned(enforcement=Enforcement.STRICT, file="plan.yaml", marker="# ad-hoc")
        policy = policy.replace(planned=planned.replace(**row["plan"]))
    session = session_of(row, policy)
    call, reading, decision = judged(row, policy, session)
    if "unplanned" in row:
        reading = reading.replace(line=Line(unplanned=tuple(row["unplanned"])))
        decision = decide(call, reading, policy, session)
    if "origins" in row:
        reading = reading.replace(origins=tuple([Origin(**given) for given in row["origins"]]))
        decision = decide(call, reading, policy, session)
    if "judged" in row:
        reading = reading.replace(judged=tuple([Judgement(**said) for said in row["judged"]]))
        decision = decide(call, reading, policy, session)
    if "unrecorded" in row:
        decision = unrecorded(decision, row["unrecorded"])
    return told(call, reading, decision, policy)


@pytest.mark.parametrize("name", ROWS)
def test_this_is_told(name: str) -> None:
    assert said(name) == (ROWS[name]["person"], ROWS[name]["agent"])


# Layers by the names that their findings bear.
NAMES = {"faults": "policy", "unread": "reading"}
TOLD = [NAMES.get(layer.__name__, layer.__name__) for layer in LAYERS if layer not in ADVISORY]


def test_there_are_messages_of_every_layer() -> None:
    assert len(ROWS) >= 40
    assert {name.partition(":")[0] for name in ROWS} == {*TOLD, "answers", "posture", "record"}


@pytest.mark.parametrize("layer", TOLD)
def test_every_layer_has_its_place_in_the_order_of_telling(layer: str) -> None:
    unknown = Finding(layer="nobody", rule="none", verdict=Verdict.ASK, text="x")
    own = unknown.replace(layer=layer, rule="tier-2" if layer == "tiers" else "any")
    assert gravest_first([unknown, own]) == (own, unknown)


def test_the_page_of_messages_is_current() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, root / "scripts/messages.py", "--check"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(Path(interlock.__file__).parents[1])},
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "docs/messages.md is current\n"), done.stderr


def test_no_phrase_stands_behind_one_that_always_fits() -> None:
    assert [name for name, row in PHRASES.items() if any("{" not in part for part in row.split(" | ")[:-1])] == []


@pytest.mark.parametrize("command", sorted({*COMMANDS.values(), "mv src/old attic/old", "rm made.txt"}))
def test_what_the_agent_is_told_to_do_instead_is_allowed(command: str) -> None:
    session = Session(id="s", created=frozenset(("/repo/made.txt",)))
    assert judged({"command": command}, bench_for().policy, session)[2].verdict is Verdict.ALLOW


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if ": interlock grant " in row["person"]])
def test_the_command_that_ends_the_questions_does(name: str) -> None:
    """The grant that is printed is given, and the same call decided again."""
    row = ROWS[name]
    (line,) = [line for line in row["person"].splitlines() if ": interlock grant " in line]
    what, *options = shlex.split(line.partition(": interlock grant ")[2])
    scope = dict(options[at + 1].split("=", 1) for at, word in enumerate(options) if word == "--scope")
    grant = permitted_ahead(what, scope, by="a person").replace(id="g")
    policy = policy_of(row)
    session = session_of(row, policy)
    call, reading, _ = judged(row, policy, session)
    assert decide(call, reading, policy, session, (grant,)).verdict is Verdict.ALLOW


def test_a_text_is_looked_through_once_however_many_actions_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    from interlock.bytes import redact

    counted: list[Any] = []
    real = redact.redact

    def counting(*given: Any) -> Any:
        counted.append(given[0])
        return real(*given)

    monkeypatch.setattr(redact, "redact", counting)
    command = "; ".join([f"rm -r ../gone-{number}" for number in range(50)])
    call, reading, decision = judged({"command": command}, bench_for().policy, Session(id="s"))
    assert len(decision.reasons) >= 50
    counted.clear()
    person, _ = told(call, reading, decision, bench_for().policy)
    assert "And 46 more like these." in person
    assert counted.count(command) <= 4
