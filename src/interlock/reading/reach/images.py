"""Whether an image is one that the project brings with it: an image is a package, and HEAD's files name the known ones.

What HEAD names is a fact (store/facts/images.py). While it is not known, nothing is named.
"""

from __future__ import annotations

from ...model.facts import NO_PROJECT
from ...model.more_wants import Images
from ...value import TYPE_CHECKING
from .image_lists import is_named

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.acts import Target

__all__ = ["is_projects", "of_image"]


def is_projects(image: str, shell: Shell) -> bool:
    """Whether the commit that HEAD named when the session began names it."""
    facts = shell.found.facts
    if not image or facts.root in ("", NO_PROJECT):
        return False
    return is_named(image, shell.found.ask(Images(facts.root, facts.began)) or ())


def of_image(target: Target, tags: tuple[str, ...], shell: Shell) -> tuple[str, ...]:
    """The marks of what pulls an image or runs in one: what the project names brings nothing new."""
    held = target.get("image", ())
    images = (held,) if type(held) is str else held
    if type(images) is not tuple or not images or "all-tags" in target or "external" in tags:
        return tags
    known = [is_projects(image.rpartition("=")[2], shell) for image in images]  # `act -P ubuntu-latest=IMAGE`
    if not all(known):
        return (*tags, "install")
    return (*[tag for tag in tags if tag != "install"], "project")
