"""Where the values of a call came from: the person's words, a tool's result, or nowhere that is known.

Only tools whose arguments have a role of these in the policy are looked at:

    recipient   to whom or where it goes: an address, an account, a channel, a payee
    link        an address that is opened
    object      which of the person's things is changed, such as an id
    credential  a new password or key
    message     text that goes out; addresses in it count
    day         when something of the person's takes place, unless they named the thing itself

An argument of such a tool without a role counts as a message, and as a recipient if it is nothing but a mail address.
A role may name a kind (`object:file`), which a trusted field of a result names too (`id:file`). A session keeps keyed
digests of words and of where they were met, never the words, and not more of them than the limits say: what is
forgotten is not trusted.
"""

from __future__ import annotations

from ..approve.glob import matches
from ..limits import MAX_LEAVES, MAX_RESULT_CHARS, MAX_SAID_WORDS, MAX_VALUES
from ..value import TYPE_CHECKING, FrozenMap, Value
from .origin_days import ANY_DAY, days_in, days_meant
from .origin_words import (
    addresses,
    each_recipient,
    is_address,
    leaves,
    loosened,
    number_of,
    numbers_in,
    opened,
    pieces,
    telling,
    text_of,
    values_at,
    values_beside,
    words_of,
)
from .toolnames import FLOW_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..policy.model import ToolSpec

__all__ = ["NOTHING", "Known", "Origin", "base_of", "heard", "is_traced", "learnt", "traced", "used"]

_SIZE = 5  # bytes of a digest: by chance one in a million million is another's
_ALL = "*"
_OF_TOOL = "!"  # how a kind begins that is one tool's alone
_LONGEST_SHOWN = 80
# How a message begins that holds what was said otherwise: words taken apart, parts of paths, days, whole numbers.
_LOOSE, _PART, _DAY, _NUMBER = "~", "/", "=", "#"
_OTHERWISE = (_LOOSE, _PART, _DAY, _NUMBER)
_MOST_OTHERWISE = 500  # days, numbers and parts of paths of one message
_SHORTEST_NUMBER = 3  # digits of a number that tells by itself which thing is meant
_SHORTEST_NAME = 4  # characters of a title that tells by itself what is meant
_CARRIES = "?&=#%~"  # in an address: it may carry something out


class Origin(Value):
    """A value that neither the person nor anything trusted has brought.

    source  the tool whose result it came out of; empty: it was met nowhere
    secret  the tool whose result is secret, where the value is from there and would leave
    """

    argument: str
    role: str
    value: str
    source: str = ""
    secret: str = ""


class Known(Value):
    """
    said     messages of the person, each the digests of its words, one after the other; behind `~` the same with
             words like `dev-ops` taken apart, behind `/` the parts of paths, behind `=` the days, behind `#` numbers of
             accounts and telephones
    trusted  digest of a value and its kind -> the tool that gave it
    met      digest of an address in a result -> the tool that gave it
    secret   digest of a word of a secret result -> the tool that gave it
    """

    said: tuple[str, ...] = ()
    trusted: Mapping[str, str] = FrozenMap({})
    met: Mapping[str, str] = FrozenMap({})
    secret: Mapping[str, str] = FrozenMap({})


NOTHING = Known()


def base_of(role: str) -> str:
    return role.partition(":")[0]


def is_traced(spec: ToolSpec | None) -> bool:
    """Whether anything of the tool's arguments is looked at."""
    return spec is not None and any(base_of(role) in FLOW_ROLES for role in spec.args.values())


def heard(known: Known, key: bytes, text: str) -> Known:
    """What is known after the person has said this."""
    words = words_of(text[:MAX_RESULT_CHARS])[:MAX_SAID_WORDS]
    if not words:
        return known
    said = [*known.said, _sequence(key, words)]
    apart, parts = loosened(words)[:MAX_SAID_WORDS], pieces(words)[:_MOST_OTHERWISE]
    said += [_LOOSE + _sequence(key, apart)] if apart != words else []
    said += [_PART + _sequence(key, parts)] if parts else []
    for mark, values in ((_DAY, days_meant(words)), (_NUMBER, numbers_in(words))):
        said += [mark + _sequence(key, values[:_MOST_OTHERWISE])] if values else []
    room = MAX_SAID_WORDS * _SIZE * 2
    while _size([one for one in said if one[:1] not in _OTHERWISE]) > room or _size(said) > 3 * room:
        said.pop(0)
    return known.replace(said=tuple(said))


