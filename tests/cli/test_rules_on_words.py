"""A rule on arguments through the real command: decided, recorded without them, replayed and simulated."""

from __future__ import annotations

from typing import Any

from machine import Machine

POLICY = """\
version = 1

[tools.refund]
effects = ["network"]

[tiers.actions]
"tool:refund" = 1

[[rules]]
id = "large-refunds"
when = { tool = "refund", input = { amount = "> 1000" } }
unless = { input = { customer = { kind = "internal" } } }
verdict = "ask"
reason = "Refunds above 1000 are looked at."
matches = [{ tool = "refund", input = { amount = 1001 } }]
ignores = [{ tool = "refund", input = { amount = 5000, customer = { kind = "internal" } } }]
"""


def decided(machine: Machine, given: dict[str, Any]) -> str:
    call = {"tool": "refund", "input": given, "cwd": str(machine.project)}
    return str(machine.run("decide", "--record", stdin=call).json["verdict"])


def verdicts(machine: Machine) -> list[str]:
    calls: list[dict[str, Any]] = [{"amount": 10}, {"amount": 5000}, {"amount": 5000, "customer": {"kind": "internal"}}]
    return [decided(machine, given) for given in calls]


def test_a_rule_on_arguments_replays_without_them(machine: Machine) -> None:
    machine.user_policy(POLICY)
    assert verdicts(machine) == ["allow", "ask", "allow"]
    assert verdicts(machine) == ["allow", "ask", "allow"]  # from the compiled policy
    held = [row["body"]["receipt"]["reading"].get("holds") for row in machine.rows()[:3]]
    every = '{"every":true,"input":{"customer.kind":["internal"]}}'
    assert held == [None, ['{"input":{"amount":["> 1000"]}}'], ['{"input":{"amount":["> 1000"]}}', every]]
    run = machine.run("replay")
    assert (run.code, run.out.splitlines()[-1]) == (0, "6 of 6 receipts hold")


def test_a_new_rule_on_arguments_is_simulated_on_what_was_recorded(machine: Machine) -> None:
    machine.user_policy('version = 1\n[tools.refund]\neffects = ["network"]\n[tiers.actions]\n"tool:refund" = 1\n')
    assert verdicts(machine) == ["allow", "allow", "allow"]
    other = machine.project / "other.toml"
    other.write_text(POLICY)
    told = machine.run("simulate", "--policy", str(other), "--json").json
    assert (told["before"], told["after"]) == ({"allow": 3, "ask": 0, "deny": 0}, {"allow": 2, "ask": 1, "deny": 0})


def test_a_yes_to_one_large_refund_is_none_to_the_next(machine: Machine) -> None:
    policy = machine.project / "p.toml"
    policy.write_text(POLICY)
    calls = "\n".join(
        [
            '{"tool": "refund", "input": {"amount": 5000}, "session": "s"}',
            '{"tool": "refund", "input": {"amount": 6000}, "session": "s"}',
        ]
    )
    told = machine.run("decide", "--jsonl", "--answer", "approve", "--policy", str(policy), stdin=calls).lines
    assert [one["verdict"] for one in told] == ["ask", "ask"]
