"""A command of which it is not told which shell runs it, nor whether it has a terminal that the agent can type into.

Read as bash would, a text is believed only where every shell takes it alike: `ls $'\\'; rm -rf ~ #'` lists a file in
bash and removes the home folder in dash. And a program that does what is typed into it does more than its command line
says.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .shell.dialect import only_bash
from .shell.syntax import Coproc, FunctionDef, Lit, Pipeline, Simple, Word
from .shell.walk import nodes

if TYPE_CHECKING:
    from .evaluate.state import Found
    from .shell.syntax import Part, Script

__all__ = ["in_doubt"]

# Programs that run commands, or write other files, as they are told at a terminal.
_OBEY = frozenset(
    "vi vim view vimdiff nvim ex ed emacs nano pico joe micro helix hx kak mcedit less more most man info top htop "
    "btop atop gdb lldb fzf tig lazygit gitui ranger mc nnn vifm lf w3m lynx links elinks mutt irssi weechat".split()
) | {"git difftool", "git mergetool"}
_PIECEWISE = ("-p", "--patch", "-i", "--interactive", "-e", "--edit")  # an editor is one of the answers
_OBEY_WITH = {  # with one of these words
    **dict.fromkeys(("git add", "git checkout", "git restore", "git reset", "git stash", "git commit"), _PIECEWISE),
    "git rebase": ("--edit-todo", "-i", "--interactive"),
    **dict.fromkeys(("git cherry-pick", "git merge", "git revert", "git pull"), ("-e", "--edit")),
    "git branch": ("--edit-description",),
    "node": ("inspect",),
    "pytest": ("--pdb", "--trace"),
    "python": ("-i",),
    "python3": ("-i",),
}
_EDIT = {  # an editor is opened by these subcommands of git, where there is one of these words; none: always
    "git commit": (),
    "git merge": (),
    "git pull": (),
    "git revert": (),
    "git rebase": ("--continue",),
    "git cherry-pick": ("--continue",),
    "git tag": ("-a", "--annotate", "-s", "--sign"),
    "git notes": ("add", "append", "edit"),
}
_WITHOUT_EDITOR = (
    *("-m", "--message", "-F", "--file", "-C", "--reuse-message", "--no-edit", "--fixup", "--dry-run", "-h", "--help"),
    *("--ff-only", "--squash", "--no-commit", "--abort", "--quit", "--skip", "--rebase"),
)
_TAKE_VALUES = "mFCctuS"  # of these subcommands
_OF_GIT = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")  # before the subcommand, with a value
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
    silent = {node.words[0].span for node in nodes(script) if type(node) is Simple and node.words and _no_editor(node)}
    for noted in found.programs or ():
        args = noted.args
        words = [arg.text if arg.known else "" for arg in args]
        name = _obeys(words)
        if name:
            found.unclear(f"`{name}` does what is typed into it, which no hook sees", args[0].span)
        elif args[0].span not in silent and _edits(words):
            settles = "`GIT_EDITOR=true` before it" if "--continue" in words else "`--no-edit` or a message"
            why = f"`{_edits(words)}` may open an editor, and what is typed there no hook sees"
            found.unclear(f"{why} ({settles} would settle it)", args[0].span)
    fed = {id(command) for node in nodes(script) if type(node) is Pipeline for command in node.commands[1:]}
    for node in nodes(script):
        if type(node) is Simple and id(node) not in fed and not any(item.op[:1] == "<" for item in node.redirects):
            name, rest = _named([_plain(word.parts) for word in node.words])
            if name in _TAKE_PATCHES and not any(word[:1] != "-" or word in _NAME_PATCHES for word in rest):
                found.unclear(f"`{name}` takes patches that are typed, which no hook sees", node.span)


def _obeys(words: list[str]) -> str:
    name, rest = _named(words)
    options = {option for word in rest for option in _options(word)}
    if name in _OBEY or any(_stands_for(word, option) for word in _OBEY_WITH.get(name, ()) for option in options):
        return name
    return ""


def _edits(words: list[str]) -> str:
    name, rest = _named(words)
    wanted = _EDIT.get(name)
    options = {option for word in rest for option in _options(word)}
    if wanted is None or not options.isdisjoint(_WITHOUT_EDITOR) or (wanted and options.isdisjoint(wanted)):
        return ""
    return name


def _options(word: str) -> list[str]:
    """`-am` are two options, and what follows one that takes a value is its value."""
    if word[:1] != "-" or word[:2] == "--":
        return [word.partition("=")[0]]
    found = []
    for letter in word[1:]:
        found.append(f"-{letter}")
        if letter in _TAKE_VALUES:
            break
    return found


def _stands_for(option: str, given: str) -> bool:
    """Whether it is the option, or a beginning of it: git takes that for the whole."""
    return given == option or (len(given) > 3 and given[:2] == "--" and option.startswith(given))


def _named(words: list[str]) -> tuple[str, list[str]]:
    """The program, of git with its subcommand, and the other words."""
    name = words[0].rpartition("/")[2] if words else ""
    at = 1
    while name == "git" and words[at : at + 1] and words[at][:1] == "-":
        at += 2 if words[at] in _OF_GIT else 1
    return (f"git {words[at]}", words[at + 1 :]) if name == "git" and at < len(words) else (name, words[1:])


def _no_editor(node: Simple) -> bool:
    values = [item.value for item in node.assigns if item.name == "GIT_EDITOR" and item.op == "="]
    return any(type(value) is Word and _plain(value.parts) in ("true", ":") for value in values)


def _plain(parts: list[Part]) -> str:
    return parts[0].text if len(parts) == 1 and type(parts[0]) is Lit else ""
