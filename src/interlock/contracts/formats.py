"""Shapes of texts that a grammar decides: a text is proved not to have one, or the matter is left open.

A contract states a shape by its name. Nothing is guessed from prose, and nothing looks at the world: an
address that has the shape of one may lead nowhere.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .dates import days_of, moment_of, size_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FORMATS", "LONGEST", "lacks_format"]

LONGEST = 10_000  # of a longer text nothing is said


def lacks_format(name: str, text: str) -> bool:
    """True if the text is proved not to have the shape."""
    check = FORMATS.get(name)
    return check is not None and len(text) <= LONGEST and check[1](text)


def _relative(text: str) -> bool:
    if text[:1] in ("/", "~", "\\", "$", "%"):  # of a shell or of Windows: not ours to resolve
        return False
    return not (len(text) > 2 and text[0].isalpha() and text[1] == ":" and text[2] in "/\\")


def _no_url(*schemes: str) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        scheme, mark, rest = text.partition("://")
        return not mark or scheme.lower() not in schemes or not rest or rest[0] in "/?#" or " " in text

    return check


def _no_semver(text: str) -> bool:
    core, plus, build = text.partition("+")
    core, dash, pre = core.partition("-")
    numbers = core.split(".")
    if len(numbers) != 3 or not all(_plain_number(number) for number in numbers):
        return True
    if plus and not all(_identifier(part) for part in build.split(".")):
        return True
    return bool(dash) and not all(
        _identifier(part) and (not part.isdigit() or _plain_number(part)) for part in pre.split(".")
    )


def _plain_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _identifier(text: str) -> bool:
    return bool(text) and text.isascii() and text.replace("-", "a").isalnum()


_MACROS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@reboot")
_NAMES = {
    3: "jan feb mar apr may jun jul aug sep oct nov dec".split(),
    4: "sun mon tue wed thu fri sat".split(),
}
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


def _no_cron(text: str) -> bool:
    """Five fields, as `man 5 crontab` has them."""
    if text.startswith("@"):
        return text not in _MACROS
    fields = text.split()
    return len(fields) != 5 or not all(_cron_field(field, at) for at, field in enumerate(fields))


def _cron_field(field: str, at: int) -> bool:
    for part in field.split(","):
        span, slash, step = part.partition("/")
        if slash and not (step.isdigit() and step.isascii() and int(step[:9]) > 0):
            return False
        if span == "*":
            continue
        low, dash, high = span.partition("-")
        first, last = _cron_value(low, at), _cron_value(high, at) if dash else None
        if first is None or (dash and (last is None or last < first)):
            return False
    return True


def _cron_value(text: str, at: int) -> int | None:
    low, high = _RANGES[at]
    if text.isascii() and text.isdigit() and len(text) <= 3:
        return int(text) if low <= int(text) <= high else None
    names = _NAMES.get(at, [])
    return names.index(text.lower()) + (at == 3) if text.lower() in names else None


def _no_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    if local.startswith('"'):
        return False  # quoted: anything goes
    return (
        not at
        or not local
        or not domain
        or any(char.isspace() or char in '()<>,;:\\"[]@' for char in local)
        or (not domain.startswith("[") and (".." in domain or domain[0] in ".-" or " " in domain))
    )


_WRITING = frozenset(
    "insert update delete drop alter create truncate grant revoke merge replace rename vacuum reindex".split()
)


def _no_read_only_sql(text: str) -> bool:
    """True where a statement begins with a word that changes something."""
    if not text.strip():
        return False
    plain = not any(mark in text for mark in ("'", '"', "`", "$", "--", "/*", "#", "[", "\\"))
    statements = text.split(";") if plain else [text]
    return any(part.split()[0].lower() in _WRITING for part in statements if part.strip())


def _no_uuid(text: str) -> bool:
    parts = text.split("-")
    return [len(part) for part in parts] != [8, 4, 4, 4, 12] or any(
        char not in "0123456789abcdefABCDEF" for part in parts for char in part
    )


def _no_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) != 4 or not all(_plain_number(part) and len(part) <= 3 and int(part) <= 255 for part in parts)


# name -> how a note words it, and the proof that a text is not one
FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "absolute-path": ("an absolute path", _relative),
    "cron": ("a cron expression of five fields", _no_cron),
    "date": ("a date such as 2026-11-15", lambda text: days_of(text) is None),
    "date-time": (
        "a date and time such as 2026-11-15T09:30:00Z",
        lambda text: len(text) <= 10 or (moment_of(text) is None and ":60" not in text),
    ),
    "email": ("an e-mail address", _no_email),
    "http-url": ("an http or https address", _no_url("http", "https")),
    "https-url": ("an https address", _no_url("https")),
    "ipv4": ("an IPv4 address", _no_ipv4),
    "read-only-sql": ("SQL that only reads", _no_read_only_sql),
    "semver": ("a version such as 1.2.3", _no_semver),
    "size": ("a size such as 512Mi", lambda text: size_of(text) is None),
    "uuid": ("a UUID", _no_uuid),
}
