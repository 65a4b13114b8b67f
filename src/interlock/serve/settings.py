"""What whoever starts the service says of it: where it listens, how it is reached, how much it takes.

A file of TOML, `serve.toml` beside the policy, and the options of the command over it. Nothing in it changes a verdict:
that is for the policy.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from ..model.errors import InputError
from ..policy.store_address import address_trouble
from ..value import FrozenMap, Value

__all__ = ["Oidc", "Settings", "Slack", "Webhook", "is_loopback", "settings_from"]

_LOOPBACK = ("localhost", "::1", "[::1]")


class Webhook(Value):
    """
    url     where events are sent, https unless it is this machine
    secret  a file that holds the key that each delivery is signed with
    events  which; empty: all
    """

    url: str
    secret: str
    events: tuple[str, ...] = ()


class Oidc(Value):
    """Sign-in with an account that people have already. `secret` is a file; `people` says who each account is."""

    issuer: str
    client: str
    secret: str = ""
    claim: str = "email"
    people: Mapping[str, str] = FrozenMap({})


class Slack(Value):
    """
    bot, app  files that hold the two tokens
    people    id of a user of Slack -> the person, for whom the policy does not name
    api       another address of Slack's, for tests
    """

    channel: str
    bot: str
    app: str
    people: Mapping[str, str] = FrozenMap({})
    api: str = ""


class Settings(Value):
    """
    url       how people reach the page, where that is not the address it listens on
    rate      requests a second that one token may make
    burst     and how many at once; 0: as many as in five seconds
    traffic   bytes a second that one token may send
    processor seconds of the processor, each second, that one token's requests may take
    questions of one token that may wait for an answer
    verbose   tell agents all that was found, not only what is for them
    body      bytes of one request at most
    tls       certificate and key, as files
    insecure  speak plain HTTP to other machines: something in front of it has the certificate
    database  a PostgreSQL address in place of the ledger on this machine
    """

    host: str = "127.0.0.1"
    port: int = 8786
    url: str = ""
    rate: int = 100
    burst: int = 0
    traffic: int = 2 * 1024 * 1024
    processor: float = 0.5
    questions: int = 100
    verbose: bool = False
    body: int = 8 * 1024 * 1024
    cert: str = ""
    key: str = ""
    insecure: bool = False
    database: str = ""
    webhooks: tuple[Webhook, ...] = ()
    oidc: Oidc | None = None
    slack: Slack | None = None
    telemetry: Mapping[str, Any] = FrozenMap({})

    @property
    def secure(self) -> bool:
        """Whether people reach it over TLS."""
        return bool(self.cert) or self.url.startswith("https://")

    @property
    def at_once(self) -> int:
        return self.burst or 5 * self.rate

    @property
    def address(self) -> str:
        scheme = "https" if self.cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.url.rstrip("/") or f"{scheme}://{host}:{self.port}"


_PLAIN: dict[str, type] = {
    **dict.fromkeys(("host", "url", "cert", "key", "database"), str),
    **dict.fromkeys(("port", "rate", "burst", "traffic", "questions", "body"), int),
    "processor": float,
    **dict.fromkeys(("verbose", "insecure"), bool),
}
_TABLES: dict[str, type[Value]] = {"oidc": Oidc, "slack": Slack}


def settings_from(text: str, file: str, given: Mapping[str, Any]) -> Settings:
    """The settings of a file, with what was given on the command line over them. InputError names what is wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: {error}") from None
    unknown = sorted(set(data) - {*_PLAIN, *_TABLES, "webhooks", "telemetry"})
    if unknown:
        raise InputError(f"{file}: `{unknown[0]}` is no setting of the service; see docs/serve.md")
    for name, kind in _PLAIN.items():
        if name in data and kind is float and type(data[name]) is int:
            data[name] = float(data[name])
        if name in data and type(data[name]) is not kind:
            raise InputError(f"{file}: `{name}` must be a {_WORDS[kind]}")
    made: dict[str, Any] = {name: data[name] for name in _PLAIN if name in data}
    for name, table in _TABLES.items():
        if name in data:
            made[name] = _table(table, data[name], f"{file}: [{name}]")
    made["webhooks"] = tuple([_table(Webhook, one, f"{file}: [[webhooks]]") for one in data.get("webhooks", ())])
    made["telemetry"] = FrozenMap(data.get("telemetry", {}))
    return _sound(Settings(**{**made, **{name: value for name, value in given.items() if value is not None}}))


_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def _table(kind: type[Value], data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise InputError(f"{where} must be a table")
    fields: dict[str, Any] = {}
    for name, value in data.items():
        made, words = _MADE.get(kind.__annotations__.get(name, "str"), _MADE["str"])
        fields[name] = made(value)
        if fields[name] is None:
            raise InputError(f"{where}: `{name}` must be {words}")
    try:
        return kind(**fields)
    except TypeError as error:
        raise InputError(f"{where}: {error}") from None


# how a field is declared -> what becomes of its value, None where it does not fit, and what it must be
_MADE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "str": (lambda value: value if isinstance(value, str) else None, "a text"),
    "tuple[str, ...]": (
        lambda value: tuple(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else None,
        "a list of texts",
    ),
    "Mapping[str, str]": (
        lambda value: (
            FrozenMap(value)
            if isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
            else None
        ),
        "a table of texts",
    ),
}


# setting -> the least that works
_LEAST = {"rate": 1, "burst": 0, "traffic": 1024, "processor": 0.01, "questions": 1, "body": 1024}


def _sound(settings: Settings) -> Settings:
    if bool(settings.cert) != bool(settings.key):
        raise InputError("TLS needs both a certificate and its key")
    if not 0 <= settings.port < 1 << 16:
        raise InputError(f"{settings.port} is no port")
    for name, least in _LEAST.items():
        if getattr(settings, name) < least:
            raise InputError(f"`{name}` must be at least {least}")
    trouble = address_trouble(settings.database) if settings.database else None
    if trouble is not None:
        raise InputError(f"`database` must be {trouble}")
    if settings.url and not settings.url.startswith(("http://", "https://")):
        raise InputError("`url` must begin with http:// or https://")
    # INVARIANT: a token does not cross a network that anybody can listen to.
    if not is_loopback(settings.host) and not settings.cert and not settings.insecure:
        raise InputError(
            f"{settings.host} can be reached from other machines, and there is no TLS: tokens and calls would cross "
            "the network in the open. Give --cert and --key, or --insecure if a proxy in front of it speaks TLS"
        )
    return settings


def is_loopback(host: str) -> bool:
    parts = host.split(".")
    four = len(parts) == 4 and all(part.isdigit() for part in parts)
    return host.lower() in _LOOPBACK or (four and parts[0] == "127")
