"""What a person signs: one line of canonical JSON that says all that the signature is for.

A signature is good for one statement and nothing else, so whatever must not be reused is in it: the row that asks with
its hash, the end, the reach. The first field names the kind, so that no statement can be read as one of another kind.
Each names its ledger, so that what is signed for one machine does nothing on another: an answer by the hash of the row
that asks, which follows from all rows before it; anything else by the name of the ledger. Only a bundle of policy is
meant for many machines: there, its version number keeps an old one from being used again.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

__all__ = ["KINDS", "answer_statement", "change_statement", "grant_statement", "off_statement", "statement"]

# kind -> what whoever signs it says
KINDS = {
    "answer": "yes or no to one question",
    "approver": "a key is enrolled or removed",
    "bundle": "a policy is in force on every machine that pins the key",
    "grant": "something is permitted ahead",
    "observe": "only the floor is enforced until a day",
    "off": "all but the floor is off for a while",
    "pins": "what an MCP server says of its tools is accepted, or forgotten",
    "posture": "a project's posture is loosened",
    "profile": "another profile is in force",
    "release": "another session may enter a run folder",
    "trust": "a project's policy may loosen",
    "uninstall": "the hooks are taken out of a host's settings",
    "unlock": "a locked session goes on, or what a person said no to in it is forgotten",
}

_BINDS = {"answer": "row", "bundle": "number"}  # what keeps a statement from being used elsewhere or again


def statement(kind: str, **fields: Any) -> bytes:
    if kind not in KINDS:
        raise ValueError(f"`{kind}` is not a kind of statement")
    if not fields.get(_BINDS.get(kind, "ledger")):
        raise ValueError(f"a statement of the kind `{kind}` must name its {_BINDS.get(kind, 'ledger')}")
    return canonical({"interlock": kind, "version": 1, **fields})


def answer_statement(*, approval: str, row: tuple[int, str], yes: bool, reach: str, expires: int) -> bytes:
    """`row` is the one that asks: its number and its hash, which covers everything that was shown."""
    return statement("answer", answer="yes" if yes else "no", approval=approval, expires=expires, reach=reach, row=row)


def change_statement(*, ledger: str, change: str, key: str, name: str, at: int, after: str) -> bytes:
    """`after` is the digest of the change before it: the same change cannot be made again later."""
    return statement("approver", ledger=ledger, after=after, at=at, change=change, key=key, name=name)


def off_statement(*, ledger: str, session: str, until: int, after: str) -> bytes:
    """`session`: which; empty: every one. `after` is the digest of the last such row, on or off: what a person has
    ended cannot be put in force again.
    """
    return statement("off", ledger=ledger, after=after, session=session, until=until)


def grant_statement(given: dict[str, Any], *, ledger: str) -> bytes:
    """All of the grant's row but its id, which follows from it."""
    return statement("grant", ledger=ledger, given=given)
