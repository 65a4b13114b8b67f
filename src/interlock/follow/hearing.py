"""What the host's transcript tells of a person, taken in before the next call: who answered a question, who typed.

The host's events say that a question was put up and that the call ran; another hook may have answered it all the same,
and only the transcript tells. A no is told there too, or by an event (`declined`). It is weak evidence: a no and a
doubt count always, a yes for this session and what may be remembered, a phrase only where the policy says so. Nothing
of it is believed in a session that an agent's process stands above.
"""

from __future__ import annotations

from ..approve.answers import refused
from ..bytes.canon import canonical
from ..hosts import part_of
from ..hosts.traits import BY_A_PERSON, REFUSED
from ..model.heard import closed, open_question, question
from ..model.session import Changed, lower_mode, raise_mode
from ..model.verdict import Strength
from ..store.clock import now
from ..store.ledger.gaps import News, bytes_at, heard_on, news_of
from ..store.ledger.proofs import key_of, keyed_by
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .outcomes import Decided, asked_again, decision_of, given_by, load_answering

if TYPE_CHECKING:
    from typing import Any

    from ..model.events import Place
    from ..model.heard import Phrase, Question
    from ..model.session import Session
    from ..store.home.folders import Folders
    from ..store.ledger.approvals import settled_in_host
    from ..store.ledger.ledger import Turn
else:
    settled_in_host = lazy(globals(), "..store.ledger.approvals", "settled_in_host")

__all__ = ["Heard", "declined", "hear", "listened"]

_TRANSCRIPT = "transcript"


class Heard(Value):
    """What the transcripts have to tell, read before anything is locked.

    phrase  the permission phrase that waits, or that is believed
    row     the bytes that a phrase rests on which is believed
    key     of the digests that a phrase is compared by
    """

    news: News
    phrase: Phrase | None = None
    row: bytes = b""
    key: bytes = b""

    def fits(self, session: Session) -> bool:
        """Whether it is what this session has to look at."""
        return session.phrase in (None, self.phrase) and self.news.fits(session)


def hear(session: Session, place: Place, folders: Folders) -> Heard:
    """Reads the files, and loads what taking them in needs."""
    load_answering()
    part_of(place.host, "transcript")
    phrase = session.phrase
    heard = Heard(news=news_of(session, place.transcript), phrase=phrase)
    if phrase is None:
        return heard
    row = bytes_at(place.transcript, phrase.at, phrase.size) if phrase.row else b""
    return heard.replace(row=row, key=key_of(folders))


def listened(turn: Turn, session: Session, place: Place, heard: Heard) -> tuple[Session, tuple[str, ...]]:
    """The session with what is new in its transcripts, and what the person is told."""
    reader = part_of(place.host, "transcript")
    if reader is None:
        return session, ()
    new = heard.news.lines
    session, told = heard_on(turn, session, heard.news)
    said: list[str] = list(told)
    if session.questions:
        for attempt, who in reader.answers_in([line for _, lines in new.values() for line in lines]).items():
            asked = question(session, attempt)
            if asked is not None:
                session = _answered(turn, closed(session, attempt), asked, who, place.host, said)
    if session.phrase is not None:
        session = _typed(turn, session, session.phrase, reader, heard, said)
    return session, tuple(said)


def declined(turn: Turn, session: Session, projections: list[str], event: str) -> Session:
    """The session after an event of the host told that a person said no: to the newest open question about each."""
    for projection in projections:
        asked = open_question(session, projection)
        decided = None if asked is None else decision_of(turn, asked.attempt)
        if asked is not None and decided is not None:
            session = _refused(turn, closed(session, asked.attempt), decided, _told(decided, REFUSED, event))
    return session


def _told(decided: Decided, who: str, evidence: str) -> dict[str, object]:
    told = {"decision": decided.seq, "evidence": [evidence], "inferred": True, "strength": Strength.WEAK.name}
    return told | {"answer": {REFUSED: "no", BY_A_PERSON: "yes"}.get(who, "not a person's"), "surface": "host"}


