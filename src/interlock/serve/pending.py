"""How many questions of each token wait, so that one agent that asks and asks leaves room in the inbox for the others.

The policy bounds what one session may ask, and a token may name any number of sessions. What waits is counted here as
it is asked; where a token seems to have no room left, those that are over by now are looked up in the ledger.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

from ..approve.lifecycle import Question, is_open
from ..store import sql
from ..store.people.tokens import owner_of

if TYPE_CHECKING:
    from ..store.ledger.ledger import Ledger

__all__ = ["Pending"]

_AT_ONCE = 500  # ids in one statement: both engines limit its parameters


class Pending:
    """For any number of threads. Questions that another service asked on the same ledger count from the next start."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[str, set[str]] | None = None  # token -> ids of questions that waited when they were looked at
        self._deciding: Counter[str] = Counter()  # token -> calls that are decided now, and may become questions
        self._lock = threading.Lock()

    def opened(self, token: str, approval: str) -> None:
        with self._lock:
            if self._open is not None:
                self._open.setdefault(token, set()).add(approval)

    def ended(self, token: str) -> None:
        """A call that `begins` has counted is decided."""
        with self._lock:
            self._deciding[token] -= 1
            if not self._deciding[token]:
                del self._deciding[token]

    def begins(self, ledger: Ledger, token: str) -> bool:
        """Whether a call of it may be a new question, if every other that is decided now becomes one. It counts as one
        itself until it has `ended`.
        """
        with self._lock:
            beside = self._deciding[token]
            self._deciding[token] += 1
            if self._open is None:
                self._open = _waiting(ledger)
            mine = set(self._open.get(token, ()))
        if len(mine) + beside < self.most:
            return True
        over = mine - _open_of(ledger, list(mine))
        with self._lock:
            left = self._open.get(token, set())
            left -= over
            if not left:
                self._open.pop(token, None)
            return len(left) + beside < self.most


def _open_of(ledger: Ledger, ids: list[str]) -> set[str]:
    """Those of them that still wait. An agent that asks on and on costs each of its calls one statement."""
    found = set()
    with ledger.looking() as view:
        for at in range(0, len(ids), _AT_ONCE):
            some = ids[at : at + _AT_ONCE]
            for row in list(view.database.rows(sql.approvals_of(len(some)), tuple(some))):
                question = Question.in_order(*row)
                if is_open(question, view.at):
                    found.add(question.id)
    return found


def _waiting(ledger: Ledger) -> dict[str, set[str]]:
    """What waits as the service starts, by the token that its session belongs to."""
    found: dict[str, set[str]] = {}
    owners: dict[str, str | None] = {}
    with ledger.looking() as view:
        for row in list(view.database.rows(sql.WAITING)):
            question = Question.in_order(*row)
            if is_open(question, view.at):
                if question.holder not in owners:
                    owners[question.holder] = owner_of(view, question.holder)
                owner = owners[question.holder]
                if owner is not None:
                    found.setdefault(owner, set()).add(question.id)
    return found
