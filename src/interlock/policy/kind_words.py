"""How the reference in docs/policy.md names the kinds of values that the schema has."""

from __future__ import annotations

from .places import PLACES
from .schema import PROFILES, SURFACES

__all__ = ["kind_words"]


def kind_words(kind: str) -> str:
    """How the reference names a kind."""
    return {
        "version": "`1`",
        "engine": "a version, such as `0.4`",
        "posture": "`interactive`, `autonomous`, `dry_run`, `locked`",
        "mode": "`permissive`, `default`, `strict`",
        "enforcement": "`warn`, `strict`",
        "matching": "`program`, `prefix`, `exact`",
        "comment": "text that begins with `#`",
        "name": "name of a file, without folders",
        "risk": "`low`, `medium`, `high`, `critical`",
        "verdict": "`allow`, `ask`, `deny`",
        "effects": "list of `read`, `write`, `network`, `execute`, `spawn`, `destructive`",
        "postures": "list of postures",
        "places": f"list of {', '.join(f'`{place}`' for place in PLACES)}",
        "profile": f"{', '.join(f'`{profile}`' for profile in PROFILES)}",
        "window": "text such as `Mon-Fri 09:00-17:00 Europe/Berlin`",
        "confirm": "`true`, `false` or a list of marks",
        "texts": "list of texts",
        "tags": "list of [marks](reading.md#marks)",
        "command lines": "list of command lines",
        "named tables": "a table for each name",
        "scope": "table of globs",
        "conditions": "table of conditions",
        "commands": "text or list of texts, with `*`",
        "when": "table, see below",
        "rounds": "a number from 2 to 6",
        "count": "a number from 0 to a million",
        "uses": "a number from 1 to a million",
        "minutes": "a number from 1 to 1440",
        "ask or deny": "`ask`, `deny`",
        "approvers": f"list of {', '.join(f'`{surface}`' for surface in SURFACES)}",
        "on_timeout": "`hold`, `remind`, `deny`",
        "headless": "`defer`, `deny`",
        "on_allow": "`always`, `approve`, `silent`, or a table of them by mode",
        "duration": "text such as `90s` or `2m`, at most `9m`",
        "observe": "table with `until`",
        "strength": "`weak`, `medium`, `strong`",
        "strengths": "table of `weak`, `medium` or `strong`",
        "keys": "list of public keys",
        "role": "`approver`, `admin`",
        "examples": "list of texts or tables",
        "moment": "date, or date and time with offset",
        "glob": "text with `*` and `?`",
        "address": "http or https address",
        "store": "postgresql address",
        "evidence": "list of addresses",
        "seconds": "number from 0.1 to 3",
        "roles": "table of roles",
        "tiers": "table of `1`, `2` or `3`",
        "tiers of marks": "table of `1`, `2` or `3`",
        "obeyed": "table of `denied`, `asked` or `noted`",
        "tier 2 or 3": "`2` or `3`",
        "tables": "a table for each tool",
    }.get(kind, kind)
