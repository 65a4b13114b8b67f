"""Which kind of place a path is: the guard's own, secret, project, temporary, outside.

Tables, one row for each thing worth knowing. A row is matched against the end of a path,
folder by folder, wherever that folder lies: hosts read their settings in every project, and
an agent can be pointed at any. `**` at the end means everything below.
"""

from __future__ import annotations

from ..approve.glob import matches
from ..value import TYPE_CHECKING
from .paths import folded, in_project, within
from .secret_places import SECRET, SECRET_ROOTS
from .system_places import place_marks

if TYPE_CHECKING:
    from ..facts import Facts

__all__ = [
    "GUARDED",
    "GUARDED_ROOTS",
    "SECRET",
    "SECRET_ROOTS",
    "guarded_by",
    "holds_guarded",
    "holds_secret",
    "is_secret",
    "loosened",
    "marks_of",
    "place_of",
    "takes_in_guarded",
]

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
    ".claude/role-os/**": "role-os",
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
    ".git/hooks/**": "git's hooks",
    ".husky/**": "git's hooks",
    ".bashrc": "the shell's start-up",
    ".bash_profile": "the shell's start-up",
    ".bash_login": "the shell's start-up",
    ".bash_logout": "the shell's start-up",
    ".profile": "the shell's start-up",
    ".zshrc": "the shell's start-up",
    ".zshenv": "the shell's start-up",
    ".zprofile": "the shell's start-up",
    ".zlogin": "the shell's start-up",
    ".kshrc": "the shell's start-up",
    ".cshrc": "the shell's start-up",
    ".tcshrc": "the shell's start-up",
    ".inputrc": "the shell's start-up",
    ".config/fish/**": "the shell's start-up",
    ".config/amp/settings.json": "Amp",
    ".amp/settings.json": "Amp",
}

# The same, at a fixed place: everything at or below it.
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

# Files that match a secret pattern and are meant to be shared.
_SHARED = (".example", ".sample", ".template", ".dist", ".defaults")


class _Table:
    """Patterns and roots, indexed by their first folder, so that a look-up reads few rows."""

    def __init__(self, patterns: dict[str, str], roots: dict[str, str]) -> None:
        self.patterns: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self.roots: dict[str, list[tuple[list[str], str]]] = {}
        self.loose: list[tuple[str, str, str]] = []  # a name with one wildcard: what stands before it and after
        for pattern, owner in patterns.items():
            first, *rest = pattern.split("/")
            if "*" in first:
                before, _, after = first.partition("*")
                self.loose.append((before, after, owner))
            else:
                self.patterns.setdefault(first, []).append((tuple(rest), owner))
        self.starts = tuple([before for before, _, _ in self.loose if before])
        self.ends = tuple([after for before, after, _ in self.loose if after and not before])
        for root, owner in roots.items():
            parts = root.split("/")[1:]
            self.roots.setdefault(parts[0], []).append((parts, owner))
        self.firsts = frozenset(self.patterns)

    def may_find(self, parts: list[str]) -> str | None:
        """As `find`, for a path of which some folders are patterns."""
        for root, owner in (row for rows in self.roots.values() for row in rows):
            if len(parts) >= len(root) and all(map(_may_match, parts, root)):
                return owner
        for at, part in enumerate(parts):
            for rows in self._may_begin(part):
                for pattern, owner in rows:
                    if _may_fit(pattern, parts[at + 1 :]):
                        return owner
        return self._may_be_loose(parts[-1])

    def _may_begin(self, part: str) -> list[list[tuple[tuple[str, ...], str]]]:
        """The rows whose first folder this part may be; `*`, `*c` and `*.json` say nothing of what is there."""
        if not _is_pattern(part):
            return [self.patterns[part]] if part in self.patterns else []
        if part[:2] == "*." or (part[:1] == "*" and len(loosened(part).replace("?", "").replace("*", "")) < 3):
            return []
        return [rows for first, rows in self.patterns.items() if _may_match(part, first)]

    def _may_be_loose(self, name: str) -> str | None:
        """Could this pattern match a name of the loose rows? `.env?` could; a bare `*` says nothing."""
        wild = [at for at, char in enumerate(name) if char in "*?["]
        if wild:
            head, tail = name[: wild[0]], name[wild[-1] + 1 :].rpartition("]")[2]
            for before, after, owner in self.loose:
                if (before and head[:3] == before[:3] and (before.startswith(head) or head.startswith(before))) or (
                    after and tail and tail.endswith(after)
                ):
                    return owner
        return None

    def find(self, parts: list[str]) -> str | None:
        """Whose place this is, for the folders of a folded path."""
        for root, owner in self.roots.get(parts[0], ()):
            if parts[: len(root)] == root or (len(parts) == len(root) and _kept_copy(parts, root)):
                return owner
        if not self.firsts.isdisjoint(parts):
            for at, first in enumerate(parts):
                rows = self.patterns.get(first)
                if rows is not None:
                    for pattern, owner in rows:
                        if _fits(pattern, parts[at + 1 :]):
                            return owner
        name = parts[-1]
        if name.startswith(self.starts) or name.endswith(self.ends):
            for before, after, owner in self.loose:
                if name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
                    return owner
        return None


