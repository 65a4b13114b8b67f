"""The id of an approval for the slow decider, written out: what is bound, as JSON with its keys in order, digested."""

from __future__ import annotations

import hashlib
import json

from interlock import __version__
from interlock.policy.model import tool_to_wire
from strategies import Case

__all__ = ["approval_id"]


def _happens(case: Case) -> str:
    listed = [[action.name, dict(action.target)] for action in case.reading.actions]
    return json.dumps(listed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _row_of_the_tool(case: Case) -> str:
    spec = case.policy.tools.get(case.call.tool)
    if spec is None:
        return ""
    text = json.dumps([spec.name, tool_to_wire(spec)], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def approval_id(case: Case, closed: int) -> str:
    bound = {
        "closed": closed,
        "engine": __version__,
        "projection": case.reading.projection,
        "happens": "sha256:" + hashlib.sha256(_happens(case).encode()).hexdigest(),
        "folder": case.call.cwd,
        "tool": _row_of_the_tool(case),
        "scripts": [],
        "sends": [],
        "session": case.call.session,
        "run": "",
    }
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "ap_" + hashlib.sha256(text.encode()).hexdigest()[:32]
