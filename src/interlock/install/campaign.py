"""The limits of a headless run, as settings for the host and as a policy for our hook. Pure.

No host is known to honor `allowOnly`, and a hook that allows a call lifts the host's own prompt. So the settings say
what the limits are and stop what they can, and the policy holds the same limits in front of every call: writes inside
the work folder and the repository only, programs of the plan and of a short list only, no network.
"""

from __future__ import annotations

import json
import re

from ..model.errors import InputError
from ..model.runs_anything import runs_anything
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Planned = tuple[
        str, tuple[str | None, ...]
    ]  # a program of the plan: its name, and its words as far as they are known

__all__ = ["PROGRAMS", "Campaign", "policy_text", "settings_text"]

# What may run besides the plan's programs: it looks, or it changes files, and the policy says where.
PROGRAMS = (
    *("basename", "cat", "cmp", "cp", "cut", "date", "diff", "dirname", "du", "file", "git", "grep", "head", "jq"),
    *("ls", "mkdir", "mv", "realpath", "rg", "sha256sum", "sort", "stat", "tail", "touch", "tr", "tree", "uniq", "wc"),
)
_GIT = ("add", "blame", "branch", "commit", "diff", "log", "ls-files", "rev-parse", "show", "status")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_PLAIN_PATH = re.compile(r"[^\x00-\x1f\x7f\"\\*?\[\](){}]+")  # it stands in patterns of the host and of rules
_PLAIN_WORDS = re.compile(r"[^\x00-\x1f\x7f*()\\]+")

