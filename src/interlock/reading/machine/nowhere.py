"""Names that no program has: an option or a text where a program stands, because a line was broken in two.

What is run then is nothing, and a person need not be asked about a program that is not known. A file of that name that
the session wrote may still be found, and so counts against it.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

__all__ = ["RESERVED", "is_no_name", "is_prose", "is_text", "is_written", "on_odd_name"]

# Words of the grammar: shells differ in where they still are that.
RESERVED = frozenset("coproc function select then do done fi esac else elif if case for while until [[ ]] { }".split())
_IN_PATTERNS = frozenset("(|)")
_NO_WORDS = frozenset(("EOF", "EOT", "EOL"))  # the end of a here-document that has ended before
# Files that nobody runs, whatever they hold. INVARIANT: nothing here that an interpreter or a loader takes by its name.
_OF_FILES = (
    *(".bak", ".cfg", ".conf", ".css", ".csv", ".env", ".git", ".gitignore", ".gz", ".html", ".ini", ".jpeg", ".jpg"),
    *(".json", ".jsonl", ".lock", ".log", ".md", ".pdf", ".png", ".rst", ".sql", ".tgz", ".toml", ".tsv", ".txt"),
    *(".xml", ".yaml", ".yml", ".zip"),
)


def is_no_name(name: str) -> bool:
    """`--include=*.py` where a program stands: a line was broken in two, and nothing has that name.

    INVARIANT: one word for any shell, too. Some programs hand their operand to one (`entr -s`, `git bisect run`).
    """
    return name[:1] == "-" and len(name) > 1 and all(char.isalnum() or char in _IN_OPTIONS for char in name)


_IN_OPTIONS = frozenset("-_=.,:/*+@%")


def is_text(name: str) -> bool:
    """`"All is well!"`, `"(a|b)"`, `notes.txt`, `:8080`, `Results:` where a program stands: a line was broken in two.

    INVARIANT: only where a shell itself looks for the program; what is handed to one as a line is no name but code.
    """
    if " " in name.strip() or "\n" in name or not _IN_PATTERNS.isdisjoint(name):
        return not name.lower().endswith(_PROGRAMS)
    if name[:1] == ":":
        return name[1:].isdigit()
    return name.endswith(_OF_FILES) or (name[-1:] == ":" and len(name) > 2) or name in _NO_WORDS


def is_prose(args: list[Arg]) -> bool:
    """`After that, we can start again.` where a command stands: a sentence that was meant for nobody's shell."""
    return args[0].text in _OPENS and len(args) > 3 and args[-1].text[-1:] in _STOPS


# INVARIANT: no name of a program, in small letters neither: some disks do not know case.
_OPENS = frozenset(
    "After Although Because Before However Once Since That The There These This We When You Your".split()
)
_STOPS = (".", ":", "!", "?")
_PROGRAMS = (".exe", ".cmd", ".bat", ".com", ".ps1", ".app", ".sh")  # where Windows lies beside, names may have blanks


def is_written(name: str, shell: Shell) -> bool:
    """True if a file of this name was written, and could lie where programs are looked for."""
    facts = shell.found.facts
    ending = "/" + name
    return "/" in facts.written or any(path.endswith(ending) for path in (*shell.files, *facts.written))


def on_odd_name(name: str, span: tuple[int, int], shell: Shell) -> None:
    """A name that no table has may not be what it looks like."""
    if not name.isprintable():
        shell.unclear("the name of a program holds characters that are not seen", span)
    if name[:1] in ("!", "^"):
        shell.unclear("this looks like a command from the shell's history", span)
