"""Codex's settings files, looked at for one question: would our hooks be called?

Hooks stand in `hooks.json` beside `config.toml`; which of them a person has trusted stands in their own `config.toml`,
with a digest of the hook. Codex skips one that is not trusted, or that was changed since, without a word. Both files
are read here, and no trust is ever written: to trust a hook is the person's to do, in Codex.
"""

from __future__ import annotations

import hashlib
import json

from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING
from .entries import described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = ["checked", "describe", "hash_of", "project_files", "settings_files", "unhooks"]

_OURS = "/hook/guard.py"
_TIMEOUT = 600  # of a hook that names none
_SYSTEM = ("/etc/codex/requirements.toml", "/etc/codex/config.toml", "/etc/codex/hooks.json")
_IDLE = ("[tui", "[notice")  # tables of config.toml that the client itself writes in everyday use
_DIALOG = "start `codex`, and at `Hooks need review` choose `Trust all and continue`; or type /hooks"
_TYPING = (
    "an agent can type into programs that run in a terminal, and no hook sees what",
    "put `unified_exec_tty = false` below `[features]` in {}",
)


def project_files(root: str) -> tuple[str, ...]:
    return f"{root}/.codex/hooks.json", f"{root}/.codex/config.toml"


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that the client may take settings from, the managed ones first. `moved` as in `Facts`."""
    folders = [folder for folder, place in moved.items() if place == ".codex"] or [f"{home}/.codex"]
    users = [f"{folder}/{name}" for folder in folders for name in ("hooks.json", "config.toml")]
    return (*_SYSTEM, *project_files(root), *users)


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    """Why hooks would not be called if the client took these files; empty: they would."""
    found = []
    managed = any(_OURS.encode() in (files.get(path) or b"") for path in _SYSTEM)
    for path, raw in files.items():
        if raw is None or not raw.strip():
            continue
        if path.endswith(".json"):
            try:
                parse_object(raw, limit=MAX_WATCHED_BYTES)
            except InputError as error:
                found.append(f"`{path}` cannot be read as hooks ({error})")
            continue
        settings = _toml(raw)
        if settings is None:
            found.append(f"`{path}` cannot be read as settings")
            continue
        if _table(settings, "features").get("hooks", True) is not True:
            found.append(f"`{path}` switches off all hooks (`features.hooks`)")
        if settings.get("allow_managed_hooks_only", False) is not False and not managed:
            found.append(f"`{path}` lets only managed hooks run (`allow_managed_hooks_only`)")
    return found


def checked(files: Mapping[str, bytes | None]) -> list[tuple[bool, str, str]]:
    """What else a checkup has to tell: whether it is bad, the matter, and its cure."""
    own = list(files)[-1]  # the person's config.toml, in which alone trust counts
    settings = _toml(files[own] or b"") or {}
    state = _table(_table(settings, "hooks"), "state")
    skipped: dict[str, list[str]] = {}
    for path, raw in files.items():
        if path.endswith(".json") and path not in _SYSTEM and raw:
            for event, key, expected in _ours_in(path, raw):
                kept = _table(state, key)
                if kept.get("enabled", True) is not True:
                    skipped.setdefault("switched off there", []).append(event)
                elif "trusted_hash" not in kept:
                    skipped.setdefault("not trusted there", []).append(event)
                elif kept["trusted_hash"] != expected:
                    skipped.setdefault("changed since it was trusted there", []).append(event)
    found = [
        (True, f"Codex does not call Interlock for {', '.join(events)}: its hook is {why}", _DIALOG)
        for why, events in skipped.items()
    ]
    tables = [_table(_toml(files[path] or b"") or {}, "features") for path in (*_SYSTEM[:2], own) if path in files]
    if all(table.get("unified_exec_tty", True) is not False for table in tables):
        found.append((False, _TYPING[0], _TYPING[1].format(own)))
    return found


def _ours_in(path: str, raw: bytes) -> Iterator[tuple[str, str, str]]:
    """Of each of our hooks: its event, the name under which its trust is kept, and the digest that trusts it."""
    try:
        hooks = json.loads(raw)["hooks"].items()
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    for event, groups in hooks:
        label = "".join([f"_{letter.lower()}" if letter.isupper() else letter for letter in event]).lstrip("_")
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for number, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict) and _OURS in str(handler.get("command")):
                    yield event, f"{path}:{label}:{at}:{number}", hash_of(label, group.get("matcher"), handler)


def hash_of(label: str, matcher: str | None, handler: Mapping[str, Any]) -> str:
    """The digest under which the client keeps a person's trust in a hook."""
    normal = {"async": handler.get("async", False), "command": handler["command"], "type": "command"}
    normal["timeout"] = handler.get("timeout", _TIMEOUT)
    normal |= {key: handler[key] for key in ("statusMessage", "additionalContextLimit") if key in handler}
    whole: dict[str, Any] = {"event_name": label, "hooks": [normal]}
    if matcher is not None:
        whole["matcher"] = matcher
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our hooks in it: event -> digest of the entry.

    None: the file is none of this host's settings.
    """
    if path.endswith("/.codex/config.toml"):
        return _essence(raw), {}
    return described(path, raw, ("/.codex/hooks.json",))


def _essence(raw: bytes) -> bytes:
    """Its lines, without the tables that the client itself writes."""
    kept, idle = [], False
    for line in raw.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("["):
            idle = text.startswith(_IDLE)
        if text and not idle:
            kept.append(text)
    return "\n".join(kept).encode()


def _toml(raw: bytes) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}
