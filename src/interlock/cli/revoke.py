"""`interlock revoke`: short for `interlock grants revoke`."""

from __future__ import annotations

from .grants import revoke as command

__all__ = ["command"]