def learnt(known: Known, key: bytes, spec: ToolSpec, result: Any) -> Known:
    """What is known after the tool has given this back. Only what the policy trusts of it is trusted."""
    data = opened(result)
    trusted, met, secret = dict(known.trusted), dict(known.met), dict(known.secret)
    fields = {base_of(field): field.partition(":")[2] for field in spec.trusted_result if field != _ALL}
    everything = _ALL in spec.trusted_result
    for path, leaf in leaves(data):
        text = text_of(leaf)
        named = next((name for name in reversed(path) if name in fields), None)
        if everything or named is not None:
            kind = "" if named is None else fields[named]
            for part in dict.fromkeys((text, *each_recipient(text))):
                for one in (kind, _ALL):
                    _put(trusted, _trust(key, one, words_of(part)), spec.name)
        else:
            for word in addresses(text):
                _put(met, _digest(key, word), spec.name)
            if len(text) <= _LONGEST_SHOWN and text.strip():
                _put(met, _digest(key, " ".join(words_of(text))), spec.name)
        if spec.secret_result:
            for word in telling(text):
                _put(secret, _digest(key, word), spec.name)
    return known.replace(trusted=FrozenMap(trusted), met=FrozenMap(met), secret=FrozenMap(secret))


def used(known: Known, key: bytes, spec: ToolSpec, given: Mapping[str, Any]) -> Known:
    """What is known after a call has run that was permitted: to whom it went is no news any more.

    Which thing it changed is none for this tool only: archiving is not deleting.
    """
    trusted = dict(known.trusted)
    for argument, role in spec.args.items():
        base, _, kind = role.partition(":")
        if base not in ("recipient", "link", "object"):
            continue
        for leaf in values_at(given, argument):
            parts = each_recipient(text_of(leaf)) if base == "recipient" else ()
            for part in dict.fromkeys((text_of(leaf), *parts)):
                for one in (kind, _ALL) if base != "object" else (_OF_TOOL + spec.name,):
                    _put(trusted, _trust(key, one, words_of(part)), spec.name)
    return known.replace(trusted=FrozenMap(trusted))


def traced(known: Known, key: bytes, spec: ToolSpec, given: Mapping[str, Any]) -> tuple[Origin, ...]:
    """The values of a call that the person, or what is trusted, has not brought."""
    found: list[Origin] = []
    for argument, role in spec.args.items():
        base, _, kind = role.partition(":")
        if base not in FLOW_ROLES:
            continue
        values = values_at(given, argument)
        if len(values) >= MAX_LEAVES:  # the rest was not looked at
            found.append(Origin(argument=argument, role=base, value=""))
        for leaf in values:
            found += _unfounded(known, key, spec, argument, base, kind, text_of(leaf))
    for argument, leaf in values_beside(given, tuple(spec.args)):
        text = text_of(leaf)
        base = "recipient" if "@" in text and [text.strip().casefold()] == addresses(text) else "message"
        found += _unfounded(known, key, spec, argument, base, "", text)
    if any(origin.role == "day" for origin in found) and _is_named(known, key, spec, given):
        found = [origin for origin in found if origin.role != "day"]
    if known.secret:
        found += _leaving(known, key, given)
    return tuple(dict.fromkeys(found))


def _is_named(known: Known, key: bytes, spec: ToolSpec, given: Mapping[str, Any]) -> bool:
    """Whether the person named what takes place: then its day may stand in what they had the agent look up."""
    texts = [leaf for argument, role in spec.args.items() if role == "message" for leaf in values_at(given, argument)]
    texts += [leaf for _, leaf in values_beside(given, tuple(spec.args))]
    named = [leaf for leaf in texts if type(leaf) is str and len(leaf.strip()) >= _SHORTEST_NAME]
    return any(_was_said(known, key, words_of(text)) for text in named)


def _unfounded(
    known: Known, key: bytes, spec: ToolSpec, argument: str, base: str, kind: str, text: str
) -> list[Origin]:
    """What of one value is neither the person's nor trusted."""
    if base == "message":
        odd = [word for word in addresses(text) if not _is_fine(known, key, spec, word, "recipient", "")]
        sources = {word: known.met.get(_digest(key, word), "") for word in odd}
        forgotten = len(known.met) >= MAX_VALUES  # an address that a result brought may be among what was
        return [
            Origin(argument=argument, role=base, value=word[:_LONGEST_SHOWN], source=source)
            for word, source in sources.items()
            if source or forgotten
        ]
    if not text.strip() or _is_fine(known, key, spec, text, base, kind):
        return []
    words = words_of(text)
    source = known.met.get(_digest(key, " ".join(words)), "")
    source = source or next((met for word in words if (met := known.met.get(_digest(key, word), ""))), "")
    shown = "" if base == "credential" else text[:_LONGEST_SHOWN]
    return [Origin(argument=argument, role=base, value=shown, source=source)]


