"""One file a host: its events to the nouns of `model/events.py`, an answer to what that host understands.

A host is a module with

    NAME                                            as `interlock hook NAME` takes it
    TRAITS                                          what of it matters for safety (traits.py)
    gates(data)                                     whether something waits for the answer to this event
    event_from(data, environment, parent)           the event
    spoken(data, event, reply)                      the answer: stdout, stderr, exit code
    settings(python, guard, arguments)              the fragment for the host's settings

A host that `interlock install` can set up has a part `install` (`claude_install.py`): where its settings file is for
each scope, its program, and a call that `interlock doctor` can try.

A host that loads a plug-in in place of settings has a part `plugin` (`opencode_plugin.py`), which makes the text of a
file from the fragment.

What only some events need lies in files beside it (`claude_settings.py`), and `part_of` finds those.
"""

from __future__ import annotations

from ..model.errors import HostError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from ..model.events import Event, Reply, Spoken
    from ..value import Json
    from .traits import Traits

    class Host(Protocol):
        NAME: str
        TRAITS: Traits

        def gates(self, data: Mapping[str, Json]) -> bool: ...
        def event_from(self, data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event: ...
        def spoken(self, data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken: ...
        def settings(self, python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]: ...


__all__ = ["HOSTS", "host_named", "part_of"]

# name -> its file, and how the files beside it begin
HOSTS = {
    "claude-code": ("claude_code", "claude"),
    "gemini-cli": ("gemini_cli", "gemini"),
    "qwen-code": ("qwen_code", "qwen"),
    "codex": ("codex", "codex"),
    "copilot-cli": ("copilot_cli", "copilot"),
    "opencode": ("opencode", "opencode"),
    # by their documentation only
    "cursor": ("cursor", "cursor"),
    "vscode": ("vscode", "vscode"),
    "goose": ("goose", "goose"),
    "windsurf": ("windsurf", "windsurf"),
    "cline": ("cline", "cline"),
    "kiro": ("kiro", "kiro"),
    "amp": ("amp", "amp"),
}


def host_named(name: str) -> Host:
    if name not in HOSTS:
        raise HostError(f"unknown host `{name[:60]}`; known are: {', '.join(HOSTS)}")
    found: Host = _loaded(HOSTS[name][0])
    return found


def part_of(host: str, part: str) -> Any:
    """The file of the host for this part; None where it has none."""
    if host not in HOSTS or part not in host_named(host).TRAITS.parts:
        return None
    return _loaded(f"{HOSTS[host][1]}_{part}")


def _loaded(file: str) -> Any:
    return __import__(f"{__name__}.{file}", None, None, ["NAME"])  # with names to take from it, it is the file itself
