"""Which files are looked at after the fact, because something obeys them: the guard, an agent host, git, a shell.

A merge, an archive or the project's own code can change them without naming them in any call, so every event of a
session compares them with how they were. The rows come from the table of obeyed files; what a program rewrites all
the time by itself is left out or narrowed here, with the reason. Each place has a level: `denied` (no call may change
it), `asked` (a person is asked before a call changes it), `noted` (instructions for agents).
"""

from __future__ import annotations

from ...model.obeyed import OBEYED
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ASKED", "DENIED", "LEVELS", "NOTED", "Place", "essential_lines", "watched"]

DENIED, ASKED, NOTED = "denied", "asked", "noted"
LEVELS = (DENIED, ASKED, NOTED)

Place = tuple[str, bool, str]  # the path, whether it is a folder with everything below it, the level

# A guarded pattern -> what of it is watched instead, and why not all of it.
_NARROWED: dict[str, tuple[str, ...]] = {
    ".claude.json": (),  # the host writes it at every start
    ".claude/plugins/**": (),  # the host brings plug-ins up to date by itself
    "~/.claude/shell-snapshots/**": (),  # the host makes a new one for every session, and so for the rest
    "~/.claude/session-env/**": (),
    "~/.claude/jobs/**": (),
    "~/.claude/daemon/**": (),
    "~/.claude/daemon.json": (),
    ".local/state/interlock/**": (),  # the ledger has a chain of its own
    ".local/share/interlock/**": (".local/share/interlock/hook/guard.py",),  # the launcher
    ".cache/interlock/**": (),  # made anew from the policy
    ".config/interlock/**": (".config/interlock/policy.toml", ".config/interlock/trust.json"),
    ".copilot/**": (".copilot/hooks/**", ".copilot/config.json"),  # the rest is what it remembers
    ".config/opencode/**": (".config/opencode/opencode.json", ".config/opencode/plugin/**"),  # it installs packages
    ".opencode/**": (".opencode/plugin/**", ".opencode/opencode.json"),
    ".cursor/extensions/**": (),  # the editor brings them up to date by itself
    ".cursor/plugins/**": (),
    ".codex/plugins/**": (),
    ".config/goose/**": (".config/goose/config.yaml",),
    # Rows are spelt for comparing without case; a disk that knows case has these names.
    ".gemini/trustedfolders.json": (".gemini/trustedFolders.json",),
    ".qwen/trustedfolders.json": (".qwen/trustedFolders.json",),
    "~/.rprofile": (".Rprofile",),
    "~/library/launchagents/**": ("Library/LaunchAgents/**",),
}
_RECORD = "the audit"  # hosts write their transcripts all the time
# Of what is asked about: what git, a host, an editor, the shell or a build service runs from a project without another
# look at it. Not here: skills, commands and agents (read when they are used), and what installs and editors rewrite by
# themselves (lock files, settings of package managers, work spaces).
_ASKED = (
    ".git/config .git/config.worktree .git/info/attributes "
    ".husky/** .githooks/** .git-hooks/** .lefthook/** .pre-commit-config.yaml .pre-commit-config.yml "
    "lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml lefthook-local.yml "
    ".mcp.json .cursor/mcp.json .vscode/mcp.json .roo/mcp.json .kiro/settings/mcp.json .amazonq/mcp.json "
    ".vscode/tasks.json .vscode/launch.json .devcontainer.json .devcontainer/devcontainer.json .envrc "
    ".github/workflows/** .gitlab-ci.yml"
).split()
_OTHERS = {**dict.fromkeys(_ASKED, ASKED), **dict.fromkeys(("CLAUDE.md", "AGENTS.md", "GEMINI.md"), NOTED)}
_OTHERS_AT_HOME = {".claude/CLAUDE.md": NOTED}
_FIXED: tuple[Place, ...] = (
    ("/etc/claude-code/managed-settings.json", False, DENIED),
    ("/etc/claude-code/managed-settings.d", True, DENIED),
    ("/etc/interlock/policy.toml", False, DENIED),
)


def _rows(patterns: dict[str, str]) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    """The patterns by their first folder: one that is not there is looked at once."""
    found: dict[str, list[Place]] = {}
    for pattern, level in patterns.items():
        found.setdefault(pattern.partition("/")[0], []).append(
            (pattern.removesuffix("/**"), pattern[-3:] == "/**", level)
        )
    return tuple([(first, tuple(rows)) for first, rows in found.items()])


def _guarded(*, home: bool) -> dict[str, str]:
    rows: dict[str, str] = {}
    for pattern, group in OBEYED.items():
        if group.level != DENIED or group.who == _RECORD or "*" in pattern.removesuffix("/**"):
            continue
        if home or pattern[:2] != "~/":
            rows.update(dict.fromkeys(_NARROWED.get(pattern, (pattern.removeprefix("~/"),)), DENIED))
    return rows


_PROJECT = _rows({**_guarded(home=False), **_OTHERS})
_HOME = _rows({**_guarded(home=True), **_OTHERS_AT_HOME})


_Firsts = tuple[tuple[str, tuple[Place, ...]], ...]


def watched(root: str, home: str, moved: Mapping[str, str]) -> tuple[tuple[str, _Firsts], ...]:
    """For each base folder its first folders with the places below them; paths are given from the base folder.

    `moved`: folders that variables put in place of one in the home folder. Both are looked at.
    """
    fixed = tuple([(path.split("/")[1], ((path[1:], folder, level),)) for path, folder, level in _FIXED])
    project = () if root == home else ((root, _PROJECT),)
    aside = [(folder, _below(place)) for folder, place in moved.items() if folder != f"{home}/{place}".rstrip("/")]
    return (("", fixed), (home, _HOME), *project, *aside)


def _below(place: str) -> _Firsts:
    """The rows of the home folder that lie below a place in it, given from there."""
    head = f"{place}/" if place else ""
    rows = [row for _, places in _HOME for row in places if row[0].startswith(head)]
    below = [(path[len(head) :], folder, level) for path, folder, level in rows]
    return tuple([(row[0].partition("/")[0], (row,)) for row in below])


# Sections of git's configuration of a repository that everyday commands write and that make git run nothing.
_IDLE_SECTIONS = ("[branch ", "[remote ", "[user]", "[gc]", "[maintenance]", "[lfs ")
# Keys in such sections that name a program or a way out all the same.
_RUNS = ("uploadpack", "receivepack", "vcs", "proxy", "recentobjectshook", "path", "args", "standalonetransferagent")


# Keys of other sections that make git run nothing: `git sparse-checkout` writes them.
_IDLE_KEYS = ("sparsecheckout", "sparsecheckoutcone", "worktreeconfig")


def essential_lines(text: str) -> str:
    """git's configuration without what `git push -u`, `git remote add` and `git sparse-checkout` write."""
    if "\\\n" in text or "\\\r" in text:  # a value that goes on may look like a section
        return text
    kept, idle, section = list[str](), False, ""
    for line in text.split("\n"):
        word = line.strip().lower()
        if word.startswith("["):
            # A key may stand on the line of its section: `[gc] recentObjectsHook = x #]`.
            alone = word.find("]") == len(word) - 1
            idle, section = alone and word.startswith(_IDLE_SECTIONS), line.strip()
            if alone:
                continue
        if word.partition("=")[0].strip() in _IDLE_KEYS:
            continue
        if word and (not idle or word.startswith(_RUNS)):
            kept += [f"{section} {line.strip()}"]
    return "\n".join(kept)
