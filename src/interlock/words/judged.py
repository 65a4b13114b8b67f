"""That two models saw no danger, as the person who is asked reads it. It is a note, and answers nothing."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .said import quoted

if TYPE_CHECKING:
    from ..model.action import Judgement

__all__ = ["SAYS", "note_of"]

SAYS = {"safe": "Note: two models ({first} and {second}) see no danger in it. They can be wrong; you decide."}


def note_of(judged: tuple[Judgement, ...]) -> str:
    """Empty where not both of two said so."""
    if len(judged) != 2 or any(judgement.says != "safe" for judgement in judged):
        return ""
    return SAYS["safe"].format(first=quoted(judged[0].model), second=quoted(judged[1].model))
