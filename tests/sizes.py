"""How many of what is made up: few in `make test`, some in CI, many in `make full`."""

from __future__ import annotations

import os

__all__ = ["IS_QUICK", "how_many"]

IS_QUICK = bool(os.environ.get("INTERLOCK_QUICK"))  # `make check` and `make test` set it


def how_many(variable: str, usual: int, *, quick: int) -> int:
    """`variable` is what `make full` sets."""
    said = os.environ.get(variable)
    return int(said) if said else quick if IS_QUICK else usual