def _leaving(known: Known, key: bytes, given: Mapping[str, Any]) -> list[Origin]:
    found = {}
    count = 0
    newest = [*known.secret.values()][-1]
    forgotten = len(known.secret) >= MAX_VALUES  # it may be among what was
    for path, leaf in leaves(given, keys=True):
        count += 1
        for word in telling(text_of(leaf)):
            source = known.secret.get(_digest(key, word), newest if forgotten else None)
            if source is not None:
                argument = path[0] if path else ""
                found[argument, source] = Origin(argument=argument, role="secret", value="", secret=source)
    if count >= MAX_LEAVES and not found:  # the rest was not looked at
        return [Origin(argument=next(iter(given), ""), role="secret", value="", secret=newest)]
    return list(found.values())


def _is_fine(known: Known, key: bytes, spec: ToolSpec, text: str, base: str, kind: str) -> bool:
    """Whether the person said it, a trusted result gave it, or the policy names it."""
    words = words_of(text)
    if not words:
        return False
    if _was_said(known, key, words):
        return True
    if base == "credential":
        return False
    if any(matches(glob.casefold(), text.strip().casefold()) for glob in spec.known):
        return True
    kinds = (kind, "") if kind else (_ALL,)
    if any(_trust(key, one, words) in known.trusted for one in (*kinds, _OF_TOOL + spec.name)):
        return True
    if base == "day":
        return _was_meant(known, key, words)
    if base == "link":
        return _is_on_a_site_that_was_said(known, key, words)
    if base == "recipient":
        parts = each_recipient(text)
        return parts != [text.strip()] and all(_is_fine(known, key, spec, part, base, kind) for part in parts)
    return _was_said_otherwise(known, key, words) if base == "object" else False


def _was_said(known: Known, key: bytes, words: list[str]) -> bool:
    sequence = _sequence(key, words)
    messages = [message.removeprefix(_PART) for message in known.said]
    if any(_holds(message, sequence) for message in messages if message[:1] not in _OTHERWISE):
        return True
    number = number_of(" ".join(words))
    return bool(number) and any(
        _holds(message[1:], _digest(key, number)) for message in known.said if message[:1] == _NUMBER
    )


def _was_said_otherwise(known: Known, key: bytes, words: list[str]) -> bool:
    """`dev ops` for `dev-ops` and the other way round, and `ticket 4711` or `#4711` for `HD-4711`."""
    apart = loosened(words)
    number = apart[-1] if apart[-1].isdigit() and len(apart[-1]) >= _SHORTEST_NUMBER else ""
    wanted = [_sequence(key, apart)] if len(apart) > 1 else []
    if number and all(word.isalpha() for word in apart[:-1]):
        wanted.append(_digest(key, number))
    messages = [one.lstrip(_LOOSE + _PART) for one in known.said if one[:1] not in (_DAY, _NUMBER)]
    return any(_holds(message, sequence) for message in messages for sequence in wanted)


def _was_meant(known: Known, key: bytes, words: list[str]) -> bool:
    """Whether each day in it was named, or the person spoke of some day in relative words."""
    days = days_in(words)
    said = [message[1:] for message in known.said if message[:1] == _DAY]
    if any(_holds(message, _digest(key, ANY_DAY)) for message in said):
        return True
    return bool(days) and all(any(_holds(message, _digest(key, day)) for message in said) for day in days)


def _is_on_a_site_that_was_said(known: Known, key: bytes, words: list[str]) -> bool:
    """An address that stands so in a result, beneath a host that the person named, and that carries nothing out."""
    host, slash, _ = words[0].partition("/")
    if len(words) > 1 or not slash or not is_address(host) or any(char in words[0] for char in _CARRIES):
        return False
    return _digest(key, words[0]) in known.met and _was_said(known, key, [host])


def _holds(message: str, sequence: str) -> bool:
    at, step = message.find(sequence), _SIZE * 2
    while at >= 0:
        if at % step == 0:
            return True
        at = message.find(sequence, at + 1)
    return False


def _size(messages: list[str]) -> int:
    return sum([len(message) for message in messages])


def _sequence(key: bytes, words: Sequence[str]) -> str:
    return "".join([_digest(key, word) for word in words])


def _trust(key: bytes, kind: str, words: list[str]) -> str:
    joined = " ".join(words)
    return _digest(key, f"{kind}\0{number_of(joined) or joined}")


def _digest(key: bytes, text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), key=key[:64], digest_size=_SIZE).hexdigest()


def _put(kept: dict[str, str], mark: str, source: str) -> None:
    """The newest last; beyond the limit the oldest is forgotten."""
    kept.pop(mark, None)
    kept[mark] = source
    if len(kept) > MAX_VALUES:
        del kept[next(iter(kept))]
