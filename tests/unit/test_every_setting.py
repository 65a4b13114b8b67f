"""No setting does nothing: another value of it makes another policy, on the wire and in the compiled file too."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.policy.compile import compile_policy
from interlock.policy.meaning import Doubts, doubts_of
from interlock.policy.model import Policy
from interlock.policy.parse import parse_policy
from interlock.policy.schema import SECTIONS
from interlock.policy.wire import compiled_lines, policy_from_lines, policy_from_wire, policy_to_wire
from interlock.store.home.policies import default_file

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4e"
# For each setting a value that is not the built-in one.
OTHER = {
    "risk.max": '"low"',
    "risk.allow_critical": "true",
    "risk.ask_at": '"low"',
    "risk.unregistered": '"deny"',
    "risk.built_in_tools": "false",
    "tiers.effects": "{ write = 2 }",
    "tiers.marks": "{ install = 3 }",
    "tiers.actions": '{ "git:push" = 3 }',
    "tiers.permissive": "3",
    "plan.enforcement": '"strict"',
    "plan.dir": '"runs"',
    "plan.file": '"plan.yaml"',
    "plan.match": '"exact"',
    "plan.marker": '"# by hand"',
    "plan.markers_per_run": "1",
    "plan.idle": "1",
    "plan.require_outputs": "false",
    "plan.programs": '["ls"]',
    "plan.digest": '"sha256:00"',
    "capability.enforce": "true",
    "capability.actions": '["kubectl:*"]',
    "loop.enforce": "false",
    "undo.lowers": "false",
    "undo.days": "3",
    "undo.bytes": "100000000",
    "loop.pace": "30",
    "loop.polls": "20",
    "undo.owners": '{ "npm:*" = "release team" }',
    "loop.repeat": "2",
    "loop.lock": "5",
    "loop.pending": "1",
    "approvals.phrases": '["carry on"]',
    "approvals.phrase_minutes": "5",
    "approvals.allow_phrases": "false",
    "approvals.believe_transcript": "true",
    "approvals.by": '["terminal"]',
    "approvals.elicit": '["claude-code"]',
    "approvals.strength": '"strong"',
    "approvals.actions": '{ "git:push" = "strong" }',
    "approvals.keys": f'["{KEY}"]',
    "approvals.two_for": '["npm:publish"]',
    "approvals.allow_off": "true",  # a managed policy that says nothing of it says false
    "approvals.timeout": "5",
    "approvals.on_timeout": '"hold"',
    "approvals.headless": '"defer"',
    "approvals.wait": '"30s"',
    "approvals.max_pending": "1",
    "hook.on_allow": '"silent"',
    "preview.page": "true",
    "hook.observe": "{ until = 2026-12-01 }",
}
# What a setting cannot do without.
BESIDES = {
    "approvals.two_for": f"""keys = ["{KEY} ann", "{OTHER_KEY} bob"]
[people.ann]
signers = ["ann"]
[people.bob]
signers = ["bob"]"""
}
OF_MERGING = {"hook.allow_observe"}  # it says what files below may say, and bears on no decision


def policy_of(text: str) -> Policy:
    default = Path(default_file())
    managed = f"version = 1\n{text}\n".encode()
    return compile_policy((("default", default.name, default.read_bytes()), ("managed", "managed.toml", managed)))


def test_every_setting_is_tried() -> None:
    settings = {f"{section}.{field.key}" for section, fields in SECTIONS.items() for field in fields}
    assert settings == OTHER.keys() | OF_MERGING


@pytest.mark.parametrize("setting", OTHER)
def test_another_value_makes_another_policy(setting: str) -> None:
    section, _, key = setting.partition(".")
    besides = BESIDES.get(setting, "")
    policy = policy_of(f"[{section}]\n{key} = {OTHER[setting]}\n{besides}")
    assert policy.digest != policy_of(f"[{section}]\n{besides}").digest
    assert policy_from_wire(policy_to_wire(policy), digest=policy.digest, notices=policy.notices) == policy
    assert policy_from_lines(compiled_lines(policy)) == policy


def test_every_setting_can_be_pinned() -> None:
    text = f"pin = {[*OTHER]}"
    source = parse_policy(f"version = 1\n{text}\n".encode(), name="managed", file="managed.toml")
    assert doubts_of(source, policy_of(text), "2026-11-16T00:00:00Z") == Doubts()
