"""The files of services that `compose` starts containers from: they open a container as far as options would.

One that lies outside the project is not known. One of this session is looked through, as its code is
(written/languages.py): what gives a container more of the machine than the project is asked about.
"""

from __future__ import annotations

import re

from ...model.more_wants import SameAsCommit, SameAsHead
from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..evaluate.words import Arg
from ..machine.places import has_written, where
from ..places.paths import in_project
from ..places.secret_words import names_secret
from ..reach.git_facts import CLEAN, asked
from ..reach.image_lists import images_in, short_image
from ..reach.images import is_projects
from ..runs.own_scripts import loads_written
from ..runs.projects import inside, own_code, run_place
from ..tables.spec import Adds
from ..written.language import GRAVE_SERVICES
from ..written.languages import language_of
from ..written.look import look
from ..written.run import run_by
from ..written.runners import Runner
from .recipes import pull_named

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.engine import Given
    from ..machine.options import Parsed

__all__ = ["STARTS", "shows_secrets", "start_services"]

STARTS = frozenset("create pull run scale start up watch".split())
_SERVICES = [Runner(programs=(), languages=("compose",))]


def start_services(parsed: Parsed, words: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None) -> Given:
    """`parsed`: the options before the sub-command. What is `given` to it, with what the services are: the project's,
    where the commit that HEAD named has their files and they open nothing but the project; and images that it lacks.
    """
    files = [value for option, value in parsed.values if option.name == "-f"]
    files += [
        Arg(path, value.span, value.glob, value.origin)
        for value in shell.variables.get("COMPOSE_FILE", ())
        for path in value.text.split(":")
        if path
    ]
    folders = [where(value, shell) for option, value in parsed.values if option.name == "--project-directory"]
    if not files:
        own_code(folders or shell.folders, shell, span, named=bool(folders))
    for file in files:
        path = where(file, shell)
        if not inside(path, shell.found.facts.root) or (has_written(path, shell) and language_of(path) != "compose"):
            run_place(file, shell, span)
    if shell.files or shell.found.facts.written:
        run_by(_SERVICES, words, shell, span)
        pull_named(span, shell)
    target, adds = given or ({}, [])
    texts = _texts(files, folders or list(shell.folders or ()), shell)
    said = re.sub(r"^\s*#.*$", "", "\n".join(texts.values()), flags=re.MULTILINE)
    new = [short_image(image) for image in images_in(_FILES[0], said) if not is_projects(image, shell)]
    if new:
        target, adds = {**target, "image": tuple(new)}, [*adds, Adds(tags=("install",))]
    if re.search(GRAVE_SERVICES, said):
        return target, [*adds, Adds(tags=("privileged",))]
    own = bool(texts) and not new and all(_is_heads(path, shell) for path in texts)
    opens = any(look(text, "compose") is not None for text in texts.values())
    more = _OTHERS.search(said) is not None and loads_written(said, shell)
    return target, [*adds, Adds(tags=("project",))] if own and not opens and not more else adds


def shows_secrets(parsed: Parsed, args: list[Arg], shell: Shell) -> bool:
    """`compose config` shows the services as they are started, with the values of files and variables put in."""
    if any(arg.text in _NAMES_ONLY for arg in args[1:]):
        return False
    files = [value for option, value in parsed.values if option.name == "-f"]
    said = "\n".join(_texts(files, list(shell.folders or ()), shell).values())
    return "env_file" in said or any(names_secret(first or second) for first, second in _PUT_IN.findall(said))


_NAMES_ONLY = frozenset("--services --images --volumes --profiles --networks --hash -q --quiet".split())
_PUT_IN = re.compile(r"\$\{?([A-Za-z_]\w*)|^\s*-\s*[\"']?([A-Za-z_]\w*)[\"']?\s*$", re.MULTILINE)
_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
_OVER = ("compose.override.yaml", "compose.override.yml", "docker-compose.override.yml", "docker-compose.override.yaml")
_OTHERS = re.compile(r"\b(?:extends|include|configs|secrets)\b")  # more than the file itself says what is started


def _texts(files: list[Arg], folders: list[str], shell: Shell) -> dict[str, str]:
    """What the files say, where all of them are known."""
    if len(folders) != 1 or any(file.unknown for file in files):
        return {}
    paths = [where(file, shell) for file in files] or [f"{folders[0]}/{name}" for name in (*_FILES, *_OVER)]
    texts = {path: text for path in paths if (text := "\n".join(texts_of_file(path, shell) or ()))}
    return {} if files and len(texts) < len(paths) else texts


def _is_heads(path: str, shell: Shell) -> bool:
    facts = shell.found.facts
    if not in_project(facts.root, path) or has_written(path, shell):
        return False
    want = SameAsCommit(path, facts.began) if facts.began else SameAsHead(path)
    return asked(shell.found, want) == CLEAN
