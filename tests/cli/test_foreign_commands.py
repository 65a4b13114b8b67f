"""`interlock foreign`: a person leaves a host alone that calls the hooks of other hosts."""

from __future__ import annotations

from machine import Machine
from person import at_a_terminal


def listed(machine: Machine) -> dict[str, str]:
    return {row["host"]: row["calls"] for row in machine.run("foreign", "list", "--json").json["hosts"]}


def test_a_person_leaves_a_host_alone_at_a_terminal_and_takes_it_back(machine: Machine) -> None:
    assert listed(machine) == {"cursor": "judged", "grok": "refused"}
    assert machine.run("foreign", "leave", "grok", "--yes").code == 64  # no terminal
    assert listed(machine)["grok"] == "refused"
    done = at_a_terminal(machine.home, "foreign", "leave", "grok", keys="y\n")
    assert (done.code, "interlock foreign revoke grok" in done.out.replace(f" --home {machine.home}", "")) == (0, True)
    assert listed(machine)["grok"] == "left alone"
    assert at_a_terminal(machine.home, "foreign", "leave", "cursor", "--yes").code != 0  # it is judged
    assert machine.run("foreign", "revoke", "grok").code == 0
    assert listed(machine)["grok"] == "refused"
    assert [(row["key"], row["body"]["host"]) for row in machine.rows("override")] == [("foreign", "grok")] * 2


def test_where_the_policy_forbids_to_switch_off_nobody_is_left_alone(machine: Machine) -> None:
    policy = machine.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text("version = 1\n[approvals]\nallow_off = false\n")
    assert at_a_terminal(machine.home, "foreign", "leave", "grok", "--yes").code != 0
    assert listed(machine)["grok"] == "refused"


def test_doctor_tells_of_grok(machine: Machine) -> None:
    (machine.home / ".grok").mkdir()
    (found,) = [row for row in machine.run("doctor", "--json").json["findings"] if row["check"] == "grok"]
    assert [row for row in machine.run("status", "--json").json["findings"] if row["check"] == "grok"] == [found]
    assert "no level in force covers it" in found["text"]
    told = machine.run("status").out
    assert f"warn  grok: {found['text']}" in told
    assert (found["state"], "not checked" in found["text"]) == ("warn", True)
    assert "[compat.claude]" in found["cure"]
