"""Programs whose arguments a table of options cannot describe, by the name that a row gives in `special`."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..commands.spec import Program
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

    Special = Callable[[Program, list[Arg], tuple[int, int], Shell], Arg | None]

__all__ = ["SPECIALS", "special"]

# name -> the module here that has the function of that name
SPECIALS = {
    "shell_program": "shells",
    "interpreter": "shells",
    "find": "finders",
    "xargs": "finders",
    "npm_config": "runners",
    "pager": "languages",
    "awk": "languages",
    "sed": "languages",
    "patch": "patches",
    "grep": "languages",
    "jq": "languages",
    "env": "runners",
    "sudo": "runners",
    "su": "runners",
    "flock": "runners",
    "joined": "runners",
    "script": "runners",
    "opaque": "runners",
    "crontab": "runners",
    "terminal": "runners",
    "copies": "links",
    "ln": "links",
    "attributes": "watching",
    "capture": "watching",
    "kills": "watching",
    "asked_setting": "watching",
    "lookup": "watching",
    "modes": "watching",
    "space": "watching",
    "tar": "archives",
    "dd": "archives",
    "rsync": "archives",
    "unzip": "archives",
    "archive7": "archives",
    "curl": "net",
    "wget": "net",
    "download": "net",
    "httpie": "net",
    "browse": "net",
    "ssh": "remote",
    "scp": "remote",
    "session": "remote",
    "netcat": "remote",
    "socat": "remote",
    "websocat": "remote",
    "ip": "remote",
    "rclone": "remote",
    "clock": "machine",
    "configure": "machine",
    "service": "machine",
    "sysctl": "machine",
    "vim": "editors",
    "emacs": "editors",
    "line_editor": "editors",
    "office": "editors",
    "sql_client": "clients",
    "db_tool": "clients",
    "redis": "clients",
    "mongo": "clients",
    "container_cli": "sandboxes",
    "kube": "sandboxes",
    "cloud_cli": "clouds",
    "aws": "clouds",
    "installs": "builders",
    "package_run": "builders",
    "env_run": "builders",
    "make": "builders",
    "yarn": "builders",
    "cmake": "builders",
    "ar": "builders",
    "gdb": "debuggers",
    "maven": "builders",
    "compiler": "debuggers",
    "task_or_file": "debuggers",
    "go_run": "builders",
    "jar": "builders",
    "dpkg": "packagers",
    "exiftool": "media",
    "magick": "media",
    "nix_run": "packagers",
    "nix_shell": "packagers",
    "pacman": "packagers",
    "rpm": "packagers",
    "cargo": "builders",
    "apt": "builders",
    "java": "builders",
    "ffmpeg": "media",
    "r_program": "builders",
    "git": "git",
    "git_apply": "patches",
    "git_archive": "git",
    "git_branch": "git",
    "git_checkout": "git",
    "git_config": "git",
    "git_dashed": "git",
    "git_diff": "git",
    "git_each": "git",
    "git_fetch": "git",
    "git_push": "git",
    "git_restore": "git",
    "git_two": "git",
    "gh_api": "forge",
    "svn_url": "vcs",
    "jj_config": "vcs",
    "fossil_sync": "vcs",
    "gh_config": "forge",
}


def special(name: str) -> Special:
    """The function, imported when it is first met."""
    module = __import__(f"interlock.reading.specials.{SPECIALS[name]}", fromlist=(name,))
    function: Special = getattr(module, name)
    return function
