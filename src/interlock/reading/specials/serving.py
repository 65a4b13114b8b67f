"""Servers whose address decides who is let in: Python's file server, PHP's own.

Bound to this machine alone they are servers of the project, as `uvicorn` is. Open to others, or at an address that is
not known, they are asked about. Nothing but a word that is known for sure makes an address the machine's own.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import texts_of_file
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.places import has_written, where
from ..places.paths import in_project
from ..tables.kinds import project

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..tables.spec import Program
    from ..written.run import run_by
    from ..written.runners import runners_of
else:
    run_by = lazy(globals(), "..written.run", "run_by")
    runners_of = lazy(globals(), "..written.runners", "runners_of")

__all__ = ["file_server", "notebook_server", "php_server", "php_settings"]

_OWN = frozenset(("localhost", "127.0.0.1", "::1", "[::1]"))
_FILES = project("http.server", "number?", does="spawn execute", options="-b|--bind:text -d|--directory:runs")
_PHP = project("php", "runs?", does="spawn execute", options="-S:text -t:runs -n -q")


def file_server(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`python -m http.server`: everything below a folder, for everybody unless it is bound to this machine."""
    parsed = parse_options(_FILES, args[1:], stop_at_operand=False)
    binds = [value for option, value in parsed.values if option.name == "-b"]
    own = bool(binds) and all(bind.known and bind.text in _OWN for bind in binds)
    inside = shell.folders is not None and all(in_project(shell.found.facts.root, path) for path in shell.folders)
    if own and inside and not parsed.strange and not parsed.doubtful:
        return act_on(_FILES, parsed, args, span, shell)
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    return act_on(row, parsed, args, span, shell)


_NOTEBOOKS = project("jupyter", does="spawn execute", options="--port:text --ip:text --no-browser --debug -y")
_TOKENS = ("--ServerApp.token=", "--IdentityProvider.token=", "--NotebookApp.token=")
_OBEYED = tuple(
    f"jupyter_{part}config.{kind}" for part in ("", "server_", "lab_", "notebook_") for kind in ("py", "json")
)


def notebook_server(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`jupyter lab --no-browser --port 8890`: bound to this machine, behind a token, as it is of itself."""
    plain = [
        arg for arg in args if not (arg.known and arg.text.startswith(_TOKENS) and arg.text[-1:] not in ("=", "'"))
    ]
    parsed = parse_options(_NOTEBOOKS, plain[1:], stop_at_operand=False)
    own = all(value.known and (option.name != "--ip" or value.text in _OWN) for option, value in parsed.values)
    obeyed = [f"{folder}/{name}" for folder in shell.folders or ("?",) for name in _OBEYED]
    root = shell.found.facts.root
    inside = shell.folders is not None and all(in_project(root, path) for path in shell.folders)
    told = "--no-browser" in parsed.switches and not (parsed.strange or parsed.doubtful or parsed.operands)
    if told and own and inside and not any(has_written(path, shell) for path in obeyed):
        return act_on(_NOTEBOOKS, parsed, plain, span, shell)
    return act_on(row, parse_options(row, args[1:], stop_at_operand=False), args, span, shell)


def php_server(args: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """`php -S localhost:8000 -t public`: True if it is that and no more, and then it is read."""
    parsed = parse_options(_PHP, args[1:], stop_at_operand=False)
    addresses = [value for option, value in parsed.values if option.name == "-S"]
    if not addresses or parsed.strange or parsed.doubtful:
        return False
    for address in addresses:
        host, _, port = address.text.rpartition(":")
        if not address.known or host not in _OWN or not port.isdigit():
            return False
    act_on(_PHP, parsed, args, span, shell)
    if shell.files or shell.found.facts.written:
        run_by(runners_of("php", ("-S",)), args, shell, span)  # whatever is asked for is run
    return True


# Settings of PHP that load code, start a program or name a file to write.
_LOADING = (
    "auto_prepend_file", "auto_append_file", "extension", "preload", "include_path", "ffi.", "sendmail_path",
    "error_log", "_handler", "save_path", "_dir", "allow_url", "disable_functions", "open_basedir", "mail.log",
)  # fmt: skip


def php_settings(args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`php -c FOLDER`: settings of this session in it, if they do more than set a limit."""
    for at, arg in enumerate(args):
        if arg.text[:2] != "-c" or (arg.text == "-c" and at + 1 == len(args)):
            continue
        folder = where(args[at + 1] if arg.text == "-c" else arg, shell).rstrip("/")
        if arg.text != "-c":
            folder = folder.replace("/-c", "/", 1)
        for name in ("php.ini", "php-cli.ini"):
            path = f"{folder}/{name}"
            if not has_written(path, shell):
                continue
            texts = texts_of_file(path, shell)
            if texts is None or any(word in text.lower() for text in texts for word in _LOADING):
                shell.unclear(f"`{path}` was written in this session, and PHP obeys it", span, kind="written-here")