def _kept_copy(parts: list[str], root: list[str]) -> bool:
    """`/etc/shadow.bak`, `/etc/sudoers~`: what editors and people leave beside a file."""
    return parts[:-1] == root[:-1] and parts[-1].startswith((root[-1] + ".", root[-1] + "~", root[-1] + "-"))


def _fits(pattern: tuple[str, ...], parts: list[str]) -> bool:
    if pattern and pattern[-1] == "**":
        head = pattern[:-1]
        return len(parts) >= len(head) and all(map(matches, head, parts))
    return len(parts) == len(pattern) and all(map(matches, pattern, parts))


def _is_pattern(part: str) -> bool:
    return "*" in part or "?" in part or "[" in part


def _may_match(part: str, name: str) -> bool:
    """Could this folder of a pattern be that name? A hidden name needs a dot, as in the shell."""
    if not _is_pattern(part):
        return matches(name, part)
    if name.startswith(".") and not part.startswith((".", "[")):
        return False
    part = loosened(part)
    if not part.strip("*?") and "*" in part:
        return False  # a bare star says nothing of what is there
    return matches(part, name) or matches(name, part)


def loosened(part: str) -> str:
    """The pattern with any character at all for one out of a list: `log[0-9]`, `[!a]*`."""
    at = part.find("[")
    while at >= 0:
        end = part.find("]", at + (3 if part[at + 1 : at + 2] in ("!", "^") else 2))
        while end >= 0 and part.count("[", at + 1, end) >= part.count("]", at + 1, end + 1):  # `[[:alpha:]]`
            end = part.find("]", end + 1)
        if end < 0 or "\\" in part:
            return part[:at] + "*"
        part = part[:at] + "?" + part[end + 1 :]
        at = part.find("[", at)
    return part


def _may_fit(pattern: tuple[str, ...], parts: list[str]) -> bool:
    if pattern and pattern[-1] == "**":
        head = pattern[:-1]
        return len(parts) >= len(head) and all(map(_may_match, parts, head))
    return len(parts) == len(pattern) and all(map(_may_match, parts, pattern))


_GUARDED = _Table(GUARDED, GUARDED_ROOTS)
_SECRET = _Table(SECRET, SECRET_ROOTS)


def guarded_by(path: str, facts: Facts) -> str | None:
    """Whose guard or settings this path belongs to, or None. `path` is settled."""
    plain = folded(path)
    return _guarded(plain, plain.split("/")[1:], facts)


def _guarded(plain: str, parts: list[str], facts: Facts) -> str | None:
    if within(facts.own, plain):
        return "Interlock"
    return _GUARDED.find(parts)


def holds_guarded(path: str, facts: Facts) -> bool:
    """True if the folder holds guarded files: taking `.claude` away takes its settings away."""
    plain = folded(path)
    if any(own.startswith(plain + "/") for own in facts.own):
        return True
    parts = plain.split("/")[1:]
    if _is_pattern(plain) and (_matches_own(parts, facts, whole=False) or _may_hold(parts)):
        return True
    return any(tuple(parts[-len(head) :]) == head for head in _GUARDED_FOLDERS)


def _may_hold(parts: list[str]) -> bool:
    return any(len(parts) >= len(head) and all(map(_may_match, parts[-len(head) :], head)) for head in _GUARDED_FOLDERS)


def takes_in_guarded(path: str) -> bool:
    """True if what is put into this folder may be a guarded file: `cp settings.json .claude/` names none."""
    parts = folded(path).split("/")[1:]
    if _is_pattern(parts[-1]):
        return any(len(parts) >= len(head) and all(map(_may_match, parts[-len(head) :], head)) for head in _TAKES_IN)
    return any(tuple(parts[-len(head) :]) == head for head in _TAKES_IN)


def _matches_own(parts: list[str], facts: Facts, *, whole: bool) -> bool:
    """Would a pattern match one of our own files, or (unless `whole`) a folder above one? They are there: `*` does."""
    for own in facts.own:
        names = own.split("/")[1:-1]
        if (len(parts) == len(names) or (not whole and len(parts) < len(names))) and all(
            map(_would_match, parts, names)
        ):
            return True
    return False


