"""A host's fragment in its settings: put in beside what is there, found again, and taken out.

The hosts' files look alike: `hooks` -> event -> groups -> handlers, or handlers without groups. A handler is ours if
one of its words names our guard. What else a fragment has (a switch that must be on) is set, and what it was before is
told to whoever keeps it.
"""

from __future__ import annotations

from ..model.errors import InputError
from ..value import TYPE_CHECKING
from .json_text import added, located, removed, replaced, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .json_text import Node

    Path = tuple[str, ...]
    Switches = tuple[tuple[Path, tuple[Any, ...]], ...]  # where, and what it was: a value or none

__all__ = ["handlers_of", "is_ours", "ours_in", "put_in", "taken_out"]

_GUARD = "interlock/hook/guard.py"
_HOOKS = "hooks"


def is_ours(handler: Any) -> bool:
    """Whether a hook, as its settings have it, is one of ours."""
    if type(handler) is str:
        return _GUARD in handler
    if isinstance(handler, dict):
        return any(map(is_ours, handler.values()))
    return isinstance(handler, list | tuple) and any(map(is_ours, handler))


def ours_in(settings: Mapping[str, Any]) -> dict[str, list[tuple[Any, Any]]]:
    """Event -> our entries in it: the matcher of the group, and the handler."""
    found: dict[str, list[tuple[Any, Any]]] = {}
    hooks = settings.get(_HOOKS)
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            for handler in handlers_of(group):
                if is_ours(handler):
                    found.setdefault(event, []).append((group.get("matcher"), handler))
    return found


def handlers_of(group: Any) -> list[Any]:
    """The handlers of a group. Some hosts know no groups: what stands there is a handler."""
    handlers = group.get(_HOOKS, [group]) if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def put_in(text: str, fragment: Mapping[str, Any]) -> tuple[str, Switches]:
    """The text with the whole fragment in it, and what its switches were. Our hooks are not there yet."""
    if not text.strip():
        text = "{}\n"
    switches: list[tuple[Path, tuple[Any, ...]]] = []
    for path, value in _leaves(fragment):
        text = _put(text, path, value, switches)
    return text, tuple(switches)


def taken_out(text: str, switches: Iterable[tuple[Path, tuple[Any, ...]]] = ()) -> str:
    """The text without our hooks, and with the switches as they were. What we leave empty goes too."""
    while (found := _first_of_ours(text)) is not None:
        text = _without(text, found)
    for path, was in switches:
        way = _way(text, path)
        if way:
            text = replaced(text, way[-1][1], was[0]) if was else _without(text, way)
    return text


def _without(text: str, way: list[tuple[Node, Node]]) -> str:
    """The text without what the way leads to, and without each container that it leaves empty."""
    for container, child in reversed(way):
        if len(container.children) > 1 or container is way[0][0]:
            return removed(text, container, child)
    return text


def _first_of_ours(text: str) -> list[tuple[Node, Node]] | None:
    """The way to one of our handlers, from outside: each container, and what to take out of it."""
    root = located(text)
    hooks = root.child(_HOOKS)
    for event in hooks.children if hooks is not None and hooks.kind == "{" else ():
        for group in event.children if event.kind == "[" else ():
            handlers = group.child(_HOOKS) if group.kind == "{" else None
            if hooks is not None and group.kind == "{" and handlers is None and is_ours(whole(text, group)):
                return [(root, hooks), (hooks, event), (event, group)]
            for handler in handlers.children if handlers is not None and handlers.kind == "[" else ():
                if hooks is not None and handlers is not None and is_ours(whole(text, handler)):
                    # A group whose last handler goes is worth nothing: it is looked at as if it held that alone.
                    return [(root, hooks), (hooks, event), (event, group), (handlers, handler)]
    return None


def _leaves(value: Mapping[str, Any], above: Path = ()) -> Iterable[tuple[Path, Any]]:
    """Lists and plain values of the fragment, each with its way."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _leaves(inner, (*above, key))
        else:
            yield (*above, key), inner


def _put(text: str, path: Path, value: Any, switches: list[tuple[Path, tuple[Any, ...]]]) -> str:
    node = located(text)
    for depth, key in enumerate(path):
        child = node.child(key)
        if child is None:
            if not isinstance(value, list):
                switches.append((path, ()))
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return added(text, node, value, key)
        last = depth == len(path) - 1
        if not last and child.kind != "{":
            raise InputError(f"`{'.'.join(path[: depth + 1])}` is not an object there")
        node = child
    if isinstance(value, list):
        if node.kind != "[":
            raise InputError(f"`{'.'.join(path)}` is not a list there")
        for item in value:
            text = added(text, _way(text, path)[-1][1], item)
        return text
    was = whole(text, node)
    if was == value and type(was) is type(value):
        return text
    switches.append((path, (was,)))
    return replaced(text, node, value)


def _way(text: str, path: Path) -> list[tuple[Node, Node]]:
    """Each container on the way, and the next one in it; nothing where the way does not lead to a value."""
    node, way = located(text), []
    for key in path:
        child = node.child(key)
        if child is None:
            return []
        way.append((node, child))
        node = child
    return way
