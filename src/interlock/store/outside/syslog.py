"""Syslog as RFC 5424 has it: a line, and the three ways to hand lines over. StoreError where one surely did not arrive.

By UDP nobody answers; whoever needs to know takes another way. By TCP a connection is for one batch: that the other
side closes it after our end is the only sign that it was read.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence

from ...model.errors import StoreError
from ...value import FrozenMap

__all__ = ["by_tcp", "by_udp", "by_unix", "counted", "syslog_line"]

_AUDIT = 13  # facility "log audit"
_INFORMATIONAL = 6
_DATA = "interlock@32473"  # 32473 is the number for examples: we have none of our own
_BREATH = 20  # datagrams after which a receiver gets a moment to read


def syslog_line(
    at: int,
    kind: str,
    message: bytes,
    *,
    severity: int = _INFORMATIONAL,
    app: str = "interlock",
    data: Mapping[str, str] = FrozenMap({}),
) -> bytes:
    """`kind` is what receivers sort by; `data` becomes structured data."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at / 1000)) + f".{at % 1000:03d}Z"
    head = f"<{_AUDIT * 8 + severity}>1 {moment} {_word(os.uname().nodename, 255)} {_word(app, 48)} {os.getpid()} "
    told = "".join([f' {_word(name, 32)}="{_escaped(value)}"' for name, value in data.items()])
    inside = f"[{_DATA}{told}]" if data else "-"
    return f"{head}{_word(kind, 32)} {inside} ".encode() + message


def _word(text: str, most: int) -> str:
    """Printable ASCII without what ends a field."""
    return "".join([char if "!" <= char <= "~" and char not in '="]' else "?" for char in text])[:most] or "-"


def _escaped(value: str) -> str:
    plain = "".join([char if char.isprintable() else ascii(char)[1:-1] for char in value])
    return plain.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")


def counted(lines: Sequence[bytes]) -> bytes:
    """Lines for a stream, each behind its length (RFC 6587): no content of one can begin another."""
    return b"".join([b"%d %b" % (len(line), line) for line in lines])


def by_unix(path: str, lines: Sequence[bytes], seconds: float) -> None:
    """To this machine's own syslog. Whoever does not read makes us wait, and then it is an error."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as plug:
            plug.settimeout(seconds)
            plug.connect(path)
            for line in lines:
                plug.send(line)
    except OSError as error:
        raise StoreError(f"`{path}` could not be reached: {error}") from None


def by_udp(host: str, port: int, lines: Sequence[bytes], seconds: float) -> None:
    try:
        family, kind, number, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, number) as plug:
            plug.settimeout(seconds)
            plug.connect(place)  # so that a closed port is told, where it is
            for count, line in enumerate(lines, 1):
                plug.send(line)
                if count % _BREATH == 0:
                    time.sleep(0.001)
            wrong = plug.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if wrong:
                raise OSError(wrong, os.strerror(wrong))
    except (OSError, ValueError) as error:
        raise StoreError(f"`udp://{host}:{port}` could not be reached: {error}") from None


def by_tcp(host: str, port: int, raw: bytes, seconds: float) -> None:
    try:
        with socket.create_connection((host, port), timeout=seconds) as plug:
            plug.sendall(raw)
            plug.shutdown(socket.SHUT_WR)
            plug.recv(1)  # that it was closed there: until then nobody knows whether it arrived
    except (OSError, ValueError) as error:
        raise StoreError(f"`tcp://{host}:{port}` could not be reached: {error}") from None
