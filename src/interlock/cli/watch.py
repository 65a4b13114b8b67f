"""`interlock approvals watch`: what waits, as it comes, answered with keys.

It only looks at the ledger, or at a service, again and again, so it misses nothing that is kept. The list shows
which questions there are; a question is answered from a screen of its own, after its last line was shown, and with a
second key. That screen stays with its question: another one that comes meanwhile shows in a count, and no key that
was typed before a screen was drawn counts on it. Whoever is not taken for a person may look, and is told why no key
answers. Where an answer is signed, ssh-keygen has the terminal for as long as it asks for the touch or the passphrase.
"""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from ..model.errors import InterlockError, ServiceError
from ..model.verdict import Strength
from ..preview.offered import is_offered
from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.people.answering import Asked, answered, every_question, one_question, remind, why_not_answered
from ..value import lazy
from ..words.hidden import hidden_words
from ..words.whole_call import fitted
from .answerer import answerer, person_answering, refuse_a_program
from .asked import ROWS, entry, named, question_lines, show_list, told
from .pages import BACK, DOWN, ON, UP, Pages, keys, next_key, window
from .show import harmless
from .signing import signed_answer

if TYPE_CHECKING:
    from .preview import preview_of_asked
    from .remote_asked import RemoteDesk
else:
    preview_of_asked = lazy(globals(), ".preview", "preview_of_asked")

__all__ = ["watching"]

_PREVIEW = "p: preview   " if is_offered() else ""
_HELP = f"up, down: choose   enter: read it   a: approve   d: deny   {_PREVIEW}q: end"
_ENDS = ("q", "\x03", "\x04")


