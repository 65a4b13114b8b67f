"""The files of services that `compose` starts containers from: they open a container as far as options would.

One that lies outside the project is not known. One of this session is looked through, as its code is
(written/languages.py): what gives a container more of the machine than the project is asked about.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.places import has_written, where
from ..runs.projects import inside, own_code, run_place
from ..written.languages import language_of
from ..written.run import run_by
from ..written.runners import Runner

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed

__all__ = ["STARTS", "start_services"]

STARTS = frozenset("create run scale up watch".split())
_SERVICES = [Runner(programs=(), languages=("compose",))]


def start_services(parsed: Parsed, words: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`parsed`: the options before the sub-command."""
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
