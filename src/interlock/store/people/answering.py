"""A person's side of approvals: what is asked, in full, and an answer to it.

Only a surface calls this, after it made sure who is there. An answer to something unknown, over, answered already or
no longer able to fire says so and changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ... import __version__
from ...approve.lifecycle import (
    APPLIED,
    APPROVED,
    EXPIRED,
    HALFWAY,
    Question,
    answer,
    apply,
    close,
    expire,
    is_live,
    is_open,
    reminders,
    why_dead,
)
from ...approve.statement import answer_statement
from ...bytes.canon import canonical
from ...bytes.masked import hidden_in
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...model.errors import ApprovalError, InputError, StoreError
from ...model.session import remember_refusal
from ...model.verdict import Strength
from ...policy.model import OnTimeout
from ...record.sessions import session_from_wire, session_to_wire
from ...value import TYPE_CHECKING, lazy
from ...words.hidden import hidden_words, shown_input
from .. import sql
from ..ledger.approvals import answers_to, asked_row, find, is_reminder_due, move, note_reminder
from ..ledger.grants import GivenGrant, give
from ..ledger.ledger import Ledger, Turn, View

if TYPE_CHECKING:
    from .pairs import pair_of
else:
    pair_of = lazy(globals(), ".pairs", "pair_of")

__all__ = [
    "Asked",
    "answered",
    "applied",
    "every_question",
    "hooks_that_ran",
    "newest_questions",
    "not_applied",
    "one_question",
    "question_in",
    "questions_after",
    "remind",
    "waiting_questions",
    "why_not_answered",
    "why_not_applied",
    "why_not_unseen",
]

_BEFORE = "before 0.3.0"  # questions name the engine that asked since then
_MINUTE = 60_000
_SKEW = 5 * _MINUTE  # by which the clocks of two machines may differ
_WEEK = 7 * 24 * 60 * _MINUTE
_PAGE = 200  # rows that are looked at in one go
_RECENT = 1000  # of the rows that name a hook's parent: more processes than that do not live at once


class Asked:
    """A question as a person sees it: how it stands now, what was asked, what was answered.

    `said` is the last answer; where two persons are needed, `answers` holds both. `dead` says why a question that is
    pending or approved can no longer fire.
    """

    def __init__(
        self,
        question: Question,
        body: Mapping[str, Any],
        answers: Sequence[Mapping[str, Any]],
        now: int,
        hash: str = "",
    ) -> None:
        self.hash = hash  # of the row that asked
        self.question = expire(question, now)
        self.body = body
        self.answers = tuple(answers)
        self.said = answers[-1] if answers else None
        self.gave: tuple[GivenGrant, ...] = ()  # with the answer that was just taken
        self.now = now
        self.dead = why_dead(self.question, now, engine=(str(body.get("engine", _BEFORE)), __version__))

    @property
    def is_open(self) -> bool:
        """Whether somebody can still answer it."""
        return is_open(self.question, self.now) and self.dead is None

    @property
    def is_missed(self) -> bool:
        """Whether a person may wait for it in vain: it is dead, its time is not over, and it is not old."""
        return self.dead is not None and is_live(self.question, self.now) and self.now - self.question.asked < _WEEK

    @property
    def input(self) -> Mapping[str, Any] | None:
        """The whole input of the call as a person sees it, secrets left out; None where it was not kept, so that nobody
        can see it.
        """
        return shown_input(self.body)

    @property
    def hidden(self) -> int:
        """How many values of the call are hidden from whoever answers. They are kept nowhere."""
        kept = self.body.get("hidden")
        return kept if type(kept) is int and kept >= 0 else hidden_in(self.input)

    @property
    def standing(self) -> str:
        """How it stands, in a word."""
        return "dead" if self.dead is not None else self.question.status

    @property
    def needs(self) -> Strength:
        """How strong a yes must be."""
        return Strength.of(str(self.body.get("needs", "weak")))

    @property
    def needs_two(self) -> bool:
        """Whether two persons have to say yes."""
        return bool(self.body.get("two"))

    @property
    def starter(self) -> str:
        """Who started the run, such as `login:ann`; empty where that was not kept."""
        return str(self.body.get("starter", ""))

    def signed_until(self, at: int) -> int:
        """The end that a yes is signed for: the second of two is for the end of the first."""
        halfway = self.question.status == HALFWAY
        return self.question.expires if halfway else at + int(self.body["timeout"]) * _MINUTE

    def statement(self, *, expires: int) -> bytes:
        """What a person signs to say yes."""
        row = (self.question.seq, self.hash)
        return answer_statement(approval=self.question.id, row=row, yes=True, reach="once", expires=expires)

    @property
    def reminders(self) -> int:
        if self.body["on_timeout"] != OnTimeout.REMIND.name:
            return 0
        return reminders(self.question, self.now, int(self.body["timeout"]) * _MINUTE)

    def _report(self) -> dict[str, Any]:
        """What the tool's own dry run has told, where it has one."""
        report = self.body.get("report")
        return {} if report is None else {"report": json.loads(canonical(report))}

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.question.id,
            "status": self.question.status,
            "dead": self.dead,
            "tool": self.body["tool"],
            "input": None if self.input is None else json.loads(canonical(self.input)),
            "hidden": self.hidden,
            "subject": self.body["subject"],
            "folder": self.body["folder"],
            "session": self.body["session"],
            "run": self.body["run"],
            "agent": self.body.get("agent", ""),
            "agent_type": self.body.get("agent_type", ""),
            "asked": self.question.asked,
            "expires": self.question.expires or None,
            "reminders": self.reminders,
            "reasons": list(self.body["reasons"]),
            "receipt": self.body["receipt"],
            "policy": self.body["policy"],
            "engine": self.body.get("engine"),
            "closed_before": self.body.get("closed", 0),
            "scripts": list(self.body["scripts"]),
            "sends": list(self.body.get("sends", ())),
            **self._report(),
            "row": self.question.seq,
            "needs": self.needs.name,
            "needs_two": self.needs_two,
            "starter": self.starter or None,
            "answer": None if self.said is None else _told(self.said),
            "answers": [_told(said) for said in self.answers],
        }


