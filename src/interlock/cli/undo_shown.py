"""What an undo would change, as lines for a person."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence

from ..store.home.files import Descriptor
from ..store.undo.held import ABSENT, FILE, LINK, Node
from ..store.undo.look import open_folder, open_root
from ..store.undo.restore import CHANGE, MOVED, NEW, SAME, Step
from ..store.undo.shelf import Opened
from .show import harmless

__all__ = ["diff_of", "line_of"]

_MOST_BYTES = 256 * 1024
_MOST_LINES = 400
_SIGNS = {NEW: "+", CHANGE: "~", MOVED: "!", SAME: " "}


def line_of(step: Step) -> str:
    node = step.node
    sign = "-" if node.kind == ABSENT else _SIGNS[step.how]
    size = f", {node.size} bytes" if node.kind == FILE and not node.link else ""
    why = f"  ({harmless(step.text)})" if step.text else ""
    return f"  {sign} {harmless(node.path)}  {node.kind}{size}{why}"


def diff_of(opened: Opened, steps: Sequence[Step]) -> Iterator[str]:
    """From what is there now to what was there before; texts only, and not without end."""
    left = _MOST_LINES
    with Descriptor(open_root(opened.checkpoint.root)) as root:
        for step in steps:
            if step.how == SAME or step.node.kind not in (FILE, ABSENT):
                continue
            now, then = _now(root, step.node.path), _then(opened, step.node)
            if now is None or then is None or now == then:
                continue
            name = harmless(step.node.path)
            for line in difflib.unified_diff(now, then, f"now/{name}", f"before/{name}", lineterm="", n=2):
                if left == 0:
                    yield "  … and more"
                    return
                left -= 1
                yield harmless(line)


def _now(root: int, path: str) -> list[str] | None:
    above, _, name = path.rpartition("/")
    try:
        with Descriptor(open_folder(root, above)) as folder:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    try:
        return _lines(os.read(fd, _MOST_BYTES + 1))
    except OSError:
        return None
    finally:
        os.close(fd)


def _then(opened: Opened, node: Node) -> list[str] | None:
    if node.kind in (ABSENT, LINK):
        return []
    if node.link or node.extents is not None or node.size > _MOST_BYTES:
        return None
    return _lines(b"".join(opened.pieces(node.at, node.size)))


def _lines(raw: bytes) -> list[str] | None:
    if len(raw) > _MOST_BYTES or b"\0" in raw:
        return None
    try:
        return raw.decode().splitlines()
    except UnicodeDecodeError:
        return None
