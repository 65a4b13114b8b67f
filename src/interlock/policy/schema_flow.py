"""What an entry of a tool may say of where values come from; see docs/flow.md."""

from __future__ import annotations

from .field import Field

__all__ = ["ORIGINS"]

ORIGINS = (
    Field(
        key="trusted_result",
        kind="trusted result",
        tighter="fixed",
        doc="Fields of its result whose values may go into a `recipient`, `link` or `object`, such as `id` or "
        "`id:file`; `true`: all of it. Absent: none.",
    ),
    Field(key="secret_result", kind="boolean", tighter="true", doc="What it gives back must not leave: it asks."),
    Field(
        key="known",
        kind="texts",
        tighter="fixed",
        doc="Values that its arguments may have, wherever they came from, as globs such as `*@acme.example`.",
    ),
)
