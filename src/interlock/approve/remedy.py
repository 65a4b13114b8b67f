"""What would permit a gated action: a command to run, and the same as TOML for a policy file.

The person copies it, so nothing in it may come to life: each value is quoted for the shell and for TOML, and a target
with characters that are not seen gets no ready text at all.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .glob import is_open, texts_of
from .grant import ANYWHERE, DESTINATION, DETOURS, WIDENING, is_outward

if TYPE_CHECKING:
    from ..model.action import Action
    from .gated import Gate

__all__ = ["permitted_by", "remedy_for"]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,")
_FOR = "2h"
_WHAT = ("package", "path", "workspace", "branch", "ref")  # tell what is sent; without them its folder does


def permitted_by(gate: Gate, action: Action) -> tuple[tuple[str, str], ...]:
    """The narrowest scope that covers this action: every field that the gate knows, and what widens the call."""
    fields = [DESTINATION, *(gate.scope or tuple(action.target)), *WIDENING, *DETOURS]
    if "folder" in fields and any(field in action.target for field in _WHAT):
        fields.remove("folder")
    found = []
    if is_outward(action) and DESTINATION not in action.target:
        found.append((DESTINATION, ANYWHERE))  # where it goes is not known, and nothing narrower would cover it
    for field in dict.fromkeys(fields):
        value = action.target.get(field)
        if value is None or value is False:
            continue
        # What is not known is covered by nothing narrower.
        found.append((field, ANYWHERE if any(map(is_open, texts_of(value))) else _text(value)))
    return tuple(found)


def remedy_for(gate: Gate, action: Action) -> str:
    scope = permitted_by(gate, action)
    texts = [gate.words, *(value for _, value in scope)]
    if not all(text.isprintable() for text in texts):
        return "its target holds characters that are not seen: write the grant by hand, if you want it at all"
    each = [f"--scope {_quoted(f'{field}={one}')}" for field, value in scope for one in _values(action, field, value)]
    command = " ".join(["interlock grant", f'"{gate.words}"', *each, "--for", _FOR])
    toml = ["[[grants]]", f"id = {_toml(gate.words.replace(' ', '-'))}", f"action = {_toml(action.name)}"]
    if scope:
        said = [(field, "\n".join(_values(action, field, value))) for field, value in sorted(scope)]
        toml.append(f"scope = {{ {', '.join([f'{_key(field)} = {_toml(text)}' for field, text in said])} }}")
    return "\n".join([command, *toml])


def _values(action: Action, field: str, text: str) -> tuple[str, ...]:
    """What the field names, one by one: a scope holds several values on lines of their own."""
    value = action.target.get(field)
    return tuple(map(str, texts_of(value))) if type(value) is tuple and text != ANYWHERE else (text,)


def _text(value: object) -> str:
    if type(value) is tuple:
        return ", ".join(map(str, texts_of(value)))
    return str(value).lower() if type(value) is bool else str(value)


def _quoted(text: str) -> str:
    return text if all(char in _PLAIN for char in text) else "'" + text.replace("'", "'\\''") + "'"


def _toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _key(field: str) -> str:
    return field if field.replace("-", "").replace("_", "").isalnum() and field.isascii() else _toml(field)
