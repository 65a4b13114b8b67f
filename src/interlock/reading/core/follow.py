"""The ways back in: what a reader of one command calls when it meets a command, a file or code inside it.

A grammar is recursive, and a program may run any other. So that no module has to import up the stream, whoever begins
a reading makes `Follow` once (`reading/follow.py`) and hands it down in `Found`, which every reader has.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..shell.syntax import Script
    from ..tables.spec import Adds, Program

    Span = tuple[int, int]

    class Follow(Protocol):
        def run_script(self, script: Script, shell: Shell, /) -> Arg | None:
            """A text of the shell, as it was parsed."""

        def run_command(self, args: list[Arg], span: Span, shell: Shell, *, in_shell: bool = False) -> Arg | None:
            """One command, word by word."""

        def run_special(self, row: Program, args: list[Arg], span: Span, shell: Shell) -> Arg | None:
            """A program whose arguments no table can say."""

        def in_role(self, role: str, arg: Arg, span: Span, shell: Shell) -> None:
            """A value that is more than a path, a text or a line of code."""

        def run_code(
            self,
            role: str,
            arg: Arg,
            shell: Shell,
            span: Span,
            args: list[Arg] | None = None,
            *,
            whole: bool = False,
        ) -> Arg | None:
            """Text that is run, in a shell or interpreter of its own."""

        def run_code_here(self, arg: Arg, shell: Shell, span: Span) -> Arg | None:
            """Shell text that is run in this very shell."""

        def run_file(self, arg: Arg, args: list[Arg], span: Span, shell: Shell, language: str = "") -> Arg | None:
            """A file that is run."""

        def source_file(self, arg: Arg, args: list[Arg], shell: Shell, span: Span) -> Arg | None:
            """A file whose text is run in this shell."""

        def on_url(self, arg: Arg, shell: Shell, span: Span, adds: list[Adds]) -> None:
            """An address that is fetched."""

        def run_place(self, arg: Arg, shell: Shell, span: Span) -> None:
            """A file or folder whose code is run."""

        def own_code(
            self, folders: tuple[str, ...] | list[str] | None, shell: Shell, span: Span, *, named: bool = False
        ) -> bool:
            """The code of the folders in which a build tool is run."""

        def is_kept_task(self, words: tuple[Arg, ...], folders: tuple[str, ...] | None, shell: Shell) -> bool:
            """Whether it is a test or build task that nobody has changed since the session began."""

        def obey(self, program: str, words: list[Arg], shell: Shell, span: Span) -> None:
            """What this session wrote and the program loads by itself."""

        def bring_along(self, shell: Shell, span: Span) -> None:
            """What is installed with a package that is added to the project."""

        def read_python(
            self,
            code: Arg,
            shell: Shell,
            span: Span,
            args: list[Arg] | None = None,
            name: str = "-c",
            *,
            whole: bool = False,
        ) -> None:
            """Code of Python."""

        def read_shadows(self, folder: str, span: Span, shell: Shell) -> None:
            """Modules of this session that Python finds before its own."""