def _told(said: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{key: said.get(key) for key in ("answer", "by", "person", "why", "signer", "reach")},
        "strength": said.get("strength", "weak"),
        "surface": said.get("surface"),
    }


def every_question(ledger: Ledger, *, over: bool = False) -> list[Asked]:
    """What waits for an answer, oldest first; with `over` also what waits no more.

    What could fire but for a new engine is among them for a week: a person may still wait for it.
    """
    if not ledger.database.is_there():
        return []
    # Of those that are over, however many there were, nothing but the table is looked at.
    statement = sql.APPROVALS if over else sql.WAITING
    with ledger.looking() as view:
        found = [_asked(view, Question.in_order(*row)) for row in list(view.database.rows(statement))]
    return [asked for asked in found if over or asked.is_open or asked.is_missed]


def waiting_questions(view: View) -> list[Asked]:
    """The same for whoever only looks, and holds nobody up: what waits or could still fire, oldest first."""
    found = [_asked(view, Question.in_order(*row)) for row in list(view.database.rows(sql.WAITING))]
    return [asked for asked in found if asked.is_open or asked.is_missed]


def questions_after(
    view: View,
    after: tuple[int, int],
    *,
    over: bool = False,
    of: Callable[[str], bool] = lambda _holder: True,
) -> Iterator[Asked]:
    """As `every_question`, one page of rows after another. `after`: when the last one seen was asked, and its row. `of`
    says whose are wanted, by their holder, before their rows are read.
    """
    statement = sql.APPROVALS_AFTER if over else sql.WAITING_AFTER
    while True:
        rows = [Question.in_order(*row) for row in view.database.rows(statement, (after[0], *after, _PAGE))]
        for question in rows:
            if of(question.holder):
                asked = _asked(view, question)
                if over or asked.is_open or asked.is_missed:
                    yield asked
        if len(rows) < _PAGE:
            return
        after = (rows[-1].asked, rows[-1].seq)


def newest_questions(view: View, count: int) -> list[Asked]:
    """The last ones, however they ended, newest first."""
    rows = list(view.database.rows(sql.LAST_APPROVALS, (count,)))
    return [_asked(view, Question.in_order(*row)) for row in rows]


def question_in(view: View, id: str) -> Asked | None:
    """By its whole id."""
    kept = find(view, id)
    return None if kept is None else _asked(view, kept)


def remind(ledger: Ledger, asked: Asked) -> None:
    """Keeps that a person was reminded of what still waits."""
    minutes = int(asked.body["timeout"])
    with ledger.looking() as view:
        kept = _still_open(view, asked)
        if kept is None or not is_reminder_due(view, kept, minutes):
            return
    with ledger.deciding(str(asked.body["session"])) as turn:
        kept = _still_open(turn, asked)
        if kept is not None:
            note_reminder(turn, kept, minutes)


def _still_open(view: View, asked: Asked) -> Question | None:
    kept = find(view, asked.question.id)
    return kept if kept is not None and kept.seq == asked.question.seq and is_open(kept, view.at) else None


