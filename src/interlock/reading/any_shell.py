"""A command of which it is not told which shell runs it, nor whether it has a terminal that the agent can type into.

Read as bash would, a text is believed only where every shell takes it alike: `ls $'\\'; rm -rf ~ #'` lists a file in
bash and removes the home folder in dash. And a program that does what is typed into it does more than its command line
says.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .shell.dialect import only_bash
from .shell.syntax import Coproc, FunctionDef, Lit, Pipeline, Simple
from .shell.walk import nodes

if TYPE_CHECKING:
    from .evaluate.state import Found
    from .shell.syntax import Part, Script

__all__ = ["in_doubt"]

# Programs that run commands, or write other files, as they are told at a terminal.
_OBEY = frozenset(
    "vi vim view vimdiff nvim ex ed emacs nano pico joe micro helix hx kak mcedit less more most man info top htop "
    "btop atop gdb lldb fzf tig lazygit gitui ranger mc nnn vifm lf w3m lynx links elinks mutt irssi weechat".split()
)
_PIECEWISE = ("-p", "--patch", "-i", "--interactive", "-e", "--edit")  # an editor is one of the answers
_OBEY_WITH = {  # with one of these options
    **dict.fromkeys(("git add", "git checkout", "git restore", "git reset", "git stash", "git commit"), _PIECEWISE),
    "pytest": ("--pdb", "--trace"),
    "python": ("-i",),
    "python3": ("-i",),
}
_WITHOUT_EDITOR = ("--message", "--file", "--reuse-message", "--no-edit", "--fixup", "--dry-run", "--help")
_TAKE_PATCHES = ("patch", "git apply", "git am")  # from what is typed, where no file is named: of any file
_NAME_PATCHES = ("-i", "--input")
_DEFINES = {FunctionDef: "a function", Coproc: "coproc"}  # zsh calls some functions by itself


def in_doubt(script: Script, text: str, found: Found) -> None:
    """Marks as opaque what another shell would take differently, and programs that do what is typed into them."""
    odd = only_bash(script, text) or next(
        (_DEFINES[type(node)] for node in nodes(script) if type(node) in _DEFINES), ""
    )
    if odd:
        why = f"which shell runs it is not told, and others take {odd} for something else than bash does"
        found.unclear(f"{why} (`bash -c` would settle it)", (0, len(text)))
    for args, _ in found.programs or ():
        name = _obeys([arg.text if arg.known else "" for arg in args])
        if name:
            found.unclear(f"`{name}` does what is typed into it, which no hook sees", args[0].span)
    fed = {id(command) for node in nodes(script) if type(node) is Pipeline for command in node.commands[1:]}
    for node in nodes(script):
        if type(node) is Simple and id(node) not in fed and not any(item.op[:1] == "<" for item in node.redirects):
            name, rest = _named([_plain(word.parts) for word in node.words])
            if name in _TAKE_PATCHES and not any(word[:1] != "-" or word in _NAME_PATCHES for word in rest):
                found.unclear(f"`{name}` takes patches that are typed, which no hook sees", node.span)


def _obeys(words: list[str]) -> str:
    name, rest = _named(words)
    options = [word.partition("=")[0] for word in rest]
    if name in _OBEY or any(word in _OBEY_WITH.get(name, ()) for word in options):
        return name
    if name == "git commit" and not any(
        word in _WITHOUT_EDITOR or (word[:1] == "-" and word[1:2] != "-" and not set("mFCh").isdisjoint(word))
        for word in options
    ):
        return name  # it opens an editor
    return ""


def _named(words: list[str]) -> tuple[str, list[str]]:
    """The program, of git with its subcommand, and the other words."""
    name = words[0].rpartition("/")[2] if words else ""
    return (f"git {words[1]}", words[2:]) if name == "git" and len(words) > 1 else (name, words[1:])


def _plain(parts: list[Part]) -> str:
    return parts[0].text if len(parts) == 1 and type(parts[0]) is Lit else ""
