"""`read_call`: the one door to the reading. Total: every call gets a reading.

What lies on the disk arrives as facts, and which facts are needed shows only while reading. `read_in_rounds` reads
once as if every path led where its text says, which is nearly always so, and has that checked: a reading depends
on nothing but what it looks up, so where the facts say the same it stands. Only where one says otherwise, the call is
read again.
"""

from __future__ import annotations

from ..approve.approval import digest_of_call, projection_of
from ..bytes.canon import canonical, digest
from ..bytes.redact import MARK, is_suspicious, redact, redact_target, secret_words
from ..limits import MAX_FACT_ROUNDS
from ..model.action import Action, Opaque, reading_in_order
from ..model.effects import Effect
from ..model.facts import DEFINITION, MALFORMED
from ..model.wants import Real
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .places.paths import Unsettled, in_project, settle, within
from .tools.calls import read_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..contracts.check import broken_by
    from ..model.action import Broken, Reading
    from ..model.call import Call
    from ..model.facts import Facts
    from ..model.wants import Want
    from .cosmetic import without_cosmetics
    from .looks import held_of
    from .places.temporary import mark_what_stood
    from .reach.git_facts import kept_by_git
    from .servers.read import applying
    from .tools.tools import Part

    Gather = Callable[[tuple[Want[object], ...], Facts], Facts | None]
else:
    broken_by = lazy(globals(), "..contracts.check", "broken_by")
    without_cosmetics = lazy(globals(), ".cosmetic", "without_cosmetics")
    held_of = lazy(globals(), ".looks", "held_of")
    mark_what_stood = lazy(globals(), ".places.temporary", "mark_what_stood")
    kept_by_git = lazy(globals(), ".reach.git_facts", "kept_by_git")
    applying = lazy(globals(), ".servers.read", "applying")

__all__ = ["read_call", "read_in_rounds", "reading_of"]


def read_call(call: Call, facts: Facts) -> Reading:
    """What the call would do, as far as these facts tell. `missing` lists what would tell more."""
    return reading_of(call, _read_parts(call, facts), facts)


def read_in_rounds(call: Call, facts: Facts, gather: Gather) -> tuple[Reading, Facts]:
    """Read, gather what is missing, read again; at most a few rounds. The reading, and the facts in the end.

    `gather` gives the facts with what could be found out added, and None if that is nothing.
    """
    guess = _Guess(facts.real)
    said = _said(call, facts, guess)
    part = _with_what_was(said, call, facts)
    if guess.made or part[2]:
        more = gather((*[Real(path) for path in guess.made], *part[2]), facts)
        stands = not guess.made if more is None else guess.holds(facts, more, said)
        facts = more or facts
        if not stands:
            part = _read_parts(call, facts)
            for _ in range(MAX_FACT_ROUNDS - 1):
                more = gather(part[2], facts) if part[2] else None
                if more is None:
                    break
                facts = more
                part = _read_parts(call, facts)
        else:
            if part[2] != said[2]:
                part = _with_what_was(said, call, facts)
            if facts.known:
                part = (*part[:2], tuple([want for want in part[2] if want not in facts.known]))
    return reading_of(call, part, facts), facts


class _Guess:
    """Stands for `Facts.real` in a command line: where nothing is known of a path, it leads where its text says."""

    __slots__ = ("known", "made")

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known
        self.made: dict[str, str | None] = {}  # what was asked and not known, and what was answered

    def get(self, path: str) -> str | None:
        found = self.known.get(path)
        if found is None and path in self.made:
            return self.made[path]
        if found is None:
            try:
                found = settle(path, cwd="/", home="/")
            except Unsettled:
                pass
            self.made[path] = found
        return found

    def holds(self, before: Facts, now: Facts, said: Part) -> bool:
        """True if a reading by the facts there are now would look up just the same."""
        actions, _, missing = said
        return (
            now.absent == before.absent
            and now.scripts == before.scripts
            and now.unread == before.unread
            and now.keys == before.keys
            and now.plain == before.plain
            and (now.fixed == before.fixed or now.fixed.isdisjoint(_written(actions)))
            and not any(now.known[want] or not want.taken_as_empty for want in missing if want in now.known)
            and all(now.real.get(path) == guess for path, guess in self.made.items())
            and not any(now.real.get(want.path) for want in missing if type(want) is Real)
        )


def _written(actions: tuple[Action, ...]) -> list[object]:
    return [action.target.get("path") for action in actions if Effect.WRITE in action.effects]


def _is_temporary(path: object, facts: Facts) -> bool:
    return type(path) is str and within(facts.temp, path) and not in_project(facts.root, path)


def _read_parts(call: Call, facts: Facts) -> Part:
    return _with_what_was(_said(call, facts), call, facts)


def _said(call: Call, facts: Facts, guess: _Guess | None = None) -> Part:
    """What the call would do by its words."""
    try:
        return read_tool(call, facts, guess)
    except Exception as error:
        return _failed(call, error)


def _with_what_was(part: Part, call: Call, facts: Facts) -> Part:
    """The same, with what it would do it to: work that git has, files that stood in a temporary folder before."""
    try:
        deletes = temporary = False
        for action in part[0]:  # every call pays for this: no generators
            if action.target:
                deletes = deletes or action.name == "fs:delete"
                temporary = temporary or _is_temporary(action.target.get("path"), facts)
        if deletes:
            part = kept_by_git(part, facts)
        if temporary:
            part = mark_what_stood(part, facts)
        return part
    except Exception as error:
        return _failed(call, error)


