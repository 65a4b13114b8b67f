"""Answers for the whole team: questions of any machine as they were shipped, and what a person says to them.

The machine that asked takes the answer with its next sync, if the question is still open there and is the one that
was answered. Nothing of it counts before; this side only says what a person at some machine's terminal said.
"""

from __future__ import annotations

import json
from typing import Any

from ...approve.lifecycle import HALFWAY
from ...approve.statement import answer_statement
from ...bytes.canon import canonical
from ...bytes.masked import hidden_in
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import ApprovalError, InputError
from ...record.chain import COLUMNS, Row, row_hash
from ...value import Value
from ...words.hidden import shown_input
from ..ledger.ledger import Ledger
from ..ledger.postgres import Database
from ..sql import team
from .team_ledger import TeamLedger

__all__ = [
    "TeamAnswer",
    "TeamAsked",
    "answer_for_team",
    "asked_in_team",
    "one_in_team",
    "team_answer",
]

_ASKED = (
    f"SELECT origin, {', '.join(COLUMNS)} FROM shipped "  # noqa: S608 - names of ours
    "WHERE kind = 'prompt' ORDER BY at, origin, seq"
)
_ANSWERED = "SELECT origin, key, body FROM shipped WHERE kind IN ('answer', 'redemption')"
_SAID = "SELECT key, body FROM ledger WHERE kind = 'answer' ORDER BY seq"


_MOST_OF_TWO = 16  # answers to a question that needs two: the machine that asked says which of them count


class TeamAsked(Value):
    """A question of one machine: which, its approval's id, the row that asked with its hash, when, and what.

    `until` is the end of a first yes where two are needed, which the second is signed for; 0: there is none.
    """

    origin: str
    id: str
    seq: int
    at: int
    body: Any
    hash: str = ""
    until: int = 0

    @property
    def needs_two(self) -> bool:
        return bool(self.body.get("two"))

    @property
    def hidden(self) -> int:
        """How many values of the call are hidden from whoever answers."""
        kept = self.body.get("hidden")
        return kept if type(kept) is int and kept >= 0 else hidden_in(self.body.get("input"))

    def statement(self, *, expires: int) -> bytes:
        """What a person signs to say yes, the same as on the machine that asked."""
        row = (self.seq, self.hash)
        return answer_statement(approval=self.id, row=row, yes=True, reach="once", expires=expires)

    def as_dict(self) -> dict[str, Any]:
        shown = ("tool", "input", "subject", "folder", "session", "run", "agent_type", "reasons", "policy", "engine")
        known: dict[str, Any] = json.loads(canonical({name: self.body.get(name) for name in shown}))
        return {
            **known,
            "input": json.loads(canonical(shown_input(self.body))),
            "hidden": self.hidden,
            "asked": self.at,
            "expires": self.body.get("expires") or None,
            "id": self.id,
            "machine": self.origin,
            "needs": self.body.get("needs", "weak"),
            "needs_two": self.needs_two,
            "starter": self.body.get("starter") or None,
            "row": self.seq,
        }


def asked_in_team(database: Database, now: int) -> list[TeamAsked]:
    """What waits for an answer on any machine, as far as it is known here, oldest first."""
    shipped = [(origin, _body(raw)) for origin, _, raw in list(database.rows(_ANSWERED))]
    said = [_body(raw) for _, raw in list(database.rows(_SAID))]
    over = {(origin, body.get("prompt")) for origin, body in shipped if body.get("answer") != HALFWAY}
    answered = {(body.get("origin"), body.get("prompt")) for body in said}
    over |= {(body.get("origin"), body.get("prompt")) for body in said if not body.get("yes")}
    first = {(body.get("origin"), body.get("prompt")): body.get("expires") for body in reversed(said)}
    first |= {(origin, body.get("prompt")): body.get("expires") for origin, body in shipped}
    found = [
        TeamAsked(origin=origin, id=row.key, seq=row.seq, at=row.at, body=_body(row.body), hash=row.hash)
        for origin, row in [(origin, Row(fields)) for origin, *fields in database.rows(_ASKED)]
        if row.hash == row_hash(row)  # who signs the hash signs what is shown
    ]
    # A machine that got an account of its own ships its ledger anew under it; what it asked before is there twice.
    own = {str(id) for id, *_, role in list(database.rows(team.ORIGINS)) if role}
    anew = {(asked.id, asked.seq) for asked in found if asked.origin in own}
    found = [asked for asked in found if asked.origin in own or (asked.id, asked.seq) not in anew]
    newest = {(asked.origin, asked.id): asked.seq for asked in found}
    return [
        asked.replace(until=_until(first.get((asked.origin, asked.seq)), now)) if asked.needs_two else asked
        for asked in found
        if (asked.origin, asked.seq) not in over
        and (asked.needs_two or (asked.origin, asked.seq) not in answered)
        and newest[asked.origin, asked.id] == asked.seq
        and not 0 < int(asked.body.get("expires") or 0) <= now
    ]


