"""`python -m interlock.cli`: the same command, where no script is installed."""

from __future__ import annotations

from .main import main

main()
