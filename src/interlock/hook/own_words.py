"""The question of a call that waits, put before the person in front of the host in our own words.

Whatever is in doubt (who runs the server, who may answer in the person's place, whether all of the question is shown)
leads back to what happens without it: the host's own dialog, or a denial that names the approval. So does a question
that nobody answers.
"""

from __future__ import annotations

import os
import time
from _socket import AF_UNIX, SOCK_STREAM, socket

from ..approve.weigh import may_be_kept
from ..model.answer import ASK
from ..model.errors import ApprovalError, InterlockError
from ..model.verdict import Verdict
from ..policy.model import OnAllow
from ..store.home.elicitors import why_not_a_person
from ..store.people.here import asked_here, covers_of, is_older_than_calls, left_here, settled_here
from ..store.people.surface import parent_of
from ..value import TYPE_CHECKING
from ..words.dialog import DENY, ONCE, SESSION, TITLE, dialog
from ..words.told import for_person
from ..words.yes import also_covered
from .asker import ARGUMENTS
from .client import packed, peer_of, received, trusted
from .desk import FOLDER, desk_of, name_of
from .shield_words import ID_LINES, left_for_shield

if TYPE_CHECKING:
    from ..calls.world import Outcome
    from ..engine import Engine
    from ..hosts.traits import Traits
    from ..model.events import Proposed
    from ..store.people.answering import Asked

__all__ = ["answered_here"]

_MOST_ANSWER = 1 << 12
_COLUMNS = 80
_ACCEPT, _DECLINE = "accept", "decline"


def answered_here(
    engine: Engine, traits: Traits, event: Proposed, outcome: Outcome, seconds: int
) -> tuple[Outcome, str]:
    """What is decided once the person has answered; the outcome as it is where they have not, and the question that the
    shield is to put instead, if it is.
    """
    if outcome.question is None or outcome.decision.verdict is not Verdict.ASK:
        return outcome, ""
    said: str | None = ""
    put = ""
    with engine.lent() as ledger:
        try:
            asked = asked_here(ledger, outcome.question.id)
            if asked is not None:
                said = _said(engine, traits, event, outcome, asked, seconds)
                if said is None and event.word and outcome.answer.kind == ASK and _asks(event, outcome):
                    shown = _shown(event, outcome, asked, traits.shield_lines - ID_LINES)
                    put = "" if shown is None else left_for_shield(engine, event, asked, shown)
            if asked is not None and said:
                yes, session = said in (ONCE, SESSION), said == SESSION
                settled_here(engine.folders, ledger, asked, yes=yes, session=session, title=traits.title)
        except ApprovalError:  # it was answered elsewhere meanwhile
            said = DENY
        except (InterlockError, OSError):
            return outcome, ""
    if said:
        return engine.propose(event), ""
    kept = may_be_kept(outcome.decision, event.call, outcome.policy, elsewhere=False)
    if asked is not None and not put and not kept:
        with engine.lent() as ledger:
            try:
                left_here(ledger, asked)
            except InterlockError:
                pass  # the question stays open, and nothing follows from that
    return outcome, put


def _asks(event: Proposed, outcome: Outcome) -> bool:
    """Whether a yes lets the call run: else the host's own rules would ask once more."""
    policy = outcome.policy
    return policy.on_allow.get(event.mode, policy.on_allow["default"]) is not OnAllow.SILENT


def _shown(event: Proposed, outcome: Outcome, asked: Asked, lines: int) -> tuple[str, tuple[str, ...]] | None:
    """The question and its choices; None where not all of it can be shown."""
    asks = [finding for finding in outcome.decision.reasons if finding.verdict is Verdict.ASK]
    covers = also_covered(asks, outcome.reading) if covers_of(asked) else ""
    person = for_person(event.call, outcome.reading, outcome.decision, remembers=False)
    return dialog(person, covers, columns=_columns(event.place.parent), lines=lines)


def _said(engine: Engine, traits: Traits, event: Proposed, outcome: Outcome, asked: Asked, seconds: int) -> str | None:
    """One of the choices; empty where no person has made one; None where nobody was asked."""
    place = event.place
    if not _asks(event, outcome):
        return None
    server = desk_of(engine.folders.state, place.parent)
    if not server or not is_older_than_calls(engine.ledger(), server, place.parent):
        return None
    folders, root = engine.worlds.folders_at(place), engine.worlds.root_at(place)
    if why_not_a_person(folders, place.host, root, place.parent, place.environment):
        return None
    shown = _shown(event, outcome, asked, traits.own_lines)
    if shown is None:
        return None
    text, choices = shown
    question = (text, TITLE, "\0".join(choices))
    action, answer = _put(engine.folders.state, place.parent, server, question, seconds)
    if action == _DECLINE and traits.asks:  # elsewhere the host itself declines where it is to ask nobody
        return DENY
    return answer if action == _ACCEPT and answer in choices else ""


def _put(state: str, host: int, server: int, question: tuple[str, ...], seconds: int) -> tuple[str, str]:
    """The client's answer; empty texts where none comes in time."""
    folder = os.open(f"{state}/{FOLDER}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    peer = socket(AF_UNIX, SOCK_STREAM)
    try:
        if not trusted(os.fstat(folder)):
            return "", ""
        end = time.monotonic() + seconds
        peer.settimeout(seconds)
        peer.connect(f"/proc/self/fd/{folder}/{name_of(host, server)}")
        # INVARIANT: nothing is asked before the other end is known: our own server, run by the host itself.
        if peer_of(peer) != (server, os.getuid()) or parent_of(server) != host or not _is_ours(server):
            return "", ""
        peer.sendall(packed(*[part.encode("utf-8", "replace") for part in question]))
        action, answer = received(peer, 2, _MOST_ANSWER, end)
        return action.decode("utf-8", "replace"), answer.decode("utf-8", "replace")
    except (OSError, EOFError, ValueError):
        return "", ""
    finally:
        peer.close()
        os.close(folder)


def _is_ours(server: int) -> bool:
    """The same Python as this, with the server's own words and in isolation: no variable adds code to it."""
    if os.readlink(f"/proc/{server}/exe") != os.readlink("/proc/self/exe"):
        return False
    with open(f"/proc/{server}/cmdline", "rb") as file:
        words = [os.fsdecode(word) for word in file.read(1 << 16).rstrip(b"\0").split(b"\0")]
    return words[1:2] == ["-I"] and words[2:4] == list(ARGUMENTS[:2]) and words[-2:] == list(ARGUMENTS[2:])


def _columns(host: int) -> int:
    """How wide the terminal in front of the host is."""
    try:
        terminal = os.open(f"/proc/{host}/fd/1", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.get_terminal_size(terminal).columns or _COLUMNS
        finally:
            os.close(terminal)
    except OSError:
        return _COLUMNS
