"""A call against the contracts of its tool: what is proved to be broken, and nothing else. Never raises."""

from __future__ import annotations

from ..limits import MAX_BROKEN_CHARS
from ..model.action import Broken
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .plain import plainly_kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..value import Json
    from .constraints import violation
    from .model import Contract
    from .operands import Scene
    from .schema import Walk
else:
    violation = lazy(globals(), ".constraints", "violation")
    Scene = lazy(globals(), ".operands", "Scene")
    Walk = lazy(globals(), ".schema", "Walk")

__all__ = ["broken_by"]

# INVARIANT: a contract that cannot be evaluated proves nothing, and takes nothing from what others prove.
_OPEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def broken_by(
    contracts: tuple[Contract, ...], given: Mapping[str, Json], state: Mapping[str, Json] | None = None
) -> tuple[Broken, ...]:
    """Everything that some contract proves, each name once: several catalogues may describe one tool.

    INVARIANT: how many names there are is up to the catalogues, never to the call, else a call could hide
    what a rule looks for behind other things that it breaks.
    """
    found: dict[str, Broken] = {}
    for contract in contracts:
        for broken in (*_by_schema(contract, given), *_by_constraints(contract, given, state)):
            if broken.contract not in found:
                found[broken.contract] = _bounded(broken)
    return tuple(found.values())


def _bounded(broken: Broken) -> Broken:
    """Names of fields come from a file that may be anybody's, and end up before the agent's eyes."""
    if len(broken.text) <= MAX_BROKEN_CHARS and broken.text.isprintable():
        return broken
    text = "".join([char if char.isprintable() else "?" for char in broken.text[:MAX_BROKEN_CHARS]])
    return broken.replace(text=text + "…")


def _by_schema(contract: Contract, given: Mapping[str, Json]) -> list[Broken]:
    if not contract.loose and plainly_kept(contract.schema, given):
        return []

    walk = Walk(contract.tool, contract.schema, loose=contract.loose)
    try:
        walk.into(contract.schema, given, "", "")
    except _OPEN:
        pass
    return list(walk.found.values())


def _by_constraints(contract: Contract, given: Mapping[str, Json], state: Mapping[str, Json] | None) -> list[Broken]:
    if not contract.constraints:
        return []
    from .work import EACH, Work

    known = contract.state if state is None else FrozenMap({**contract.state, **state})
    work = Work()
    scene = Scene(input=given, state=known, work=work, loose=contract.loose)
    found = []
    for constraint in contract.constraints:
        shared = work.left
        work.left += EACH
        try:
            text = violation(constraint, scene)
        except _OPEN:
            continue
        finally:
            work.left = min(work.left, shared)
        if text is not None:
            found.append(Broken(contract=f"{contract.tool}.{constraint['id']}", level="L4", text=text))
    return found
