"""`interlock doctor` and `interlock status` about what lies beside settings: plug-ins and campaigns."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from machine import Machine

PLAN = "arms:\n- arm_id: a\n  conditions:\n  - {name: one, cmd: ./sim --rate 1 | tee out.log, output: out.log}\n"
DENIED = "a call that must be denied was denied, through the plug-in"


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients on the search path that say their version."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, version in (("claude", "2.1.327 (Claude Code)"), ("opencode", "1.18.33")):
        (folder / name).write_text(f"#!/bin/sh\necho '{version}'\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.defpath}")


def findings(machine: Machine, check: str, *hosts: str) -> list[tuple[str, str, str | None]]:
    rows = machine.run("doctor", "--json", *hosts).json["findings"]
    return [(row["state"], row["text"], row["cure"]) for row in rows if row["check"] == check]


def status(machine: Machine) -> Any:
    return machine.run("status", "--json").json


def own(machine: Machine, command: str) -> str:
    return f"interlock --home {machine.home} {command}"


# --- a plug-in folder ---------------------------------------------------------------------------------


@pytest.fixture
def plugin(machine: Machine) -> Path:
    place = machine.home / "my plugin"
    done = machine.run("install", "claude-code", "--plugin", str(place), "--yes")
    assert done.code == 0, done.err
    return place


def test_a_plug_in_that_is_intact_is_found_and_tried(machine: Machine, plugin: Path) -> None:
    started = f"it is as it was written; sessions of `claude --plugin-dir '{plugin}'` have it"
    assert findings(machine, "plug-in") == [("ok", started, None), ("ok", DENIED, None)]
    only = f"its settings do not name Interlock: only sessions with the plug-in are checked ({plugin})"
    assert findings(machine, "claude-code") == [("warn", only, own(machine, "install claude-code"))]
    assert machine.run("doctor", "claude-code").code == 0
    assert status(machine)["plugins"] == {str(plugin): "intact"}
    assert status(machine)["hosts"]["claude-code"] == "with its plug-in only"
    assert f"plug-in {plugin}: intact" in machine.run("status").out.splitlines()


def test_with_settings_as_well_the_host_is_guarded_in_every_session(machine: Machine, plugin: Path) -> None:
    assert machine.run("install", "claude-code", "--yes").code == 0
    assert status(machine)["hosts"]["claude-code"] == "guarded"
    assert {state for state, _, _ in findings(machine, "claude-code")} == {"ok"}
    assert findings(machine, "plug-in", "opencode") == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [".claude-plugin/plugin.json", "hooks/hooks.json"])
@pytest.mark.parametrize("how", ["gone", "changed"])
def test_a_plug_in_that_was_changed_or_lost_a_file_is_wrong(
    machine: Machine, plugin: Path, name: str, how: str, tmp_path: Path
) -> None:
    file, mark = plugin / name, tmp_path / "started"
    if how == "gone":
        file.unlink()
        why = f"`{file}` is gone"
    else:
        found = json.loads(file.read_text().replace("Decides", "Guesses"))
        for (group,) in found.get("hooks", {}).values():
            (handler,) = group["hooks"]
            handler["args"] = ["-c", f"touch {mark}", *handler["args"]]
            handler["command"] = "/bin/sh"
        file.write_text(json.dumps(found))
        why = f"`{file}` was changed since `interlock install` wrote it"
    cure = own(machine, f"install claude-code --plugin '{plugin}'")
    assert findings(machine, "plug-in") == [
        ("bad", f"{why}: sessions that are started with it may be unguarded", cure),
    ]
    assert not mark.exists()  # what somebody else has written there is not started
    assert machine.run("doctor").code == 1
    assert status(machine)["plugins"] == {str(plugin): "changed"}
    told = f"plug-in {plugin}: changed; see: {own(machine, 'doctor')}"
    assert told in machine.run("status").out.splitlines()
    assert machine.run("install", "claude-code", "--plugin", str(plugin), "--yes").code == 0  # the cure
    assert status(machine)["plugins"] == {str(plugin): "intact"}


def test_a_plug_in_that_was_taken_out_is_no_longer_looked_for(machine: Machine, plugin: Path) -> None:
    (machine.home / ".local/state/interlock/installed.json").write_text("{}")
    assert (findings(machine, "plug-in"), status(machine)["plugins"]) == ([], {})


# --- the plug-in of OpenCode --------------------------------------------------------------------------


def test_opencode_s_plug_in_is_found_and_one_that_was_changed_is_wrong(machine: Machine) -> None:
    assert machine.run("install", "opencode", "--yes").code == 0
    file = machine.home / ".config/opencode/plugin/interlock.js"
    assert ("ok", f"its settings name Interlock for every event ({file})", None) in findings(machine, "opencode")
    assert status(machine)["hosts"]["opencode"] == "guarded"
    before = file.read_text()
    file.write_text(before.replace('throw new Failure("" + reason)', "return"))
    assert file.read_text() != before
    why = f"`{file}` is not as `interlock install` writes it: nothing is checked"
    assert findings(machine, "opencode") == [("bad", why, own(machine, "install opencode"))]
    assert status(machine)["hosts"]["opencode"] == "installed, but not called"
    file.unlink()
    assert status(machine)["hosts"]["opencode"] == "not guarded"


# --- campaigns ----------------------------------------------------------------------------------------


@pytest.fixture
def campaign(machine: Machine) -> Path:
    place = machine.project / "runs/3"
    place.mkdir(parents=True)
    (place / "plan.yaml").write_text(PLAN)
    done = machine.run("campaign", "init", "runs/3", "--repo", ".", "--plan", "runs/3/plan.yaml", "--allow-bin", "rg")
    assert done.code == 0, done.err
    return place


def test_a_campaign_that_is_intact_is_found(machine: Machine, campaign: Path) -> None:
    assert findings(machine, "campaign") == [
        ("ok", f"{campaign} is as it was written, and holds a run to its limits", None),
    ]
    assert status(machine)["campaigns"] == {str(campaign): "intact"}
    assert f"campaign {campaign}: intact" in machine.run("status").out.splitlines()
    assert findings(machine, "campaign", "opencode") == []


def broken(campaign: Path, how: str) -> str:
    """Breaks it, and says what is told."""
    settings, policy = campaign / ".claude/settings.json", campaign / ".interlock/campaign.toml"
    if how == "the policy is gone":
        policy.unlink()
        return f"`{policy}` is missing"
    if how == "the policy was edited":
        policy.write_text(policy.read_text() + "\n")
        return f"`{policy}` is not what would be written now"
    if how == "hooks were taken out":
        kept = json.loads(settings.read_text())
        del kept["hooks"]
        settings.write_text(json.dumps(kept))
        return f"`{settings}`: "
    if how == "the plan is gone":
        (campaign / "plan.yaml").unlink()
        return "there is no plan `"
    (campaign / ".interlock/campaign.json").unlink()
    return "there is no campaign in `"


@pytest.mark.parametrize(
    "how",
    ["the policy is gone", "the policy was edited", "hooks were taken out", "the plan is gone", "the record is gone"],
)
def test_a_campaign_that_would_not_be_started_says_why_and_how_to_repair_it(
    machine: Machine, campaign: Path, how: str
) -> None:
    why = broken(campaign, how)
    found = findings(machine, "campaign")
    assert {state for state, _, _ in found} == {"warn"}
    assert any(text.startswith(f"{campaign} would not be started: {why}") for _, text, _ in found), found
    plan = f"{campaign}/plan.yaml"
    kept = f"--repo {machine.project} --plan {plan} --allow-bin rg"
    again = "--repo REPO --plan PLAN" if how == "the record is gone" else kept
    assert {cure for _, _, cure in found} == {own(machine, f"campaign init {campaign} {again}")}
    assert status(machine)["campaigns"] == {str(campaign): "would not start"}


def test_a_campaign_whose_folder_is_gone_is_over(machine: Machine, campaign: Path) -> None:
    campaign.rename(machine.home / "elsewhere")
    assert (findings(machine, "campaign"), status(machine)["campaigns"]) == ([], {})
