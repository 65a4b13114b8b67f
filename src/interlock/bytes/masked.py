"""A call as a person is asked about it: redacted, but for the addresses that decide what happens.

`redact` takes out whatever stands behind a name that says secret, so that `auth_token_url = https://…` would hide where
a token goes. Here host and path of what parses as an address are shown, and only userinfo, query, fragment and what
looks like a secret is masked. Each value that stays hidden is counted. This is for questions alone: rows and receipts
keep what `redact` leaves.

INVARIANT: a host is shown only where every program finds the same one. An address with a backslash, a second `@`, an
escape in its authority or a scheme that nobody knows stays hidden.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .positions import is_mixed
from .redact import MARK, redact, redact_target, redacted

if TYPE_CHECKING:
    from typing import Any

__all__ = ["hidden_in", "masked", "masked_text"]

_SCHEMES = frozenset(
    (
        *("http", "https", "ws", "wss", "ftp", "ftps", "sftp", "scp", "ssh", "git", "git+ssh", "git+https", "svn"),
        *("s3", "gs", "az", "abfs", "abfss", "hdfs", "rsync", "smb", "nfs", "docker", "oci", "npm", "pip"),
        *("redis", "rediss", "amqp", "amqps", "mongodb", "mongodb+srv", "postgres", "postgresql", "mysql", "mariadb"),
        *("mssql", "sqlserver", "oracle", "clickhouse", "cassandra", "neo4j", "bolt", "kafka", "nats", "mqtt", "mqtts"),
        *("ldap", "ldaps", "smtp", "smtps", "imap", "imaps", "pop3", "pop3s", "tcp", "udp", "tls", "grpc", "grpcs"),
        *("socks4", "socks5", "socks5h", "stun", "stuns", "turn", "turns", "syslog", "vault", "consul", "etcd"),
    )
)
_LABEL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_IPV6 = frozenset("0123456789abcdefABCDEF:.")
_MOST_HOST = 253
_MOST_PATH = 500  # characters of a path that are shown
_RANDOM = 16  # characters of a word with digits and letters in a path
_NUMBER = 12
_LETTERS = 20
_HEX = 32


def masked(value: Any) -> tuple[Any, int]:
    """JSON data as a person is shown it, and how many values in it stay hidden."""
    count = 0

    def hide(secret: str, what: str, is_named: bool) -> str:
        nonlocal count
        shown = _address(secret) if is_named else ""
        count += shown.count(MARK) if shown else 1
        return shown or f"{MARK}{what}]"

    found = redacted(value, hide)
    return found, count


def masked_text(text: str) -> str:
    return str(masked(text)[0])


def hidden_in(value: Any) -> int:
    """How many marks stand in what was kept without a count."""
    if isinstance(value, str):
        return value.count(MARK)
    if isinstance(value, tuple | list):
        return sum([hidden_in(item) for item in value])
    return sum([hidden_in(key) + hidden_in(item) for key, item in value.items()]) if hasattr(value, "items") else 0


def _address(text: str) -> str:
    """The address with what is secret in it masked; empty where it is none, or not one that all read alike."""
    scheme, found, rest = text.partition("://")
    if not found or scheme.lower().removeprefix("jdbc:") not in _SCHEMES:
        return ""
    if MARK in text or "\\" in text or not rest.isprintable() or any(char.isspace() for char in rest):
        return ""
    end = min([at for at in (rest.find("/"), rest.find("?"), rest.find("#")) if at >= 0], default=len(rest))
    authority, behind = rest[:end], rest[end:]
    if behind[:1] in ("?", "#") and "@" in behind:  # some take what stands behind the `@` for the host
        return ""
    owner, at_sign, place = authority.rpartition("@")
    if "@" in owner:
        return ""
    host = _host(place)
    if not host:
        return ""
    path, mark, fragment = behind.partition("#")
    path, question, query = path.partition("?")
    return "".join(
        (
            f"{scheme}://",
            f"{MARK}login]@" if at_sign else "",
            host,
            _path(path),
            question + (f"{MARK}query]" if query else ""),
            mark + (f"{MARK}fragment]" if fragment else ""),
        )
    )


def _host(place: str) -> str:
    """Host and port, with no character that is drawn like another; empty where it is no host."""
    if place.startswith("["):
        inside, bracket, port = place[1:].partition("]")
        is_one = bracket and inside.count(":") > 1 and _IPV6.issuperset(inside) and len(inside) <= _MOST_HOST
        return place if is_one and _is_port(port) else ""
    name, colon, port = place.partition(":")
    labels = name.removesuffix(".").split(".")
    if not 0 < len(name) <= _MOST_HOST or not all(labels) or not _is_port(colon + port):
        return ""
    if not all(char in _LABEL for label in labels for char in label if char.isascii()):
        return ""
    hidden = redact_target(name)
    if hidden == name:
        hidden = ".".join([f"{MARK}name]" if _is_code(label) else label for label in name.split(".")])
    return hidden.encode("ascii", "backslashreplace").decode() + colon + port


def _is_port(text: str) -> bool:
    return text in ("", ":") or (text[0] == ":" and len(text) <= 6 and text[1:].isascii() and text[1:].isdigit())


def _is_code(label: str) -> bool:
    """A part of a host name that is more than a name."""
    return is_mixed(label) or (len(label) >= _HEX and _has_both(label) and "-" not in label)


def _path(path: str) -> str:
    if len(path) > _MOST_PATH:
        return f"/{MARK}path]"
    if redact(path) != path:
        return redact(path)
    return "/".join([f"{MARK}part]" if _is_secret_part(part) else part for part in path.split("/")])


def _is_secret_part(part: str) -> bool:
    """Whether a part of a path may be what lets one in, such as that of a webhook."""
    words = "".join([char if char.isalnum() else " " for char in part]).split()
    if part.count("-") >= 4 and len("".join(words)) >= _HEX and _has_both(part):
        return True  # as a UUID is written
    return any(_is_secret_word(word) for word in words)


def _is_secret_word(word: str) -> bool:
    if word.isdigit():
        return len(word) >= _NUMBER
    if len(word) >= _LETTERS and not word.islower():
        return True
    return is_mixed(word) or (len(word) >= _RANDOM and _has_both(word))


def _has_both(word: str) -> bool:
    return any(char.isdigit() for char in word) and any(char.isalpha() for char in word)
