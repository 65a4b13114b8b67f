"""The aliases that `interlock install` offers and `interlock launch --alias` prints. No start-up file is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..install.launching import ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SHELLS", "alias_lines", "offered"]

SHELLS = ("bash", "zsh", "fish")


def alias_lines(hosts: Iterable[str]) -> list[str]:
    """An alias for each of these hosts. All three shells read the same line."""
    wanted = set(hosts)
    return [f"alias {short}='interlock launch {short}'" for short, name in ALIASES.items() if name in wanted]


def offered(hosts: Iterable[str]) -> list[str]:
    """What to put where, so that these clients are launched whenever they are called by name."""
    wanted = set(hosts)
    short = next((short for short, name in ALIASES.items() if name in wanted), "")
    if not short:
        return []
    return [
        f"A file of a repository can still switch the hooks off. To start a client so that it cannot: "
        f"interlock launch {short}",
        'To do so always: eval "$(interlock launch --alias bash)" in ~/.bashrc (zsh: the same in ~/.zshrc; fish: '
        "interlock launch --alias fish | source, in ~/.config/fish/config.fish)",
    ]
