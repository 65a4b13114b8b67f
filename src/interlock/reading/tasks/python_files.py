"""Python files that a tool runs by their name: `setup.py` by pip, `conftest.py` by pytest, `noxfile.py` by nox.

One that this session wrote is read like any script of it. An installation also brings in what such a file names.
"""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit
from ..evaluate.words import Arg
from ..wrappers import run_file

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["run_named"]

_INSTALLERS = frozenset(("pip", "pip3", "uv", "poetry", "pdm", "hatch", "pipenv"))
_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)


def run_named(program: str, path: str, shell: Shell, span: tuple[int, int]) -> None:
    """A file of this session that the program runs."""
    run_file(Arg(path, span, quoted=True), [], span, shell, "code.py")
    if program in _INSTALLERS and path.endswith("/setup.py"):
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install",), target={"manifest": path})
