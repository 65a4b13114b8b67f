"""The table `[telemetry]`: where to send what is decided. In serve.toml; for hooks, in telemetry.toml.

otlp       address of an OpenTelemetry collector, OTLP over HTTP
headers    a file with more headers for it, `name: value` a line: a key of a vendor, say
jsonl      a file that gets one JSON object a line
syslog     udp://HOST:PORT, tcp://HOST:PORT or unix:/dev/log
arguments  whether the arguments of calls are sent too, without secrets
service    the name under which all of it appears
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..model.errors import InputError
from ..store.home.files import read_file
from ..store.home.folders import Folders
from ..value import Value

__all__ = ["Telemetry", "config_file", "load_telemetry", "telemetry_from"]

_MAX_CONFIG = 64 * 1024
_TEXTS = ("otlp", "headers", "jsonl", "syslog", "service")
_SYSLOG_FORMS = "udp://HOST:PORT, tcp://HOST:PORT or unix:/PATH"


class Telemetry(Value):
    otlp: str = ""
    headers: str = ""
    jsonl: str = ""
    syslog: str = ""
    arguments: bool = False
    service: str = "interlock"

    @property
    def is_on(self) -> bool:
        return bool(self.otlp or self.jsonl or self.syslog)


def config_file(folders: Folders) -> str:
    return folders.config + "/telemetry.toml"


def load_telemetry(folders: Folders, file: str | None = None) -> Telemetry:
    """The settings of this machine. InputError says what is wrong with them, or that there are none."""
    path = file or config_file(folders)
    raw = read_file(path, limit=_MAX_CONFIG)
    if raw is None:
        raise InputError(f"{path} is not there; say in it where to send, as docs/guides/telemetry.md shows")
    try:
        data = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    unknown = sorted(set(data) - {"telemetry"})
    if unknown or not isinstance(data.get("telemetry"), dict):
        raise InputError(f"{path}: it has one table, [telemetry]" + (f", and no `{unknown[0]}`" if unknown else ""))
    return telemetry_from(data["telemetry"], f"{path}: [telemetry]", home=folders.home)


def telemetry_from(data: Mapping[str, Any], where: str, *, home: str) -> Telemetry:
    """The table, checked. Where nothing is named to send to, that is an error too: somebody meant something."""
    unknown = sorted(set(data) - {*_TEXTS, "arguments"})
    if unknown:
        raise InputError(f"{where}: `{unknown[0]}` is no setting of telemetry; see docs/guides/telemetry.md")
    for name in _TEXTS:
        if name in data and (type(data[name]) is not str or not data[name].isprintable() or not data[name].strip()):
            raise InputError(f"{where}: `{name}` must be a text")
    if type(data.get("arguments", False)) is not bool:
        raise InputError(f"{where}: `arguments` must be true or false")
    found = Telemetry(**{name: data[name] for name in (*_TEXTS, "arguments") if name in data})
    if not found.is_on:
        raise InputError(f"{where}: it names nothing to send to; give `otlp`, `jsonl` or `syslog`")
    if found.headers and not found.otlp:
        raise InputError(f"{where}: `headers` are for `otlp`, which is not given")
    if found.otlp:
        _check_web(found.otlp, where)
    if found.syslog:
        _check_syslog(found.syslog, where)
    paths = {name: _path(getattr(found, name), f"{where}: `{name}`", home) for name in ("headers", "jsonl")}
    return found.replace(**paths)


def _path(path: str, where: str, home: str) -> str:
    path = f"{home}/{path[2:]}" if path.startswith("~/") else path
    if path and not path.startswith("/"):
        raise InputError(f"{where} must be a whole path, from / or ~/ on")
    return path


def _check_web(address: str, where: str) -> None:
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound, parts = False, urlsplit("")
    if not sound or parts.username is not None or parts.query or parts.fragment:
        raise InputError(f"{where}: `otlp` must be http://HOST:PORT or https://HOST:PORT, keys go into `headers`")


def _check_syslog(address: str, where: str) -> None:
    if address.startswith("unix:/") and len(address) > len("unix:/"):
        return
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("udp", "tcp") and bool(parts.hostname) and bool(parts.port)
    except ValueError:
        sound = False
    if not sound or parts.username is not None or parts.path.strip("/") or parts.query:
        raise InputError(f"{where}: `syslog` must be {_SYSLOG_FORMS}")
