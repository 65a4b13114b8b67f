"""A question in words: for whom it is, what a yes to it binds, what it needs, who has answered.

Each takes the row of the question, or of an answer, as the ledger keeps it, so that every surface shows the same. Text
from outside is as it was: a surface makes it harmless (`whole_call.visible`) before it shows it.
"""

from __future__ import annotations

import json

from ..bytes.canon import canonical
from ..value import TYPE_CHECKING
from .hidden import shown_input
from .visible import fields_in_order
from .whole_call import FIRST, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["beginning", "bound_fields", "holder_words", "in_a_line", "needs_words", "said_words"]

_VALUE = 120  # columns of one argument, so that a long one does not push the others out of sight
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+,%~")


def bound_fields(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Everything that has to be the same for the approval to fire."""
    agent = body.get("agent_type") or body.get("agent")
    count = int(body.get("closed", 0))
    return [
        ("call", "the one above, with everything in it that changes what happens"),
        ("effect", "what was read of it: each action and its target"),
        ("folder", str(body["folder"])),
        ("host", str(body["host"]) or "none named"),
        ("agent", f"any agent of the type {agent}" if body.get("agent_type") else agent or "the main agent"),
        ("for", holder_words(body)),
        ("scripts", "\n".join(body["scripts"]) or "none were read"),
        *_sends(body),
        *_report(body),
        ("policy", str(body["policy"])),
        ("engine", str(body.get("engine", "before 0.3.0"))),
        (
            "number",
            "the first question about this" if not count else f"{count} questions about this were closed before",
        ),
    ]


def _sends(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The commits of a push. What could not be determined is not bound, and a person has to know that."""
    lines = [str(line) for line in body.get("sends", ())]
    told = "some commits could not be determined and are not bound: only the text of the call is"
    unknown = [told] if any(line.startswith("unknown: ") for line in lines) else []
    return [("sends", "\n".join([*lines, *unknown]))] if lines else []


def _report(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the tool's own dry run says that it would do."""
    if body.get("report") is None:
        return []
    text = json.dumps(json.loads(canonical(body["report"])), ensure_ascii=False, indent=1)
    return [("preview", text)]


def beginning(body: Mapping[str, Any]) -> str:
    """The tool and the field that says most, whole; of a call that was not kept, what is there of it."""
    given = shown_input(body) or {}
    texts = [given[name] for name in FIRST if isinstance(given.get(name), str)]
    if texts or len(given) < 2:
        return f"{body['tool']}: {texts[0] if texts else body['subject']}"
    return in_a_line(str(body["tool"]), given)


def in_a_line(tool: str, given: Mapping[str, Any]) -> str:
    """The tool with all its arguments, each shortened. A text that could be taken for another argument is quoted."""
    names = fields_in_order(given)
    told = [f"{shortened(_value(name), _VALUE)}={shortened(_value(given[name]), _VALUE)}" for name in names]
    return f"{shortened(tool, _VALUE)}: {' '.join(told)}" if told else shortened(tool, _VALUE)


def _value(value: Any) -> str:
    if isinstance(value, str) and value and _BARE.issuperset(value):
        return value
    return canonical(value).decode()


def holder_words(body: Mapping[str, Any]) -> str:
    """Whom the approval is for."""
    if body["run"]:
        return f"run {body['run']}"
    return f"session {body['session']}" if body["session"] else "this folder"


def needs_words(needs: str, *, two: bool) -> str:
    """`needs` is the least strength of a yes."""
    told = "a yes at a terminal (weak)" if needs == "weak" else f"a signed yes, {needs} or more"
    return f"{told}, of two persons; whoever started the run is neither" if two else told


def said_words(said: Mapping[str, Any]) -> str:
    """An answer: how it was, by whom, how strong, and why."""
    person = str(said.get("person", ""))
    who = f", who is {person}" if person and ":" not in person else ""
    reach = f", for the {said['reach']}" if said.get("reach") else ""
    why = f": {said['why']}" if said.get("why") else ""
    return f"{said['answer']} by {said.get('by', '')} ({said.get('strength', 'weak')}){who}{reach}{why}"
