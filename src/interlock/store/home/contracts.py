"""Finds the contracts of the tool that is called: those that come with Interlock, and the catalogues there are.

Only the entry of the called tool is looked at, so a call costs the reading of small files. A catalogue that
cannot be used means no checks from it and a warning; contracts only ever add notes, so it needs no trust,
and what one catalogue says another cannot take away.
"""

from __future__ import annotations

import os

from ... import PACKAGE
from ...bytes.strict import parse_object
from ...contracts.model import BUILT_IN, Contract
from ...limits import MAX_CONTRACTS_BYTES
from ...model.errors import InterlockError
from ...model.toolnames import NATIVE
from ...value import TYPE_CHECKING, FrozenMap, lazy
from .files import DISK

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...contracts.parse import contract_from
    from ...model.call import Call
    from ..facts.remembered import AtOnce, Remembered
    from .files import Disk
    from .folders import Folders
else:
    contract_from = lazy(globals(), "...contracts.parse", "contract_from")

__all__ = ["PROJECT_CONTRACTS", "ROLE_OS_CONTRACTS", "Catalogues", "built_in_tools", "is_role_os", "read_catalogue"]

_MANAGED_CONTRACTS = "/etc/interlock/contracts.json"
PROJECT_CONTRACTS = ".interlock/contracts.json"
ROLE_OS_CONTRACTS = ".claude/role-os/tool-contracts.json"
_FOLDER = os.path.join(PACKAGE, "contracts", "builtin")


class Catalogues:
    """The contracts in force for one project. Each file is read once, when the first call needs it.

    Who must not depend on the machine gives no `folders`: then those of the machine are left out. `named` come besides.
    With `remembered`, the contracts of a tool are taken from there while no file of them was touched.
    """

    def __init__(
        self, folders: Folders | None, root: str | None, *named: str, remembered: Remembered | AtOnce | None = None
    ) -> None:
        self.files = (
            *(() if folders is None else (_MANAGED_CONTRACTS, folders.config + "/contracts.json")),
            *(() if root is None else (f"{root}/{PROJECT_CONTRACTS}", f"{root}/{ROLE_OS_CONTRACTS}")),
            *named,
        )
        self.warnings: tuple[str, ...] = ()
        self._entries: list[tuple[str, Mapping[str, Any]]] | None = None
        self._found: dict[tuple[str, str, bool], tuple[Contract, ...]] = {}
        self._remembered = remembered
        self._disk: Disk = DISK

    def for_call(self, call: Call) -> tuple[Contract, ...]:
        # A tool that is not the host's own was set apart: what the host calls its own says nothing of it.
        named = "" if call.tool.endswith(f":{call.named}") else call.named
        return self.of(call.tool, named, built_in=call.host in NATIVE)

    def of(self, tool: str, named: str = "", *, built_in: bool = True) -> tuple[Contract, ...]:
        """The contracts of a tool, the built-in one first. `named`: what the host calls it, if not so."""
        found = self._found.get((tool, named, built_in))
        if found is None:
            if self._remembered is None:
                found = self._looked_up(tool, named, built_in)
            else:
                key = ("contracts", self.files, tool, named, built_in)
                found, warnings = self._remembered.of(key, lambda disk: self._on(disk)._told(tool, named, built_in))
                for warning in warnings:
                    self._warn(warning, True)
            self._found[tool, named, built_in] = found
        return found

    def _on(self, disk: Disk) -> Catalogues:
        """The same files, read anew, and as if nobody had been warned of anything."""
        anew = Catalogues(None, None, *self.files)
        anew._disk = disk
        return anew

    def _told(self, tool: str, named: str, built_in: bool) -> tuple[tuple[Contract, ...], tuple[str, ...]]:
        return self._looked_up(tool, named, built_in), self.warnings

    def _looked_up(self, tool: str, named: str, built_in: bool) -> tuple[Contract, ...]:
        try:
            own = _built_in(tool, self._disk) if built_in else None
            return (() if own is None else (own,)) + self._written(tool, named)
        except Exception as error:  # INVARIANT: advice never blocks, not even by a fault of ours
            self._warn(f"contracts of `{_shown(tool)}` are not checked: {type(error).__name__}", (error,))
            return ()

    def _written(self, tool: str, named: str) -> tuple[Contract, ...]:
        """In each file the entry under the host's own name for the tool; without one, the entry under ours."""
        if self._entries is None:
            self._entries = self.read_all()
        found = []
        for file, entries in self._entries:
            name = named if named in entries else tool
            if name in entries:
                contract, problems = contract_from(name, entries[name], source=file, loose=is_role_os(file))
                self._warn(f"{file}: `{_shown(name)}` is not checked: {'; '.join(problems[:3])}", problems)
                if contract is not None:
                    found.append(contract)
                    void = [f"`{_shown(one)}`: {_shown(why, 120)}" for one, why in contract.void.items()]
                    unchecked = f"{file}: `{_shown(name)}`: no call can fulfil these, so they are not checked: "
                    self._warn(unchecked + "; ".join(void[:3]), void)
        return tuple(found)

    def read_all(self) -> list[tuple[str, Mapping[str, Any]]]:
        found = []
        for file in self.files:
            try:
                entries = read_catalogue(file, self._disk)
            except InterlockError as error:
                self._warn(f"{file}: no contracts of this file are checked: {error}", (error,))
            else:
                if entries is not None:
                    found.append((file, entries))
        return found

    def _warn(self, warning: str, causes: object) -> None:
        if causes and warning not in self.warnings:
            self.warnings = (*self.warnings, warning)


def is_role_os(file: str) -> bool:
    return os.path.basename(file) == os.path.basename(ROLE_OS_CONTRACTS)


def read_catalogue(file: str, disk: Disk = DISK) -> Mapping[str, Any] | None:
    """Tool -> its entry, not looked at yet; None if there is no file."""
    raw = disk.read(file, limit=MAX_CONTRACTS_BYTES)
    return None if raw is None else parse_object(raw, limit=MAX_CONTRACTS_BYTES)


def _built_in(tool: str, disk: Disk) -> Contract | None:
    """Ours: a file a tool, checked by our tests and not again."""
    if not (tool.isascii() and tool.isidentifier()):
        return None
    entries = read_catalogue(f"{_FOLDER}/{tool}.json", disk)
    if entries is None or tool not in entries:  # a file system may not tell `read` from `Read`
        return None
    entry: Any = entries[tool]
    return Contract(
        tool=tool,
        source=BUILT_IN,
        says=entry.get("contract", ""),
        schema=entry["inputSchema"],
        constraints=entry.get("constraints", ()),
        examples=entry.get("examples", ()),
        breaks=tuple(entry.get("breaks", FrozenMap({})).items()),
    )


def built_in_tools() -> list[str]:
    return sorted(name.removesuffix(".json") for name in os.listdir(_FOLDER) if name.endswith(".json"))


def _shown(text: str, most: int = 60) -> str:
    return ascii(text[:most])[1:-1]
