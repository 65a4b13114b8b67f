"""Who is at the keyboard. Permitting things is a person's: one place says whether one is there."""

from __future__ import annotations

import os
import pwd
import sys

import click

from ..errors import InputError

__all__ = ["require_person", "terminal", "who"]


def require_person(question: str, *, yes: bool) -> None:
    """Asks the person at the terminal; InputError where there is none and nobody said `--yes`."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("only a person at a terminal may do this; --yes stands in for the question")
    click.confirm(question, abort=True, err=True)


def who() -> str:
    """The login name, from the system's user table and not from a variable."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"


def terminal() -> str:
    try:
        return os.ttyname(0)
    except OSError:
        return ""
