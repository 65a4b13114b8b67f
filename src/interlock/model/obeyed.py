"""Files that somebody else obeys: a program or an agent does what they say, without asking.

One table for file tools and the shell alike. A group says who obeys its files, at which level a change is stopped, and
why. `reading/places/` says how a path is matched; a pattern that begins with `~/` counts in a home folder only, and
where several patterns match, the longest decides. The levels, strictest first:

    denied   it unhooks the guard, or it runs without anybody doing anything more
    asked    it runs, or sends others elsewhere, once somebody opens, builds, installs or commits
    noted    agents read it as instructions: it passes, and the person is told

A file counts where its reader looks for it (`where`). Below a project's folder, a row of kind `project` counts in
folders in which another project begins, and not among test data:

    anywhere   readers look in any folder, or on the way up from it
    project    where a host, an editor or a package manager is started
    plug-in    at the root of a plug-in or an extension of a host
    imports    where Python looks for modules

A `floor` group can switch Interlock off, or holds its files: no policy lowers it. The rest is a policy's to set
(`[obeyed]`). Rows in `JUDGED` do not count if what is written into the file is known and harmless
(reading/places/obeyed_content.py).
"""

from __future__ import annotations

from ..value import Value

__all__ = [
    "ELSEWHERE",
    "FLOOR",
    "FLOOR_OWNERS",
    "GROUPS",
    "JUDGED",
    "LEVELS",
    "MARKERS",
    "MODS",
    "MOVED_BY",
    "NAMES",
    "OBEYED",
    "OBEYED_ROOTS",
    "REASONS",
    "Group",
]

LEVELS = ("noted", "asked", "denied")
NAMES = {level: f"obeyed-{level}" for level in ("noted", "asked")}  # the marks; `denied` is marked `guard`


class Group(Value):
    """One row of the table in docs/policy.md. `roots` are fixed places: everything at or below them."""

    who: str
    level: str
    reason: str
    patterns: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    floor: bool = False
    where: str = "anywhere"


# What shows that a project, a plug-in or a folder of modules begins in a folder.
MARKERS: dict[str, tuple[str, ...]] = {
    "project": (
        ".git", ".hg", ".jj", "package.json", "deno.json", "pyproject.toml", "setup.py", "pyvenv.cfg", "go.mod",
        "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "mix.exs",
        "CMakeLists.txt", ".claude-plugin",
    ),
    "plug-in": (".claude-plugin", ".codex-plugin", ".cursor-plugin", "plugin.json", "gemini-extension.json",
                "qwen-extension.json"),
    "imports": ("pyproject.toml", "setup.py", "setup.cfg", "pyvenv.cfg", ".git"),
}  # fmt: skip


def _group(
    who: str, level: str, reason: str, patterns: str = "", *roots: str, floor: bool = False, where: str = "anywhere"
) -> Group:
    if level not in LEVELS or (floor and level != "denied"):
        raise ValueError(f"no level: {level}")
    if where not in ("anywhere", *MARKERS):
        raise ValueError(f"no such place: {where}")
    names = tuple(patterns.split())
    return Group(who=who, level=level, reason=reason, patterns=names, roots=roots, floor=floor, where=where)


_UNHOOKS = "its hooks, permissions or settings can switch Interlock off"


def _host(who: str, patterns: str, *roots: str) -> Group:
    return _group(who, "denied", _UNHOOKS, patterns, *roots, floor=True, where="project")


_TAUGHT = "what it says is run or followed when the skill, command, agent or plug-in is used"
_TOLD = "agents follow it as instructions"
_START_UP = "every new shell or prompt runs it"
_COPY = "it runs at the next start once it is put in place"

