"""Code that a session wrote in a language that is not read: which files run, and what in them a person should see."""

from __future__ import annotations

__all__: list[str] = []
