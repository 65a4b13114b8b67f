"""A decision as it is told: to the person who has to answer it, and to the agent whose call it is.

The person reads, once for each thing that would happen: what it is and why it is asked, the gravest first; then what a
Yes will be remembered as, what ends such questions for good, and the undo. No rule ids, and no advice to the agent. The
agent reads what was refused and what to do instead. Made where it is shown, from the call that is at hand there: the
words of a command stand in for an action that no table has a phrase for.
"""

from __future__ import annotations

from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, lazy
from .acts import does, phrase_of
from .marks import MARKS, PARTLY
from .said import quoted, sentence

if TYPE_CHECKING:
    from ..bytes.masked import masked
    from ..bytes.redact import redact, redacted
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.decision import Decision, Finding
    from ..policy.model import Policy
    from .hidden import hidden_note
    from .judged import note_of
    from .tool_call import main_arguments
    from .yes import ends, remembered_as, undo
else:
    masked = lazy(globals(), "..bytes.masked", "masked")
    redact = lazy(globals(), "..bytes.redact", "redact")
    redacted = lazy(globals(), "..bytes.redact", "redacted")
    hidden_note = lazy(globals(), ".hidden", "hidden_note")
    note_of = lazy(globals(), ".judged", "note_of")
    main_arguments = lazy(globals(), ".tool_call", "main_arguments")
    ends = lazy(globals(), ".yes", "ends")
    remembered_as = lazy(globals(), ".yes", "remembered_as")
    undo = lazy(globals(), ".yes", "undo")

__all__ = ["for_agent", "for_person", "told", "what_happens"]

_MOST = 4  # things that one question tells of
_UNREAD = "Interlock could not read all of it: "
_LAST = (MARKS["destructive"].person, PARTLY)
_TO_PERSON = frozenset(("you", "your"))
_TELLING = ("url", "file_path", "path", "sql", "query", "pattern")  # arguments that say what a call is about
_RULED = "rules"  # whose reasons a person has written: they are told as they are
_SPEAK_TO_AGENTS = ("judge", _RULED, "watch")  # layers whose reason is told to the agent, whatever it is about
_ANSWERS = ("posture", "strength", "answers", "record")  # layers that only answer what others found


def told(call: Call, reading: Reading, decision: Decision, policy: Policy, *, by_id: bool = False) -> tuple[str, str]:
    """What the person and the agent are told of a call that does not simply pass. `by_id`: the person does not answer
    in the session, but the approval by its id. Such a Yes is for one call, unless it says how far it reaches.
    """
    remembers = policy.approval_mode.name != "strict" and (not by_id or bool(call.session))
    person = for_person(call, reading, decision, remembers=remembers, by_id=by_id)
    return person, for_agent(call, reading, decision)


def for_person(call: Call, reading: Reading, decision: Decision, *, remembers: bool = True, by_id: bool = False) -> str:
    """The question, or why a call was refused. `remembers`: a Yes of this session counts beyond the call."""
    lines = what_happens(call, reading, decision)

    if decision.verdict is not Verdict.ASK:
        ungranted = [finding for finding in decision.reasons if finding.layer == "capability"]
        gated = undo(ungranted, reading) if ungranted else ""
        return "\n".join([" ".join(lines), gated]) if gated else " ".join(lines)
    asks = [finding for finding in decision.reasons if finding.verdict is Verdict.ASK]
    kept = remembered_as(asks, reading, remembers=remembers, by_id=by_id)
    more = [_hidden(call), kept, ends(asks, call, reading), undo(asks, reading)]
    if reading.judged:
        more.append(note_of(reading.judged))
    return "\n".join([" ".join(lines), *[line for line in more if line]])


def _hidden(call: Call) -> str:
    """That values of the call are hidden in what a person reads; empty where none is."""
    if redacted(call.input) is call.input:
        return ""

    return hidden_note(masked(call.input)[1])


def for_agent(call: Call, reading: Reading, decision: Decision) -> str:
    """Why a call was refused, and what to do instead; for a question, what to do if the person says no."""
    deciding = [finding for finding in decision.reasons if finding.verdict is decision.verdict]
    advice = list(dict.fromkeys([sentence(finding.instead) for finding in deciding if finding.instead]))
    if decision.verdict is Verdict.ASK:
        ruled = [sentence(finding.text) for finding in deciding if finding.layer == _RULED]
        lines = [*dict.fromkeys(ruled), *(["If they say no:", *advice] if advice else ())]
        return " ".join(["Interlock has asked the person about this call.", *lines]) if lines else ""
    about = [
        finding
        for finding in _deciding(decision)
        if finding.why or finding.actions or not finding.instead or finding.layer in _SPEAK_TO_AGENTS
    ]
    refused = [f"Refused: {line[:1].lower()}{line[1:]}" for line in _sentences(about, call, reading, for_agent=True)]
    return " ".join([*(refused or ["Refused."]), *advice])


