"""Words that a runner of the project's code would take in without a role, where they are no code of the project.

`mix eval CODE`, `lein run -m x -e CODE`, `nx exec -- rm f`: no table has every sub-command and option of a runner, so
a word that it does not know used to count as a task of the project. It does not where it is code, where the word
before it says that the rest is a command, or where it names something outside the project.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..tables.vocabulary import FIELDS, HIDDEN
from .options import by_role, compiled
from .strange import MODULES, look_at, names_code_elsewhere

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program
    from .options import Parsed

__all__ = ["PASSES_ON", "TAKES_CODE", "code_options", "on_swallowed"]

# Sub-commands that are no task of a project in any runner: the rest is a command, code, or a prompt.
PASSES_ON = frozenset(
    "cmd command console dlx do eval exec execute interactive irb repl run-command sh shell ssh tinker x".split()
)
# Options that no runner uses for anything but code.
TAKES_CODE = frozenset(("-e", "-E", "--eval", "--exec", "--execute", "--expr", "--expression", "--print", "--code"))
_TASK_NAMES = frozenset(("run", "run-script", "task"))  # behind these stands what the project itself has named
_CODE = ("(", ";", "\n", "`", "$(")
_TAKEN_IN = HIDDEN | FIELDS


def on_swallowed(row: Program, parsed: Parsed, args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """Looks at each word that stands in no role that is read."""
    program = _name(args)
    code_options(parsed, args, shell)
    named = row.name in _TASK_NAMES
    own = _behind_dashes(args)  # what the project's own program is given
    assigned = by_role(compiled(row).roles, parsed.operands)
    if assigned and assigned[0][0] in ("runs", "script"):
        own = parsed.operands
    for role, words in assigned:
        for word in words if role in _TAKEN_IN else ():
            text = word.text
            passes = text.partition(" ")[0] in PASSES_ON and not named and word not in own
            first = word is parsed.operands[0]
            if passes and (" " in text or (first and (len(words) > 1 or len(parsed.operands) > 1 or shell.stdin))):
                shell.unclear(
                    f"`{program} {text[:40]}` runs what follows, and that is not read".replace(NUL, "…"), span
                )
            elif word not in own and _is_code(text) and not _is_value(word, args):
                shell.unclear(f"`{text[:40]}` looks like code that `{program}` runs".replace(NUL, "…"), word.span)
            elif word not in own and names_code_elsewhere(text):
                shell.unclear(f"`{text[:60]}` may be code from elsewhere".replace(NUL, "…"), word.span, kind="fetched")
            elif (text[:1] in ("/", "~") and text[:2] != "//") or text[:3] == "../":
                seen = _before(word, args)[:2] == "--" and word not in own  # as the value of that option
                if not seen and (word not in own or text.endswith(MODULES)):
                    look_at(text, text, word, shell, foreign=True, code=text.endswith(MODULES))


def code_options(parsed: Parsed, args: list[Arg], shell: Shell) -> None:
    """`-e CODE` and the like, where the row has no such option."""
    for option in parsed.strange:
        name, equals, _ = option.text.partition("=")
        if name in TAKES_CODE and (equals or _behind(option, args) is not None):
            shell.unclear(f"`{_name(args)} {name}` may run the text that follows", option.span)


def _name(args: list[Arg]) -> str:
    return args[0].text.rpartition("/")[2].replace(NUL, "…")


def _behind_dashes(args: list[Arg]) -> list[Arg]:
    at = next((at for at, arg in enumerate(args) if arg.text == "--"), len(args))
    return args[at + 1 :]


def _behind(option: Arg, args: list[Arg]) -> Arg | None:
    at = next((at for at, arg in enumerate(args) if arg is option), len(args))
    return args[at + 1] if at + 1 < len(args) else None


def _is_code(text: str) -> bool:
    """A call, or several statements. Names of tests have brackets too, but no quote or blank within."""
    return any(mark in text for mark in _CODE) and any(mark in text for mark in " \"'\n;`")


def _is_value(word: Arg, args: list[Arg]) -> bool:
    """`npm test -- -t 'renders (twice)'`: behind an option that is not one for code."""
    before = _before(word, args)
    return before[:1] == "-" and before not in TAKES_CODE and before != "--"


def _before(word: Arg, args: list[Arg]) -> str:
    return args[next((at for at, arg in enumerate(args) if arg is word), 1) - 1].text