class _Desk:
    """What waits on this machine, and answers to it. `RemoteDesk` is the same for an HTTP service."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.ledger = Ledger(folders.ledger, front="cli:approvals")

    def questions(self) -> list[Asked]:
        return every_question(self.ledger)

    def again(self, asked: Asked) -> Asked:
        return one_question(self.ledger, asked.question.id)

    def lines(self, asked: Asked, columns: int) -> list[str]:
        return question_lines(self.ledger, asked, columns)

    def why_not(self, asked: Asked, *, yes: bool) -> str | None:
        return why_not_answered(asked, yes=yes)

    def answer(self, asked: Asked, *, yes: bool, unseen: bool = False) -> Asked:
        signed = None
        if yes and asked.needs is not Strength.WEAK:
            signed = signed_answer(self.folders, self.ledger, asked, always=False, key=None)
        person = person_answering(self.folders, asked, signed)
        return answered(self.ledger, asked, yes=yes, by=answerer(), person=person, why="", signed=signed, unseen=unseen)

    def remind(self, asked: Asked) -> None:
        remind(self.ledger, asked)

    def preview(self, asked: Asked) -> str:
        """What became of it, in a line."""
        return preview_of_asked(self.folders, asked)


def watching(folders: Folders, *, once: bool, every: float, url: str | None = None) -> int:
    desk: _Desk | RemoteDesk
    if url is None:
        desk = _Desk(folders)
    else:
        from .remote_asked import RemoteDesk

        desk = RemoteDesk(folders, url)
    if once or not os.isatty(0) or not os.isatty(1):
        show_list(desk.questions())
        return 0
    watch = _Watch(desk, folders, termios.tcgetattr(0))
    with keys(), _whole_screen():
        while not watch.ended:
            watch.draw()
            watch.press(next_key(every))
    if watch.message:
        sys.stdout.write(watch.message + "\n")
    return 0


@contextmanager
def _whole_screen() -> Iterator[None]:
    """The other screen of the terminal: what stood there before is there again afterwards."""
    sys.stdout.write("\x1b[?1049h")
    try:
        yield
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()


class _Watch:
    """`reading` is the question that has the screen, with its pages; `answering`: the answer that waits for its second
    key."""

    def __init__(self, desk: _Desk | RemoteDesk, folders: Folders, plain: list[Any]) -> None:
        self.plain = plain  # the terminal as other programs expect it
        self.desk = desk
        self.ledger = Ledger(folders.ledger, front="cli:approvals")  # of this machine: it knows of agents' hosts
        self.at = 0
        self.message = ""
        self.ended = False
        self.reading: tuple[Asked, Pages] | None = None
        self.answering: bool | None = None
        self.unseen = False  # the second key was given, and a third one is for what is hidden
        self.reminded: dict[str, int] = {}
        self.drawn: list[Text] = []
        self.found: list[Asked] = []
        self._look()

    @property
    def chosen(self) -> Asked | None:
        return self.found[self.at] if self.found else None

    # --- keys ------------------------------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        if self.reading is not None:
            self._press_reading(key, *self.reading)
        else:
            self._press_list(key)
        self._look()

    def _press_list(self, key: str) -> None:
        if key in _ENDS:
            self.ended = True
        elif key in UP + DOWN:
            self.at = max(0, min(self.at + (1 if key in DOWN else -1), len(self.found) - 1))
        elif key == "p" and self.chosen is not None:
            self._preview(self.chosen)
        elif key and (key in "ad" or key in ON) and self.chosen is not None:
            self._open(self.chosen)
            if key == "d" or (key == "a" and self._was_read()):
                self._ask_back(yes=key == "a")

    def _open(self, asked: Asked) -> None:
        def made(columns: int) -> list[str]:
            return self.desk.lines(asked, columns)

        self.message = ""
        self.reading = asked, Pages(made, window(), window()[1] - 2)
        _forget_typed()

    def _press_reading(self, key: str, asked: Asked, pages: Pages) -> None:
        if self.answering is not None:
            yes, self.answering = self.answering, self.answering if key == "" else None
            if key == "y" and yes and asked.hidden and not self.unseen:
                self.answering = self.unseen = True
                _forget_typed()
            elif key == "y":
                self._answer(asked, yes=yes)
            elif key:
                self.message = "not answered"
            if self.answering is None:
                self.unseen = False
        elif key in _ENDS or key == "\x1b":
            self.reading, self.message = None, ""
        elif key == "p":
            self._preview(asked)
        elif key == "d" or (key == "a" and self._was_read()):
            self._ask_back(yes=key == "a")
        elif key == "a":
            self.message = f"{pages.left} lines have not been shown; read on with space"
        elif key in (*UP, *DOWN, *ON, *BACK):
            self.message = ""
            pages.press(key)

    def _was_read(self) -> bool:
        """INVARIANT: a yes needs the last line on this very window; a window that was changed begins anew."""
        return self.reading is not None and self.reading[1].size == window() and self.reading[1].ended

    def _ask_back(self, *, yes: bool) -> None:
        if self.reading is None:
            return
        asked = self.desk.again(self.reading[0])  # it may have been answered or died while it was read
        refused = self.desk.why_not(asked, yes=yes)
        if refused is not None or not asked.is_open:
            self.message = refused or f"it is {asked.question.status} already"
            return
        self.answering = yes
        _forget_typed()

    def _answer(self, asked: Asked, *, yes: bool) -> None:
        try:
            refuse_a_program(self.ledger)
            now = self.desk.again(asked)
            if yes and now.needs is not Strength.WEAK:
                self.drawn = []
                with _lent(self.plain):  # for the touch or the passphrase
                    sys.stdout.write(harmless(f"sign to {named(asked.question.id, asked.body, yes=True)}") + "\n")
                    sys.stdout.flush()
                    done = self.desk.answer(now, yes=yes, unseen=self.unseen)
            else:
                done = self.desk.answer(now, yes=yes, unseen=self.unseen)
            self.message = told(done)
            self.reading = None
        except InterlockError as error:
            self.message = error.for_people()

    def _preview(self, asked: Asked) -> None:
        """Runs the command on a view of its project, shows what it would change, and asks what to do with that."""
        try:
            refuse_a_program(self.ledger)
            self.drawn = []
            with _lent(self.plain):
                self.message = self.desk.preview(self.desk.again(asked))
            self.reading = None
        except InterlockError as error:
            self.message = error.for_people()

    # --- what waits ------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        chosen = None if self.chosen is None else self.chosen.question.id
        self.found = self._waiting()
        ids = [asked.question.id for asked in self.found]
        # What is chosen stays chosen when another comes or goes: a key must not answer what moved under it.
        self.at = ids.index(chosen) if chosen in ids else max(0, min(self.at, len(ids) - 1))
        self._remind()

    def _waiting(self) -> list[Asked]:
        """What was seen last, where a service cannot be asked just now."""
        try:
            return self.desk.questions()
        except ServiceError as error:
            self.message = error.for_people()
            return self.found

    def _remind(self) -> None:
        due = {asked.question.id: asked.reminders for asked in self.found}
        late = [asked for asked in self.found if asked.reminders > self.reminded.get(asked.question.id, 0)]
        if late:
            sys.stdout.write("\a")
        for asked in late:
            try:
                self.desk.remind(asked)
            except InterlockError as error:
                self.message = error.for_people()
        self.reminded = due

    # --- the screen ------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        columns, rows = window()
        if self.reading is not None and self.reading[1].size != (columns, rows):
            self.reading[1].fit((columns, rows), rows - 2)
            self.answering, self.unseen = None, False
        lines = self._list(columns, rows) if self.reading is None else self._page(columns, *self.reading)
        if lines == self.drawn:
            return
        self.drawn = lines
        out = Console(highlight=False, soft_wrap=True, width=columns + 1)
        frame = ["\x1b[?25l"]
        for at, line in enumerate(lines):
            with out.capture() as written:
                out.print(line, end="")
            frame.append(f"\x1b[{at + 1};1H\x1b[2K{written.get()}")
        sys.stdout.write("".join(frame) + "\x1b[J")  # at once, so that nobody reads half a screen
        sys.stdout.flush()

    def _list(self, columns: int, rows: int) -> list[Text]:
        """As many as there is room for: the one that is chosen, those around it, and always the newest."""
        room = max(1, (rows - 3) // ROWS)
        total = len(self.found)
        places = list(range(total))
        if total > room:
            first = min(max(0, self.at - room + 2), total - room)
            places = [*range(first, first + room - 1), total - 1]
            if self.at not in places:  # a window with room for one
                places[0] = self.at
        lines = [line for at in places for line in entry(self.found[at], columns, chosen=at == self.at)]
        lines = lines or [Text("nothing waits for an answer")]
        hidden = total - len(places)
        more = f"{total} wait, {hidden} of them not on this screen; the last is the newest" if hidden else ""
        notes = fitted(self.message or more, columns)
        return [*lines[: rows - 2], Text(notes[0], style="bold"), Text(_HELP[:columns], style="reverse")]

    def _page(self, columns: int, asked: Asked, pages: Pages) -> list[Text]:
        body = [Text(line) for line in pages.shown]
        body += [Text("")] * (pages.rows - len(body))
        others = len([one for one in self.found if one.question.id != asked.question.id])
        waiting = f"   {others} more wait" if others else ""
        if self.answering is not None:
            note = named(asked.question.id[:11], asked.body, yes=self.answering)
            if self.unseen:
                note = f"{hidden_words(asked.hidden)}; approve all the same?"
            signs = self.answering and asked.needs is not Strength.WEAK
            keys_now = f"y: {'sign it' if signs else 'yes'}   any other key: no"
        else:
            note = self.message or (f"{pages.left} more lines below" if pages.left else "this is the end of it")
            approve = "a: approve   " if pages.ended else ""
            keys_now = f"space, b: pages   {approve}d: deny   {_PREVIEW}q: list{waiting}"
        return [*body, Text(fitted(note, columns)[0], style="bold"), Text(keys_now[:columns], style="reverse")]


@contextmanager
def _lent(plain: list[Any]) -> Iterator[None]:
    """The terminal for another program: the screen from before, and keys that come as lines."""
    ours = termios.tcgetattr(0)
    sys.stdout.write("\x1b[?25h\x1b[?1049l")
    sys.stdout.flush()
    termios.tcsetattr(0, termios.TCSADRAIN, plain)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, ours)
        sys.stdout.write("\x1b[?1049h")
        sys.stdout.flush()
        _forget_typed()


def _forget_typed() -> None:
    """What was typed before a screen was drawn was not meant for it."""
    termios.tcflush(0, termios.TCIFLUSH)
