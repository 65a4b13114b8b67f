"""Our own entries among the hooks of a host's settings, whose files look alike: event -> groups -> handlers."""

from __future__ import annotations

from ..bytes.canon import canonical, digest
from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..value import Json

__all__ = ["described", "handlers_of", "names_of_ours", "our_entries", "parsed"]

_GUARD = "/hook/guard.py"
# What everyday use of Gemini CLI or Qwen Code writes, and what makes them run nothing. Every other key counts.
_IDLE = frozenset(("$schema", "$version", "ui", "privacy"))


def described(path: str, raw: bytes, ends: tuple[str, ...]) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a settings file counts when it is compared, and our hooks in it: event -> digest of the entry.

    None: the file is none of those whose paths end so.
    """
    if not path.endswith(ends):
        return None
    try:
        settings = parse_object(raw, limit=MAX_WATCHED_BYTES)
    except InputError:
        return raw, {}
    counts = {key: value for key, value in settings.items() if key not in _IDLE}
    return canonical(counts) if counts else b"", our_entries(settings)


def parsed(files: Mapping[str, bytes | None], found: list[str]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The files that hold something, with their settings. Why one cannot be read is added to what was `found`: the
    client cannot read it either, as it seems, and whether it calls hooks then is not known.
    """
    for path, raw in files.items():
        if raw is None or not raw.strip():
            continue
        try:
            settings = parse_object(raw, limit=MAX_WATCHED_BYTES)
        except InputError as error:
            found.append(f"`{path}` cannot be read as settings ({error})")
        else:
            yield path, settings


def our_entries(settings: Mapping[str, Any]) -> dict[str, str]:
    """Event -> digest of the entry. One that only mentions the guard has another digest than ours had."""
    return {event: digest([group.get("matcher"), handler]) for event, group, handler in _ours(settings)}


def names_of_ours(settings: Mapping[str, Any]) -> set[str]:
    """What a host may call our entries: their names, and their command lines."""
    called = [handler.get(key) for _, _, handler in _ours(settings) for key in ("name", "command")]
    return {name for name in called if type(name) is str}


def _ours(settings: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if type(hooks) is FrozenMap else ():
        for group in groups if type(groups) is tuple else ():
            if type(group) is not FrozenMap:
                continue
            for handler in handlers_of(group):
                if type(handler) is FrozenMap and any(_GUARD in word for word in _words(handler)):
                    yield str(event), group, handler


def handlers_of(group: Mapping[str, Any]) -> tuple[Any, ...]:
    """The handlers of a group. Some hosts know no groups: what stands there is a handler."""
    handlers = group.get("hooks", (group,))
    return handlers if type(handlers) is tuple else ()


def _words(handler: Mapping[str, Any]) -> list[str]:
    """A program with arguments, or one line for a shell."""
    given = handler.get("args")
    return [word for word in (handler.get("command"), *(given if type(given) is tuple else ())) if type(word) is str]
