"""The head of a skill, command or agent file: which keys it has, and which commands its hooks run.

Only the plain block form of YAML is read: maps by indentation, lists with `- `, scalars on one line or as a `|` block.
Hosts take all of YAML, so whatever is outside that form and could hold hooks is reported as not understood, never
skipped. Of the body it says which lines the host runs, and which files it shows.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Head", "Hooks", "commands_of", "lines_run", "mentions", "split", "words_of"]

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SERVERS = ("mcpServers", "mcp-servers", "mcp_servers")


class Head(Value):
    """
    keys      the lines of each key at the left margin, its own value first
    strange   there are lines that are in no plain form, so a key may be hidden in them
    """

    keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    strange: bool = False

    def lines(self, *names: str) -> tuple[str, ...]:
        """What stands under any of these keys; a key that is given twice counts twice."""
        return tuple([line for key, lines in self.keys if key in names for line in lines])

    def value(self, name: str) -> str:
        """The value of a key on its own line, without its quotes."""
        found = self.lines(name)
        return _scalar(found[0]) or "" if found else ""

    @property
    def starts_servers(self) -> bool:
        return bool(self.lines(*_SERVERS))


class Hooks(Value):
    """The commands that hooks run, and whether anything there was not understood."""

    commands: tuple[str, ...] = ()
    unclear: bool = False


def split(text: str) -> tuple[Head, str]:
    """The head and the body. A text that opens no head, or does not close it, is all body."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return Head(), text
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return _head(lines[1:at]), "\n".join(lines[at + 1 :])
    # A host may still find an end here that we do not see.
    return Head(strange="hooks" in text), text


def _head(lines: list[str]) -> Head:
    keys: list[tuple[str, tuple[str, ...]]] = []
    strange = False
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, value = line.partition(":")
        if line[0] in " \t-" and keys:
            keys[-1] = (keys[-1][0], (*keys[-1][1], line))
        elif colon and name and _NAME.issuperset(name) and (not value or value[0] in " \t"):
            keys.append((name, (value.strip(),)))
        else:
            strange = True
    return Head(keys=tuple(keys), strange=strange)


def words_of(lines: tuple[str, ...]) -> tuple[str, ...]:
    """A list of names: `a, b`, `a b`, `[a, b]` or one `- a` a line."""
    text = " ".join([line.strip().removeprefix("- ") for line in lines])
    return tuple([word.strip("'\"") for word in text.strip("[]").replace(",", " ").split()])


def commands_of(head: Head) -> Hooks:
    """Every command that a hook of this head runs."""
    lines = head.lines("hooks")
    if not lines:
        return Hooks(unclear=head.strange)
    if lines[0]:  # `hooks: {…}`, an anchor, an alias: not the plain form
        return Hooks(unclear=True)
    commands: list[str] = []
    unclear = head.strange
    for key, value in _entries(lines[1:]):
        if value is None or key in ("", "<<", "url", "prompt", "args", "server", "tool"):
            unclear = True
        elif key == "command":
            commands.append(value)
        elif key == "type" and value != "command":
            unclear = True
    return Hooks(commands=tuple(commands), unclear=unclear or not commands)


def _entries(lines: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """Each `key: value` of the lines. None: a value in a form that is not read; no key: a line that is none."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        indent = len(line) - len(line.lstrip(" "))
        rest = line.strip()
        while rest.startswith("- "):
            inner = rest[2:].lstrip()
            indent += len(rest) - len(inner)
            rest = inner
        if rest == "-":
            continue
        name, colon, value = rest.partition(":")
        name = name.strip("'\"")
        if "\t" in line or not colon or not _NAME.issuperset(name) or (value and value[0] != " "):
            yield "", None
            continue
        value = value.strip()
        if value in ("|", "|-", "|+"):
            block: list[str] = []
            while at < len(lines) and len(lines[at]) - len(lines[at].lstrip(" ")) > indent:
                block.append(lines[at].strip())
                at += 1
            yield name, "\n".join(block)
        elif value:
            yield name, _scalar(value)


def _scalar(value: str) -> str | None:
    """A value on one line; None where it is in another form, or goes on in the next."""
    if not value:
        return ""
    if value[0] == "'":
        inner = value[1:-1].replace("''", "\0")
        return inner.replace("\0", "'") if len(value) > 1 and value[-1] == "'" and "'" not in inner else None
    if value[0] == '"':
        inner = value[1:-1]
        return inner if len(value) > 1 and value[-1] == '"' and '"' not in inner and "\\" not in inner else None
    if value[0] in "[]{}>|&!%@`" or (value[0] == "*" and value != "*"):
        return None
    return value.partition(" #")[0].rstrip()


# --- the body ---------------------------------------------------------------------------------------------------------


def lines_run(text: str) -> list[str]:
    """The commands in a skill's text: `` !`…` ``, and blocks that open with three backticks and a `!`."""
    found = []
    at = text.find("!`")
    while at >= 0:
        end = text.find("`", at + 2)
        if end > at + 2:
            found.append(text[at + 2 : end])
        at = text.find("!`", max(end, at + 1))
    rows = text.split("\n")
    opened: int | None = None
    for number, row in enumerate(rows):
        if opened is None and row.strip().startswith("```!"):
            opened = number
        elif opened is not None and row.strip().startswith("```"):
            found.append("\n".join(rows[opened + 1 : number]))
            opened = None
    if opened is not None:
        found.append("\n".join(rows[opened + 1 :]))
    return [line for line in found if line.strip()]


def mentions(text: str) -> list[str]:
    found = []
    for at, char in enumerate(text):
        if char == "@" and (at == 0 or text[at - 1] in " \t\n(\"'"):
            end = at + 1
            while end < len(text) and text[end] in _OF_PATHS:
                end += 1
            path = text[at + 1 : end].rstrip(".:!?")
            if "/" in path or "." in path or "~" in path:
                found.append(path)
    return found


_OF_PATHS = _NAME | frozenset("./:=@+%#~")
