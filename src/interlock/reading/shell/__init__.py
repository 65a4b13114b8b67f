"""Reading a shell command the way bash would: `parse(text)` gives the tree, `walk` its simple commands."""

from __future__ import annotations

from .parser import parse
from .walk import dump, walk

__all__ = ["dump", "parse", "walk"]
