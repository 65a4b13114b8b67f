"""Requests to this machine: trying out one's own server is free, with whatever program asks.

Not for control planes (`system_places.py`), what deletes, files that are uploaded, tokens, and what nobody knows.
Load tools and clients of gRPC and Kafka are rows whose function is `on_loopback`: where every address of theirs is
such a server, they do no more than a request.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.flow import is_own_server
from ..evaluate.state import silent
from ..evaluate.words import NUL, Arg
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import by_role, compiled
from ..machine.options import parse as parse_options
from ..places.paths import in_project
from ..places.system_places import host_of, is_control_plane

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program
    from .net import Request

__all__ = ["has_token", "is_own_page", "on_loopback", "take_along", "tries_out"]

_TOKENS = ("authorization:", "api-key:", "apikey:", "token:")  # of a header
# Marks of a file that is not simply the project's, or a temporary one.
_NOT_PLAIN = frozenset(
    "accounts device earlier guard home machine no-project outside own-secret privileged project-root root secret "
    "unread".split()
)
_ADDRESSES = frozenset(("fetch", "host"))
_REFUSED = frozenset(("carried", "detour", "send"))  # roles of what a request to one's own server does not have
_SPOKEN = frozenset(("carried", "detour"))  # which only this function reads
# How methods are called that take something away.
_REMOVES = tuple(
    "delete remove drop purge destroy erase wipe truncate clear reset kill stop shutdown terminate".split()
)


def has_token(words: Iterable[Arg]) -> bool:
    """True if one of the words logs somebody in."""
    return any(word.text in ("-u", "--user") or any(mark in word.text.lower() for mark in _TOKENS) for word in words)


def _is_plain_file(place: Arg, shell: Shell) -> bool:
    """True if it is a file of the project, or a temporary one, and there is nothing in it that others may not see."""
    if place.glob or not place.known:
        return False
    looked = silent(shell)
    looked.found.holds_secret = shell.found.holds_secret
    paths = on_path("send", place, looked)
    found = looked.found
    for want in found.missing:
        shell.found.want(want)
    return bool(paths) and not found.opaque and all(_NOT_PLAIN.isdisjoint(action.tags) for action in found.actions)


def tries_out(method: str, url: Arg, request: Request, span: tuple[int, int], shell: Shell) -> bool:
    """A request to a server on this machine, as one tries out one's own: no file, no token, no control plane."""
    if method == "DELETE" or NUL in method or request.carries or is_control_plane(url.text):
        return False
    if shell.stdin is not None and shell.stdin.unknown:
        return False  # what a pipe brings may be anything
    if has_token(_words(shell)):
        return False
    sent = [action for action in shell.found.actions if action.name == "fs:read" and "sends" in action.tags]
    return not any(span[0] <= action.span[0] and action.span[1] <= span[1] for action in sent)


def _words(shell: Shell) -> tuple[Arg, ...]:
    return shell.found.commands[-1][0] if shell.found.commands else ()


def take_along(request: Request, shell: Shell) -> None:
    """Files that go out as a body or as cookies. One of the project's may go to a server of one's own."""
    here = (
        bool(request.urls)
        and not request.detour
        and request.socket is None
        and request.method.upper() != "DELETE"
        and all(_is_fetched(url.text) and is_own_server(url.text) for url in request.urls)
        and not has_token(_words(shell))
    )
    for file in request.files:
        on_path("read" if here and _is_plain_file(file, shell) else "send", file, shell)


def _is_fetched(url: str) -> bool:
    return "://" not in url or url.partition("://")[0].lower() in ("http", "https")


def on_loopback(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """hey, ab, grpcurl, kcat: what asks another machine as their row says, and this one as `curl` would."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if _is_tried(row, parsed, args, shell):
        row = row.replace(action="net:local", tags=("local",))
    parsed.values = [pair for pair in parsed.values if pair[0].role not in _SPOKEN]
    return act_on(row, parsed, args, span, shell)


def _is_tried(row: Program, parsed: Parsed, args: list[Arg], shell: Shell) -> bool:
    if parsed.strange or parsed.doubtful or not all(arg.known for arg in args) or has_token(args):
        return False
    if shell.stdin is not None and shell.stdin.unknown:
        return False  # what a pipe brings may be anything
    given = [(option.role or "", value.text) for option, value in parsed.values]
    given += [(role, word.text) for role, words in by_role(compiled(row).roles, parsed.operands) for word in words]
    if any(role in _REFUSED or (role == "method" and _removes(text)) for role, text in given):
        return False
    addresses = [address for role, text in given if role in _ADDRESSES for address in text.split(",")]
    return bool(addresses) and all(map(is_own_server, addresses))


def _removes(method: str) -> bool:
    """`DELETE`, `acme.Users/DeleteUser`."""
    return method.replace(".", "/").rpartition("/")[2].lower().startswith(_REMOVES)


# Kinds of files that a viewer shows and that ask nobody for anything.
_SHOWN = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".txt", ".log", ".md", ".csv", ".json")


def is_own_page(arg: Arg, shell: Shell) -> bool:
    """A server of this machine, or a file of the project that is only shown. A page may load from anywhere."""
    if not arg.known:
        return False
    if "://" in arg.text:
        return host_of(arg.text) is not None and is_own_server(arg.text)
    places = on_path("read", arg, silent(shell))
    root = shell.found.facts.root
    return bool(places) and all(in_project(root, path) and path.endswith(_SHOWN) for path in places)
