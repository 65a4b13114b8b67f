"""Settings that stand on a command line as `NAME=VALUE`, where a few names lead to code.

A build that is told `Configuration=Release` is the project's own. One that is told a command, a file of steps from
outside the project, or another place for its packages is not, and no table has every name: how a name ends says what
its value is for.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import NUL, Arg
from ..reach.package_sources import is_elsewhere

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.acts import on_path
else:
    on_path = lazy(globals(), "..machine.acts", "on_path")

__all__ = ["on_property"]

_RUN = ("command", "commands", "commands_pre", "commands_post", "event")
# What is installed, which programs may be called, and what they see.
_CHANGES = ("deps", "requires", "allowlist_externals", "whitelist_externals", "set_env", "setenv", "auth-provider")
_SOURCES = ("source", "sources", "feed", "feeds", "server", "registry", "index", "proxy", "proxy-url", "index_url")
_OUTPUTS = ("out", "publish", "result", "log", "cache", "temp", "intermediate", "work", "env_dir")


def on_property(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """The role `property`: one setting, or several that `;` parts."""
    name = ""
    for part in arg.text.lstrip(":").split(";"):
        before, equals, value = part.partition("=")
        name = before.strip().rstrip("+").lower() if equals else name
        _on_setting(name, Arg(value if equals else part, arg.span, arg.glob, arg.origin), span, shell)


def _on_setting(name: str, value: Arg, span: tuple[int, int], shell: Shell) -> None:
    text = value.text.strip("\"'")
    last = name.replace(":", ".").rpartition(".")[2]
    if last.endswith(_RUN) and text:
        shell.found.follow.run_code("code.sh", value, shell, span)
    elif last.endswith(_CHANGES) or ".auth-provider" in name:
        shell.unclear(f"`{name}` changes what is installed or run", span)
    elif "://" in text:
        if last.endswith(_SOURCES) and is_elsewhere(text):
            shell.unclear(f"`{name}` leads to another machine: `{text[:60]}`".replace(NUL, "…"), span, kind="fetched")
    elif text[:1] in ("/", "~") or text[:3] == "../":
        place = Arg(text, value.span, value.glob, value.origin)
        if any(word in last for word in _OUTPUTS):
            on_path("builds", place, shell)
        else:
            shell.found.follow.run_place(place, shell, span)
