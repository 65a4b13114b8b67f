"""The chain: each row of the ledger binds the one before it, so that no row changes or leaves unnoticed.

A row's hash is the SHA-256 of the canonical bytes of its fields, its number, the digest of its
body and the hash of its predecessor. Pure: rows come in as tuples in the order of COLUMNS, and the first damage comes
out with its kind. What only the store can see (a head kept elsewhere, a signature) is compared by `verify.py`
with the words of DAMAGE.
"""

from __future__ import annotations

from ..bytes.canon import canonical_own, hasher, sha256
from ..model.errors import InputError
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Fields = tuple[Any, ...]
else:
    Fields = tuple

__all__ = [
    "ANNOUNCED",
    "COLUMNS",
    "DAMAGE",
    "DURABLE",
    "FRONTS",
    "GENESIS",
    "KINDS",
    "Damage",
    "Fields",
    "Row",
    "Walked",
    "row_hash",
    "walk",
]

COLUMNS = ("seq", "kind", "at", "session", "key", "attempt", "state", "proof", "body", "prev", "hash")
GENESIS = "0" * 64  # what the first row follows

# kind -> what a row of it says; `key` is the id in brackets
KINDS = {
    "answer": "a person's answer to a prompt (approval): who, as which person, how strong, how far it reaches",
    "approver": "a key that signs answers was enrolled or removed (`keys`)",
    "checkpoint": "a signed statement of the chain so far (key id)",
    "decision": "one decided call (receipt); `enforced: false` if it was only observed",
    "dialog": "the host showed a question of ours, or reported who answered it (session)",
    "gap": "tool calls that no hook saw (session)",
    "grant": "something permitted (grant)",
    "ledger": "the first row, which gives the ledger its name (`ledger`)",
    "message": "a person said something to the agent (session)",
    "outcome": "the outcome of a call (receipt)",
    "override": "a person overrode a safeguard (what it was)",
    "owner": "a session belongs to a token of the HTTP service (session)",
    "policy": "a policy that was in force (digest)",
    "posture": "the posture changed (session, or the project if a person set it)",
    "preview": "a command ran on a view of the project, or what it changed was applied or discarded (preview)",
    "prompt": "a person was asked (approval)",
    "pruned": "rows that were removed on purpose, signed (key id)",
    "redemption": "a grant or an approval was used (grant)",
    "reminder": "a person was reminded of a prompt (approval)",
    "revocation": "a grant was revoked (grant)",
    "session": "a session began (session)",
    "token": "a token of the HTTP service was created or revoked (token)",
    "undo": "what a call had deleted or overwritten was restored (checkpoint)",
    "watch": "files that hosts obey: as they were, a change, that it was accepted or blocked (its digest)",
}
# Kinds that must survive a power cut before anyone acts on them; a decision is one of them where it cannot be undone.
DURABLE = frozenset(KINDS) - {"decision", "dialog", "gap", "message", "outcome", "owner", "posture", "session", "watch"}

# Kinds that somebody may be waiting for: an engine that can tell others does so.
ANNOUNCED = frozenset({"answer", "grant", "prompt", "reminder", "revocation"})

# front -> what writes rows through it. A front is named by the code that opens the ledger, never by what comes in.
FRONTS = {
    "hook:claude-code": "the hook of Claude Code",
    "hook:gemini-cli": "the hook of Gemini CLI",
    "hook:qwen-code": "the hook of Qwen Code",
    "hook:codex": "the hook of Codex CLI",
    "hook:copilot-cli": "the hook of GitHub Copilot CLI",
    "hook:opencode": "the hook of OpenCode",
    "hook:cursor": "the hook of Cursor",
    "hook:vscode": "the hook of Visual Studio Code",
    "hook:goose": "the hook of goose",
    "hook:windsurf": "the hook of Windsurf",
    "hook:cline": "the hook of Cline",
    "hook:kiro": "the hook of Kiro CLI",
    "hook:amp": "the hook of Amp",
    "cli": "another command of interlock",
    "cli:approvals": "interlock approvals",
    "cli:approver": "interlock approver",
    "cli:audit": "interlock audit",
    "cli:decide": "interlock decide --record",
    "cli:grants": "interlock grant, interlock grants",
    "cli:off": "interlock off, interlock on",
    "cli:posture": "interlock posture",
    "cli:preview": "interlock preview",
    "cli:store": "interlock store",
    "cli:token": "interlock token",
    "cli:trust": "interlock trust",
    "cli:undo": "interlock undo, interlock checkpoints",
    "library": "interlock.Gate, in a program",
    "mcp": "interlock mcp: the relay in front of a tool server",
    "proxy": "interlock proxy",
    "serve": "interlock serve: the HTTP service, its page and Slack",
}

DAMAGE = {
    "edit": "a row was changed",
    "deletion": "rows are missing in between",
    "swap": "rows have changed places",
    "insertion": "a row does not belong here",
    "truncation": "rows are missing at the end",
    "rollback": "the database is older than its head, which is kept next to it",
    "missing": "the database is gone, but the files next to it show that there were rows",
    "head": "the head that is kept next to the database is gone or cannot be read",
    "unknown key": "a statement is signed with a key that is not Interlock's",
    "signature": "a signature does not match its statement",
    "state": "what is kept next to the rows does not follow from them",
    "schema": "the tables are not those that Interlock creates",
    "malformed": "a row cannot be read as what it claims to be",
    "unreadable": "the database itself is damaged",
    "unavailable": "the ledger could not be opened, so its rows have not been checked",
}


