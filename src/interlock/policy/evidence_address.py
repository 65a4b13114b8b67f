"""Where the heads of a ledger may be sent, as a policy may give it. One of four forms; never with a password in it.

syslog:                    the machine's own syslog
syslog://HOST[:PORT]       another machine's, by UDP; syslog+tcp:// by TCP
https://HOST/PATH          JSON by POST; http:// on this machine only
git:URL                    a ref of a repository: a path, ssh://…, or https://…
"""

from __future__ import annotations

__all__ = ["FORMS", "evidence_trouble"]

FORMS = ("syslog:", "syslog://", "syslog+tcp://", "https://", "http://", "git:")
_LOOPBACK = ("127.0.0.1", "[::1]", "localhost")


def evidence_trouble(text: str) -> str | None:
    """What an address must be and is not; None if it is one."""
    if not text.isprintable() or " " in text or len(text) > 2000 or not text.startswith(FORMS):
        return "addresses such as `syslog:`, `syslog://HOST`, `https://HOST/PATH` or `git:URL`"
    if text == "syslog:":
        return None
    if text.startswith("git:"):
        place = text.removeprefix("git:")
        if not place.startswith(("/", "ssh://", "https://")):
            return "`git:` with an absolute path, or an address that begins with ssh:// or https://"
        account = place.partition("://")[2].partition("/")[0].rpartition("@")[0] if "://" in place else ""
        return "an address without a password" if ":" in account else None
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0].partition("?")[0]
    if not host or "@" in host:
        return "an address with a host, and without a name or a password in it"
    name, _, port = host.rpartition(":") if host[-1] != "]" and ":" in host else (host, "", "1")
    if not port.isdigit() or not 0 < int(port) < 65536 or not name:
        return "an address with a port that is a number"
    if scheme == "http" and name not in _LOOPBACK:
        return "an address that begins with https:// (http:// goes to this machine only)"
    return None
