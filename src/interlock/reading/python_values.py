"""Texts, paths and lists in Python code, where they are known; and what a name stands for, through the imports.

Names that the disk decides are a pattern. What is put together from something unknown keeps the unknown part.
"""

from __future__ import annotations

import ast

from ..value import TYPE_CHECKING
from .evaluate.words import NUL, Arg

if TYPE_CHECKING:
    from .evaluate.state import Shell

__all__ = ["KnownValues"]


class KnownValues(ast.NodeVisitor):
    """What the reader knows of the names that it has passed."""

    def __init__(self, shell: Shell, span: tuple[int, int]) -> None:
        self.shell = shell
        self.span = span
        self.names: dict[str, str] = {}  # a name here -> what it stands for, dotted
        self.values: dict[str, Arg | list[Arg] | None] = {}
        self.foreign: set[str] = set()
        self.opened: dict[str, ast.expr | None] = {}  # a name -> the path of the file that it was opened on
        self.shifting: set[str] = set()
        self.changed: set[str] = set()
        self.paths = False  # whether values may be paths that act by their methods
        self.acted = False

    def _dotted(self, node: ast.expr) -> str | None:
        """What a name or attribute stands for, through the imports."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self._dotted(node.value)
            return None if base is None else f"{base}.{node.attr}"
        return None

    # --- values ------------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Arg | list[Arg] | None:
        """A text, a path or a list of texts, where it is known; names that the disk decides as a pattern."""
        if isinstance(node, ast.Constant):
            return Arg(node.value, self.span) if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, ast.List | ast.Tuple):
            items = [self._value(item) for item in node.elts]
            return [item if isinstance(item, Arg) else Arg(NUL, self.span, why="a value in Python") for item in items]
        if isinstance(node, ast.JoinedStr):
            return self._joined([part.value if isinstance(part, ast.FormattedValue) else part for part in node.values])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            left, right = self._value(node.left), self._value(node.right)
            if isinstance(left, list) and isinstance(right, list):
                return [*left, *right]
            if isinstance(left, Arg) and isinstance(right, Arg):
                middle = "/" if isinstance(node.op, ast.Div) else ""
                return (
                    self._path_join([left, right])
                    if middle
                    else Arg(left.text + right.text, self.span, left.glob or right.glob)
                )
            return None
        if isinstance(node, ast.Call):
            return self._called_value(node)
        if isinstance(node, ast.Attribute) and self._dotted(node) == "sys.executable":
            return Arg("python3", self.span)
        return None

    def _joined(self, parts: list[ast.expr]) -> Arg:
        text, glob = "", False
        for part in parts:
            value = self._value(part)
            text += value.text if isinstance(value, Arg) else NUL
            glob = glob or (isinstance(value, Arg) and value.glob)
        return Arg(text, self.span, glob, why="a value in Python")

    def _path_join(self, parts: list[Arg | None]) -> Arg | None:
        if not all(isinstance(part, Arg) for part in parts):
            return None
        text = ""
        for part in parts:
            if part is None:
                return None
            text = part.text if part.text.startswith("/") or not text else text.rstrip("/") + "/" + part.text
        return Arg(text, self.span, any(part.glob for part in parts if part is not None), why="a value in Python")

    def _called_value(self, node: ast.Call) -> Arg | None:
        name = self._dotted(node.func) or ""
        arguments = [self._value(argument) for argument in node.args]
        texts = [argument if isinstance(argument, Arg) else None for argument in arguments]
        if name in ("pathlib.Path", "pathlib.PurePath", "os.path.join", "os.path.abspath", "os.path.normpath", "str"):
            return self._path_join(texts) if texts else Arg(".", self.span)
        if name in ("os.path.expanduser",) and texts and texts[0] is not None and texts[0].text.startswith("~/"):
            return Arg(self.shell.found.facts.home + texts[0].text[1:], self.span, texts[0].glob)
        if name in ("pathlib.Path.home",):
            return Arg(self.shell.found.facts.home, self.span)
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            return Arg(".", self.span)
        if name in ("os.listdir",):
            return Arg("*", self.span, glob=True)
        if name in ("glob.glob", "glob.iglob") and texts and texts[0] is not None:
            return Arg(texts[0].text, self.span, glob=True)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("glob", "rglob", "iterdir"):
            base = self._value(node.func.value)
            return Arg(f"{base.text}/*", self.span, glob=True) if isinstance(base, Arg) else None
        if isinstance(node.func, ast.Attribute) and node.func.attr == "split" and not node.args:
            return None
        return None