def _would_match(part: str, name: str) -> bool:
    if not _is_pattern(part):
        return part == name
    return (name[:1] != "." or part[:1] in (".", "[")) and matches(loosened(part), name)


# Folders above the patterns, but for those that mostly hold other things.
_GUARDED_FOLDERS = frozenset(
    tuple(pattern.split("/")[:depth])
    for pattern in GUARDED
    for depth in range(1, pattern.count("/") + 1)
    if pattern.split("/")[0] not in (".git", ".github", "cline", ".agents", ".husky")
)

# Folders right above them. Whatever lands there unnamed may be one; `.config` and its like take in too much else.
_TAKES_IN = frozenset(
    head
    for head in (tuple(pattern.removesuffix("/**").split("/")[:-1]) for pattern in GUARDED)
    if head and head[-1] not in (".agents", ".cache", ".config", ".github", "cline", "state")
)


def holds_secret(path: str, facts: Facts) -> bool:
    """True if reading all of a folder reads secrets too: a home, `/etc`, the root itself, `.aws`."""
    if path in ("/", "/etc"):
        return True
    if path in ("/root", "/home", "/Users") or path == facts.home:
        return path != facts.root
    parts = folded(path).split("/")[1:]
    if parts[0] in ("home", "users") and len(parts) == 2:
        return path != facts.root
    return parts[-1] in _SECRET_ENDS and any(tuple(parts[-len(head) :]) == head for head in _SECRET_FOLDERS)


# Folders above the patterns, but for those that mostly hold other things.
_SECRET_FOLDERS = frozenset(
    tuple(pattern.split("/")[:depth])
    for pattern in SECRET
    for depth in range(1, pattern.count("/") + 1)
    if pattern.startswith(".") and pattern.split("/")[0] not in (".cache", ".claude", ".codex", ".cursor", ".gemini")
)
_SECRET_ENDS = frozenset(head[-1] for head in _SECRET_FOLDERS)


# Folders that hold such a file by a name that a bare `*` matches.
_BESIDE_GUARDED, _BESIDE_SECRET = (
    frozenset(
        tuple(pattern.split("/")[:-1])
        for pattern in table
        if "/" in pattern and not pattern.endswith("/**") and not pattern.rpartition("/")[2].startswith(".")
    )
    for table in (GUARDED, SECRET)
)


def _all_beside(folders: frozenset[tuple[str, ...]], parts: list[str]) -> tuple[str, ...] | None:
    """The folder of which a bare `*` takes all: `.claude/*` names no settings, and means them too."""
    if parts[-1] != "*":
        return None
    return next((head for head in folders if tuple(parts[-1 - len(head) : -1]) == head), None)


def _all_beside_secret(parts: list[str], facts: Facts) -> bool:
    """In a home only: a project's own `.circleci` or `.aws` holds what it shares."""
    head = _all_beside(_BESIDE_SECRET, parts)
    if head is None or head == (".config",):
        return False
    home = parts[: -1 - len(head)]
    return home == folded(facts.home).split("/")[1:] or (
        home == ["root"] or (len(home) == 2 and home[0] in ("home", "users"))
    )


def is_secret(path: str) -> bool:
    return _secret(folded(path).split("/")[1:])


def _secret(parts: list[str]) -> bool:
    if parts[0] == "proc" and parts[-1] in ("environ", "mem", "auxv", "maps"):
        return True
    name = parts[-1]
    return _SECRET.find(parts) is not None and not (name.startswith(".env.") and name.endswith(_SHARED))


def place_of(path: str, facts: Facts) -> str:
    """`project`, `temp` or `outside`."""
    if in_project(facts.root, path):
        return "project"
    if within(facts.temp, path):
        return "temp"
    return "outside"


def marks_of(path: str, facts: Facts, *, glob: bool = False) -> list[str]:
    """The marks that a path gives to an action: `guard`, `outside`, `secret`, and those of system_places.py.

    For a pattern, what it may match counts: `~/.ssh/*` is secret, and so is `~/.s*/id_rsa`.
    """
    plain = folded(path)
    parts = plain.split("/")[1:]
    marks = []
    if _guarded(plain, parts, facts) is not None or (
        glob
        and (
            _GUARDED.may_find(parts) is not None
            or _matches_own(parts, facts, whole=True)
            or _all_beside(_BESIDE_GUARDED, parts) is not None
        )
    ):
        marks.append("guard")
    if place_of(path, facts) == "outside":
        marks.append("outside")
    if _secret(parts) or (glob and (_SECRET.may_find(parts) is not None or _all_beside_secret(parts, facts))):
        marks.append("secret")
    marks += place_marks(path, plain, parts, facts)
    return marks