def one_question(ledger: Ledger, name: str) -> Asked:
    """The question with this id or the beginning of it. ApprovalError where there is none, or more than one."""
    if name and ledger.database.is_there():
        with ledger.looking() as view:
            kept = find(view, name) or _beginning_with(view, name)
            if kept is not None:
                return _asked(view, kept)
    raise ApprovalError(f"nobody has asked for an approval `{name[:60]}`; see: interlock approvals list --all")


def _beginning_with(view: View, name: str) -> Question | None:
    """The one question whose id begins so; ApprovalError where there are several."""
    if not name.isascii():
        return None
    ids = (name, name + "\x7f")  # ids are plain letters and digits, which all come before that
    found = [Question.in_order(*row) for row in list(view.database.rows(sql.BEGINNING, (*ids, 2)))]
    if len(found) > 1:
        count = (view.database.row(sql.COUNT_BEGINNING, ids) or (0,))[0]
        raise ApprovalError(f"`{name[:60]}` is the beginning of {count} approvals; write more of it")
    return found[0] if found else None


def why_not_answered(
    shown: Asked, *, yes: bool, where: str = "terminal", strength: Strength | None = None
) -> str | None:
    """Why no answer to this question is taken from this surface; None where one is.

    A `strength` of None is not known yet.
    """
    id = shown.question.id
    surfaces = shown.body.get("where", (where,))
    if yes and where not in surfaces:
        return f"{id} is approved by {', '.join(surfaces)} only, as the policy says"
    if shown.dead is not None:
        return f"{id} can no longer fire: {shown.dead}; when the agent makes the call again, you are asked anew"
    if yes and shown.is_open and shown.input is None:
        return f"{id} is too long to be shown whole, and what was not shown cannot be approved"
    if yes and shown.is_open and strength is not None and strength < shown.needs:
        return f"{id} needs a yes that is signed ({shown.needs} or more), and this one is {strength}"
    return None


def why_not_unseen(shown: Asked) -> str | None:
    """Why a yes to this question says too little; None where nothing of the call is hidden."""
    if not shown.is_open or not shown.hidden:
        return None
    return f"{hidden_words(shown.hidden)} in {shown.question.id}; a yes has to say that it counts all the same"


def answered(
    ledger: Ledger,
    shown: Asked,
    *,
    yes: bool,
    by: str,
    why: str,
    where: str = "terminal",
    signed: Mapping[str, Any] | None = None,
    person: str = "",
    reach: str = "once",
    gives: Sequence[GivenGrant] = (),
    unseen: bool = False,
) -> Asked:
    """Answers just what was shown, from a surface that may. A no is remembered for the session that asked.

    `person` is who answers (`policy.people.person_of`); empty: whoever runs this process. `gives` are grants that go
    with a yes which reaches further (`offers.py`), kept with it or not at all. `signed` holds the signature of a
    yes, who made it, how strong it is and until when it is for; the hook checks all of it again before the call fires.
    Where two persons are needed, who answers is told by the signature alone. `unseen`: the person was told that values
    are hidden, and said yes to that too.
    """
    strength = Strength.of(signed["strength"]) if signed is not None else Strength.WEAK
    refused = why_not_answered(shown, yes=yes, where=where, strength=strength)
    if refused is None and yes and not unseen:
        refused = why_not_unseen(shown)
    if refused is not None:
        raise ApprovalError(refused)
    with ledger.deciding(str(shown.body["session"])) as turn:
        kept = find(turn, shown.question.id)
        if kept is None or kept.seq != shown.question.seq:
            raise ApprovalError(f"{shown.question.id} was asked anew since it was shown; look at it again")
        after = expire(kept, turn.at)
        if kept.status == after.status:
            lasts = int(shown.body["timeout"]) * _MINUTE
            how: dict[str, Any] = {"by": by, "strength": strength.name, "surface": where, "why": redact(why)}
            how["person"] = person or _own_person()
            if reach != "once":
                how["reach"] = reach
            if yes and shown.hidden:
                how["hidden"] = shown.hidden
            pair = None
            if yes and shown.needs_two:
                pair = pair_of(turn, kept, shown.body, signed, answers_to(turn, kept))
                if person not in ("", pair.person):
                    raise ApprovalError(f"{kept.id}: {person} answers, and it is signed with a key of {pair.person}")
                how["person"] = pair.person
            if yes and signed is not None:
                counts_for = int(signed["expires"]) - turn.at
                other = kept.status == HALFWAY and signed["expires"] != kept.expires
                if other or not 0 < counts_for <= lasts + _SKEW:
                    raise ApprovalError(f"the signature for {kept.id} is for another time; sign it again")
                lasts = counts_for
                how |= {"signature": str(signed["signature"]), "signer": str(signed["signer"])}
            after = answer(kept, yes=yes, at=turn.at, counts_for=lasts, pair=pair)
            state = None if yes else _with_no(turn, shown.body["refusal"])
            move(turn, kept, after, how, state=state)
            if after.status == APPROVED:
                gives = [give(turn, given) for given in gives]
        else:  # the time was over before anybody noticed
            move(turn, kept, after, {"by": "timeout"})
        result = _asked(turn, after)
        result.gave = tuple(gives) if after.status == APPROVED else ()
    if after.status == EXPIRED:
        raise ApprovalError(f"{kept.id} is expired already; this answer came too late and changes nothing")
    return result


