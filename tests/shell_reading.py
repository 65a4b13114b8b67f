"""Short ways for the tests to say what was read."""

from __future__ import annotations

from interlock.reading.shell import dump, parse, walk
from interlock.reading.shell.syntax import Node, Script, Simple, Word
from interlock.reading.shell.walk import nodes


def clear(text: str) -> Script:
    """Read a text that must be understood completely."""
    script = parse(text)
    assert script.opaque == [], [(o.reason, o.span) for o in script.opaque]
    return script


def simples(text: str) -> list[list[str]]:
    """Every simple command of a clear text, each as the source of its assignments, words and redirections."""
    found = []
    for command in walk(clear(text)):
        pieces: list[Node] = [*command.assigns, *command.words, *command.redirects]
        pieces.sort(key=lambda node: node.span)
        found.append([text[node.span[0] : node.span[1]] for node in pieces])
    return found


def first(text: str) -> object:
    """The dump of the only command."""
    (command,) = clear(text).commands
    return dump(command)


def arguments(text: str) -> list[Word]:
    command = clear(text).commands[0]
    assert isinstance(command, Simple)
    return command.words[1:]


def parts(word: str) -> object:
    """The dump of the parts of a word, read as the argument of a command."""
    (argument,) = arguments("cmd " + word)
    return dump(argument.parts)


def kinds(text: str) -> list[str]:
    """The node types of a clear text below its script, in reading order, without words and literals."""
    return [type(n).__name__ for n in nodes(clear(text)) if type(n).__name__ not in ("Script", "Word", "Lit")]


def reasons(text: str) -> list[str]:
    return [opaque.reason for opaque in parse(text).opaque]
