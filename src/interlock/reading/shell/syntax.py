"""What a shell command looks like once it has been read: the nodes of the tree.

This is the one place to import nodes from; those that make up words are written down in `parts`. Nodes
are plain values with explicit fields and without parent pointers. Nothing here reads, expands or judges.
"""

from __future__ import annotations

from .parts import ArithSub as ArithSub
from .parts import ArrayItem as ArrayItem
from .parts import ArrayLit as ArrayLit
from .parts import Brace as Brace
from .parts import CmdSub as CmdSub
from .parts import DoubleQuoted as DoubleQuoted
from .parts import ExtGlob as ExtGlob
from .parts import Lit as Lit
from .parts import Node as Node
from .parts import Opaque as Opaque
from .parts import Param as Param
from .parts import ProcSub as ProcSub
from .parts import Span as Span
from .parts import Tilde as Tilde
from .parts import Word as Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .parts import Part as Part


# --- simple commands ------------------------------------------------------------------------------


class Assign(Node):
    """`name=value`, `name[index]+=value`: an assignment before the command name; `op` is `=` or `+=`."""

    __slots__ = ("name", "index", "op", "value")

    def __init__(self, name: str, index: Word | None, op: str, value: Word | ArrayLit, span: Span) -> None:
        self.name = name
        self.index = index
        self.op = op
        self.value = value
        self.span = span


class HereDoc(Node):
    """The body of `<<word`. `quoted`: taken literally; `strip_tabs`: `<<-`; `terminated`: the end mark
    was found.

    `span` covers the body as written. Its parts hold the text that the command receives.
    """

    __slots__ = ("delimiter", "quoted", "strip_tabs", "parts", "terminated")

    def __init__(self, delimiter: str, quoted: bool, strip_tabs: bool, span: Span) -> None:
        self.delimiter = delimiter
        self.quoted = quoted
        self.strip_tabs = strip_tabs
        self.parts: list[Part] = []
        self.terminated = False
        self.span = span


class Redirect(Node):
    """`op` as written without its descriptor (`>`, `>>`, `<`, `<>`, `>|`, `>&`, `<&`, `&>`, `&>>`,
    `<<<`, `<<`, `<<-`).

    `fd` is the text before the operator: "", digits, or `{name}`. For a here-document `doc` is set and
    `target` is the delimiter as written. `span` ends with the target; the body of a here-document lies
    elsewhere.
    """

    __slots__ = ("op", "fd", "target", "doc")

    def __init__(self, op: str, fd: str, target: Word, doc: HereDoc | None, span: Span) -> None:
        self.op = op
        self.fd = fd
        self.target = target
        self.doc = doc
        self.span = span


class Simple(Node):
    """Assignments, words and redirections. `words[0]` names the command; all three may be empty but not
    at once."""

    __slots__ = ("assigns", "words", "redirects")

    def __init__(self, assigns: list[Assign], words: list[Word], redirects: list[Redirect], span: Span) -> None:
        self.assigns = assigns
        self.words = words
        self.redirects = redirects
        self.span = span


# --- commands joined together ---------------------------------------------------------------------


class Pipeline(Node):
    """`a | b |& c`. `stderr[i]` says that `commands[i]` was followed by `|&`.

    `negated` counts the `!` modulo two; `timed` marks a leading `time`. Also wraps a single command that
    has either.
    """

    __slots__ = ("commands", "stderr", "negated", "timed")

    def __init__(self, commands: list[Command], stderr: list[bool], negated: bool, timed: bool, span: Span) -> None:
        self.commands = commands
        self.stderr = stderr
        self.negated = negated
        self.timed = timed
        self.span = span


class AndOr(Node):
    """`a && b || c`, from left to right: `ops[i]` stands between `commands[i]` and `commands[i + 1]`."""

    __slots__ = ("commands", "ops")

    def __init__(self, commands: list[Command], ops: list[str], span: Span) -> None:
        self.commands = commands
        self.ops = ops
        self.span = span


class Background(Node):
    """`command &`: left running."""

    __slots__ = ("command",)

    def __init__(self, command: Command, span: Span) -> None:
        self.command = command
        self.span = span


class Script(Node):
    """Commands in order.

    `opaque` lists every part, at any depth, that was not understood. It is filled for the script that `parse`
    returns and empty for those inside substitutions. `refused`: some line is one that no shell takes, and left out.
    """

    __slots__ = ("commands", "opaque", "refused")
    fields = ("commands", "opaque")

    def __init__(self, commands: list[Command], opaque: list[Opaque], span: Span) -> None:
        self.commands = commands
        self.opaque = opaque
        self.refused = False
        self.span = span


# --- compound commands: each carries the redirections written after it ----------------------------


class Subshell(Node):
    """`( body )`: runs in a copy of the shell."""

    __slots__ = ("body", "redirects")

    def __init__(self, body: list[Command], redirects: list[Redirect], span: Span) -> None:
        self.body = body
        self.redirects = redirects
        self.span = span


class Group(Node):
    """`{ body; }`: runs in this shell."""

    __slots__ = ("body", "redirects")

    def __init__(self, body: list[Command], redirects: list[Redirect], span: Span) -> None:
        self.body = body
        self.redirects = redirects
        self.span = span