class Row(Fields):
    """One row of the ledger, its columns by name. Equal to the plain tuple that a database hands out.

    What a damaged database hands out need not be of these types; `walk` and the store's readers look.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        seq: int
        kind: str
        at: int
        session: str
        key: str
        attempt: str | None
        state: str | None
        proof: str | None
        body: bytes
        prev: str
        hash: str


for _place, _name in enumerate(COLUMNS):
    setattr(Row, _name, property(lambda row, at=_place: row[at]))  # type: ignore[misc]

_FORMAT = 1
_WINDOW = 64  # rows that are looked at around the first break, to name it


class Damage(Value):
    kind: str
    seq: int
    text: str


class Walked(Value):
    """How far a walk came: the last good row, how many rows were good, and what stopped it."""

    seq: int
    hash: str
    count: int
    damage: Damage | None = None


def row_hash(fields: Fields, seq: int | None = None) -> str:
    """The hash of a row from its fields, as row number `seq` if that is given."""
    return _hash(fields, fields[0] if seq is None else seq, hasher())


def _hash(fields: Fields, seq: int, sha: Callable[[bytes], Any]) -> str:
    return _numbered(_bound(fields, sha), seq, sha)


def _bound(fields: Fields, sha: Callable[[bytes], Any]) -> bytes:
    """The canonical bytes of everything that the hash binds besides the number, which stands before them."""
    _, kind, at, session, key, attempt, state, proof, body, prev, *_ = fields
    inner = sha(body).hexdigest()
    try:
        return canonical_own([kind, at, session, key, attempt, state, proof, inner, prev])
    except InputError as error:  # half a character: no row of ours
        raise ValueError(str(error)) from None


def _numbered(bound: bytes, seq: int, sha: Callable[[bytes], Any]) -> str:
    name: str = sha(b"[%d,%b,%b" % (_FORMAT, canonical_own(seq), bound[1:])).hexdigest()
    return name


def walk(
    rows: Iterable[Fields],
    *,
    seq: int = 0,
    prev: str = GENESIS,
    look: Callable[[Row], Damage | None] | None = None,
) -> Walked:
    """Follows the chain after row `seq`, whose hash is `prev`, to its end or to its first damage.

    `look` sees each good row: the store checks signatures with it.
    """
    from hashlib import sha256 as fast  # OpenSSL's: slow to load, fast to run

    stream = map(Row, rows)
    before, count = GENESIS, 0
    for row in stream:
        if row.seq != seq + 1 or row.prev != prev or not _is_own(row, row.seq, fast):
            window = [row, *_some(stream)]
            return Walked(seq=seq, hash=prev, count=count, damage=_named(window, seq + 1, prev, before))
        if look is not None:
            damage = look(row)
            if damage is not None:
                return Walked(seq=seq, hash=prev, count=count, damage=damage)
        seq, before, prev = seq + 1, prev, row.hash
        count += 1
    return Walked(seq=seq, hash=prev, count=count)


def _some(stream: Iterator[Row]) -> Iterator[Row]:
    for _, row in zip(range(_WINDOW), stream, strict=False):
        yield row


def _is_own(row: Row, seq: int, sha: Callable[[bytes], Any] = sha256) -> bool:
    """True if the row's hash is that of its fields under this number. Whatever is no row is not."""
    try:
        return bool(row.hash == _hash(row, seq, sha))
    except (TypeError, ValueError, AttributeError):  # a field of another type, or half a character
        return False


def _named(window: list[Row], seq: int, prev: str, before: str) -> Damage:
    """What happened where the chain first breaks: `window` begins there, `seq` and `prev` were expected."""
    row = window[0]
    after = window[1] if len(window) > 1 else None
    own = _is_own(row, row.seq)
    if row.seq > seq:
        last = row.seq - 1
        text = f"rows {seq} to {last} are missing" if last > seq else "it is missing"
        return Damage(kind="deletion", seq=seq, text=text)
    if row.seq < seq:
        return Damage(kind="insertion", seq=row.seq, text="its number occurs twice")
    if own:  # whole in itself, but chained to something else
        if after is not None and after.prev != row.hash:
            return Damage(kind="edit", seq=seq, text="it was rewritten: neither neighbour is chained to it")
        return Damage(kind="edit", seq=seq - 1, text=f"it was rewritten: row {seq} is chained to what it was")
    home = _home(row, seq)
    if row.hash == prev:
        return Damage(kind="insertion", seq=seq, text=f"it is a copy of row {seq - 1}")
    if home is None:
        if after is not None and after.prev == prev and _is_own(after, after.seq - 1):
            return Damage(kind="insertion", seq=seq, text="the rows after it were moved up to make room")
        return Damage(kind="edit", seq=seq, text="its content does not have its hash")
    if home == seq - 1 and row.prev == before:
        return Damage(kind="insertion", seq=seq - 1, text="the rows after it were moved up to make room")
    if home < seq:
        return Damage(kind="insertion", seq=seq, text=f"it is a copy of row {home}")
    other = next((r for r in window if r.seq == home), None)
    if other is not None and _is_own(other, seq):
        return Damage(kind="swap", seq=seq, text=f"it and row {home} stand in each other's place")
    return Damage(kind="deletion", seq=seq, text=f"what was row {home} was moved here")


def _home(row: Row, seq: int) -> int | None:
    """The number under which the row is whole, if that is near."""
    try:
        bound = _bound(row, sha256)
    except (TypeError, ValueError, AttributeError):
        return None
    nearby = [n for distance in range(1, _WINDOW + 1) for n in (seq + distance, seq - distance)]
    return next((n for n in nearby if n > 0 and row.hash == _numbered(bound, n, sha256)), None)