def _failed(call: Call, error: Exception) -> Part:
    # INVARIANT: a fault of ours is an opaque call, never an exception and never an allow.
    reason = f"reading failed: {type(error).__name__}"
    action = Action(name=f"tool:{call.tool}", effects=(Effect.EXECUTE,), tags=("unread",))
    return (action,), (Opaque(reason=reason, kind="failed"),), ()


def _without_secrets(part: Part, call: Call) -> Part:
    """What is read of a call goes into reasons, receipts and grants: none of them may hold a secret."""
    actions, opaque, missing = part
    if any(action.newly for action in actions):
        actions = tuple([_clean_newly(action, call) for action in actions])
        part = (actions, opaque, missing)
    texts = [part.reason for part in opaque] if opaque else []
    for action in actions:
        if "unknown" in action.tags or "nowhere" in action.tags:  # other names come from tables
            texts.append(action.name)
        if action.target:
            texts += [text for value in action.target.values() for text in _texts(value)]
        if action.compensator:
            texts.append(action.compensator)
    if not texts or not is_suspicious("\n".join(texts)):
        return part
    # What shows to be secret only where it stands in the call would not show in a part of it.
    words = sorted(secret_words(call.input), key=len, reverse=True)
    return (
        tuple([_clean(action, words) for action in actions]),
        tuple([unread.replace(reason=_less(redact(unread.reason), words)) for unread in opaque]),
        missing,
    )


def _clean_newly(action: Action, call: Call) -> Action:
    if not action.newly:
        return action
    cleaned = []
    for newly in action.newly:
        actions, opaque, _ = _without_secrets((newly.actions, newly.opaque, ()), call)
        words = sorted(secret_words(call.input), key=len, reverse=True)
        cleaned.append(newly.replace(runs=_less(redact(newly.runs), words), actions=actions, opaque=opaque))
    return action.replace(newly=tuple(cleaned))


def _less(text: str, words: list[str]) -> str:
    for word in words:
        if word in text:
            text = text.replace(word, f"{MARK}secret]")
    return text


def _texts(value: object) -> tuple[str, ...]:
    return value if type(value) is tuple else (value,) if type(value) is str else ()


def _clean(action: Action, words: list[str]) -> Action:
    target = {key: _clean_value(value, words) for key, value in action.target.items()}
    undo = action.compensator
    return action.replace(
        name=_less(redact(action.name), words) if {"unknown", "nowhere"} & {*action.tags} else action.name,
        target=FrozenMap(target),
        compensator=None if undo is None else _less(redact(undo), words),
    )


def _clean_value(value: Any, words: list[str]) -> Any:
    if type(value) is str:
        return _less(redact_target(value), words)
    return tuple([_less(redact_target(part), words) for part in value]) if type(value) is tuple else value


def reading_of(call: Call, part: Part, facts: Facts) -> Reading:
    actions, opaque, missing = _without_secrets(part, call)
    projection = projection_of(call)
    broken = _broken(call, facts) if facts.contracts else ()
    scripts = _scripts(facts.scripts) if facts.scripts else ()
    sends: tuple[str, ...] = ()
    if facts.known:
        digests, sends = _bound(facts)
        scripts += _scripts(digests)
    call_digest = digest_of_call(call, projection)
    same_as = _same_as(call) if call.tool == "Bash" else ""
    holds = _holds(call, facts) if facts.looks else ()
    definition = facts.definition
    if definition is not None and definition.trouble:
        # A yes is one to the definition that it was shown with, as it is to scripts.
        opaque = (*opaque, Opaque(reason=redact(definition.trouble), field=DEFINITION))
        scripts += (definition.digest,)
    if facts.malformed:
        opaque = (*opaque, Opaque(reason=redact(facts.malformed), field=MALFORMED))
    server = facts.server if facts.server and _is_known(call, facts) else ""
    return reading_in_order(
        call_digest, projection, actions, opaque, missing, broken, scripts, same_as, sends, holds, server
    )


def _is_known(call: Call, facts: Facts) -> bool:
    return applying(call, facts) is not None


def _same_as(call: Call) -> str:
    """The projection of the command without its cosmetics; empty where it has none, as most have not."""
    text = call.input.get("command")
    if type(text) is not str or (
        text.isprintable() and _COSMETIC.isdisjoint(text) and "  " not in text and text.strip(" ;") == text
    ):
        return ""
    plain = without_cosmetics(call)
    return "" if plain is None else projection_of(plain)


_COSMETIC = frozenset("'\"\\#")


def _scripts(texts: Mapping[str, str]) -> tuple[str, ...]:
    """A digest for each script that was read, so that an approval ends when one of them is changed."""
    return tuple([digest((path, redact(texts[path]))) for path in sorted(texts)])


def _bound(facts: Facts) -> tuple[dict[str, str], tuple[str, ...]]:
    """The digests of programs, and what the pushes of the call send: each ref once, whenever they were asked about."""
    from ..model.more_wants import Digest, Pushed

    digests = {want.path: found for want, found in facts.known.items() if type(want) is Digest}
    pushes = [want for want in facts.known if type(want) is Pushed]
    pushes.sort(key=lambda want: canonical(want.push.as_dict()))
    return digests, tuple(dict.fromkeys([line for want in pushes for line in facts.known[want].lines]))


def _holds(call: Call, facts: Facts) -> tuple[str, ...]:
    return held_of(facts.looks, call, facts)


def _broken(call: Call, facts: Facts) -> tuple[Broken, ...]:
    found = broken_by(facts.contracts, call.input, call.state)
    return tuple([broken.replace(text=redact(broken.text)) for broken in found])
