"""One tool's contract, as it is checked.

`schema` is the floor in the words of JSON Schema, `constraints` relate fields to one another. Both are
plain data: what they mean is in schema.py and constraints.py. A contract can only prove that a
call breaks it; that a call keeps it is never said.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..value import Json

__all__ = ["BUILT_IN", "Contract"]

BUILT_IN = "built-in"  # the source of the contracts that come with Interlock


class Contract(Value):
    """
    source       the file it comes from, or BUILT_IN
    says         the contract in prose; shown, given to a consulted model, never guessed from
    schema       the JSON Schema of the input
    constraints  relations of fields, each with its `id`
    state        what `{"state": …}` refers to where the call brings no state of its own
    examples     inputs that keep the contract
    breaks       inputs that break it: id of what is broken -> input
    void         constraints that no call can fulfil, which are not among those above: id -> why
    loose        as role-os reads its files: null is absent, texts that are numbers may be ordered
    """

    tool: str
    source: str
    says: str = ""
    schema: Mapping[str, Json] = FrozenMap({})
    constraints: tuple[Mapping[str, Json], ...] = ()
    state: Mapping[str, Json] = FrozenMap({})
    examples: tuple[Mapping[str, Json], ...] = ()
    breaks: tuple[tuple[str, Mapping[str, Json]], ...] = ()
    void: Mapping[str, str] = FrozenMap({})
    loose: bool = False
