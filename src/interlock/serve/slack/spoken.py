"""What a text in a thread says: an answer, or talk.

A yes has to be one: a word alone, or with what it is about. `approve? not sure` is talk that looks like a yes, and is
asked back. After `deny` anything may follow, as its reason. Pure.
"""

from __future__ import annotations

import re

from ...value import Value

__all__ = ["Spoken", "heard"]

_ANSWER = re.compile(
    r"(?:<@[A-Z0-9]+>[\s,:]*)?(approve|deny)\b(?:\s+(ap_[0-9a-f]{4,64})\b)?(.*)", re.IGNORECASE | re.DOTALL
)
_REST = re.compile(
    r"[\s.!]*(for (?:this|the) session)?(?:[\s.!]*|[\s,.]*(?:because|:)\s+(\S.*))", re.IGNORECASE | re.DOTALL
)
_REASON = re.compile(r"[\s.,!:–-]*(?:because\b)?[\s:]*(.*)", re.IGNORECASE | re.DOTALL)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
_MOST = 1500  # characters of a reason


class Spoken(Value):
    """
    about   the beginning of the approval's id, if it was named
    unclear it begins as a yes and goes on as something else
    """

    yes: bool
    about: str = ""
    reach: str = "once"
    why: str = ""
    unclear: bool = False


def heard(text: str) -> Spoken | None:
    """None where it is no answer."""
    found = _ANSWER.fullmatch(text.strip())
    if found is None:
        return None
    word, about, rest = found[1].lower(), (found[2] or "").lower(), found[3]
    if word == "deny":
        reason = _REASON.fullmatch(rest)
        return Spoken(yes=False, about=about, why=_plain(reason[1] if reason else rest))
    more = _REST.fullmatch(rest)
    if more is None:
        return Spoken(yes=True, about=about, unclear=True)
    return Spoken(yes=True, about=about, reach="session" if more[1] else "once", why=_plain(more[2] or ""))


def _plain(text: str) -> str:
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    return " ".join(text.split())[:_MOST]
