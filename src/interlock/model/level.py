"""How hard it is to switch the check off from outside a call: four levels, each of which holds all below it. Pure.

A hook judges calls. Whether the host calls the hook is decided by files that no hook is asked about: a mod, a settings
file of the repository, the person's own settings. The level says which of these can still switch the hook off.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Scale

if TYPE_CHECKING:
    from typing import ClassVar

__all__ = ["ABOUT", "OUTSIDE", "Level", "level_of"]


class Level(Scale, words="hook_only shielded launched managed"):
    """
    hook_only  the host's settings name the hook, and nothing more: mods and files of a repository can switch it off
    shielded   no mod of somebody else loads
    launched   the client was started so that files of a repository cannot switch it off either
    managed    the settings that an administrator gives every user hold it
    """

    __slots__ = ()
    if TYPE_CHECKING:
        HOOK_ONLY: ClassVar[Level]
        SHIELDED: ClassVar[Level]
        LAUNCHED: ClassVar[Level]
        MANAGED: ClassVar[Level]

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")


# Said at every level below managed.
OUTSIDE = "a program that runs outside the check can rewrite your settings and switch it off at once"

ABOUT = {
    Level.HOOK_ONLY: "a mod or a settings file of the repository can switch the check off",
    Level.SHIELDED: "no mod can switch the check off, and a settings file of the repository can",
    Level.LAUNCHED: "neither a mod nor a settings file of the repository can switch the check off",
    Level.MANAGED: "only an administrator can switch the check off",
}


def level_of(*, managed: bool, launched: bool, shielded: bool, has_mods: bool) -> Level:
    """`has_mods`: the host loads mods. Without the shield against them, a launch is worth no more than the hook."""
    if managed:
        return Level.MANAGED
    if launched and (shielded or not has_mods):
        return Level.LAUNCHED
    return Level.SHIELDED if shielded and has_mods else Level.HOOK_ONLY