def _until(expires: object, now: int) -> int:
    return expires if type(expires) is int and expires > now else 0


def one_in_team(database: Database, name: str, now: int) -> TeamAsked:
    found = [asked for asked in asked_in_team(database, now) if name and asked.id.startswith(name)]
    if not found:
        raise ApprovalError(f"no machine of the team waits for an approval `{name[:60]}`; it may be answered already")
    if len({(asked.origin, asked.id) for asked in found}) > 1:
        raise ApprovalError(f"`{name[:60]}` is the beginning of {len(found)} approvals; write more of it")
    return found[0]


class TeamAnswer(Value):
    """What a row of kind `answer` in the team's ledger says.

    origin, prompt  the ledger that asked, and its row
    surface         where the person answered, such as `terminal`
    signature       the person's signature over the answer, as text; None: it is not signed
    expires         the end that is signed; 0 where nothing is
    """

    origin: str
    prompt: int
    yes: bool
    by: str
    why: str = ""
    surface: str = "terminal"
    signature: str | None = None
    expires: int = 0


def team_answer(row: Row) -> TeamAnswer | None:
    """The answer of a row; None where it is none. Rows of older versions name no surface and no signature."""
    said = _body(row.body)
    try:
        found = TeamAnswer(
            **{name: said[name] for name in ("origin", "prompt", "yes", "by")},
            why=str(said["why"]),
            surface=said.get("surface", "terminal"),
            signature=said.get("signature"),
            expires=said.get("expires", 0),
        )
    except (KeyError, TypeError):
        return None
    known = (str, int, bool, str, str, str, int)
    values = (found.origin, found.prompt, found.yes, found.by, found.why, found.surface, found.expires)
    if tuple(map(type, values)) != known or not isinstance(found.signature, str | None):
        return None
    return found


def answer_for_team(
    database: Database,
    asked: TeamAsked,
    *,
    yes: bool,
    by: str,
    why: str,
    surface: str = "terminal",
    signature: str | None = None,
    expires: int = 0,
) -> None:
    """Keeps the answer in the team's ledger. Of many who answer, the first counts; the others are told. Where two
    persons are needed, several are kept, and the machine that asked says which of them are two.
    """
    surfaces = asked.body.get("surfaces", (surface,))
    if yes and surface not in surfaces:
        raise ApprovalError(f"{asked.id} is approved by {', '.join(surfaces)} only, as the policy of that machine says")
    by, why = by.replace("\0", " "), why.replace("\0", " ")  # PostgreSQL's JSON has no such character
    said: dict[str, Any] = {"by": by, "origin": asked.origin, "prompt": asked.seq, "surface": surface}
    said |= {"expires": expires, "signature": signature, "why": redact(why), "yes": yes}
    ledger = TeamLedger(database)
    taken = f"{asked.id} was answered by somebody else; this answer changes nothing"
    if not ledger.standing.writes_all:
        if not ledger.answer(asked.id, canonical(said)):
            raise ApprovalError(taken)
        return
    with Ledger.on(database).deciding() as turn:
        bodies = [_body(raw) for _, raw in list(turn.database.rows(_SAID))]
        before = [body for body in bodies if (body.get("origin"), body.get("prompt")) == (asked.origin, asked.seq)]
        if len(before) >= (_MOST_OF_TWO if asked.needs_two else 1):
            raise ApprovalError(taken)
        turn.append("answer", canonical(said), key=asked.id)


def _body(raw: bytes) -> Any:
    try:
        return parse_object(raw, limit=MAX_STATE_BYTES)
    except InputError:
        return {}
