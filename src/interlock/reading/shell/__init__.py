"""Reading a shell command the way bash would: `parse(text)` gives the tree, `walk` its simple commands."""

from __future__ import annotations

from interlock.reading.shell.parser import parse
from interlock.reading.shell.walk import dump, walk

__all__ = ["dump", "parse", "walk"]
