"""What the service writes down for whoever runs it. INVARIANT: no token and no text of a call gets into a log.

The words of an error may be those of whoever sent the request, so that only its kind and the way to it are kept; what
else is written goes through the same redaction as the ledger.
"""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

from ..bytes.redact import redact
from ..model.errors import printable

__all__ = ["Quiet", "log_to_stderr"]


class Quiet(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return "\n".join([printable(line) for line in redact(super().format(record)).split("\n")])

    def formatException(
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        kind, _, trace = ei
        if kind is None:
            return ""
        steps = [f"  {step.filename}:{step.lineno} {step.name}" for step in traceback.extract_tb(trace)]
        return "\n".join([f"{kind.__module__}.{kind.__qualname__}, what it says is left out", *steps])


def log_to_stderr(level: str) -> None:
    """The one place that a log goes to. Called once, by whoever starts the process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Quiet("interlock: %(message)s"))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
