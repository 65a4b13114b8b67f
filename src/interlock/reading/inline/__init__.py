"""Inline code of other languages than shell and Python that only computes, or shows what a file holds.

One tokenizer and one check serve JavaScript, Ruby, PHP, Perl, R and Lua; what differs is a table. Anything that the
table does not name is another program, and not read.
"""

from __future__ import annotations

from .checks import Shown, only_computes

__all__ = ["Shown", "only_computes"]
