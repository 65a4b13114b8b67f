"""What the host tells of a person besides their own commands, and what a session keeps of it until it is sure.

A question of ours is put up by the host (`shown`), the call runs, and only later does the transcript say who answered.
A permission phrase is sent as a message like any other, and only the transcript says who typed it. All of that is weak
evidence (docs/hosts.md): nothing here reaches beyond the session. Pure: the hook reads the host's events and files.
"""

from __future__ import annotations

from ..limits import MAX_OPEN_QUESTIONS
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from .session import Session

__all__ = ["Phrase", "Question", "closed", "forget", "moved", "open_question", "put", "question", "shown"]


class Question(Value):
    """A call that the host was told to ask about, and of which the transcript has not said yet who answered.

    attempt  the host's id of the call
    shown    the host has put it before somebody
    ran      the call has run
    given    the ids of what is remembered because of that
    """

    attempt: str
    projection: str
    shown: bool = False
    ran: bool = False
    given: tuple[str, ...] = ()


class Phrase(Value):
    """A permission phrase that was sent to the agent.

    prompt  the host's id of the message
    digest  of its text, keyed
    until   the moment until which it counts, once a person is known to have typed it
    at      where the row of the transcript begins that says so
    row     that row, as a keyed digest; empty: it was not found yet
    size    how long the row is
    """

    prompt: str
    digest: str
    until: str
    at: int = 0
    row: str = ""
    size: int = 0


def put(session: Session, attempt: str, projection: str) -> Session:
    """The host is told to ask a person about this call."""
    fresh = Question(attempt=attempt, projection=projection)
    return session.replace(questions=(*closed(session, attempt).questions, fresh)[-MAX_OPEN_QUESTIONS:])


def shown(session: Session, projection: str) -> Session:
    """The host has put the newest such question before somebody. It does not name the call, only what it is."""
    for asked in reversed(session.questions):
        if asked.projection == projection and not asked.ran and not asked.shown:
            return moved(session, asked.replace(shown=True))
    return session


def open_question(session: Session, projection: str) -> Question | None:
    """The newest question about this that nobody is known to have answered."""
    return next(
        (asked for asked in reversed(session.questions) if asked.projection == projection and not asked.ran), None
    )


def question(session: Session, attempt: str | None) -> Question | None:
    return next((asked for asked in session.questions if asked.attempt == attempt), None)


def moved(session: Session, after: Question) -> Session:
    return session.replace(
        questions=tuple([after if asked.attempt == after.attempt else asked for asked in session.questions])
    )


def forget(session: Session) -> Session:
    """Nothing that a person said counts any longer: no phrase, no remembered yes and no remembered no."""
    return session.replace(raised=None, phrase=None, grants=(), refused=(), questions=())


def closed(session: Session, attempt: str) -> Session:
    return session.replace(questions=tuple([asked for asked in session.questions if asked.attempt != attempt]))
