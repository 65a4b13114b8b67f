"""Claude Code: PreToolUse events in, `hookSpecificOutput` out. Its other events are in `claude_events.py`.

Exactly one JSON object goes to stdout, and nothing else: anything around it makes the host
drop the answer and go on. A deny is told as JSON, because exit code 2 shows the agent the
whole command line of the hook; exit code 2 is kept for when stdout cannot be written.
"""

from __future__ import annotations

from ..bytes.canon import canonical, digest
from ..model.errors import HostError, printable
from ..model.events import Decided, Proposed, Refusal, Spoken
from ..model.toolnames import OF_HOSTS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .traits import ELICITATION, EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import call_of, cut, deny, place_of, remedies_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.decision import Decision
    from ..model.events import Event, Place, Reply
    from ..value import Json
    from .claude_events import other_event, settings, told
else:
    other_event = lazy(globals(), ".claude_events", "other_event")
    settings = lazy(globals(), ".claude_events", "settings")
    told = lazy(globals(), ".claude_events", "told")

__all__ = ["NAME", "SHIELD", "TRAITS", "answer", "event_from", "gates", "settings", "spoken"]

SHIELD = "interlock_shield"  # what the shield (install/shield) adds to the input of a call, and wants an answer to
_WORD = 32  # hexadecimal digits

_OF_ANOTHER = "hookEventName"

NAME = "claude-code"
TRAITS = Traits(
    title="Claude Code",
    settings_in=".claude/settings.json",
    moved_by="CLAUDE_CONFIG_DIR",
    asks=True,
    runs_after=(EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    blocks_on="onFailure",
    has_rules=True,
    lifts=True,
    waits=True,
    ends_turns=True,
    tells=("ended", "shown", "said", "typed", "began", "stopping", "resettled", "closed"),
    names_calls=True,
    asks_in=("default", "acceptEdits", "plan"),
    own_words=ELICITATION,
    own_lines=3,
    shield_lines=10,
    parts=("events", "install", "settings", "transcript"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

# Events that decide about no call: one is put up, what became of it, what was said, how a session begins and ends.
_FOLLOWED = (
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "Stop",
    "SubagentStop",
    "SessionEnd",
)


def gates(data: Mapping[str, Json]) -> bool:
    return data.get("hook_event_name") not in _FOLLOWED


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    """The event, with what the hook's own environment says.

    Grok sends the fields of this host beside its own ones.
    """
    if _OF_ANOTHER in data:
        raise HostError(f"expected an event of Claude Code, got one with `{_OF_ANOTHER}`, which it never sends")
    attended = environment.get("CLAUDE_CODE_SESSION_ATTENDED", "1") != "0"
    place = place_of(NAME, data, environment, parent, project="CLAUDE_PROJECT_DIR", attended=attended)
    place = place.replace(scratch=_scratch(place))
    if data.get("hook_event_name") == "PreToolUse":
        word = _word_in(data.get("tool_input"))
        data = _without_word(data)
        mode = text_of(data, "permission_mode")
        return Proposed(place=place, call=call_of(NAME, data), planning=mode == "plan", mode=mode, word=word)
    return other_event(data, place)


_NAMED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def _scratch(place: Place) -> str:
    """Where the client has its agent put throw-away files. The project is named there as its transcripts are."""
    project = place.transcript.rpartition("/")[0].rpartition("/")[2]
    if not project or not place.session or not _NAMED.issuperset(project + place.session):
        return ""
    return f"/tmp/claude-{{uid}}/{project}/{place.session}/scratchpad"  # noqa: S108 - it is the client's


def _word_in(given: Json) -> str:
    """The shield's word in the input of a call. Only what looks like one: an agent could name an argument like that."""
    found = given.get(SHIELD) if isinstance(given, FrozenMap) else None
    return found if type(found) is str and len(found) == _WORD and not found.strip("0123456789abcdef") else ""


def _without_word(data: Mapping[str, Json]) -> Mapping[str, Json]:
    """The event as it is without the shield: its word is none of the call's input."""
    given = data.get("tool_input")
    if not _word_in(given) or not isinstance(given, FrozenMap):
        return data
    left = FrozenMap({key: value for key, value in given.items() if key != SHIELD})
    return FrozenMap({**data, "tool_input": left})


def _proof(data: Mapping[str, Json]) -> str:
    """The answer to the shield's word: which call of which session was judged, and with which input."""
    word = _word_in(data.get("tool_input"))
    if not word:
        return ""
    names = {"call": "tool_use_id", "session": "session_id", "tool": "tool_name"}
    judged = {name: data.get(field) for name, field in names.items()}
    return digest({**judged, "input": _without_word(data)["tool_input"], "word": word})


def spoken(data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken:
    """One JSON object, or nothing where there is nothing to say."""
    if type(reply) is Decided:
        said = answer(
            reply.decision,
            silent=reply.silent,
            person=reply.person,
            agent=reply.agent,
            notes=reply.notes,
            warnings=reply.warnings,
            defers=reply.defers,
            proof=_proof(data),
            dialog=reply.dialog,
        )
        return Spoken(stdout=b"" if said == _NOTHING else said)
    if type(reply) is Refusal and data.get("hook_event_name") != "ConfigChange":
        return Spoken(stdout=deny(f"Interlock: {reply.reason}.", reply.person))
    return Spoken(stdout=told(str(data.get("hook_event_name")), reply))


_NOTHING = (
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}\n'  # an answer without a decision, and no word with it
)


def answer(
    decision: Decision,
    *,
    silent: bool,
    person: str = "",
    agent: str = "",
    notes: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    defers: bool = False,
    proof: str = "",
    dialog: str = "",
) -> bytes:
    """The host's JSON. A reason for a question is shown to the `person`, one for a deny goes to the `agent`.

    Notes go to the agent, warnings to the person. `defers`: a call that waits ends the run. Without a decision
    (`silent`) the host's own rules apply. `proof`: by it the shield knows what this hook judged; it takes it out.
    `dialog`: the question that the shield is to put.
    """
    output: dict[str, Any] = {"hookEventName": "PreToolUse"}
    asks = decision.verdict is Verdict.ASK
    if not silent:
        output["permissionDecision"] = "defer" if defers else decision.verdict.name
        if decision.reasons:
            output["permissionDecisionReason"] = cut(f"Interlock: {person if asks else agent}")
    told_agent = (*notes, agent) if asks and agent else notes
    if told_agent:
        output["additionalContext"] = cut("\n".join(told_agent))
    if proof:
        output["additionalContext"] = f"{output.get('additionalContext', '')}\n{SHIELD}:{proof}".lstrip("\n")
        output["additionalContext"] += f"\n{SHIELD}:{proof}:{dialog}" if dialog else ""
    message: dict[str, Any] = {"hookSpecificOutput": output}
    told = (*map(printable, warnings), *([] if asks else remedies_of(decision, person)))
    if told:
        message["systemMessage"] = cut("Interlock: " + "\n".join(told))
    if any(finding.locks for finding in decision.reasons):  # this host can end the agent's turn
        message["continue"] = False
        message["stopReason"] = cut(f"Interlock: {person}")
    return canonical(message) + b"\n"
