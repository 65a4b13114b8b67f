"""svn, fossil and jj: forms that decide whether another machine is changed, or a command is named."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import keep_moved, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["clones", "fossil_sync", "jj_config", "svn_url"]


def clones(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`gh repo clone a/b`, `hg clone URL`: where no folder is named, it is called what the address ends with."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words = parsed.operands
    if words and words[0].known and (len(words) == 1 or words[1].text[:1] == "-"):
        name = words[0].text.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2]
        words.insert(1, Arg(name or ".", words[0].span))
    return act_on(row, parsed, args, span, shell)


def svn_url(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`svn rm URL` commits at once; `svn rm PATH` waits for a commit."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any("://" in arg.text or arg.text.startswith("^/") for arg in parsed.operands) or row.name in ("lock", "unlock"):
        parsed.switches.add("remote")
    else:
        moves = row.name in ("move", "mv", "rename", "ren")
        before = len(shell.found.actions)
        for at, arg in enumerate(parsed.operands, 1):
            on_path("move" if moves and at < len(parsed.operands) else "write", arg, shell)
        if moves:
            keep_moved(before, shell)
    return act_on(row, parsed, args, span, shell)


def fossil_sync(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A commit is pushed at once where a server is set; a setting can name a command."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if row.name in ("commit", "ci", "amend"):
        parsed.switches.add("sends")
    if row.name == "settings" and len(parsed.operands) > 1:
        shell.unclear("a setting that may name a command", span)
    return act_on(row, parsed, args, span, shell)


_NAMES_A_COMMAND = ("pager", "editor", "tool", "program", "diff", "command", "alias", "fix.", "signing", "executable")


def jj_config(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Settings that hold a command are opaque: it is run later."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words = parsed.operands
    if words and (not words[0].known or any(part in words[0].text for part in _NAMES_A_COMMAND)):
        shell.unclear(f"`{words[0].text[:40]}` can name a command that is run later", span)
    parsed.operands = words[:1]
    return act_on(row, parsed, args, span, shell)
