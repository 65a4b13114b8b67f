"""How each client is started so that a repository's files cannot switch our hook off, as a table. Pure.

A client reads settings in layers. What `interlock launch` adds stands above the layer of the repository: words of the
command line, or a variable that names the topmost settings file. What would take that away again is refused: words that
leave hooks out, and variables that do so or load code into the client. Each row was tried with the real client, once
without its means, where the repository's file switched the hook off (tests/live/test_launch_live.py).
"""

from __future__ import annotations

import json

from ..model.environment import PINNED, loader_variables
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["ALIASES", "LAUNCHING", "Launching", "cleared_by", "holding_settings", "refused_words"]

_OUT = "it leaves hooks out"
_OTHER = "other settings would be in force"
_AWAY = "the session runs in another process, which was not started here"


class Launching(Value):
    """
    arguments  words that stand before the person's own
    variables  what the environment gets, whatever it had
    clears     variables that leave hooks out, or bring settings and code from somewhere else
    file       the variable that names the topmost settings file; empty: the client has none
    defaults   the variable for its defaults, which the client otherwise looks for beside that file
    settings   what must stand in that file
    roots      the client takes that file only if root owns it and every folder above it
    refuses    option -> why it is refused
    commands   first word -> why it is refused
    plain      first words with which no session begins
    holds      files of the repository that no longer count
    open       what it does not hold
    """

    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = FrozenMap({})
    clears: tuple[str, ...] = ()
    file: str = ""
    defaults: str = ""
    settings: Mapping[str, Any] = FrozenMap({})
    roots: bool = False
    refuses: Mapping[str, str] = FrozenMap({})
    commands: Mapping[str, str] = FrozenMap({})
    plain: tuple[str, ...] = ()
    holds: str = ""
    open: str = ""

    @property
    def outranks(self) -> bool:
        """Whether the client has a layer above that of the repository."""
        return bool(self.holds)


_PLAIN = (
    *("--version", "-v", "-V", "--help", "-h", "help", "version", "mcp", "update", "upgrade", "doctor", "completion"),
    *("login", "logout", "auth"),
)

LAUNCHING = {
    "claude-code": Launching(
        arguments=("--settings", json.dumps({"disableAllHooks": False, "env": dict.fromkeys(PINNED, "")})),
        clears=(
            *("CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_PLUGIN_DIRS"),
            *("CLAUDE_CODE_MANAGED_SETTINGS_PATH", "CLAUDE_CODE_RESTRICT_PERSONAL_CONFIG"),
        ),
        refuses=FrozenMap(
            {
                **dict.fromkeys(("--bare", "--safe-mode", "--restricted"), _OUT),
                **dict.fromkeys(("--settings", "--managed-settings", "--setting-sources"), _OTHER),
                **dict.fromkeys(("--plugin-dir", "--plugin-url"), "a plug-in can bring mods and hooks of its own"),
                **dict.fromkeys(("--bg", "--background", "--tmux", "--cloud", "--environment", "--teleport"), _AWAY),
                "--desktop": _AWAY,
            }
        ),
        commands=FrozenMap(dict.fromkeys(("agents", "attach", "respawn", "gateway", "ultrareview"), _AWAY)),
        plain=(*_PLAIN, "plugin", "plugins", "install", "setup-token", "import", "logs", "stop", "kill", "rm", "purge"),
        holds="`disableAllHooks`, `enabledPlugins` and variables that load code in `.claude/settings.json` and "
        "`settings.local.json`",
    ),
    "codex": Launching(
        arguments=("--no-daemon", "-c", "features.hooks=true"),
        refuses=FrozenMap(
            {
                "--dangerously-bypass-hook-trust": "hooks of the repository would run untrusted",
                "--ignore-user-config": "your own hooks would not be trusted",
                **dict.fromkeys(("--remote",), _AWAY),
            }
        ),
        commands=FrozenMap(
            dict.fromkeys(("agents", "app-server", "remote-control", "cloud", "exec-server", "queue"), _AWAY)
        ),
        plain=(*_PLAIN, "plugin", "features", "archive", "unarchive", "delete", "debug"),
        holds="`features.hooks` in `.codex/config.toml`",
    ),
    "gemini-cli": Launching(
        file="GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        defaults="GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        settings=FrozenMap({"hooksConfig": FrozenMap({"enabled": True})}),
        roots=True,
        plain=(*_PLAIN, "extensions", "extension", "skills", "hooks", "hook", "gemma"),
        holds="`hooksConfig.enabled` in `.gemini/settings.json`",
        open="`hooksConfig.disabled`, if the repository knows the name of the hook",
    ),
    "qwen-code": Launching(
        variables=FrozenMap({"QWEN_CODE_SAFE_MODE": "0", "QWEN_CODE_SIMPLE": "0"}),
        file="QWEN_CODE_SYSTEM_SETTINGS_PATH",
        defaults="QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        settings=FrozenMap({"disableAllHooks": False}),
        refuses=FrozenMap(dict.fromkeys(("--bare", "--safe-mode"), _OUT)),
        plain=(*_PLAIN, "extensions", "hooks", "sessions", "sandbox"),
        holds="`disableAllHooks` in `.qwen/settings.json`, and the variables of its `.env` files that leave hooks out",
    ),
    "copilot-cli": Launching(
        refuses=FrozenMap({"-C": "the files of another folder were not looked at", "--connect": _AWAY}),
        plain=(*_PLAIN, "config", "plugin", "skill", "instruction", "lsp", "memories", "init", "app"),
        open="`disableAllHooks` in `.github/copilot/settings.json` or `.claude/settings.json`, which nothing outranks",
    ),
    "opencode": Launching(
        variables=FrozenMap({"OPENCODE_DISABLE_PROJECT_CONFIG": "1", "OPENCODE_PURE": "0"}),
        clears=("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR", "OPENCODE_TUI_CONFIG"),
        refuses=FrozenMap({"--pure": "it leaves plug-ins out, and the guard is one", "--attach": _AWAY}),
        commands=FrozenMap({"attach": _AWAY}),
        plain=(
            *_PLAIN,
            *("providers", "agent", "uninstall", "models", "stats", "export", "import", "session", "plugin", "plug"),
        ),
        holds="plug-ins, tools and settings in `.opencode` and `opencode.json`: none of them is loaded",
    ),
}

