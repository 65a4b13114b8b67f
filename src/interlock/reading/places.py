"""Which kind of place a path is: the guard's own, secret, project, temporary, outside.

Tables, one row for each thing worth knowing. A row is matched against the end of a path,
folder by folder, wherever that folder lies: hosts read their settings in every project, and
an agent can be pointed at any. `**` at the end means everything below.
"""

from __future__ import annotations

from ..approve.glob import matches
from ..value import TYPE_CHECKING
from .paths import folded, holds

if TYPE_CHECKING:
    from ..facts import Facts

__all__ = ["GUARDED", "GUARDED_ROOTS", "SECRET", "guarded_by", "is_secret", "place_of"]

# Settings and hooks of every agent host that can be told to call a guard, and ours.
# pattern -> whose it is
GUARDED = {
    ".interlock/**": "Interlock",
    ".config/interlock/**": "Interlock",
    ".local/state/interlock/**": "Interlock",
    ".cache/interlock/**": "Interlock",
    ".claude/settings.json": "Claude Code",
    ".claude/settings.local.json": "Claude Code",
    ".claude/managed-settings.json": "Claude Code",
    ".claude/hooks/**": "Claude Code",
    ".claude/plugins/**": "Claude Code",
    ".claude-plugin/**": "Claude Code",
    ".claude.json": "Claude Code",
    ".codex/hooks.json": "Codex",
    ".codex/config.toml": "Codex",
    ".codex/requirements.toml": "Codex",
    ".codex/rules/**": "Codex",
    ".codex/hooks/**": "Codex",
    ".gemini/settings.json": "Gemini CLI",
    ".gemini/policies/**": "Gemini CLI",
    ".gemini/extensions/**": "Gemini CLI",
    ".gemini/hooks/**": "Gemini CLI",
    ".qwen/settings.json": "Qwen Code",
    ".qwen/hooks/**": "Qwen Code",
    ".copilot/**": "Copilot",
    ".github/hooks/**": "Copilot",
    ".github/copilot/**": "Copilot",
    "opencode.json": "OpenCode",
    "opencode.jsonc": "OpenCode",
    ".opencode/**": "OpenCode",
    ".config/opencode/**": "OpenCode",
    ".cursor/hooks.json": "Cursor",
    ".cursor/hooks/**": "Cursor",
    ".cursor/cli.json": "Cursor",
    ".cursor/permissions.json": "Cursor",
    ".agents/plugins/**": "goose",
    ".config/goose/**": "goose",
    ".windsurf/hooks.json": "Windsurf",
    ".codeium/windsurf/hooks.json": "Windsurf",
    ".kiro/agents/**": "Kiro",
    ".kiro/hooks/**": "Kiro",
    ".clinerules/hooks/**": "Cline",
    "cline/hooks/**": "Cline",
    ".config/amp/settings.json": "Amp",
    ".amp/settings.json": "Amp",
}

GUARDED_ROOTS = {
    "/etc/interlock": "Interlock",
    "/etc/claude-code": "Claude Code",
    "/library/application support/claudecode": "Claude Code",
    "/etc/codex": "Codex",
    "/etc/gemini-cli": "Gemini CLI",
    "/library/application support/geminicli": "Gemini CLI",
    "/etc/cursor": "Cursor",
    "/library/application support/cursor": "Cursor",
    "/etc/windsurf": "Windsurf",
    "/library/application support/windsurf": "Windsurf",
}

# Keys, tokens and credentials. pattern -> what it holds
SECRET = {
    ".ssh/id_*": "SSH keys",
    ".ssh/*_rsa": "SSH keys",
    ".ssh/*_ed25519": "SSH keys",
    ".ssh/*.pem": "SSH keys",
    ".gnupg/**": "GnuPG keys",
    ".aws/credentials": "AWS credentials",
    ".aws/sso/cache/**": "AWS credentials",
    ".config/gcloud/**": "Google Cloud credentials",
    ".azure/**": "Azure credentials",
    ".kube/config": "Kubernetes credentials",
    ".docker/config.json": "registry credentials",
    ".netrc": "passwords",
    ".pgpass": "passwords",
    ".my.cnf": "passwords",
    ".npmrc": "registry tokens",
    ".pypirc": "registry tokens",
    ".cargo/credentials": "registry tokens",
    ".cargo/credentials.toml": "registry tokens",
    ".gem/credentials": "registry tokens",
    ".git-credentials": "git credentials",
    ".config/gh/hosts.yml": "GitHub tokens",
    ".config/hub": "GitHub tokens",
    ".vault-token": "Vault tokens",
    ".terraform.d/credentials.tfrc.json": "Terraform tokens",
    ".claude/.credentials.json": "host credentials",
    ".codex/auth.json": "host credentials",
    ".gemini/oauth_creds.json": "host credentials",
    ".env": "environment secrets",
    ".env.*": "environment secrets",
    ".password-store/**": "passwords",
    ".local/share/keyrings/**": "keyrings",
    "library/keychains/**": "keyrings",
    ".mozilla/firefox/**": "browser data",
    ".config/google-chrome/**": "browser data",
    ".config/chromium/**": "browser data",
    ".bash_history": "shell history",
    ".zsh_history": "shell history",
    ".python_history": "shell history",
    ".psql_history": "shell history",
}

# Files that match a secret pattern and are meant to be shared.
_SHARED = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults")

_SECRET_ROOTS = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/root/.ssh")


class _Table:
    """Patterns indexed by a fixed first folder, so that a look-up reads few rows."""

    def __init__(self, rows: dict[str, str]) -> None:
        self.exact: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self.loose: list[tuple[tuple[str, ...], str]] = []
        for pattern, owner in rows.items():
            parts = tuple(pattern.split("/"))
            if "*" in parts[0]:
                self.loose.append((parts, owner))
            else:
                self.exact.setdefault(parts[0], []).append((parts, owner))

    def find(self, parts: list[str]) -> str | None:
        for start, first in enumerate(parts):
            rows = self.exact.get(first)
            if rows is not None:
                for pattern, owner in rows:
                    if _fits(pattern, parts[start:]):
                        return owner
        for pattern, owner in self.loose:
            if _fits(pattern, parts[-len(pattern) :]):
                return owner
        return None


def _fits(pattern: tuple[str, ...], parts: list[str]) -> bool:
    if pattern[-1] == "**":
        head = pattern[:-1]
        return len(parts) >= len(head) and all(map(matches, head, parts))
    return len(parts) == len(pattern) and all(map(matches, pattern, parts))


_GUARDED = _Table(GUARDED)
_SECRET = _Table(SECRET)


def guarded_by(path: str, facts: Facts) -> str | None:
    """Whose guard or settings this path belongs to, or None. `path` is settled."""
    plain = folded(path)
    for folder in facts.own:
        if holds(folded(folder), plain):
            return "Interlock"
    for root, owner in GUARDED_ROOTS.items():
        if holds(root, plain):
            return owner
    return _GUARDED.find(plain.split("/")[1:])


def is_secret(path: str) -> bool:
    plain = folded(path)
    if any(holds(root, plain) for root in _SECRET_ROOTS):
        return True
    parts = plain.split("/")[1:]
    return _SECRET.find(parts) is not None and parts[-1] not in _SHARED


def place_of(path: str, facts: Facts) -> str:
    """`project`, `temp` or `outside`."""
    if holds(facts.root, path):
        return "project"
    if any(holds(folder, path) for folder in facts.temp):
        return "temp"
    return "outside"
