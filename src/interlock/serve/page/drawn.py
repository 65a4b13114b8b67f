"""Templates, and the files beside them: everything the page is made of, from the package itself.

INVARIANT: every value that a template prints goes through `visible` and is escaped. A template cannot forget it: it is
done where values are printed, not where they are used.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from ... import PACKAGE
from ...words.visible import visible
from ..answers import stamp

__all__ = ["FILES", "drawn", "file_response", "session_path"]

_HERE = os.path.join(PACKAGE, "serve", "page")
_TYPES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "waits.svg": "image/svg+xml",
}
FILES: dict[str, bytes] = {}
for _name in _TYPES:
    with open(os.path.join(_HERE, "static", _name), "rb") as _file:
        FILES[_name] = _file.read()
_VERSION = hashlib.sha256(b"".join(FILES.values())).hexdigest()[:12]
_HEADERS = {
    # A form of the page says where it comes from, so its address has to be sent along to the page itself.
    "referrer-policy": "same-origin",
    "vary": "cookie",
}
_STEPS = ((60, "s", 1), (3600, "min", 60), (86_400, "h", 3600), (30 * 86_400, "d", 86_400))


def _seen(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _ticked(text: str, most: int = 1 << 30) -> Markup:
    """What stands in backticks is set as code; of each such piece, as many characters as `most`."""
    found = Markup("")
    for at, part in enumerate(str(text).split("`")):
        whole = visible(part)
        shown = escape(f"{whole[:most]}…" if at % 2 and len(whole) > most else whole)
        found += Markup("<code>{}</code>").format(shown) if at % 2 and part else shown
    return found


def _ago(at: int) -> Markup:
    """A moment, as how long ago or from now it is; the script keeps it true."""
    exact = datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    seconds = time.time() - at / 1000
    return Markup('<time datetime="{}" title="{}">{}</time>').format(stamp(at), exact, _distance(seconds))


def _distance(seconds: float) -> str:
    far = abs(seconds)
    if far < 5:
        return "now"
    for most, unit, each in _STEPS:
        if far < most:
            words = f"{int(far // each)} {unit}"
            break
    else:
        words = f"{int(far // 86_400)} d"
    return f"{words} ago" if seconds > 0 else f"in {words}"


def session_path(session: str) -> str:
    """Where a session is shown. A name that cannot stand in a path is told in another alphabet."""
    plain = session and ".." not in session and not set(session) & set("/\\~%") and session.isprintable()
    if plain and session.strip(". ") == session:
        return f"/sessions/{quote(session, safe=':@')}"
    return f"/sessions/~{session.encode('utf-8', 'surrogatepass').hex()}"


_templates = Environment(
    loader=FileSystemLoader(os.path.join(_HERE, "templates")),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_seen,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters.update(ticked=_ticked, ago=_ago, session_path=session_path, short=lambda digest: str(digest)[:19])
_templates.globals.update(version=_VERSION)


def drawn(template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any) -> Response:
    html = _templates.get_template(template).render(**values)
    return HTMLResponse(html, status, {**_HEADERS, **(headers or {})})


def file_response(name: str) -> Response | None:
    """One of the files that the page uses. Its address changes with its content."""
    raw = FILES.get(name)
    if raw is None:
        return None
    return Response(raw, headers={"content-type": _TYPES[name], "cache-control": "public, max-age=31536000, immutable"})