# As people call them, and as `interlock hook` does.
ALIASES = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
    "qwen": "qwen-code",
    "copilot": "copilot-cli",
    "opencode": "opencode",
}


def refused_words(host: str, words: Sequence[str]) -> list[tuple[str, str]]:
    """Each word that would take away what the launch holds, and why. A prompt that looks like one counts as one."""
    row = LAUNCHING[host]
    found = []
    if words and words[0] in row.commands:
        found.append((words[0], row.commands[words[0]]))
    for at, word in enumerate(words):
        option = _spelt(word)
        for known, why in row.refuses.items():
            is_short = len(known) == 2 and word.startswith(known)  # its value may follow without a blank
            if option == known or is_short:
                found.append((known, why))
        if host == "codex":
            found += _of_codex(word, words[at + 1] if at + 1 < len(words) else "")
    return found


def _spelt(word: str) -> str:
    """An option as the tables spell it: `--safeMode=true` is `--safe-mode`."""
    name = word.partition("=")[0]
    if not name.startswith("--"):
        return name
    return "".join([f"-{letter.lower()}" if letter.isupper() else letter for letter in name])


def _of_codex(word: str, following: str) -> list[tuple[str, str]]:
    option, equals, value = word.partition("=")
    if option in ("-c", "--config"):
        given = value if equals else following
    elif word.startswith("-c") and not word.startswith("--"):
        given = word[2:].lstrip("=")
    elif option == "--disable":
        given = f"features.{value if equals else following}"
    else:
        return []
    key = given.partition("=")[0].replace('"', "").replace("'", "").replace(" ", "")
    harmless = given.replace(" ", "") == "features.hooks=true"
    about = ("features", "features.hooks", "features.codex_hooks", "profile", "projects")
    if not harmless and (key in about or key.startswith(("hooks", "features.hooks.", "profiles"))):
        return [(f"{option} {key}", "it can switch hooks off, or bring others")]
    return []


def cleared_by(host: str, environment: Mapping[str, str]) -> list[str]:
    """The variables that are not handed on: they leave hooks out, or load code into the client."""
    given = [name for name in LAUNCHING[host].clears if name in environment]
    loads = [name for name in loader_variables(environment) if not _only_sizes(name, environment[name])]
    return sorted({*given, *loads})


def _only_sizes(name: str, value: str) -> bool:
    """`NODE_OPTIONS=--max-old-space-size=8192` and the library path load nothing by themselves."""
    return name == "NODE_OPTIONS" and all(word.startswith("--max-") for word in value.split())


def holding_settings(host: str, base: Mapping[str, Any]) -> str | None:
    """The topmost settings file: what it was, and on top of that what holds. None: what it was forbids that."""
    held: dict[str, Any] = dict(base)
    for key, value in LAUNCHING[host].settings.items():
        was = base.get(key)
        if not hasattr(value, "items"):
            if was not in (None, value):
                return None
            held[key] = value
            continue
        if was is not None and not isinstance(was, dict):
            return None
        if any((was or {}).get(name, wanted) != wanted for name, wanted in value.items()):
            return None
        held[key] = {**(was or {}), **value}
    return json.dumps(held, indent=2, default=dict) + "\n"
