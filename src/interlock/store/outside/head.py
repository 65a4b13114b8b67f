"""The end of a ledger, as it is sent off the machine."""

from __future__ import annotations

from ... import __version__
from ...bytes.canon import canonical
from ...value import Value

__all__ = ["Head", "head_bytes"]


class Head(Value):
    """
    machine  whose: the account and the machine, or what the policy calls it
    ledger   the name of the ledger
    seq      number of the last row, with its `hash`
    at       when it was looked at, in milliseconds
    """

    machine: str
    ledger: str
    seq: int
    hash: str
    at: int
    engine: str = __version__


def head_bytes(head: Head) -> bytes:
    return canonical({"interlock": "head", **head.as_dict()})
