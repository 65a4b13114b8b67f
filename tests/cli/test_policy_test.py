"""`interlock policy test`, `policy profiles`, `policy show --profile`, and the pytest plug-in, in real processes."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from machine import Machine

POLICY = """version = 1
[[rules]]
id = "no-main"
when = { action = "git:push", target = { branch = "main" } }
verdict = "deny"
reason = "Nobody pushes to main."

[[rules]]
id = "freeze"
when = { action = "npm:publish", time = "Fri" }
verdict = "deny"
reason = "Nothing is published on a Friday."
"""
CASES = """
- id: push-to-main
  command: git push origin main
  expect: deny
  rule: no-main
- id: push-elsewhere
  command: git push origin feature
  expect: ask
- id: publish-on-friday
  command: npm publish
  expect: deny
  rule: freeze
  at: 2026-11-13T12:00:00+01:00
"""


@pytest.fixture
def tested(machine: Machine) -> Machine:
    machine.project_policy(POLICY)
    folder = machine.project / ".interlock/tests"
    folder.mkdir(parents=True)
    (folder / "cases.yaml").write_text(CASES.replace("at: 2026", 'at: "2026').replace("+01:00", '+01:00"'))
    return machine


def test_cases_of_the_project_are_run_against_the_policy_in_force(tested: Machine) -> None:
    run = tested.run("policy", "test", "--coverage-min", "100")
    assert (run.code, run.out) == (0, "3 of 3 cases as expected; 2 of 2 rules are tried (100 %)\n")


def test_a_failing_case_is_told_with_its_place_and_reasons(tested: Machine) -> None:
    cases = tested.project / "more.jsonl"
    cases.write_text(json.dumps({"id": "wrong", "command": "git push origin main", "expect": "ask", "rule": "freeze"}))
    run = tested.run("policy", "test", str(cases))
    file = tested.project / ".interlock/policy.toml"
    assert run.code == 1
    assert run.out.splitlines() == [
        f"FAILED {cases}:1: wrong",
        "  expected ask, got deny",
        "  expected the rule `freeze` to match; matched: `no-main`",
        "  rules/no-main: Nobody pushes to main.",
        *[line for line in run.out.splitlines() if line.startswith("  tiers/")],
        f"rule `no-main` ({file}) matches in every case",
        f"rule `freeze` ({file}) never matches",
        "0 of 1 cases as expected; 0 of 2 rules are tried (0 %)",
    ]


def test_json_and_junit_say_the_same(tested: Machine) -> None:
    report = tested.project / "out.xml"
    run = tested.run("policy", "test", "--json", "--junit", str(report))
    told = run.json
    assert (run.code, told["passed"], told["failed"], told["coverage"]["percent"]) == (0, 3, 0, 100.0)
    assert [row["rule"] for row in told["coverage"]["rules"] if row["tried"]] == ["no-main", "freeze"]
    assert [case["verdict"] for case in told["cases"]] == ["deny", "ask", "deny"]
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "0")
    assert [case.get("name") for case in suite] == ["push-to-main", "push-elsewhere", "publish-on-friday"]


def test_too_little_coverage_fails(tested: Machine) -> None:
    one = tested.project / "one.jsonl"
    one.write_text('{"id": "x", "command": "git status", "expect": "allow"}')
    run = tested.run("policy", "test", str(one), "--coverage-min", "50")
    assert run.code == 1
    assert run.out.splitlines()[-1] == "too few rules are tried: 0 %, at least 50 % are asked for"


def test_bad_cases_end_with_64_and_a_bad_policy_with_65(tested: Machine) -> None:
    odd = tested.project / "odd.yaml"
    odd.write_text("- id: x\n  command: ls\n  expect: allow\n  at: tomorrow\n  rule: 3\n")
    run = tested.run("policy", "test", str(odd))
    assert run.code == 64
    assert f"{odd}:1:1: case `x`: `rule` must be the id of a rule, or a list of ids" in run.err
    assert "`at` must be a text with date, time and offset, such as `2026-12-01T09:00:00Z`" in run.err
    bad = tested.project / "bad.toml"
    bad.write_text("version = 2")
    assert tested.run("policy", "test", "--policy", str(bad)).code == 65


def test_without_cases_it_says_where_they_go(machine: Machine) -> None:
    run = machine.run("policy", "test")
    assert run.code == 64
    assert f"put some into `{machine.project}/.interlock/tests`" in run.err


def test_profiles_are_listed_and_shown(machine: Machine) -> None:
    listed = machine.run("policy", "profiles", "--json").json
    assert [row["profile"] for row in listed] == ["default", "careful", "autonomous", "ci", "readonly", "serve"]
    assert machine.run("policy", "profiles").out.count("\n") == 6
    shown = machine.run("policy", "show", "--profile", "careful", "--json").json
    assert (shown["profile"], shown["policy"]["approval_mode"]) == ("careful", "strict")
    assert 'approval_mode = "strict"' in machine.run("policy", "show", "--profile", "careful").out


def test_a_person_names_a_profile_in_their_policy(machine: Machine) -> None:
    machine.user_policy('version = 1\nprofile = "readonly"\n')
    assert machine.run("policy", "check").code == 0
    assert (
        f"{machine.home}/.config/interlock/policy.toml, with the profile `readonly`"
        in machine.run("policy", "show").out
    )
    assert machine.decide("Write", file_path="a.py", content="").code == 1
    assert machine.decide("Read", file_path="a.py").code == 0


@pytest.mark.slow
def test_pytest_collects_cases_and_gives_the_policy(tested: Machine) -> None:
    (tested.project / "test_policy.py").write_text(
        "from interlock.testing import assert_allows, assert_denies\n"
        "def test_main(interlock_policy):\n"
        "    assert_denies('git push origin main', policy=interlock_policy, rule='no-main')\n"
        "def test_status(interlock_policy):\n"
        "    assert_allows('git status', policy=interlock_policy)\n"
        "def test_wrong(interlock_policy):\n"
        "    assert_allows('git push origin main', policy=interlock_policy)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "test_policy.py", ".interlock/tests"],
        cwd=tested.project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "1 failed, 5 passed" in done.stdout
    assert "expected allow, got deny for 'git push origin main'" in done.stdout


CONTRACT_RULES = """
version = 1
[[rules]]
id = "edits-change-something"
when = { contract = "Edit.*" }
verdict = "deny"
reason = "The call breaks the contract of the tool."
[[rules]]
id = "small-steps"
when = { contract = "mcp__ship__release.percent.*" }
verdict = "ask"
reason = "More than a tenth at once."
"""
CONTRACT_CASES = """
- {id: same, call: {tool: Edit, input: {file_path: a.py, old_string: x, new_string: x}}, expect: deny}
- {id: other, call: {tool: Edit, input: {file_path: a.py, old_string: x, new_string: y}}, expect: allow}
- {id: all, call: {tool: mcp__ship__release, input: {percent: 100}}, expect: ask, rule: small-steps}
"""


@pytest.fixture
def with_contracts(machine: Machine) -> Machine:
    machine.project_policy(CONTRACT_RULES)
    (machine.project / ".interlock/tests").mkdir()
    (machine.project / ".interlock/tests/cases.yaml").write_text(CONTRACT_CASES)
    (machine.project / ".interlock/contracts.json").write_text(
        json.dumps({"mcp__ship__release": {"params": [{"name": "percent", "type": "integer", "max": 10}]}})
    )
    return machine


@pytest.mark.sampled(3)
@pytest.mark.parametrize("more", [(), ("--policy", ".interlock/policy.toml")], ids=["in force", "a file"])
def test_rules_about_contracts_can_be_tried(with_contracts: Machine, more: tuple[str, ...]) -> None:
    run = with_contracts.run("policy", "test", *more)
    assert (run.code, run.out, run.err) == (0, "3 of 3 cases as expected; 2 of 2 rules are tried (100 %)\n", "")


def test_a_catalogue_that_checks_nothing_is_told(with_contracts: Machine) -> None:
    (with_contracts.project / ".interlock/contracts.json").write_text("{")
    run = with_contracts.run("policy", "test")
    assert run.code == 1
    assert ".interlock/contracts.json: no contracts of this file are checked: " in run.err


@pytest.mark.slow
def test_pytest_knows_the_contracts_of_the_project(with_contracts: Machine) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", ".interlock/tests"]
    done = subprocess.run(command, cwd=with_contracts.project, capture_output=True, text=True, check=False)
    assert "3 passed" in done.stdout