GROUPS = (
    _group("Interlock", "denied", "it is the guard's own", ".interlock/** .config/interlock/** "
           ".local/state/interlock/** .local/share/interlock/** .cache/interlock/**", "/etc/interlock", floor=True),
    _group("Interlock", "denied", "it is the guard's own", ".claude/skills/interlock-*/**", floor=True,
           where="project"),
    # --- settings and hooks of the hosts that can be told to call a guard
    _host("Claude Code", ".claude/settings.json .claude/settings.local.json .claude/managed-settings.json "
          ".claude/managed-settings.d/** .claude/remote-settings.json .claude/hooks/** .claude/plugins/** .claude.json "
          ".claude/dev-mods/** .claude/skills/*/.claude-plugin/** .claude/skills/*/hooks/** "
          "~/.claude/shell-snapshots/** ~/.claude/session-env/** ~/.claude/jobs/** ~/.claude/daemon/** "
          "~/.claude/daemon.json",
          "/etc/claude-code", "/library/application support/claudecode"),
    _host("role-os", ".claude/role-os/**"),
    _host("Codex", ".codex/hooks.json .codex/config.toml .codex/requirements.toml .codex/managed_config.toml "
          ".codex/rules/** .codex/hooks/** .codex/plugins/** ~/.codex/.env", "/etc/codex"),
    _host("Gemini CLI", ".gemini/settings.json .gemini/policies/** .gemini/extensions/** .gemini/hooks/** "
          ".gemini/trustedfolders.json", "/etc/gemini-cli", "/library/application support/geminicli"),
    _host("Qwen Code", ".qwen/settings.json .qwen/hooks/** .qwen/extensions/** .qwen/trustedfolders.json .qwen/.env",
          "/etc/qwen-code", "/library/application support/qwencode"),
    _host("Copilot", ".copilot/** .github/hooks/** .github/copilot/**"),
    _host("OpenCode", "opencode.json opencode.jsonc .opencode/** .config/opencode/**", "/etc/opencode",
          "/library/application support/opencode"),
    _host("Cursor", ".cursor/hooks.json .cursor/hooks/** .cursor/cli.json .cursor/cli-config.json "
          ".cursor/permissions.json .cursor/plugins/** .cursor/extensions/**", "/etc/cursor",
          "/library/application support/cursor"),
    _host("goose", ".agents/plugins/** .config/goose/**"),
    _host("Windsurf", ".windsurf/hooks.json .codeium/windsurf/hooks.json", "/etc/windsurf",
          "/library/application support/windsurf"),
    _host("Kiro", ".kiro/agents/** .kiro/hooks/** .kiro/settings/cli.json .kiro/settings/permissions.json"),
    _host("Cline", ".clinerules/hooks/** cline/hooks/** .cline/hooks/**"),
    _host("Amp", ".config/amp/settings.json .config/amp/plugins/** .amp/settings.json .amp/plugins/**", "/etc/ampcode",
          "/library/application support/ampcode"),
    # --- the record that hosts keep of a session
    _group("the audit", "denied", "it is the host's record of the session, which shows what Interlock did not see",
           ".claude/projects/**/*.jsonl .claude/history.jsonl .codex/sessions/** .codex/archived_sessions/** "
           ".codex/history.jsonl .gemini/tmp/*/chats/** .gemini/tmp/*/logs.json .qwen/projects/*/chats/** "
           ".qwen/tmp/*/chats/** .qwen/tmp/*/logs.json ~/.local/share/opencode/** "
           ".cursor/projects/*/agent-transcripts/** "
           ".cursor/chats/** ~/.local/share/goose/sessions/** .codeium/windsurf/cascade/** .kiro/sessions/** "
           ".cline/data/** ~/.local/share/amp/threads/**", where="project"),
    # --- what runs without anybody doing anything more
    _group("git's hooks", "denied", "the next git command runs it", ".git/hooks/** .git/modules/**/hooks/*"),
    _group("the shell", "denied", _START_UP, "~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.bash_aliases "
           "~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin ~/.zlogout ~/.kshrc ~/.mkshrc ~/.cshrc ~/.tcshrc "
           "~/.login ~/.inputrc ~/.config/fish/** ~/.config/nushell/** ~/.config/powershell/** ~/.xonshrc "
           "~/.pam_environment ~/.config/environment.d/** ~/.ssh/rc ~/.ssh/environment",
           "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshrc",
           "/etc/zshenv", "/etc/zprofile", "/etc/fish", "/etc/environment", "/etc/csh.cshrc", "/etc/csh.login"),
    _group("a REPL", "denied", _START_UP, "~/.pythonrc ~/.pythonrc.py ~/.pythonstartup ~/.pythonstartup.py ~/.irbrc "
           "~/.pryrc ~/.rprofile ~/.ghci ~/.iex.exs ~/.node_repl_startup.js ~/.sqliterc ~/.psqlrc "
           "~/.ipython/profile_default/startup/** ~/.julia/config/startup.jl ~/.config/ghci/**"),
    _group("the scheduler", "denied", "it runs at its time, or at the next start of the machine or the desktop",
           "~/.config/systemd/user/** ~/.local/share/systemd/user/** ~/.config/autostart/** ~/library/launchagents/** "
           "~/.xprofile ~/.xinitrc ~/.xsession ~/.xsessionrc",
           "/etc/crontab", "/etc/anacrontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly",
           "/etc/cron.monthly", "/var/spool/cron", "/var/spool/at", "/etc/systemd", "/usr/lib/systemd",
           "/usr/local/lib/systemd", "/lib/systemd", "/run/systemd/system", "/etc/init.d", "/etc/rc.local", "/etc/rc.d",
           "/etc/xdg/autostart", "/library/launchagents", "/library/launchdaemons", "/library/startupitems",
           "/etc/ld.so.preload", "/etc/udev/rules.d"),
    # --- the same files where they are only kept: a repository of dotfiles
    _group("the shell", "asked", _COPY, ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc "
           ".zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .inputrc .config/fish/** "
           ".config/nushell/** .xonshrc"),
    _group("a REPL", "asked", "it runs when the program is started in that folder", ".pythonrc .pythonrc.py .irbrc "
           ".pryrc .rprofile .ghci .iex.exs .psqlrc"),
    _group("the scheduler", "asked", _COPY, ".config/systemd/user/** .config/autostart/**"),
    # --- what hosts start, or let agents run
    _group("MCP clients", "asked", "the servers that it names are started with the person's rights",
           ".mcp.json mcp.json .cursor/mcp.json .vscode/mcp.json .vs/mcp.json .github/mcp.json "
           ".codeium/windsurf/mcp_config.json "
           ".roo/mcp.json .kiro/settings/mcp.json .amazonq/mcp.json .junie/mcp/** .continue/mcpservers/** "
           ".lmstudio/mcp.json .gemini/mcp.json claude/claude_desktop_config.json settings/cline_mcp_settings.json",
           where="project"),
    _group("plug-ins", "asked", "the host that has the plug-in runs its hooks", "hooks/hooks.json", where="plug-in"),
    _group("Claude Code", "asked", _TAUGHT, ".claude/skills/** .claude/commands/** .claude/agents/** "
           ".claude/output-styles/** .claude/workflows/** .claude-plugin/** .claude/statusline.sh .claude/launch.json "
           ".claude/scheduled_tasks.json .claude/routines/**"),
    _group("Codex", "asked", _TAUGHT, ".codex/prompts/** .codex/skills/** .codex/agents/**"),
    _group("Gemini CLI", "asked", _TAUGHT, ".gemini/commands/** .gemini/skills/** .gemini/agents/** .gemini/system.md "
           ".gemini/.env gemini-extension.json"),
    _group("Qwen Code", "asked", _TAUGHT, ".qwen/commands/** .qwen/skills/** .qwen/agents/** .qwen/system.md "
           ".qwen/fork-profiles/** qwen-extension.json"),
    _group("Copilot", "asked", _TAUGHT, ".github/agents/** .github/chatmodes/** .github/skills/** .copilot/agents/** "
           ".copilot/skills/**"),
    _group("OpenCode", "asked", _TAUGHT, ".opencode/agent/** .opencode/agents/** .opencode/command/** "
           ".opencode/commands/** .opencode/skill/** .opencode/skills/** .opencode/mode/** .opencode/modes/** "
           ".config/opencode/agent/** .config/opencode/agents/** .config/opencode/command/** "
           ".config/opencode/commands/** .config/opencode/skill/** .config/opencode/skills/**"),
    _group("Cursor", "asked", _TAUGHT, ".cursor/commands/** .cursor/skills/** .cursor/agents/** .cursor/modes.json "
           ".cursor/environment.json .cursor/worktrees.json"),
    _group("goose", "asked", _TAUGHT, ".goose/recipes/** .config/goose/recipes/** .agents/skills/**"),
    _group("Windsurf", "asked", _TAUGHT, ".windsurf/workflows/** .windsurf/skills/**"),
    _group("Kiro", "asked", _TAUGHT, ".kiro/skills/** .kiro/powers/**"),
    _group("Cline", "asked", _TAUGHT, ".clinerules/workflows/** .cline/skills/** .roo/commands/** .roomodes"),
    _group("Amp", "asked", _TAUGHT, ".agents/commands/** .agents/toolbox/** .config/amp/skills/**"),
    _group("aider", "asked", "it names commands that aider runs", ".aider.conf.yml", where="project"),
    _group("agents' settings", "asked", "Qwen Code and Gemini CLI take variables from it when they start, and some of "
           "them switch hooks off, load code or move its model elsewhere", ".env", where="project"),
    _group("other agents", "asked", "agents take tasks, plans and permissions from it", ".agent/** .orchestrator/**"),
    # --- what editors, containers and shells run when a folder is opened
    _group("VS Code", "asked", "tasks and programs that it names run when the folder is opened, built or debugged",
           ".vscode/tasks.json .vscode/settings.json .vscode/launch.json *.code-workspace .cursor/settings.json",
           where="project"),
    _group("JetBrains", "asked", "what it names runs when the project is run", ".idea/runconfigurations/** "
           ".idea/workspace.xml .idea/externaltools/** .run/*.run.xml", where="project"),
    _group("Zed", "asked", "tasks and programs that it names run in the editor", ".zed/tasks.json .zed/settings.json "
           ".zed/debug.json", where="project"),
    _group("dev containers", "asked", "its commands run when the container is made or opened", ".devcontainer/** "
           ".devcontainer.json devcontainer.json .gitpod.yml", where="project"),
    _group("direnv", "asked", "the shell runs it on entering the folder", ".envrc ~/.config/direnv/**"),
    _group("mise", "asked", "the shell takes tools, variables and hooks from it on entering the folder",
           ".mise.toml mise.toml mise.local.toml .mise.local.toml .mise/** ~/.config/mise/**"),
    _group("a version manager", "asked", "it says from which folder or release the next tool is run",
           ".tool-versions rust-toolchain.toml rust-toolchain"),
    _group("an editor or debugger", "asked", "the program runs it when it starts", ".vimrc .exrc .nvim.lua .nvimrc "
           ".gdbinit .lldbinit .dir-locals.el ~/.config/nvim/** ~/.vim/** ~/.emacs ~/.emacs.d/** ~/.tmux.conf "
           "~/.config/tmux/** ~/.screenrc ~/.curlrc ~/.wgetrc"),
    # --- git
    _group("git", "asked", "it names programs that git runs, and where git fetches from and pushes to",
           ".git .git/config .git/config.worktree .git/**/config .git/**/config.worktree .git/**/commondir "
           ".git/**/gitdir .git/info/attributes .git/info/grafts .git/head .git/refs/** .git/packed-refs "
           ".git/objects/** ~/.gitconfig ~/.config/git/**", "/etc/gitconfig"),
    _group("git's hooks", "asked", "git runs it at the next commit, push or checkout, once the folder is in use",
           ".husky/** .githooks/** .git-hooks/** .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml "
           "lefthook.yaml .lefthook.yml .lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml "
           ".lefthook-local.yml .lefthook/** .overcommit.yml .simple-git-hooks.json .simple-git-hooks.js "
           "simple-git-hooks.json", where="project"),
    # --- builds that run elsewhere, with secrets
    _group("GitHub Actions", "asked", "it runs on the next push, with the repository's secrets",
           ".github/workflows/** .github/actions/** action.yml action.yaml", where="project"),
    _group("a build service", "asked", "it runs on the next push, with the build's secrets",
           ".gitlab-ci.yml .gitlab/ci/** .circleci/** .buildkite/** jenkinsfile .travis.yml azure-pipelines.yml "
           ".azure-pipelines/** bitbucket-pipelines.yml .drone.yml appveyor.yml .appveyor.yml cloudbuild.yaml "
           "buildspec.yml .woodpecker.yml .woodpecker/** .forgejo/workflows/** .gitea/workflows/** .semaphore/** "
           ".teamcity/**", where="project"),
    _group("a container", "asked", "it changes what the next start of the containers runs",
           "docker-compose.override.yml docker-compose.override.yaml compose.override.yml compose.override.yaml"),
    # --- where package managers and languages look
    _group("a package manager", "asked", "it says where packages come from, and what runs with them",
           ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml "
           "pip.conf pip.ini uv.toml .pypirc .condarc .bundle/config .gemrc "
           "nuget.config ~/.m2/settings.xml .mvn/extensions.xml .mvn/maven.config .mvn/jvm.config "
           ".cargo/config.toml .cargo/config bunfig.toml .pnp.cjs .pnp.loader.mjs .yarn/plugins/** .yarn/releases/** "
           ".yarn/sdks/** gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar "
           ".mvn/wrapper/maven-wrapper.properties .mvn/wrapper/maven-wrapper.jar ~/.gradle/init.gradle "
           "~/.gradle/init.d/**", where="project"),
    _group("Python", "asked", "every Python that finds it runs it", "sitecustomize.py usercustomize.py",
           where="imports"),
    _group("a lock file", "asked", "it says which code the next install brings",
           "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb go.sum cargo.lock "
           "poetry.lock uv.lock pipfile.lock composer.lock gemfile.lock packages.lock.json mix.lock podfile.lock "
           "flake.lock", where="project"),
    _group("git", "noted", "it names programs that git's settings describe, or where submodules come from",
           ".gitattributes .gitmodules"),
    # --- instructions
    _group("agents", "noted", _TOLD, "claude.md claude.local.md agents.md agents.override.md agent.md gemini.md "
           "qwen.md copilot-instructions.md .github/instructions/** .github/prompts/** .cursorrules .cursor/rules/** "
           ".windsurfrules .windsurf/rules/** .clinerules .clinerules/** .roorules .roo/rules/** .kiro/steering/** "
           ".goosehints .claude/rules/** .opencode/instructions/** .junie/guidelines.md "
           "global_rules.md warp.md .rules .claude/loop.md .claude/agent-memory/** .claude/agent-memory-local/**"),
)  # fmt: skip

