"""What a recipe of this session begins with: an image that no file of HEAD names is brought in by the build."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..machine.acts import emit
from ..places.paths import in_project
from ..reach.image_lists import images_in, short_image
from ..reach.images import is_projects
from ..written.languages import language_of

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["pull_named"]


def pull_named(span: tuple[int, int], shell: Shell) -> None:
    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written}):
        if language_of(path) != "dockerfile" or not in_project(facts.root, path):
            continue
        for image in images_in("Dockerfile", "\n".join(texts_of_file(path, shell) or ())):
            if not is_projects(image, shell):
                emit(shell, span, name="docker:pull", effects=(Effect.NETWORK, Effect.WRITE), tags=("install",),
                     target={"image": short_image(image)})  # fmt: skip
