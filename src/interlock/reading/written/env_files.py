"""Files of variables that this session wrote: `node --env-file=x.env`, and the `.env` that some programs take anyway.

A line of such a file is as good as `export NAME=VALUE` in front of the command: most names are data, and a few make
programs load or run something (evaluate/variables.py). A shell that sources one with `set -a` needs no row here.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..evaluate.environment import hand_over
from ..evaluate.words import NUL, Arg
from ..machine.places import has_written
from ..places.paths import Unsettled, settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evaluate.state import Shell

__all__ = ["take_variables"]

_USUAL = ".env .env.local .env.development .env.test .env.production"

# programs -> options that name such a file, and files that they take from the folder by themselves
_ROWS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    program: (tuple(options.split()), tuple(files.split()))
    for programs, options, files in (
        ("node nodejs tsx", "--env-file --env-file-if-exists", ""),
        ("bun bunx", "--env-file", _USUAL),
        ("deno", "--env-file --env", ""),
        ("uv uvx", "--env-file", ""),
        ("uvicorn gunicorn hypercorn granian", "--env-file", ""),
        ("flask", "-e --env-file", ".env .flaskenv"),
        ("dotenv dotenvx env-cmd dotenv-cli", "-e -f --file --env-file", ".env .env.local"),
        ("foreman honcho overmind hivemind goreman forego nf", "-e --env", ".env"),
        ("pipenv", "", ".env"),
        ("docker docker-compose podman podman-compose nerdctl", "--env-file", ".env"),
        ("act", "--env-file", ".env"),
        ("poe", "-e --env-file", ""),
        ("just", "--dotenv-path -E", ".env"),
        ("task go-task mise", "", ".env"),
        ("pm2 nodemon", "--env-file", ""),
    )
    for program in programs.split()
}
_ENGINES = frozenset(("docker", "podman", "nerdctl"))  # variables of a container are not those of the engine
_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*[=:][ \t]*(.*?)[ \t]*$", re.MULTILINE)


def take_variables(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """What the files of this session that the program takes its variables from make it, or what it starts, do."""
    row = _ROWS.get(program)
    if row is None or (program in _ENGINES and all(word.text != "compose" for word in words)):
        return
    options, files = row
    for path in _settled([*files, *_named(words, options)], shell):
        if not has_written(path, shell):
            continue
        texts = texts_of_file(path, shell)
        if texts is None and (path in shell.files or path in shell.found.facts.unread):
            why = f"`{path}` holds variables of `{program}`; it was written in this session, and was not read"
            shell.unclear(why, span, kind="written-here")
        for name, value in [pair for text in texts or () for pair in _LINE.findall(text)]:
            hand_over(name, Arg(_unquoted(value), span), shell, span, shown=False)


def _named(words: list[Arg], options: tuple[str, ...]) -> Iterator[str]:
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.text.partition("=")
        if name in options:
            yield value if equals else words[at + 1].text if at + 1 < len(words) else ""


def _settled(names: list[str], shell: Shell) -> Iterator[str]:
    for folder in shell.folders or ():
        for name in names:
            try:
                if name and NUL not in name:
                    yield settle(name, cwd=folder, home=shell.found.facts.home)
            except Unsettled:
                continue


def _unquoted(value: str) -> str:
    quote = value[:1]
    return value[1:].partition(quote)[0] if quote in ("'", '"', "`") else value.partition(" #")[0].rstrip()
