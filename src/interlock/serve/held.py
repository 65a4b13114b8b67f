"""Calls whose requests wait for a person, as they came: for as long as they wait, and nowhere but in memory.

A question is kept without the secrets of its call. While the request that asked still waits (`wait` of
`POST /v1/decisions`), whoever answers on the page of the same process can have them revealed. INVARIANT: only the very
call that the question binds is shown: another one with the same id and another secret has another proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..store.ledger.proofs import proof_of

if TYPE_CHECKING:
    from ..model.call import Call
    from ..store.home.folders import Folders
    from ..store.people.answering import Asked

__all__ = ["Held"]


class Held:
    """Used from the loop alone, but for `call_of`, which takes what is there at once."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self._waiting: dict[str, tuple[Call, ...]] = {}

    @contextmanager
    def holding(self, approval: str, call: Call) -> Iterator[None]:
        self._waiting[approval] = (*self._waiting.get(approval, ()), call)
        try:
            yield
        finally:
            left = [one for one in self._waiting.pop(approval) if one is not call]
            if left:
                self._waiting[approval] = tuple(left)

    def call_of(self, asked: Asked) -> Call | None:
        """The call that waits for this question, with all that is hidden in it; None where nobody holds it here."""
        if not asked.is_open or asked.question.proof is None:
            return None
        waiting = self._waiting.get(asked.question.id, ())
        return next((call for call in waiting if proof_of(call, self.folders) == asked.question.proof), None)
