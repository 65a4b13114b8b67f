"""What the tab key offers for an argument that is an id: what waits, is granted, is held or is kept right now.

It only reads. Where that fails, nothing is offered: the command itself will say what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from ..model.errors import InterlockError
from ..store.home.folders import Folders, folders_for
from ..value import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click

    from ..history.recorded import subject_of
    from ..preview.kept import every_preview
    from ..store.ledger.given import grants_in
    from ..store.ledger.ledger import Ledger
    from ..store.ledger.verify import never_begun
    from ..store.people.answering import every_question
    from ..store.undo.holding import shelf_of

    Completes = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
else:
    subject_of = lazy(globals(), "..history.recorded", "subject_of")
    every_preview = lazy(globals(), "..preview.kept", "every_preview")
    grants_in = lazy(globals(), "..store.ledger.given", "grants_in")
    Ledger = lazy(globals(), "..store.ledger.ledger", "Ledger")
    never_begun = lazy(globals(), "..store.ledger.verify", "never_begun")
    every_question = lazy(globals(), "..store.people.answering", "every_question")
    shelf_of = lazy(globals(), "..store.undo.holding", "shelf_of")

__all__ = ["complete_approval", "complete_checkpoint", "complete_grant", "complete_preview"]

_SHOWN = 60


def _offering(found: Callable[[Folders], Iterable[tuple[str, str]]]) -> Completes:
    def complete(context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
        try:
            rows = list(found(folders_for(context.find_root().params.get("home"))))
        except (InterlockError, OSError):
            return []
        return [CompletionItem(id, help=_line(about)) for id, about in rows if id.startswith(start)]

    return complete


def _line(text: str) -> str:
    return " ".join("".join([char if char.isprintable() else " " for char in text]).split())[:_SHOWN]


def _approvals(folders: Folders) -> Iterable[tuple[str, str]]:
    if never_begun(folders):
        return []
    waiting = every_question(Ledger(folders.ledger, front="cli:approvals"))
    return [(asked.question.id, subject_of(str(asked.body["tool"]), asked.input or {})) for asked in waiting]


def _grants(folders: Folders) -> Iterable[tuple[str, str]]:
    if never_begun(folders):
        return []
    return [(kept.id, kept.given.grant.action) for kept in grants_in(folders)[0] if kept.state == "live"]


def _checkpoints(folders: Folders) -> Iterable[tuple[str, str]]:
    return [(kept.id[:12], "") for kept in reversed(shelf_of(folders).kept())]


def _previews(folders: Folders) -> Iterable[tuple[str, str]]:
    return [(preview.id, preview.order.command) for preview in every_preview(folders)]


complete_approval = _offering(_approvals)
complete_grant = _offering(_grants)
complete_checkpoint = _offering(_checkpoints)
complete_preview = _offering(_previews)
