"""What makes a campaign weaker than it was rendered: settings that were edited, and words on the client's command line.

What is not known to leave the limits as they are counts as weaker.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["unsafe_arguments", "weaker"]

_NEUTRAL = ("$schema", "model", "effortLevel", "cleanupPeriodDays", "includeCoAuthoredBy", "attribution", "language")
_MODES = ("default", "acceptEdits", "dontAsk", "plan")

# Options of the client that leave the hooks or the limits out, and why.
_OPTIONS = {
    "--dangerously-skip-permissions": "it skips all permissions",
    "--allow-dangerously-skip-permissions": "it lets all permissions be skipped",
    "--settings": "the settings of the campaign would not be the ones in force",
    "--managed-settings": "the settings of the campaign would not be the ones in force",
    "--bare": "it leaves all hooks out",
    "--safe-mode": "it leaves all hooks out",
    "--add-dir": "the folders of a campaign are its own",
    "--allowedTools": "what is allowed is in the settings",
    "--allowed-tools": "what is allowed is in the settings",
    "--agents": "agents can bring hooks of their own",
    "--plugin-dir": "a plug-in can bring hooks of its own",
    "--plugin-url": "a plug-in can bring hooks of its own",
    "--permission-prompt-tool": "a program would answer in place of a person",
    "--bg": "it goes on where nobody waits for it",
    "--background": "it goes on where nobody waits for it",
    "--cloud": "it runs on another machine",
    "--environment": "it runs on another machine",
    "--teleport": "it runs on another machine",
    "--desktop": "it opens another program",
    "--remote-control": "somebody else could steer it",
    "--chrome": "a browser is beyond the limits",
}


def unsafe_arguments(arguments: Sequence[str]) -> list[str]:
    """Why the client would not be held to the campaign with these arguments; empty: it would."""
    found = []
    for at, word in enumerate(arguments):
        option, equals, value = word.partition("=")
        if option in _OPTIONS:
            found.append(f"`{option}`: {_OPTIONS[option]}")
        if option == "--permission-mode":
            mode = value if equals else "".join(arguments[at + 1 : at + 2])
            if mode not in _MODES:
                found.append(f"`--permission-mode {mode}`: only {', '.join(_MODES)} keep the limits")
    return found


def weaker(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """In what the settings hold less than what was rendered; empty: they hold at least as much."""
    wrong = []
    for event, groups in _hooks(wanted).items():
        if _hooks(found).get(event) != groups:
            wrong.append(f"the hook for {event} is missing or was changed")
    wrong += [
        f"there is a hook of somebody else, for {event}" for event in _hooks(found) if event not in _hooks(wanted)
    ]
    if found.get("disableAllHooks") is not False:
        wrong.append("`disableAllHooks` is not false")
    if found.get("env") != wanted["env"]:
        wrong.append("`env` is not as it was written")
    wrong += [f"`{key}` was added" for key in found if key not in wanted and key not in _NEUTRAL]
    limits, held = wanted["permissions"], found.get("permissions")
    if not isinstance(held, dict):
        return [*wrong, "`permissions` is missing"]
    for key in ("allow", "allowOnly", "deny"):
        if not _is_list(held.get(key, [])):
            return [*wrong, f"`permissions.{key}` is not a list of texts"]
    wrong += [f"`{rule}` is allowed" for rule in held.get("allow", []) if rule not in limits["allow"]]
    wrong += [
        f"`{folder}` was added to allowOnly"
        for folder in held.get("allowOnly", [])
        if folder not in limits["allowOnly"]
    ]
    wrong += [] if held.get("allowOnly") else ["`permissions.allowOnly` is missing"]
    wrong += [f"`{rule}` is no longer denied" for rule in limits["deny"] if rule not in held.get("deny", [])]
    for key, value in limits.items():
        if not isinstance(value, list) and held.get(key) != value:
            wrong.append(f"`permissions.{key}` is not {value!r}")
    return wrong + [f"`permissions.{key}` was added" for key in held if key not in limits and key != "ask"]


def _hooks(settings: Mapping[str, Any]) -> dict[str, Any]:
    hooks = settings.get("hooks")
    return hooks if isinstance(hooks, dict) else {}


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
