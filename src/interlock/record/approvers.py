"""Whose signatures count: the keys that managed policy pins, and the ones that were enrolled here.

The rows of the ledger are the truth. A change of the keys counts if it is signed by a key that counted before it. Only
the first key may come without such a signature: then it is worth no more than the terminal that it was typed at,
for a day in which its owner is told of it at each session. Where managed policy pins keys, they are that first key.
No key goes without a signature, its own or that of one that counts: what a row says of its time cannot be proved, so
even a young key could be removed by a program later on. Managed policy replaces one that is lost.
Pure: rows and pins come in, keys come out; a row that does not hold is left out and named.
"""

from __future__ import annotations

from ..approve.statement import change_statement
from ..bytes.canon import canonical, digest_of_bytes
from ..bytes.sshsig import HARDWARE, public_key, signed_by
from ..bytes.strict import parse_object
from ..model.errors import ApprovalError, InputError, InterlockError
from ..model.verdict import Strength
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .chain import Row

__all__ = ["DAY", "ENROL", "REMOVE", "Approver", "Approvers", "approvers", "check_signature", "strength_of"]

ENROL, REMOVE = "enrol", "remove"
DAY = 24 * 3600 * 1000  # in milliseconds: how long a first key that nobody vouched for is weak


class Approver(Value):
    """
    name      whose key it is, as the file or the person said
    line      the key as OpenSSH writes it
    kind      how strong its signatures are once it counts
    pinned    managed policy vouches for it
    vouched   it is pinned, or a key that counted has signed for it
    since     the moment from which its signatures count for more than weak
    enrolled  when; 0: it is pinned
    file      where its private half was then, so that a person need not say it again
    """

    name: str
    line: str
    kind: Strength
    pinned: bool = False
    vouched: bool = False
    since: int = 0
    enrolled: int = 0
    file: str = ""

    def strength(self, at: int) -> Strength:
        return self.kind if at >= self.since else Strength.WEAK


class Approvers(Value):
    """The keys at one moment. `last` is the digest of the last change; `ignored` says which rows do not count.

    `ledger` is the name that a new change is signed for.
    """

    keys: tuple[Approver, ...] = ()
    at: int = 0
    last: str = ""
    ignored: tuple[str, ...] = ()
    ledger: str = ""

    @property
    def strongest(self) -> Strength:
        """The strongest signature that can be had now."""
        return max([key.strength(self.at) for key in self.keys], default=Strength.WEAK)

    def by_line(self, line: str) -> Approver | None:
        return next((key for key in self.keys if key.line == line), None)


def strength_of(line: str) -> Strength:
    """What signatures of this key are worth. That a plain one has a passphrase is seen to when it is enrolled."""
    return Strength.STRONG if public_key(line).kind == HARDWARE else Strength.MEDIUM


def approvers(
    pins: Sequence[str], rows: Sequence[Row], at: int, *, ledgers: Sequence[str], thorough: bool = False
) -> Approvers:
    """The keys as they are at this moment. `rows` are those of the kind `approver`, oldest first; `ledgers` are the
    names of this ledger, the present one first, then those that it was begun in place of.

    `thorough` also looks whether each new key signed for itself, which a command makes sure of before it is kept.
    """
    found = [_pinned(line) for line in pins]
    last = ""
    ignored: list[str] = []
    # Each change names the one before it, and that is their order, not where they stand: pruning writes them once more,
    # and a copy at the end must not move a change behind those that follow it. Of two that name the same one before
    # them, the older counts.
    waiting: dict[bytes, Row] = {}
    for row in rows:
        waiting.setdefault(_without_front(row.body), row)
    while True:
        after = last
        for raw, row in list(waiting.items()):
            try:
                body: Any = parse_object(raw, limit=len(raw) + 1)
                if body["after"] != last:
                    continue
                del waiting[raw]
                if body["ledger"] not in ledgers:
                    raise InputError("it was made for another ledger")
                found = _changed(found, body, last, thorough=thorough)
                last = digest_of_bytes(raw)
                break
            except (InterlockError, KeyError, TypeError, ValueError) as error:
                waiting.pop(raw, None)
                ignored.append(f"row {row.seq} does not change the keys: {str(error)[:200]}")
        if last == after:
            break
    ignored += [f"row {row.seq} does not change the keys: it follows no change that counts" for row in waiting.values()]
    return Approvers(keys=tuple(found), at=at, last=last, ignored=tuple(ignored), ledger="".join(ledgers[:1]))


def _without_front(raw: bytes) -> bytes:
    """The body without the word for where its row was written: pruning writes it once more, from another place."""
    try:
        body = parse_object(raw, limit=len(raw) + 1)
    except InterlockError:
        return raw
    return canonical({name: value for name, value in body.items() if name != "front"})


def check_signature(known: Approvers, message: bytes, signature: str) -> Approver:
    """Whose signature it is. ApprovalError where it is not one, or not by a key that is known."""
    line = signed_by(message, signature).line
    approver = known.by_line(line)
    if approver is None:
        raise ApprovalError("it is signed with a key that is not enrolled here; see: interlock approver list")
    return approver


def _pinned(line: str) -> Approver:
    key = public_key(line)
    kind = strength_of(line)
    return Approver(name=key.comment or "managed policy", line=key.line, kind=kind, pinned=True, vouched=True)


def _changed(found: list[Approver], body: Any, last: str, *, thorough: bool) -> list[Approver]:
    change, line, name, at = body["change"], body["key"], body["name"], body["at"]
    if type(name) is not str or type(line) is not str or type(at) is not int:
        raise InputError("it is not a change of keys")
    if body["after"] != last:
        raise InputError("it does not follow the change before it")
    said = change_statement(ledger=body["ledger"], change=change, key=line, name=name, at=at, after=last)
    known = Approvers(keys=tuple(found), at=at)
    signature = body.get("signature")
    signer = check_signature(known, said, signature) if type(signature) is str else None
    vouched = signer is not None and signer.strength(at) is not Strength.WEAK
    if change == ENROL:
        # Where a strong key counts, only a strong one vouches for another such.
        if signer is not None and signer.strength(at) < strength_of(line) <= known.strongest:
            raise InputError("a key in hardware is signed for with one, where one counts")
        if public_key(line).line != line or any(known.line == line for known in found):
            raise InputError("the key is enrolled already")
        if thorough and signed_by(said, str(body["own"])).line != line:
            raise InputError("the new key has not signed for itself")
        if found and not vouched:
            raise InputError("no key that counts has signed for it")
        kind = strength_of(line)
        since = at if vouched else at + DAY
        return [
            *found,
            Approver(
                name=name, line=line, kind=kind, vouched=vouched, since=since, enrolled=at, file=str(body["file"])
            ),
        ]
    if change == REMOVE:
        gone = next((known for known in found if known.line == line and not known.pinned), None)
        if gone is None:
            raise InputError("no key of this kind is enrolled here")
        if not vouched and signer is not gone:
            raise InputError("neither the key itself nor one that counts has signed for its removal")
        return [known for known in found if known is not gone]
    raise InputError(f"`{str(change)[:20]}` is not a change of keys")
