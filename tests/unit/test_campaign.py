"""The limits of a headless run: what is rendered, what is refused, and what counts as weaker."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from interlock.install.campaign import PROGRAMS, Campaign, policy_text, settings_text
from interlock.install.campaign_checks import unsafe_arguments, weaker
from interlock.model.errors import InputError
from interlock.model.runs_anything import runs_anything
from interlock.policy.parse import parse_policy
from interlock.policy.plan import Enforcement, Matching
from interlock.reading.runs import programs

DIGEST = "sha256:" + "0" * 64
HOOKS = {
    "PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "/bin/sh", "args": ["/g.py"]}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "/bin/sh", "args": ["/g.py"]}]}],
}
CAMPAIGN = Campaign(
    folder="/work/repo/runs/3",
    repo="/work/repo",
    plan="/work/repo/runs/3/plan.yaml",
    home="/home/ann",
    planned=(("sim", ("./sim", "--rate", "1")), ("tee", ("tee", None))),
    allow=("pytest",),
    hooks=HOOKS,
)


def settings(campaign: Campaign = CAMPAIGN) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(settings_text(campaign, DIGEST))
    return found


def policy(campaign: Campaign = CAMPAIGN) -> Any:
    return parse_policy(policy_text(campaign).encode(), name="campaign", file="campaign.toml").settings


# --- what is rendered ------------------------------------------------------------------------------


def test_both_folders_are_all_that_is_allowed() -> None:
    assert settings()["permissions"]["allowOnly"] == ["/work/repo/runs/3", "/work/repo"]
    assert settings(CAMPAIGN.replace(folder="/work/repo"))["permissions"]["allowOnly"] == ["/work/repo"]


def test_the_programs_of_the_plan_are_allowed_by_name_and_as_they_are_written() -> None:
    allowed = settings()["permissions"]["allow"]
    assert {"Bash(sim:*)", "Bash(./sim:*)", "Bash(tee:*)", "Bash(pytest:*)", "Bash(ls:*)", "Bash(git status:*)"} <= {
        *allowed
    }
    assert [rule for rule in allowed if rule.startswith(("Bash(git:", "Bash(*", "Bash(:"))] == []


def test_no_rule_allows_a_program_that_runs_anything() -> None:
    planned = (("python3.12", ("python3.12", "run.py")), ("bash", ("./bash", "-c", None)), ("", (None,)))
    allowed = settings(CAMPAIGN.replace(planned=planned))["permissions"]["allow"]
    assert [rule for rule in allowed if "python" in rule or "bash" in rule.removeprefix("Bash")] == [
        "Bash(python3.12 run.py:*)"
    ]
    assert [name for name in PROGRAMS if runs_anything(name)] == []


def test_the_lines_of_the_plan_are_allowed_as_they_are_written() -> None:
    lines = (("timeout 9 ./sim --rate 1", "a"), ("./sim *", "a"), ("a\nb", ""))
    allowed = settings(CAMPAIGN.replace(lines=lines))["permissions"]["allow"]
    assert allowed[-1] == "Bash(timeout 9 ./sim --rate 1)"
    assert len(allowed) == len(settings()["permissions"]["allow"]) + 1


def test_the_network_and_catastrophes_are_denied() -> None:
    denied = settings()["permissions"]["deny"]
    assert {"WebFetch", "Bash(curl:*)", "Bash(wget:*)", "Bash(rm -rf /:*)", "Bash(sudo:*)"} <= {*denied}
    assert "Edit(//work/repo/runs/3/.interlock/**)" in denied


def test_a_program_that_the_plan_names_is_left_to_the_hook() -> None:
    denied = settings(CAMPAIGN.replace(planned=(("curl", ("curl", "localhost:8080")),)))["permissions"]["deny"]
    assert ("Bash(curl:*)" in denied, "Bash(wget:*)" in denied) == (False, True)


def test_hooks_are_there_if_they_are_given_and_no_section_otherwise() -> None:
    assert settings()["hooks"] == HOOKS
    assert "hooks" not in settings(CAMPAIGN.replace(hooks={}))


def test_the_settings_name_the_policy_by_its_digest() -> None:
    assert settings()["env"] == {"INTERLOCK_CAMPAIGN": f"{DIGEST}:/work/repo/runs/3/.interlock/campaign.toml"}


def test_the_same_inputs_give_the_same_bytes() -> None:
    again = CAMPAIGN.replace(hooks=copy.deepcopy(HOOKS))
    assert settings_text(again, DIGEST) == settings_text(CAMPAIGN, DIGEST)
    assert policy_text(again) == policy_text(CAMPAIGN)


def test_the_policy_holds_to_the_plan_and_the_list() -> None:
    assert dict(policy()) == {
        "plan": True,
        "plan.dir": "/work/repo/runs/3",
        "plan.enforcement": Enforcement.STRICT,
        "plan.file": "plan.yaml",
        "plan.markers_per_run": 0,
        "plan.match": Matching.LINE,
        "plan.programs": tuple(sorted((*PROGRAMS, "pytest"))),
        "risk.unregistered": policy()["risk.unregistered"],
    }
    assert policy()["risk.unregistered"].name == "deny"


def test_the_plan_is_held_to_the_content_that_a_person_gave() -> None:
    assert policy(CAMPAIGN.replace(digest="sha256:00"))["plan.digest"] == "sha256:00"


def test_without_a_plan_there_are_folders_and_no_network() -> None:
    found = policy(CAMPAIGN.replace(plan="", allow=()))
    assert [key for key in found if key.startswith("plan")] == []
    with pytest.raises(InputError, match="only a plan limits which programs run"):
        CAMPAIGN.replace(plan="", allow=("pytest",)).check()


def test_a_repository_inside_the_work_folder_is_as_good() -> None:
    campaign = CAMPAIGN.replace(folder="/work/c", repo="/work/c/repo", plan="/work/c/plan.yaml")
    assert (campaign.root, policy(campaign)["plan.dir"]) == ("/work/c", "/work/c")


# --- what is refused -------------------------------------------------------------------------------

REFUSED: dict[str, dict[str, Any]] = {
    "lie apart": {"folder": "/work/other"},
    "holds too much: to be": {"folder": "/home/ann", "repo": "/home/ann", "plan": "/home/ann/plan.yaml"},
    "`/` holds too much": {"folder": "/", "repo": "/", "plan": "/plan.yaml"},
    "`/tmp` holds too much": {"folder": "/tmp", "repo": "/tmp/repo", "plan": "/tmp/plan.yaml"},
    "lies outside of": {"plan": "/work/plan.yaml"},
    "cannot stand in rules": {"folder": "/work/repo/*"},
    "has a character": {"repo": '/work/re"po', "folder": '/work/re"po/x'},
    "`bash` runs whatever": {"allow": ("bash",)},
    "`python3.12` runs whatever": {"allow": ("python3.12",)},
    "`env` runs whatever": {"allow": ("env",)},
    "`*` is not the name": {"allow": ("*",)},
    "`git push` is not the name": {"allow": ("git push",)},
    "`` is not the name": {"allow": ("",)},
}


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.parametrize("render", [policy_text, lambda campaign: settings_text(campaign, DIGEST)])
def test_what_would_be_no_limit_is_not_rendered(render: Callable[[Campaign], str], why: str) -> None:
    with pytest.raises(InputError, match=why.replace("*", r"\*")):
        render(CAMPAIGN.replace(**REFUSED[why]))


@pytest.mark.parametrize("name", sorted(programs._WRAPPERS))
def test_every_program_that_the_reading_sees_through_is_refused(name: str) -> None:
    assert runs_anything(name)


# --- what is weaker --------------------------------------------------------------------------------

EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], list[str]]] = {
    "nothing": (lambda found: None, []),
    "another model": (lambda found: found.update(model="opus"), []),
    "one more deny": (lambda found: found["permissions"]["deny"].append("Bash(npm:*)"), []),
    "one allow less": (lambda found: found["permissions"]["allow"].pop(), []),
    "one folder less": (lambda found: found["permissions"]["allowOnly"].pop(), []),
    "no hooks": (
        lambda found: found.pop("hooks"),
        ["the hook for PreToolUse is missing or was changed", "the hook for Stop is missing or was changed"],
    ),
    "another hook": (
        lambda found: found["hooks"]["Stop"][0]["hooks"][0].update(command="/bin/true"),
        ["the hook for Stop is missing or was changed"],
    ),
    "a hook beside ours": (
        lambda found: found["hooks"]["PreToolUse"].append({"hooks": []}),
        ["the hook for PreToolUse is missing or was changed"],
    ),
    "a hook of somebody else": (
        lambda found: found["hooks"].update(Setup=[]),
        ["there is a hook of somebody else, for Setup"],
    ),
    "hooks off": (lambda found: found.update(disableAllHooks=True), ["`disableAllHooks` is not false"]),
    "a helper": (lambda found: found.update(apiKeyHelper="/x"), ["`apiKeyHelper` was added"]),
    "no variable": (lambda found: found.pop("env"), ["`env` is not as it was written"]),
    "one more variable": (lambda found: found["env"].update(LD_PRELOAD="/x"), ["`env` is not as it was written"]),
    "one more allow": (lambda found: found["permissions"]["allow"].append("Bash(*)"), ["`Bash(*)` is allowed"]),
    "one more folder": (
        lambda found: found["permissions"]["allowOnly"].append("/"),
        ["`/` was added to allowOnly"],
    ),
    "no folders": (lambda found: found["permissions"].pop("allowOnly"), ["`permissions.allowOnly` is missing"]),
    "a deny less": (
        lambda found: found["permissions"]["deny"].remove("WebFetch"),
        ["`WebFetch` is no longer denied"],
    ),
    "no denies": (lambda found: found["permissions"].update(deny=None), ["`permissions.deny` is not a list of texts"]),
    "a mode that skips": (
        lambda found: found["permissions"].update(defaultMode="bypassPermissions"),
        ["`permissions.defaultMode` is not 'default'"],
    ),
    "more folders for the client": (
        lambda found: found["permissions"].update(additionalDirectories=["/"]),
        ["`permissions.additionalDirectories` was added"],
    ),
    "no permissions": (lambda found: found.pop("permissions"), ["`permissions` is missing"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_loosens_is_named_and_one_that_tightens_is_not(name: str) -> None:
    edit, wrong = EDITS[name]
    found = settings()
    edit(found)
    assert weaker(settings(), found) == wrong


ARGUMENTS = {
    ("-p", "go on", "--model", "opus"): [],
    ("--permission-mode", "plan"): [],
    ("--disallowedTools", "Bash", "--setting-sources", "user"): [],
    ("--dangerously-skip-permissions",): ["`--dangerously-skip-permissions`: it skips all permissions"],
    ("--permission-mode", "bypassPermissions"): [
        "`--permission-mode bypassPermissions`: only default, acceptEdits, dontAsk, plan keep the limits"
    ],
    ("--permission-mode=auto",): ["`--permission-mode auto`: only default, acceptEdits, dontAsk, plan keep the limits"],
    ("--permission-mode",): ["`--permission-mode `: only default, acceptEdits, dontAsk, plan keep the limits"],
    ("--settings={}",): ["`--settings`: the settings of the campaign would not be the ones in force"],
    ("x", "--bare"): ["`--bare`: it leaves all hooks out"],
    ("--add-dir", "/"): ["`--add-dir`: the folders of a campaign are its own"],
}


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments_that_leave_the_limits_out_are_named(arguments: tuple[str, ...]) -> None:
    assert unsafe_arguments(arguments) == ARGUMENTS[arguments]
