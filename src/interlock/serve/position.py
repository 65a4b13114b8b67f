"""How far something that is sent on has come in the ledger: a small file, replaced in one step.

It is written after what it stands for was done. A process that is killed in between does that once more, and never
leaves it out. It names its ledger: one that was begun anew counts its rows from 1 again.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..model.errors import InputError, StoreError
from ..store.home.files import read_file, write_file
from ..value import Value

__all__ = ["Position"]

_MOST = 4096  # bytes


class Position(Value):
    """`after` is the number of the last row that was dealt with."""

    ledger: str
    after: int

    @classmethod
    def kept_in(cls, path: str) -> Position | None:
        """None where there is none yet. StoreError where it cannot be read: guessing would lose or repeat rows."""
        raw = read_file(path, limit=_MOST)
        if raw is None:
            return None
        try:
            found = parse_object(raw)
        except InputError:
            found = {}
        ledger, after = found.get("ledger"), found.get("after")
        if type(ledger) is not str or type(after) is not int or after < 0:
            raise StoreError(f"`{path}` does not say how far it is; remove it to go on with what happens from now on")
        return cls(ledger=ledger, after=after)

    def keep(self, path: str) -> None:
        write_file(path, canonical({"after": self.after, "ledger": self.ledger}))
