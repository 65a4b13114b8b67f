"""Programs whose arguments are another program, or code: shells, interpreters, wrappers, other agents.

The name of such a program says nothing of what runs. A campaign refuses to allow one by its name, and a planned line
of one is held by its words.
"""

from __future__ import annotations

__all__ = ["runs_anything"]

_RUNS_ANYTHING = frozenset(
    (
        *("sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "csh", "tcsh", "nu", "pwsh", "powershell"),
        *("busybox", "toybox"),
        *("python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "tsx", "perl", "raku", "ruby", "irb", "php"),
        *("lua", "luajit", "r", "rscript", "julia", "osascript", "tclsh", "expect", "awk", "gawk", "mawk", "nawk"),
        *("ghci", "runghc", "guile", "sbcl", "clojure", "groovy", "jshell", "scala", "elixir", "erl", "gdb", "vim"),
        *("env", "xargs", "find", "fd", "parallel", "entr", "watch", "nohup", "setsid", "timeout", "gtimeout", "nice"),
        *("ionice", "time", "gtime", "stdbuf", "unbuffer", "script", "caffeinate", "taskset", "chrt", "numactl"),
        *("faketime", "flock", "eatmydata", "eval", "exec", "command", "builtin", "source", "strace", "ltrace"),
        *("sudo", "doas", "su", "pkexec", "runuser", "chroot", "unshare", "nsenter", "bwrap", "firejail"),
        *("ssh", "docker", "podman", "nerdctl", "kubectl", "tmux", "screen", "at", "batch", "crontab", "systemd-run"),
        *("npx", "bunx", "pnpx", "uvx", "pipx", "uv"),
        *("claude", "codex", "gemini", "qwen", "copilot", "opencode", "goose", "aider", "amp", "cursor-agent"),
    )
)
_VERSION = "0123456789."  # `python3.12`


def runs_anything(name: str) -> bool:
    """Whether a program takes another program, or code, as its arguments."""
    return name.lower().rstrip(_VERSION) in _RUNS_ANYTHING or name.lower() in _RUNS_ANYTHING
