"""The files of a campaign: the host's settings, the policy, and the record of what both were rendered from.

The record also keeps the digests of what was written. A file with another content was edited by hand, and is never
overwritten.
"""

from __future__ import annotations

import json
import os

from ...bytes.canon import digest_of_bytes
from ...install.campaign import Campaign, policy_text, settings_text
from ...limits import MAX_PLAN_BYTES, MAX_WATCHED_BYTES
from ...model.errors import InputError, StoreError
from ...model.facts import Facts
from ...plan.parse import compile_plan
from ...value import TYPE_CHECKING, Value
from ..plan_yaml import plan_data
from .files import read_file, write_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...policy.model import Policy

__all__ = ["POLICY", "SETTINGS", "Rendered", "kept_inputs", "rendered", "with_plan_of", "write_rendered"]

SETTINGS, POLICY, _RECORD = ".claude/settings.json", ".interlock/campaign.toml", ".interlock/campaign.json"


class Rendered(Value):
    """One file of a campaign: as it is (None: it is not there), and as it is rendered now."""

    file: str
    now: bytes | None
    then: bytes
    edited: bool

    @property
    def idle(self) -> bool:
        return self.now == self.then


def with_plan_of(campaign: Campaign, policy: Policy) -> Campaign:
    """The campaign with what its plan runs. InputError where that is no plan."""
    if not campaign.plan:
        return campaign
    raw = read_file(campaign.plan, limit=MAX_PLAN_BYTES)
    if raw is None:
        raise InputError(f"there is no plan `{campaign.plan}`")
    try:
        found = compile_plan(plan_data(raw), Facts(root=campaign.root, home=campaign.home, commands=policy.commands))
    except (InputError, ValueError) as error:
        raise InputError(f"`{campaign.plan}`: {error}") from None
    programs = [(program.name, program.words) for step in found.steps for program in step.programs]
    return campaign.replace(
        digest=digest_of_bytes(raw),
        planned=tuple(dict.fromkeys(programs)),
        lines=tuple([(step.text, step.arm) for step in found.steps]),
    )


def rendered(campaign: Campaign) -> tuple[Rendered, ...]:
    """The settings and the policy. InputError where there is nothing to be limited to."""
    policy = policy_text(campaign).encode()
    texts = {SETTINGS: settings_text(campaign, digest_of_bytes(policy)).encode(), POLICY: policy}
    kept = _record(campaign.folder) or {}
    found = []
    for name, then in texts.items():
        file = f"{campaign.folder}/{name}"
        now = read_file(file, limit=MAX_WATCHED_BYTES)
        edited = now not in (None, then) and digest_of_bytes(now or b"") != kept.get(name)
        found.append(Rendered(file=file, now=now, then=then, edited=edited))
    return tuple(found)


def write_rendered(campaign: Campaign, files: tuple[Rendered, ...]) -> None:
    """Writes what is not there yet, or not in this form, and the record at last."""
    for one in files:
        if os.path.islink(one.file):  # it would be replaced by a file, or lead out of the folder
            raise StoreError(f"`{one.file}` is a link; nothing was written")
    for one in files:
        if not one.idle:
            write_file(one.file, one.then)
    record = {
        "version": 1,
        "allow": list(campaign.allow),
        "plan": campaign.plan,
        "repo": campaign.repo,
        **{one.file[len(campaign.folder) + 1 :]: digest_of_bytes(one.then) for one in files},
    }
    raw = (json.dumps(record, indent=2, sort_keys=True) + "\n").encode()
    file = f"{campaign.folder}/{_RECORD}"
    if read_file(file, limit=MAX_WATCHED_BYTES) != raw:
        write_file(file, raw)


def kept_inputs(folder: str) -> tuple[str, str, tuple[str, ...]]:
    """Repository, plan and added programs of the campaign in this folder. InputError where there is none."""
    record = _record(folder)
    if record is None:
        raise InputError(f"there is no campaign in `{folder}`; make one: interlock campaign init {folder} …")
    repo, plan, allow = record.get("repo"), record.get("plan"), record.get("allow")
    if type(repo) is not str or type(plan) is not str or not isinstance(allow, list):
        raise InputError(f"`{folder}/{_RECORD}` cannot be read; make the campaign again: interlock campaign init")
    return repo, plan, tuple([str(name) for name in allow])


def _record(folder: str) -> Mapping[str, Any] | None:
    raw = read_file(f"{folder}/{_RECORD}", limit=MAX_WATCHED_BYTES)
    if raw is None:
        return None
    try:
        found = json.loads(raw)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
