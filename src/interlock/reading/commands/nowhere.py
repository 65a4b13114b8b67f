"""Names that no program has: an option or a text where a program stands, because a line was broken in two.

What is run then is nothing, and a person need not be asked about a program that is not known. A file of that name that
the session wrote may still be found, and so counts against it.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["is_no_name", "is_text", "is_written"]


def is_no_name(name: str) -> bool:
    """`--include=*.py` where a program stands: a line was broken in two, and nothing has that name.

    INVARIANT: one word for any shell, too. Some programs hand their operand to one (`entr -s`, `git bisect run`).
    """
    return name[:1] == "-" and len(name) > 1 and all(char.isalnum() or char in _IN_OPTIONS for char in name)


_IN_OPTIONS = frozenset("-_=.,:/*+@%")


def is_text(name: str) -> bool:
    """`"All is well!"` where a program stands: words of a text that was broken in two. No program is called so.

    INVARIANT: only where a shell itself looks for the program; what is handed to one as a line is no name but code.
    """
    return (" " in name.strip() or "\n" in name) and not name.lower().endswith(_PROGRAMS)


_PROGRAMS = (".exe", ".cmd", ".bat", ".com", ".ps1", ".app", ".sh")  # where Windows lies beside, names may have blanks


def is_written(name: str, shell: Shell) -> bool:
    """True if a file of this name was written, and could lie where programs are looked for."""
    facts = shell.found.facts
    ending = "/" + name
    return "/" in facts.written or any(path.endswith(ending) for path in (*shell.files, *facts.written))