class Branch(Node):
    """`if condition; then body` or `elif condition; then body`."""

    __slots__ = ("condition", "body")

    def __init__(self, condition: list[Command], body: list[Command], span: Span) -> None:
        self.condition = condition
        self.body = body
        self.span = span


class If(Node):
    """The branches in order, then the `else` body, which is empty if there was none."""

    __slots__ = ("branches", "orelse", "redirects")

    def __init__(self, branches: list[Branch], orelse: list[Command], redirects: list[Redirect], span: Span) -> None:
        self.branches = branches
        self.orelse = orelse
        self.redirects = redirects
        self.span = span


class For(Node):
    """`for name in words` (or `select`, when `menu`); `words` is None for the positional parameters."""

    __slots__ = ("name", "words", "body", "menu", "redirects")

    def __init__(
        self,
        name: str,
        words: list[Word] | None,
        body: list[Command],
        menu: bool,
        redirects: list[Redirect],
        span: Span,
    ) -> None:
        self.name = name
        self.words = words
        self.body = body
        self.menu = menu
        self.redirects = redirects
        self.span = span


class ForArith(Node):
    """`for ((init; test; step))`: three arithmetic expressions, any of them empty."""

    __slots__ = ("init", "test", "step", "body", "redirects")

    def __init__(
        self, init: Word, test: Word, step: Word, body: list[Command], redirects: list[Redirect], span: Span
    ) -> None:
        self.init = init
        self.test = test
        self.step = step
        self.body = body
        self.redirects = redirects
        self.span = span


class While(Node):
    """`while condition; do body; done`, or `until` when `until`."""

    __slots__ = ("condition", "body", "until", "redirects")

    def __init__(
        self,
        condition: list[Command],
        body: list[Command],
        until: bool,
        redirects: list[Redirect],
        span: Span,
    ) -> None:
        self.condition = condition
        self.body = body
        self.until = until
        self.redirects = redirects
        self.span = span


class CaseItem(Node):
    """`patterns) body end`; `end` is `;;`, `;&`, `;;&`, or "" for a last item without one."""

    __slots__ = ("patterns", "body", "end")

    def __init__(self, patterns: list[Word], body: list[Command], end: str, span: Span) -> None:
        self.patterns = patterns
        self.body = body
        self.end = end
        self.span = span


class Case(Node):
    """`case word in items esac`."""

    __slots__ = ("word", "items", "redirects")

    def __init__(self, word: Word, items: list[CaseItem], redirects: list[Redirect], span: Span) -> None:
        self.word = word
        self.items = items
        self.redirects = redirects
        self.span = span


class FunctionDef(Node):
    """Defines `name`; the body runs when it is called, not here."""

    __slots__ = ("name", "body")

    def __init__(self, name: str, body: Command, span: Span) -> None:
        self.name = name
        self.body = body
        self.span = span


class Test(Node):
    """A term of `[[ ]]`. `op` is `&&`, `||`, `!`, `(`, a unary or binary operator, or "" for a lone word."""

    __test__ = False  # a name that pytest would otherwise collect
    __slots__ = ("op", "operands")

    def __init__(self, op: str, operands: list[Test | Word], span: Span) -> None:
        self.op = op
        self.operands = operands
        self.span = span


class Cond(Node):
    """`[[ test ]]`."""

    __slots__ = ("test", "redirects")

    def __init__(self, test: Test, redirects: list[Redirect], span: Span) -> None:
        self.test = test
        self.redirects = redirects
        self.span = span


class Arith(Node):
    """`(( expression ))`: literal text with the expansions found in it."""

    __slots__ = ("parts", "redirects")

    def __init__(self, parts: list[Part], redirects: list[Redirect], span: Span) -> None:
        self.parts = parts
        self.redirects = redirects
        self.span = span


class Coproc(Node):
    """`coproc [name] command`: left running, with pipes to and from it; `name` is "" when not given."""

    __slots__ = ("name", "command")

    def __init__(self, name: str, command: Command, span: Span) -> None:
        self.name = name
        self.command = command
        self.span = span


if TYPE_CHECKING:
    Compound: TypeAlias = Subshell | Group | If | For | ForArith | While | Case | Cond | Arith
    Command: TypeAlias = Simple | Pipeline | AndOr | Background | Compound | FunctionDef | Coproc | Opaque

__all__ = [
    "AndOr",
    "Arith",
    "ArithSub",
    "ArrayItem",
    "ArrayLit",
    "Assign",
    "Background",
    "Brace",
    "Branch",
    "Case",
    "CaseItem",
    "CmdSub",
    "Cond",
    "Coproc",
    "DoubleQuoted",
    "ExtGlob",
    "For",
    "ForArith",
    "FunctionDef",
    "Group",
    "HereDoc",
    "If",
    "Lit",
    "Node",
    "Opaque",
    "Param",
    "Pipeline",
    "ProcSub",
    "Redirect",
    "Script",
    "Simple",
    "Span",
    "Subshell",
    "Test",
    "Tilde",
    "While",
    "Word",
]
