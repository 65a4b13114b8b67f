"""What would permit a gated action: a command to run, and the same as TOML for a policy file.

The person copies it, so nothing in it may come to life: each value is quoted for the shell and for TOML, and a target
with characters that are not seen gets no ready text at all.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .grant import WIDENING

if TYPE_CHECKING:
    from ..action import Action
    from .gated import Gate

__all__ = ["permitted_by", "remedy_for"]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,")
_FOR = "2h"


def permitted_by(gate: Gate, action: Action) -> tuple[tuple[str, str], ...]:
    """The narrowest scope that covers this action: every field that the gate knows, and what widens the call."""
    fields = [*(gate.scope or tuple(action.target)), *WIDENING]
    if "folder" in fields and len([field for field in fields if field in action.target]) > 1:
        fields.remove("folder")  # said only where nothing else is
    found = []
    for field in dict.fromkeys(fields):
        value = action.target.get(field)
        if value is None or value is False:
            continue
        found.append((field, _text(value)))
    return tuple(found)


def remedy_for(gate: Gate, action: Action) -> str:
    scope = permitted_by(gate, action)
    texts = [gate.words, *(value for _, value in scope)]
    if not all(text.isprintable() for text in texts):
        return "its target holds characters that are not seen: write the grant by hand, if you want it at all"
    several = [field for field, _ in scope if type(action.target[field]) is tuple]
    if several:
        one = f"name one {several[0]} at a time, or a pattern that covers all of them"
        scope = tuple((field, "…" if field in several else value) for field, value in scope)
    else:
        one = ""
    command = " ".join(
        ["interlock grant", f'"{gate.words}"', *(f"--scope {_quoted(f'{field}={value}')}" for field, value in scope),
         "--for", _FOR]
    )  # fmt: skip
    toml = ["[[grants]]", f"id = {_toml(gate.words.replace(' ', '-'))}", f"action = {_toml(action.name)}"]
    if scope:
        inside = ", ".join(f"{_key(field)} = {_toml(value)}" for field, value in sorted(scope))
        toml.append(f"scope = {{ {inside} }}")
    return "\n".join([*([one] if one else []), command, *toml])


def _text(value: object) -> str:
    if type(value) is tuple:
        return ", ".join(value)
    return str(value).lower() if type(value) is bool else str(value)


def _quoted(text: str) -> str:
    return text if all(char in _PLAIN for char in text) else "'" + text.replace("'", "'\\''") + "'"


def _toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(field: str) -> str:
    return field if field.replace("-", "").replace("_", "").isalnum() and field.isascii() else _toml(field)