def applied(
    ledger: Ledger, shown: Asked, *, by: str, person: str, says: str, preview: str, where: str = "terminal"
) -> Asked:
    """A preview of the call was applied in its place. `says` is what the agent is told when the call comes again."""
    refused = why_not_applied(shown, where=where)
    if refused is not None:
        raise ApprovalError(refused)
    with ledger.deciding(str(shown.body["session"])) as turn:
        kept = find(turn, shown.question.id)
        if kept is None or kept.seq != shown.question.seq:
            raise ApprovalError(f"{shown.question.id} was asked anew since it was shown; look at it again")
        after = apply(kept, turn.at)
        how = {"by": by, "person": person or _own_person(), "surface": where, "strength": Strength.WEAK.name}
        move(turn, kept, after, {**how, "applied": redact(says), "preview": preview, "why": "applied from a preview"})
        return _asked(turn, after)


def not_applied(ledger: Ledger, shown: Asked, why: str) -> None:
    """What was to be applied could not be: the question is closed, and the call is asked about anew."""
    with ledger.deciding(str(shown.body["session"])) as turn:
        kept = find(turn, shown.question.id)
        if kept is not None and kept.status == APPLIED:
            move(turn, kept, close(kept), {"by": "preview", "why": redact(why)})


def why_not_applied(shown: Asked, *, where: str = "terminal") -> str | None:
    """Why no preview of this call can be applied in its place; None where one can."""
    id = shown.question.id
    refused = why_not_answered(shown, yes=True, where=where)
    if refused is not None:
        return refused
    if not shown.is_open:
        return f"{id} is {shown.question.status} already"
    if shown.needs is not Strength.WEAK or shown.needs_two:
        return f"{id} needs a signed yes to the call itself; a preview of it is not applied in its place"
    if shown.question.proof is not None:
        return f"{id} has secrets in it, which are not kept; it cannot be run as it was asked"
    return None


def _own_person() -> str:
    """Who runs this process, as far as the system tells."""
    import pwd

    try:
        return f"login:{pwd.getpwuid(os.getuid()).pw_name}"
    except KeyError:
        return f"uid:{os.getuid()}"


def _with_no(turn: Turn, keys: tuple[str, ...]) -> bytes | None:
    """The state of the session that asked, with the no in it: variants are denied and not asked again."""
    if turn.state is None:
        return None
    try:
        wire: Any = parse_object(turn.state, limit=len(turn.state) + 1)
        session = remember_refusal(session_from_wire(wire["session"]), tuple(keys))
    except (InputError, KeyError, TypeError) as error:
        raise StoreError(f"the kept state of the session cannot be read: {error}") from None
    return canonical({**wire, "session": session_to_wire(session)})


def hooks_that_ran(ledger: Ledger) -> list[tuple[int, int]]:
    """The processes that started hooks lately, each with its beginning."""
    if not ledger.database.is_there():
        return []
    statement = "SELECT body FROM ledger WHERE kind IN ('session', 'prompt') ORDER BY seq DESC LIMIT ?"
    found = set()
    for (body,) in ledger.connect().rows(statement, (_RECENT,)):
        try:
            parent: Any = parse_object(body, limit=len(body) + 1).get("parent")
        except InputError:
            continue  # `audit verify` tells; here only what can be read counts
        if type(parent) is tuple and len(parent) == 2:
            found.add((int(parent[0]), int(parent[1])))
    return sorted(found)


def _asked(turn: View, question: Question) -> Asked:
    row = turn.database.entry(sql.BY_SEQ, (question.seq,))
    hash = "" if row is None else str(row.hash)
    return Asked(question, asked_row(turn, question), answers_to(turn, question), turn.at, hash)
