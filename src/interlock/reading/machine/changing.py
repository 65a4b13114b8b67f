"""Words with which a sub-command that looks changes something after all: `graph destroy`, `check --fix`, `-o x.html`.

No row has every option of its program, nor every verb behind a noun. What its row does not have and what says by its
name that it changes something is taken by that name: a verb is a sub-command that nobody has read, an option changes,
and the value of one that names an output is a file that is written.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..tables.spec import ROLES, Adds
from .acts import on_path
from .options import compiled

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program
    from .options import Parsed

__all__ = ["CHANGING", "FORMATS", "FREE_WORDS", "OUTPUTS", "says_change"]

CHANGING = frozenset(
    "add apply assign clean clear close create delete destroy disable drop edit enable erase fix forget in-place "
    "inplace insert install launch lock modify prune protect purge remove rename repair replace reset restore revoke "
    "rm set sync uninstall unlock unprotect unset update upgrade write".split()
)
# What begins with one of these does it as well: `--fix-only`, `--add-noqa`, `--set-default`.
_BEGINNINGS = frozenset("add delete fix set unset write".split())
# Options behind which stands where it is written; `-o json` says how it looks instead.
OUTPUTS = frozenset(
    "-o --output --out --output-file --out-file --outfile --output-dir --out-dir --outdir --export --save".split()
)
FORMATS = frozenset(
    "json jsonl ndjson json-pretty yaml yml toml xml csv tsv table text txt wide name plain raw tree html markdown md "
    "pretty dot short long compact default full list simple human go-template jsonpath custom-columns line lines "
    "id ids value values sarif junit github gitlab checkstyle none".split()
)
# Sub-commands that are verbs of looking: what follows them is what is looked at, whatever it is called.
FREE_WORDS = frozenset(
    "blame cat check describe diff doc docs explain find get grep help info lint list log logs ls man print query "
    "search show status test view whatprovides where which why".split()
)
_VERB = Adds(effects=(Effect.EXECUTE,), tags=("unknown",))
_OPTION = Adds(effects=(Effect.WRITE,))


def says_change(row: Program, parsed: Parsed, args: list[Arg], shell: Shell) -> tuple[Adds, ...]:
    """What the words add that the row of a look does not have. The files that are written are noted at once."""
    if row.action is None or any(effect is not Effect.READ for effect in row.effects):
        return ()
    words = compiled(row).many
    found = [_OPTION for arg in parsed.strange if _changes(arg.text)]
    found += [_OPTION for name in parsed.switches if name not in row.flags and name.lstrip("-") in CHANGING]
    if row.words > 1 and words is not None and words not in ROLES and row.name not in FREE_WORDS:
        found += [_VERB for word in parsed.operands[:2] if word.text in CHANGING]
    for arg in dict.fromkeys(parsed.strange):
        place = _output(arg, args)
        if place is not None:
            on_path("write", place, shell)
    return tuple(found)


def _changes(option: str) -> bool:
    name = option.lstrip("-").partition("=")[0]
    return name in CHANGING or (name.partition("-")[0] in _BEGINNINGS and option.startswith("--"))


def _output(arg: Arg, args: list[Arg]) -> Arg | None:
    """Where the option writes, if it is one that says so and its value is no format."""
    name, equals, value = arg.text.partition("=")
    if name[:2] == "-o" and ("/" in name or "." in name):
        name, equals, value = "-o", "=", arg.text[2:]
    if name not in OUTPUTS:
        return None
    after = args[args.index(arg) + 1 :]
    place = Arg(value, arg.span, arg.glob, arg.origin) if equals else after[0] if after else None
    if place is None or place.text[:1] in ("", "-") or place.text.partition("=")[0].lower() in FORMATS:
        return None
    return place
