"""Going through a tree that has been read: every simple command, every node, a printable form.

`relocate` moves the spans of a tree that was read from a derived text (the inside of back-quotes, the
body of a here-document) to the text it came from.
"""

from __future__ import annotations

from .syntax import Lit, Node, Opaque, Script, Simple, Tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LEAVES", "children", "dump", "nodes", "opaque_parts", "relocate", "walk"]


LEAVES = frozenset((Lit, Tilde, Opaque))


def children(node: Node) -> list[Node]:
    """The nodes directly inside `node`, in the order of its fields."""
    found: list[Node] = []
    if type(node) in LEAVES:
        return found
    for field in node.fields:
        value = getattr(node, field)
        if isinstance(value, Node):
            found.append(value)
        elif value.__class__ is list:
            if field != "opaque":
                found.extend(item for item in value if isinstance(item, Node))
    return found


def nodes(root: Node) -> Iterator[Node]:
    """`root` and every node below it, parents first, in reading order."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        if type(node) not in LEAVES:
            stack += reversed(children(node))


def walk(script: Script) -> Iterator[Simple]:
    """Every simple command at every depth: in groups, functions, substitutions and here-documents alike."""
    for node in nodes(script):
        if isinstance(node, Simple):
            yield node


def opaque_parts(root: Node) -> list[Opaque]:
    """Every part below `root` that was not understood."""
    return [node for node in nodes(root) if isinstance(node, Opaque)]


def relocate(root: Node, pieces: list[tuple[int, int]]) -> None:
    """Move all spans: a position p lies in the last piece (from, to) with from <= p, and becomes to + p
    - from."""
    if len(pieces) == 1 and pieces[0][0] == pieces[0][1]:
        return
    everything = list(nodes(root))  # INVARIANT: before any is moved: a plain word's part lies where the word does
    if len(pieces) == 1:
        by = pieces[0][1] - pieces[0][0]
        for node in everything:
            start, end = node.span
            node.span = (start + by, end + by)
        return
    for node in everything:
        start, end = node.span
        moved = _moved(start, pieces)
        # An end hugs the last character of its node, not the first one of the next piece.
        node.span = (moved, _moved(end - 1, pieces) + 1 if end > start else moved)


def _moved(pos: int, pieces: list[tuple[int, int]]) -> int:
    low, high = 0, len(pieces)
    while high - low > 1:
        middle = (low + high) // 2
        if pieces[middle][0] <= pos:
            low = middle
        else:
            high = middle
    return pieces[low][1] + pos - pieces[low][0]


def dump(value: object) -> object:
    """The tree as nested lists and plain values, without spans: `["Lit", "ls", False]`. For tests and
    for people."""
    if isinstance(value, Node):
        fields = (field for field in value.fields if field != "opaque")
        return [type(value).__name__, *(dump(getattr(value, field)) for field in fields)]
    if isinstance(value, list | tuple):
        return [dump(item) for item in value]
    return value