def _answered(turn: Turn, session: Session, asked: Question, who: str, host: str, said: list[str]) -> Session:
    decided = decision_of(turn, asked.attempt)
    if decided is None:
        return session
    told = _told(decided, who, _TRANSCRIPT)
    if who == REFUSED and not asked.ran:
        return _refused(turn, session, decided, told)
    if who == BY_A_PERSON and asked.ran and not asked.shown and not session.parent:
        session, given = given_by(turn, session, decided, host)
        _row(turn, {**told, "approved": list(given)})
    elif who != BY_A_PERSON and asked.given:
        # What the events made look like a person's yes was none: it is not remembered after all.
        session = _withdrawn(session, asked, decided)
        _row(turn, {**told, "withdrawn": list(asked.given)})
        said.append("another hook or a rule of the host answered a question of ours, so nothing is remembered of it")
    return session


def _refused(turn: Turn, session: Session, decided: Decided, told: dict[str, object]) -> Session:
    found = asked_again(turn, decided)
    if found is None:
        return session
    reading, decision = found
    before = session.refused
    session = refused(session, reading, decision)
    _row(turn, {**told, "refused": [list(no) for no in session.refused if no not in before]})
    if decision.approval is not None:
        settled_in_host(turn, decision.approval)
    return session


def _withdrawn(session: Session, asked: Question, decided: Decided) -> Session:
    shown = tuple([Changed(**change) for change in decided.body["session"].get("changed", ())])
    paths = [change.path for change in shown]
    return session.replace(
        grants=tuple([grant for grant in session.grants if grant.id not in asked.given]),
        accepted=FrozenMap({path: d for path, d in session.accepted.items() if path not in paths}),
        changed=session.changed + tuple([change for change in shown if change not in session.changed]),
    )


def _typed(
    turn: Turn,
    session: Session,
    phrase: Phrase,
    reader: Any,
    heard: Heard,
    said: list[str],
) -> Session:
    """A phrase counts while one row of the transcript, and no other, says that a person typed just that."""
    why = _doubt(phrase, heard) if phrase.row else "its time is over" if phrase.until <= now() else ""
    at, lines = heard.news.lines.get("", (0, []))
    for line in lines:
        found = None if why else reader.message_in(line, phrase.prompt)
        if found is None:
            pass
        elif phrase.row:
            why = "the transcript has two rows of that message"
        elif not found.typed:
            why = "the transcript does not say that a person typed it"
        elif keyed_by(heard.key, canonical(found.text)) != phrase.digest:
            why = "the transcript has another text"
        else:
            phrase = phrase.replace(at=at, row=keyed_by(heard.key, line), size=len(line))
        at += len(line) + 1
    if why or session.parent:
        _row(turn, {"answer": "phrase", "believed": False, "why": why or "an agent started this session"})
        if session.raised is not None and why != "its time is over":
            said.append(f"the permission phrase no longer counts: {why}")
        return lower_mode(session)
    if phrase.row and session.raised is None:
        _row(
            turn,
            {
                "answer": "phrase",
                "believed": True,
                "evidence": [_TRANSCRIPT],
                "inferred": True,
                "strength": Strength.WEAK.name,
                "until": phrase.until,
            },
        )
        session = raise_mode(session, phrase.until)
    return session.replace(phrase=phrase)


def _doubt(phrase: Phrase, heard: Heard) -> str:
    """Why a row that was believed is not any more."""
    if phrase.until <= now():
        return "its time is over"
    same = keyed_by(heard.key, heard.row) == phrase.row
    return "" if same else "the row of the transcript that it rests on was changed"


def _row(turn: Turn, body: dict[str, object]) -> None:
    turn.append("dialog", canonical(body), key=turn.id, session=turn.id)
