"""Python files that a tool runs by their name: `setup.py` by pip, `conftest.py` by pytest, `noxfile.py` by nox.

One that this session wrote is read like any script of it. An installation also brings in what such a file names, and
a yes to that is one to these packages: the session may write others into the same file.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import Arg
from ..machine.acts import emit
from ..machine.places import has_written

if TYPE_CHECKING:
    from ast import expr

    from ...bytes.canon import digest
    from ..evaluate.state import Shell
    from ..machine.acts import Target
    from .package_json import texts_of
else:
    digest = lazy(globals(), "...bytes.canon", "digest")
    texts_of = lazy(globals(), ".package_json", "texts_of")

__all__ = ["run_named"]

_INSTALLERS = frozenset(("pip", "pip3", "uv", "poetry", "pdm", "hatch", "pipenv"))
_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)


def run_named(program: str, path: str, shell: Shell, span: tuple[int, int]) -> None:
    """A file of this session that the program runs."""
    before = len(shell.found.actions)
    shell.found.follow.run_file(Arg(path, span, quoted=True), [], span, shell, "code.py")
    if program in _INSTALLERS and path.endswith("/setup.py"):
        read = [str(action.target["path"]) for action in shell.found.actions[before:] if action.name == "fs:read"]
        target = {"manifest": path, **_required(path, read, shell)}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install",), target=target)


_REQUIRES = frozenset(("install_requires", "setup_requires", "tests_require", "extras_require"))


def _required(path: str, read: list[str], shell: Shell) -> Target:
    """The packages as the file spells them. Where it works them out, its text stands for them, and those it reads."""
    named = [_spelt_out(text) for text in texts_of(path, shell)]
    if None not in named:
        packages = tuple(dict.fromkeys([name for names in named for name in names or ()]))
        return {"package": packages} if packages else {}
    files = dict.fromkeys([path, *[other for other in read if has_written(other, shell)]])
    return {"digest": digest([text for file in files for text in texts_of(file, shell)])}


def _spelt_out(text: str) -> list[str] | None:
    import ast

    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    given = [keyword for call in calls for keyword in call.keywords]
    if any(keyword.arg is None for keyword in given):  # setup(**settings)
        return None
    lists = [_strings(keyword.value) for keyword in given if keyword.arg in _REQUIRES]
    return None if None in lists else [name for names in lists for name in names or ()]


def _strings(value: expr) -> list[str] | None:
    """All strings of a list, or of the lists of a dictionary; None where one is worked out."""
    import ast

    try:
        known = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    lists = list(known.values()) if isinstance(known, dict) else [known]
    names = [name for each in lists for name in ([each] if isinstance(each, str) else each)]
    return names if all(isinstance(name, str) for name in names) else None
