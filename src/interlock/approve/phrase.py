"""The permission phrase: a person's own message that, as a whole, is one that the policy lists.

Only where the host marks a message as the user's is this asked at all; what a tool printed or a file holds
never comes here. A phrase inside a longer message is not one: nobody gives full permission in passing, and
a text that a person pastes may hold anything.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..policy.model import Policy

__all__ = ["heard"]


def heard(message: str, policy: Policy) -> bool:
    """True if the message is a phrase that the policy lists. Case, outer blanks, one final `.` or `!` do not count."""
    if not policy.allow_phrases or len(message) > 1000:
        return False
    said = _plain(message)
    return bool(said) and any(_plain(phrase) == said for phrase in policy.phrases)


def _plain(text: str) -> str:
    text = text.strip()
    if text.endswith((".", "!")):
        text = text[:-1].rstrip()
    return text.lower()
