"""Hosts of agents that a command starts: `claude -p …`, `codex exec …`.

An agent that is started by an agent is held to what its parent is held to (`nesting.py`), as long as the hook of
the guard is called for it. So each word and variable with which a host leaves the hook out, or takes commands from
somewhere else, is looked for anywhere in the command line: to take a prompt for such a word costs a question, to miss
one would cost the guard.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit
from ..machine.index import find_program

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["agent_host", "launched_host"]

# What `interlock launch` takes: clients, and options with which it only shows something.
_LAUNCHED = {
    **{name: name for name in ("claude", "codex", "gemini", "qwen", "copilot", "opencode")},
    "claude-code": "claude",
    "gemini-cli": "gemini",
    "qwen-code": "qwen",
    "copilot-cli": "copilot",
}
_LOOKING = ("--dry-run", "--alias", "--help", "-h")

# Hosts that the guard has an adapter for. An agent in any other runs without it.
_GUARDED = ("claude", "claude-code")

# Claude Code: words that leave its hooks out, or bring settings, plug-ins or tool servers from somewhere else.
_LEAVES_OUT = (
    "--bare", "--safe-mode", "--restricted", "--plugin-dir", "--plugin-url", "--mcp-config", "--permission-prompt-tool",
)  # fmt: skip
_SETTINGS = ("--settings", "--agents", "--managed-settings")
_SOURCES = "--setting-sources"
_VARIABLES = ("HOME", "XDG_CONFIG_HOME")
# Variables that have no other use for an agent than to start its client without the hook, or with plug-ins that nobody
# has seen. They are on the floor.
_UNHOOKS = (
    "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_RESTRICTED", "CLAUDE_CODE_MANAGED_SETTINGS_PATH",
    "CLAUDE_CODE_PLUGIN_DIRS", "CLAUDE_CODE_PLUGIN_CACHE_DIR", "CLAUDE_CODE_PLUGIN_SEED_DIR", "CLAUDE_CONFIG_DIR",
)  # fmt: skip

# The first words with which a host only shows something, and with which it changes its own settings.
_SHOWS = (
    "mcp list", "mcp get", "config list", "config get", "plugin list", "plugin validate", "plugins list", "doctor",
    "auth status", "agents", "logs", "login status", "completion", "models", "auth list", "session list",
)  # fmt: skip
_CHANGES = (
    "mcp", "config", "plugin", "plugins", "update", "upgrade", "install", "migrate-installer", "setup-token", "auth",
    "login", "logout", "import",
)  # fmt: skip
_UNGUARDED = ("nested", "unguarded")
_OF_GOOSE = ("run", "session", "web", "acp", "recipe", "schedule", "serve")  # else it is a tool for migrations


def agent_host(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    words = [arg.text for arg in args[1:]]
    known = all(arg.known for arg in args[1:])
    name = row.name
    if name == "goose" and (not words or words[0] not in _OF_GOOSE):
        emit(shell, span, name="exec:goose", effects=(Effect.EXECUTE,), tags=("unknown",))
        return None
    if known and _only_shows(words):
        emit(shell, span, name="agent:look", effects=(Effect.READ,), target={"program": name})
        return None
    if words and words[0] in _CHANGES:
        # Servers, plug-ins and settings are obeyed by the host from then on.
        tags = ("deferred", "install") if words[0] in ("mcp", "update", "upgrade", "install") else ("security",)
        emit(
            shell,
            span,
            name="agent:configure",
            effects=(Effect.EXECUTE, Effect.NETWORK, Effect.WRITE),
            tags=tags,
            target={"program": name, "change": " ".join(words[:2])},
        )
        return None
    if not known:
        shell.unclear(f"one of the arguments of `{name}` is unknown", span)
    why = _left_out(name, args[1:], shell)
    emit(
        shell,
        span,
        name="agent:run",
        effects=(Effect.EXECUTE, Effect.NETWORK),
        tags=("nested",) if why is None else ("guard", "nested", "unguarded") if why in _UNHOOKS else _UNGUARDED,
        target={"program": name} if why is None else {"program": name, "unguarded": why},
    )
    return None


def launched_host(_row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`interlock launch CLIENT …` is read as the start of that client, and is worth no more than that.

    Which program stands for the client is not an agent's to say.
    """
    rest = args[1:]
    looks = False
    while rest and rest[0].known and (rest[0].text in _LOOKING or rest[0].text == "--json"):
        looks = looks or rest[0].text != "--json"
        rest = rest[2:] if rest[0].text == "--alias" else rest[1:]
    looks = looks or not rest or (rest[0].known and rest[0].text.startswith("--alias="))
    name = _LAUNCHED.get(rest[0].text) if rest and rest[0].known else ""
    if looks:
        emit(shell, span, name="interlock:launch", effects=(Effect.READ,))
        return None
    if not name:
        emit(shell, span, name="guard:change", effects=(Effect.WRITE,), tags=("guard",))
        return None
    inner = find_program(name)
    return None if inner is None else agent_host(inner, [Arg(name, rest[0].span), *rest[1:]], span, shell)


def _only_shows(words: list[str]) -> bool:
    if len(words) == 1 and words[0] in ("--version", "-v", "-V", "--help", "-h", "version", "help"):
        return True
    if len(words) <= 3 and words and words[-1] in ("--help", "-h"):
        return True
    return any(words[: len(form.split())] == form.split() for form in _SHOWS)


def _left_out(name: str, words: list[Arg], shell: Shell) -> str | None:
    """What leaves the guard out; None where its hook is called."""
    if name not in _GUARDED:
        return "no adapter"
    for variable in (*_UNHOOKS, *_VARIABLES):
        if variable in shell.variables:
            return variable
    folder = _other_folder(shell)
    if folder is not None:
        return folder
    for at, arg in enumerate(words):
        option, equals, value = arg.text.partition("=")
        if option in _LEAVES_OUT:
            return option
        if option in _SETTINGS or option == _SOURCES:
            following = value if equals else words[at + 1].text if at + 1 < len(words) else ""
            if option == _SOURCES and "user" not in following.replace(",", " ").split():
                return option
            if option in _SETTINGS and not _is_harmless(following):
                return option
    return None


def _is_harmless(settings: str) -> bool:
    """Settings that stand in the command line and name nothing that hooks or programs could be in."""
    text = settings.strip().lower()
    if not text.startswith("{") or "\\" in text:
        return False
    return not any(word in text for word in ("hook", "plugin", "mcp", "helper", "command", "env", "statusline"))


def _other_folder(shell: Shell) -> str | None:
    """Settings of the folder that it is started in outrank the person's own: one of the project's are known to keep
    the hook, or it would not be called now; another folder's are looked at.
    """
    found = shell.found
    facts = found.facts
    if shell.folders is None:
        return "folder"
    for folder in shell.folders:
        if folder == facts.root:
            continue
        if any(folder == place or folder.startswith(place.rstrip("/") + "/") for place in found.fetched):
            return "folder"
        for name in ("settings.json", "settings.local.json"):
            path = f"{folder}/.claude/{name}"
            text = facts.scripts.get(path)
            if text is None and path not in facts.unread:
                found.want(Script(path))
            elif text is None or path in shell.files or "\\" in text or "hook" in text.lower():
                return path
    return None
