"""`interlock approvals watch`: a live table of what waits, answered with a key.

It only looks at the ledger again and again, so it needs no service and misses nothing that is kept. Whoever is not
taken for a person may look, and is told why no key answers.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Group
from rich.live import Live
from rich.text import Text

from ..errors import InterlockError
from ..store.answering import Asked, answered, every_question, policy_now, remind
from ..store.folders import Folders
from ..store.ledger import Ledger
from .approvals import answerer, refuse_a_program
from .asked import show_asked, show_table, table_of, told
from .show import console

__all__ = ["watching"]

_UP, _DOWN = ("k", "\x1b[A"), ("j", "\x1b[B")
_HELP = "up and down choose, a approves, d denies, s shows all of it, q ends"


def watching(folders: Folders, *, once: bool, every: float) -> int:
    ledger = Ledger(folders.ledger)
    if once or not os.isatty(0) or not os.isatty(1):
        show_table(every_question(ledger, policies=policy_now(folders)))
        return 0
    watch = _Watch(ledger, folders)
    with _keys(), Live(watch.screen(), console=console(), auto_refresh=False) as live:
        while True:
            key = _key(every)
            if key in ("q", "\x03", "\x04"):
                return 0
            if key == "s" and watch.chosen is not None:
                live.stop()
                show_asked(ledger, watch.chosen)
                live.start()
            before = watch.picture()
            watch.press(key)
            if key or watch.picture() != before:
                live.update(watch.screen(), refresh=True)


class _Watch:
    def __init__(self, ledger: Ledger, folders: Folders) -> None:
        self.ledger = ledger
        self.folders = folders
        self.at = 0
        self.message = _HELP
        self.reminded: dict[str, int] = {}
        self.found = every_question(ledger, policies=policy_now(folders))

    @property
    def chosen(self) -> Asked | None:
        return self.found[self.at] if self.found else None

    def press(self, key: str) -> None:
        if key in _UP + _DOWN:
            self.at += 1 if key in _DOWN else -1
        elif key in ("a", "d") and self.chosen is not None:
            self._answer(self.chosen, yes=key == "a")
        chosen = None if self.chosen is None or key in _UP + _DOWN else self.chosen.question.id
        self.found = every_question(self.ledger, policies=policy_now(self.folders))
        ids = [asked.question.id for asked in self.found]
        # What is chosen stays chosen when another comes or goes: a key must not answer what moved under it.
        self.at = ids.index(chosen) if chosen in ids else max(0, min(self.at, len(ids) - 1))
        self._remind()

    def _answer(self, chosen: Asked, *, yes: bool) -> None:
        try:
            refuse_a_program(self.ledger)
            self.message = told(answered(self.ledger, chosen, yes=yes, by=answerer(), why=""))
        except InterlockError as error:
            self.message = error.for_people()

    def _remind(self) -> None:
        due = {asked.question.id: asked.reminders for asked in self.found}
        late = [asked for asked in self.found if asked.reminders > self.reminded.get(asked.question.id, 0)]
        if late:
            sys.stdout.write("\a")
        for asked in late:
            try:
                remind(self.ledger, asked)
            except InterlockError as error:
                self.message = error.for_people()
        self.reminded = due

    def picture(self) -> tuple[object, ...]:
        """What the screen would show, to draw it only where that has changed."""
        rows = [(asked.question, asked.reminders) for asked in self.found]
        return self.at, self.message, tuple(rows)

    def screen(self) -> Group:
        table = table_of(self.found, self.at) if self.found else Text("nothing waits for an answer")
        return Group(table, Text(""), Text(self.message, style="dim"))


@contextmanager
def _keys() -> Iterator[None]:
    """Keys come one by one and are not shown, until the end."""
    before = termios.tcgetattr(0)
    try:
        tty.setcbreak(0)
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _key(wait: float) -> str:
    """The next key, or nothing where none came in time."""
    if not select.select([0], [], [], wait)[0]:
        return ""
    raw = os.read(0, 16).decode("ascii", "replace")
    if raw in _UP + _DOWN:
        return raw
    return raw[:1] if raw else "q"  # the terminal is gone
