"""What pages promise of one call: each was run as the page says, in a fresh home."""

from __future__ import annotations

import pytest

from machine import Machine


def user_policy(machine: Machine, text: str) -> None:
    path = machine.home / ".config/interlock/policy.toml"
    path.parent.mkdir(parents=True)
    path.write_text("version = 1\n" + text)


@pytest.mark.parametrize(("amount", "verdict"), [(10, "allow"), (1000, "allow"), (5000, "ask")])
def test_a_refund_is_asked_about_from_its_threshold_on(machine: Machine, amount: int, verdict: str) -> None:
    rule = 'when = { tool = "refund", input = { amount = "> 1000" } }\nverdict = "ask"\nreason = "Look."\n'
    tool = '[tools.refund]\neffects = ["network"]\n[tiers.actions]\n"tool:refund" = 1\n'
    user_policy(machine, tool + '[[rules]]\nid = "large"\n' + rule)
    call = {"tool": "refund", "input": {"amount": amount}, "cwd": str(machine.project)}
    assert machine.run("decide", stdin=call).json["verdict"] == verdict


@pytest.mark.parametrize("command", ["make release", "npm run deploy", "make script"])
def test_a_gate_is_held_inside_recipes_and_scripts(machine: Machine, command: str) -> None:
    machine.repository()
    user_policy(machine, "[capability]\nenforce = true\n")
    (machine.project / "Makefile").write_text("release:\n\tgit push origin main\nscript:\n\t./release.sh\n")
    (machine.project / "release.sh").write_text("git push origin main\n")
    (machine.project / "package.json").write_text('{"name": "x", "scripts": {"deploy": "npm publish"}}')
    assert machine.decide("Bash", command=command).json["verdict"] == "deny"


def test_the_question_of_an_unattended_agent_waits_in_the_list(machine: Machine) -> None:
    machine.repository()
    user_policy(machine, 'posture = "autonomous"\n[approvals]\nby = ["terminal", "page", "slack"]\n')
    call = {"tool": "Bash", "input": {"command": "git push origin main"}, "session": "s", "cwd": str(machine.project)}
    asked = machine.run("decide", "--record", stdin=call).json
    assert asked["verdict"] == "deny"
    assert asked["approval"] in machine.run("approvals", "list").out