def what_happens(call: Call, reading: Reading, decision: Decision) -> list[str]:
    """A sentence for each thing that stands against the call, the gravest first."""
    return _sentences(_deciding(decision), call, reading)


def _sentences(deciding: list[Finding], call: Call, reading: Reading, *, for_agent: bool = False) -> list[str]:
    """`for_agent`: what is said to the person alone is left out."""
    found: dict[str, list[str]] = {}
    acts = [reading.actions[finding.actions[0]] for finding in deciding if finding.actions]
    shown = _Shown(call)
    for finding in deciding:
        head = _head(finding, shown, reading, acts)
        clauses = found.setdefault(head or finding.text, [])
        if head:
            why = finding.why or finding.text.rstrip(". ")
            parts = [why] if why.startswith(_UNREAD) else why.split("; ")
            if for_agent and finding.layer != _RULED:
                parts = [part for part in parts if _TO_PERSON.isdisjoint(part.split())]
            clauses += [part for part in parts if part not in clauses]
    lines = [_sentence(head, clauses) for head, clauses in found.items()]
    more = len(lines) - _MOST
    return [*lines[:_MOST], f"And {more} more like these."] if more > 1 else lines


def _deciding(decision: Decision) -> list[Finding]:
    """The findings that made the verdict what it is; of those that only answered what others found, the others too."""
    deciding = [finding for finding in decision.reasons if finding.verdict is decision.verdict]
    if all(finding.layer in _ANSWERS for finding in deciding):
        return list(decision.reasons)
    return deciding


def _sentence(head: str, clauses: list[str]) -> str:
    """That something cannot be undone is said behind what it is, and what could not be read at the end."""
    unread = [clause.removeprefix(_UNREAD) for clause in clauses if clause.startswith(_UNREAD)]
    ordered = sorted([clause for clause in clauses if not clause.startswith(_UNREAD)], key=lambda c: c in _LAST)
    if unread:
        ordered.append(_UNREAD + ", and ".join(unread))
    return sentence(f"{head}: {'; '.join(ordered)}" if clauses else head)


def _head(finding: Finding, shown: _Shown, reading: Reading, acts: list[Action]) -> str:
    """What would happen; empty where the finding's text is all there is to say."""
    if finding.actions:
        named = finding.layer == "flow"  # its reason names the arguments that matter, one of which may be a secret
        return _does(reading.actions[finding.actions[0]], shown, given=not named)
    if not finding.why:
        return ""
    if finding.evidence is not None:
        field, start, end = finding.evidence
        for action in acts:  # it is a part of something that is told of anyway
            if action.field == field and action.span[0] < end and start < action.span[1]:
                return _does(action, shown)
        words = _words_at(shown, field, start, end)
        return f"Run {quoted(words)}" if field == "command" and " " in words.strip() else _whole(shown)
    return _whole(shown)


def _does(action: Action, shown: _Shown, *, given: bool = True) -> str:
    words = _words_at(shown, action.field, *action.span) if action.field == "command" else ""
    if " " in words.strip() or words == action.name.partition(":")[2]:
        return does(action, words)
    if phrase_of(action) is None:  # a tool: its name says more than any one of its arguments
        if action.field or not given or not action.name.startswith(("mcp:", "tool:")):
            return does(action)
        return does(action) + main_arguments(shown.call)
    return does(action, _main_text(shown, action.field))


class _Shown:
    """A call whose texts may be shown. Each is looked through once, however many actions are told of."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._texts: dict[str, str] = {}

    def readable(self, text: str) -> str:
        """The text without the secrets in it, with the addresses that decide what happens."""
        if text not in self._texts:
            if redact(text) == text:
                self._texts[text] = text
            else:
                from ..bytes.masked import masked_text

                self._texts[text] = masked_text(text)
        return self._texts[text]


def _main_text(shown: _Shown, field: str) -> str:
    """The argument that says most about a call, without the secrets in it."""
    for name in (field, "command", "cmd"):
        value = shown.call.input.get(name)
        text = " ".join([str(part) for part in value]) if type(value) is tuple else value
        if type(text) is str and text.strip():
            return shown.readable(text)
    return ""


def _words_at(shown: _Shown, field: str, start: int, end: int) -> str:
    """The characters of the input that something was read from, without the secrets in them."""
    text = shown.call.input.get(field)
    if type(text) is not str or not 0 <= start < end <= len(text):
        return ""
    whole = shown.readable(text)
    if whole != text:
        return whole  # a part by itself may not show that it is a secret
    words = text[start:end]
    return text[start:] if "<<" in words.replace("<<<", "") else words  # what a here-document says stands below


def _whole(shown: _Shown) -> str:
    command = shown.call.input.get("command")
    if type(command) is str and command.strip():
        return f"Run {quoted(shown.readable(command))}"
    given = next((text for name in _TELLING if (text := _main_text(shown, name))), "")
    return f"Use the tool {quoted(shown.call.tool)}" + (f" ({quoted(given)})" if given else "")