_WEB_TOOLS = ("WebFetch", "WebSearch")
_SENDERS = ("curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "netcat", "telnet", "ftp")
_CATASTROPHES = (
    *("rm -rf /", "rm -fr /", "rm -r -f /", "rm -rf ~", "rm -fr ~", "rm -rf $HOME", "chmod -R 777 /"),
    *("sudo", "doas", "su", "mkfs", "dd", "shutdown", "reboot", "halt", "poweroff"),
)
_TOO_LARGE = ("/", "/home", "/root", "/usr", "/etc", "/var", "/opt", "/srv", "/mnt", "/tmp", "/var/tmp")  # noqa: S108 - nothing is written there


class Campaign(Value):
    """What a run is limited to. Paths are absolute, and links are followed.

    folder   the work folder: the settings and the policy lie there
    repo     the repository; one of the two lies in the other
    plan     the plan's file, somewhere in them; empty: there is none
    digest   of the plan's content
    planned  the programs of the plan
    lines    its lines as they are written, each with its arm
    allow    programs that the person adds
    hooks    the host's hooks, as `interlock install` writes them; none: no such section
    """

    folder: str
    repo: str
    plan: str
    home: str
    digest: str = ""
    planned: tuple[Planned, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    allow: tuple[str, ...] = ()
    hooks: Mapping[str, Any] = FrozenMap({})

    @property
    def root(self) -> str:
        """The outer one of the two folders, which the client is started in: to the hook, that is the project."""
        return self.repo if _is_in(self.folder, self.repo) else self.folder

    def check(self) -> Campaign:
        """Itself. InputError where what it would be limited to is no limit."""
        for path in (self.folder, self.repo, *([self.plan] if self.plan else [])):
            if not path.startswith("/") or not _PLAIN_PATH.fullmatch(path):
                raise InputError(f"`{path}` has a character that cannot stand in rules; use another name")
        if not _is_in(self.folder, self.repo) and not _is_in(self.repo, self.folder):
            raise InputError(
                f"`{self.folder}` and `{self.repo}` lie apart, and an agent is held to one folder with all that is in "
                "it; put the work folder into the repository, or a worktree of it into the work folder: "
                "git worktree add DIR/repo"
            )
        if self.root in _TOO_LARGE or _is_in(self.home, self.root):
            raise InputError(f"`{self.root}` holds too much: to be free in there is to be free everywhere")
        if self.allow and not self.plan:
            raise InputError("only a plan limits which programs run: name one with --plan, or leave --allow-bin out")
        if self.plan and not _is_in(self.plan, self.root):
            raise InputError(f"the plan `{self.plan}` lies outside of `{self.root}`; its log is kept beside it")
        for name in self.allow:
            if not _NAME.fullmatch(name):
                raise InputError(f"`{name}` is not the name of a program")
            if runs_anything(name):
                raise InputError(
                    f"`{name}` runs whatever it is given, so to allow it by name is to allow everything; put the "
                    "command line that you need into the plan"
                )
        return self


def settings_text(campaign: Campaign, policy_digest: str) -> str:
    """The host's settings file. InputError as `check`."""
    campaign.check()
    folders = list(dict.fromkeys((campaign.folder, campaign.repo)))
    settings: dict[str, Any] = {
        "disableAllHooks": False,  # these settings outrank those of the repository
        "env": {"INTERLOCK_CAMPAIGN": f"{policy_digest}:{campaign.folder}/.interlock/campaign.toml"},
        "permissions": {
            "allow": _allowed(campaign, folders),
            "allowOnly": folders,
            "blockWritesOutsideWorkingDirectories": True,
            "defaultMode": "default",
            "deny": _denied(campaign),
            "disableBypassPermissionsMode": "disable",
        },
    }
    if campaign.hooks:
        settings["hooks"] = campaign.hooks
    return json.dumps(settings, indent=2, default=dict) + "\n"


def _allowed(campaign: Campaign, folders: Iterable[str]) -> list[str]:
    commands = [name for name in PROGRAMS if name != "git"]
    commands += [f"git {word}" for word in _GIT]
    commands += campaign.allow
    for name, words in campaign.planned:
        if not name:
            continue
        if not runs_anything(name):
            commands += [name, str(words[0])] if words and words[0] is not None else [name]
        elif len(words) > 1 and None not in words:
            commands.append(" ".join([str(word) for word in words]))
    plain = [command for command in dict.fromkeys(commands) if _PLAIN_WORDS.fullmatch(command)]
    tools = ["Read", "Glob", "Grep", *[f"Edit(/{folder}/**)" for folder in folders]]
    # What the hook let through unread it leaves to the client, so the client must know every planned line.
    lines = [line.strip() for line, _ in campaign.lines if _PLAIN_WORDS.fullmatch(line.strip())]
    return [*tools, *[f"Bash({command}:*)" for command in plain], *[f"Bash({line})" for line in dict.fromkeys(lines)]]


def _denied(campaign: Campaign) -> list[str]:
    """What the plan itself names is left to our hook, which goes by the address and not by the program."""
    named = {name for name, _ in campaign.planned} | {*campaign.allow}
    commands = [command for command in (*_SENDERS, *_CATASTROPHES) if command not in named]
    own = [f"Edit(/{campaign.folder}/{folder}/**)" for folder in (".claude", ".interlock")]
    return [*_WEB_TOOLS, *[f"Bash({command}:*)" for command in commands], *own]


_POLICY = """\
# Written by `interlock campaign init`. It only tightens, and a run is held to it as it was when the run began.
# Rules of your own belong into the policy of the project, .interlock/policy.toml.
version = 1

[risk]
unregistered = "deny"

{plan}# Whatever does not begin like the folder; then, what only begins like it. The folder itself is neither.
[[rules]]
id = "campaign-writes"
when = {{ effects = ["write", "destructive"], target = {{ path = "/*" }} }}
unless = {{ target = {{ path = "{root}*" }} }}
verdict = "deny"
reason = "This run writes only in {shown}."
instead = "Write below {root}."
matches = ["echo x > /etc/motd", "rm -r /tmp/other"]
ignores = [{{ tool = "Write", input = {{ file_path = "{root}/notes.txt", content = "" }} }}]

[[rules]]
id = "campaign-writes-beside"
when = {{ effects = ["write", "destructive"], target = {{ path = "{root}?*" }} }}
unless = {{ target = {{ path = "{root}/*" }} }}
verdict = "deny"
reason = "This run writes only in {shown}."
instead = "Write below {root}."
matches = [{{ tool = "Write", input = {{ file_path = "{root}-2/notes.txt", content = "" }} }}]
ignores = [{{ tool = "Write", input = {{ file_path = "{root}/notes.txt", content = "" }} }}]

[[rules]]
id = "campaign-network"
when = {{ effects = ["network"] }}
unless = {{ tags = ["local"] }}
verdict = "deny"
reason = "This run has no network."
instead = "Work with what is on this machine, and say what is missing."
matches = ["curl https://example.com", "git push"]
ignores = ["curl http://localhost:8080/", "git status"]
"""
_PLAN = """\
[plan]
enforcement = "strict"
dir = {dir}
file = {file}
{pinned}match = "line"
markers_per_run = 0
programs = [{programs}]

"""
_OWN = """
[[rules]]
id = "{id}"
when = {{ effects = ["write", "destructive"], target = {{ path = {path} }} }}
verdict = "deny"
reason = "The limits of this run are kept here."
"""


def policy_text(campaign: Campaign) -> str:
    """The policy that holds the run to the same limits. InputError as `check`."""
    campaign.check()
    plan = ""
    if campaign.plan:
        folder, _, file = campaign.plan.rpartition("/")
        programs = ", ".join([_toml(name) for name in sorted({*PROGRAMS, *campaign.allow})])
        pinned = f"digest = {_toml(campaign.digest)}\n" if campaign.digest else ""
        plan = _PLAN.format(dir=_toml(folder), file=_toml(file), pinned=pinned, programs=programs)
    shown = " and ".join(dict.fromkeys((campaign.folder, campaign.repo)))
    own = [
        _OWN.format(id=f"campaign-own-{at}", path=_toml(f"{campaign.folder}/{name}*"))
        for at, name in enumerate((".claude", ".interlock"), 1)
    ]
    return _POLICY.format(
        plan=plan,
        shown=shown,
        root=campaign.root,
    ) + "".join(own)


def _toml(text: str) -> str:
    return f'"{text}"'  # INVARIANT: `check` lets no quote, backslash or control character pass


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
