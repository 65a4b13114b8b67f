"""What a question hides of its call, and how a person is told.

A question is kept with the call as a person sees it (`bytes/masked.py`). The raw values are kept nowhere: once no
process waits with the call, nobody can have them revealed, and whoever answers is told so.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["SAYS", "hidden_note", "hidden_words", "shown_input"]

SAYS = {
    "one": "1 value of the call is hidden in this text.",
    "more": "{count} values of the call are hidden in this text.",
}


def hidden_note(count: int) -> str:
    """For a question whose call is at hand where it is put; empty where nothing is hidden."""
    return SAYS["one" if count == 1 else "more"].format(count=count) if count else ""


def hidden_words(count: int, *, for_good: bool = True) -> str:
    """Without a full stop, so that it can stand in a sentence. `for_good`: nobody holds the raw call."""
    told = f"{count} value{' is' if count == 1 else 's are'} hidden"
    return f"{told} and cannot be revealed" if for_good else told


def shown_input(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The call of a question's row as a person sees it; None where it was not kept whole."""
    given = body.get("shown", body.get("input"))
    return given if hasattr(given, "items") else None
