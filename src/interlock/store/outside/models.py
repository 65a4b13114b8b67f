"""One request to a model's endpoint: bounded in size and time, without a redirect or a proxy of the environment.

Shared by the consult and the judges. Looking up a name knows no time limit, so the work is done in threads that are
left behind when the time is over; what they would have said then is nobody's answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ...model.errors import printable

__all__ = ["MAX_ANSWER", "MAX_LINE", "in_time", "line_of", "post_to_model", "why_failed"]

MAX_ANSWER = 64 * 1024
MAX_LINE = 200
_Found = TypeVar("_Found")


def post_to_model(url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
    """What the endpoint answers. Whatever goes wrong is raised."""
    import urllib.request

    class Unmoved(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None  # the call goes where the person said, and nowhere else

    request = urllib.request.Request(  # noqa: S310 - http and https only, checked with the policy
        url, body, {"Content-Type": "application/json", **headers}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Unmoved)
    with opener.open(request, timeout=seconds) as response:
        raw: bytes = response.read(MAX_ANSWER + 1)
    if len(raw) > MAX_ANSWER:
        raise ValueError("too long")
    return raw


def in_time(works: Sequence[Callable[[], _Found]], seconds: float) -> list[_Found | None]:
    """What each of these gives, all begun at once; None for one that has not ended in time, or has raised."""
    found: list[_Found | None] = [None] * len(works)

    def run(at: int, work: Callable[[], _Found]) -> None:
        found[at] = work()

    threads = [threading.Thread(target=run, args=(at, work), daemon=True) for at, work in enumerate(works)]
    end = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return list(found)  # a copy: a thread that was left behind says nothing any more


def why_failed(error: Exception, key: str) -> str:
    """What went wrong, for a person, without the key."""
    words = str(error).strip() or type(error).__name__
    return printable(words.replace(key, "…") if key else words)[:MAX_LINE]


def line_of(text: str, markup: str = "") -> str:
    """One line of somebody else's text, cut short, with nothing in it that a terminal obeys."""
    line = "".join(char if char.isprintable() else " " for char in text.strip().split("\n")[0])
    return " ".join(line.strip(markup + " ").split())[:MAX_LINE]
