"""Who is at the keyboard. Permitting things is a person's: one place says whether one is there."""

from __future__ import annotations

import os
import pwd
import sys

import click

from ..model.errors import ApprovalError, InputError, StoreError
from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.people.answering import hooks_that_ran
from ..store.people.surface import why_an_agent

__all__ = ["refuse_an_agent", "require_person", "terminal", "who"]


def require_person(folders: Folders, question: str, *, yes: bool, loosens: bool = True) -> None:
    """Asks the person at the terminal. `yes` leaves out the question, and never the person where this `loosens`.

    InputError where nobody is there to be asked, ApprovalError where a program answers for one.
    """
    if loosens and not sys.stdin.isatty():
        raise InputError("only a person at a terminal may do this; do it in a terminal of your own")
    if loosens:
        refuse_an_agent(folders)
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("only a person at a terminal may do this; --yes stands in for the question")
    click.confirm(question, abort=True, err=True)


def refuse_an_agent(folders: Folders, *, damaged: bool = False) -> None:
    """ApprovalError where an agent's host stands above this process, or has given it its environment.

    `damaged`: what is done is the cure of a ledger that may not be readable. Then the hooks that it knows of are left
    out, and the environment alone tells.
    """
    try:
        hooks = hooks_that_ran(Ledger(folders.ledger, front="cli"))
    except StoreError:
        if not damaged:
            raise
        hooks = []
    told = why_an_agent(hooks, os.environ)
    if told is not None:
        raise ApprovalError(f"only a person may do this: {told}; do it in a terminal of your own")


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