# A host's settings in a folder below the project in which no project begins: a person may still start a host there.
ELSEWHERE = Group(
    who="an agent host, if it is started in that folder",
    level="asked",
    reason=_UNHOOKS,
    patterns=tuple(
        [
            pattern
            for group in GROUPS
            if group.floor and group.where == "project"
            for pattern in group.patterns
            if pattern[:2] != "~/"
        ]
    ),
)

# Rows that are judged by what is written, where that is known.
JUDGED = frozenset(
    ".vscode/settings.json .cursor/settings.json .gitattributes pnpm-workspace.yaml .tool-versions mise.toml "
    ".mise.toml mise.local.toml .mise.local.toml rust-toolchain.toml rust-toolchain .env "
    "gradle/wrapper/gradle-wrapper.properties "
    ".mvn/wrapper/maven-wrapper.properties".split()
)

OBEYED: dict[str, Group] = {pattern: group for group in GROUPS for pattern in group.patterns}
OBEYED_ROOTS: dict[str, Group] = {root: group for group in GROUPS for root in group.roots}
FLOOR = frozenset(pattern for pattern, group in OBEYED.items() if group.floor)
FLOOR_OWNERS = frozenset(group.who for group in GROUPS if group.floor)
REASONS: dict[tuple[str, str], str] = {
    (group.who, group.level): group.reason for group in (*GROUPS, ELSEWHERE) if not group.floor
}

# Whoever may write mods of Claude Code: no file yet, and soon code inside the client (reading/tools/skills.py).
MODS = "Claude Code's mods"

# Variables that move what a host, a shell or git obeys, and the place in the home folder that they stand for.
MOVED_BY = {
    "CLAUDE_CONFIG_DIR": ".claude",
    "CODEX_HOME": ".codex",
    "COPILOT_HOME": ".copilot",
    "CURSOR_CONFIG_DIR": ".cursor",
    "GEMINI_CLI_HOME": "",
    "QWEN_HOME": ".qwen",
    "OPENCODE_CONFIG": "opencode.json",
    "OPENCODE_CONFIG_DIR": ".opencode",
    "AMP_SETTINGS_FILE": ".amp/settings.json",
    "CLINE_DIR": ".cline",
    "KIRO_HOME": ".kiro",
    "XDG_CONFIG_HOME": ".config",
    "ZDOTDIR": "",
    "GIT_CONFIG_GLOBAL": ".gitconfig",
    "CARGO_HOME": ".cargo",
    "PIP_CONFIG_FILE": "pip.conf",
    "NPM_CONFIG_USERCONFIG": ".npmrc",
}
