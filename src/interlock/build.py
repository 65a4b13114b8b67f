"""Which build of the package this is, and, in a confirmed copy, which package it was copied from.

The engine's version (`interlock.__version__`) says by which rules a receipt was made, and changes when they do. Each
build has a version of its own. scripts/wheel.py writes it here while it makes a wheel; `interlock update` writes the
origin into the copy that hooks run.
"""

from __future__ import annotations

__all__ = ["BUILD", "ORIGIN"]

BUILD = ""  # empty: a working copy
ORIGIN = ""  # empty: this is no copy
