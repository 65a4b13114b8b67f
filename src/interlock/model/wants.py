"""What a reading may ask of the world: one small value for each kind of fact.

A reading that does not know something puts a want into `Reading.missing`. The store looks each kind up by its row in a
table (`store/facts/facts.py`, `store/facts/more_facts.py`), and puts what it found into `Facts.known`, under the want
itself. What cannot be found out stays missing. Wants are never written down: receipts hold what was made of the
answers. Here is what nearly every call asks; `more_wants.py` has the other kinds.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Key

if TYPE_CHECKING:
    from typing import Generic, TypeVar

    Answer_co = TypeVar("Answer_co", covariant=True)

    class Want(Key, Generic[Answer_co]):
        """A fact that is wanted. The type in brackets is that of its answer."""

        taken_as_empty = False  # whether a reading goes on as if the answer were empty, until it knows

else:

    class Want(Key):
        taken_as_empty = False

        def __class_getitem__(cls, _answer):
            return cls


__all__ = ["Real", "Script", "Want"]


class Real(Want[str]):
    """Where the path leads once links are followed. The answer goes into `Facts.real`, by the path."""

    path: str


class Script(Want[str]):
    """The text of a file that the call runs or obeys. The answer goes into `Facts.scripts`, by the path."""

    path: str
