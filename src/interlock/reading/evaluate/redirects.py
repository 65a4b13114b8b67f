"""Redirections: files that are read or written, here-documents, and where output goes."""

from __future__ import annotations

from ...model.action import Action
from ...model.effects import Effect
from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..core.streams import OUTPUT, SINKS, is_device
from ..machine.acts import on_path
from ..places.places import place_of
from ..runs.shell_changes import added_settings
from .contents import Adding, changed, either
from .expand import expand_words, join_word, part_text
from .flow import reads_secret, stays
from .flows import Fetched, Flow, Poured, Stream
from .later import add_step
from .numbers import taken_in
from .origins import A_SECRET, ENVIRONMENT, SEVERAL_FILES, Origin, file, printed
from .output import unsure
from .processes import OwnNumber, is_own_number, noted_number
from .words import NUL, Arg, Unsure

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..lands.laid import copied, keep_stream
    from ..shell.syntax import Redirect, Script
    from .state import Shell

    RunScript = Callable[["Script", "Shell"], "Arg | None"]
else:
    copied = lazy(globals(), "..lands.laid", "copied")
    keep_stream = lazy(globals(), "..lands.laid", "keep_stream")

__all__ = ["Streams", "redirect"]


_GIVES = SINKS | {"/dev/stdin"}
_ITSELF = frozenset(("1", "2"))  # descriptors of the command's own output
_APPENDS = frozenset((">>", "&>>"))
_WRITES = frozenset((">", ">>", ">|", "&>", "&>>", ">&", "<>"))


class Streams:
    """What the redirections of one command do to its standard streams."""

    __slots__ = ("elsewhere", "instead", "merged", "outputs", "risky", "stdin")

    def __init__(self) -> None:
        self.stdin: Arg | None = None
        # the files that standard output goes to, appended or not, and what this call had left in them
        self.outputs: list[tuple[str, bool, Arg | None]] = []
        # what this call had left in each of several files, of which one is written: which, the folder decides
        self.instead: dict[str, Arg | None] = {}
        self.elsewhere = False
        self.merged = False  # errors still go to where the output went before
        self.risky = False  # a file may not open, and then the command is not run

    def finish(self, output: Arg | None, shell: Shell) -> Arg | None:
        """What still reaches standard output; a file that got a known text is remembered with it."""
        if not self.outputs:
            return None if self.elsewhere else unsure(output) if self.risky else output
        for path, appended, before in self.outputs:
            if output is None or not output.known or self.elsewhere:
                alone = not appended and not self.elsewhere
                if isinstance(output, Flow) and alone:
                    shell.files[path] = _carried(output, path, shell)
                    continue
                if output is not None and alone and is_own_number(output):
                    shell.files[path] = OwnNumber(output.span)
                    continue
                whole = output is not None and output.origin == ENVIRONMENT
                if whole and not path.startswith("/dev/") and place_of(path, shell.found.facts) != "temp":
                    _kept_whole(shell)
                given = shell.stdin if isinstance(shell.stdin, Fetched) else None
                shell.files[path] = Arg(NUL, (0, 0), origin=ENVIRONMENT if whole else taken_in(given, printed(), shell))
            elif appended:
                if before is None or not before.known:
                    added_settings(path, output.text, shell)
                    add_step(path, output.text, shell)
                shell.files[path] = changed(path, before, Adding(output.text), output.span, shell, makes=True)
            else:
                add_step(path, output.text, shell)
                shell.files[path] = output
        for path, before in self.instead.items():
            shell.files[path] = either(shell.files.get(path), before)
        return None if self.merged else Arg("", (0, 0))


def _kept_whole(shell: Shell) -> None:
    """`env > file`: all of the environment, where others find it."""
    actions = shell.found.actions
    for at in range(len(actions) - 1, -1, -1):
        if actions[at].name == "sys:env" and "name" not in actions[at].target:
            actions[at] = actions[at].replace(tags=tuple(sorted({*actions[at].tags, "wholesale"})))
            return


def _carried(flow: Flow, path: str, shell: Shell) -> Arg:
    """What to remember of a file that such a pipe was led into."""
    if isinstance(flow, Stream):
        return keep_stream(flow, path, shell)
    if isinstance(flow, Poured):
        shell.files[path] = Arg(NUL, flow.span, origin=printed())
        copied(flow.path, path, flow.span, shell)
        return shell.files[path]
    return flow


def redirect(redirects: list[Redirect], shell: Shell, run: RunScript, *, silent: bool = False) -> Streams:
    """`silent`: the command neither prints anything nor reads what it is given."""
    streams = Streams()
    for item in redirects:
        if item.op == ">&" and item.fd == "2" and item.target.plain in _ITSELF:
            streams.merged = not streams.outputs
            continue  # `2>&1`, by far the most common
        if item.fd[:1] == "{":
            shell.variables[item.fd[1:-1]] = [Arg(NUL, item.span, origin=Origin("descriptor"))]
        if item.doc is not None:
            text, glob = "", False
            origin: Origin | None = None
            for part in item.doc.parts:
                piece = part_text(part, shell, run)
                text, glob, origin = text + piece.text, glob or piece.glob, origin or piece.origin
            _feed(item, Arg(text, item.span, glob, origin), streams, shell)
            continue
        if item.op == "<<<":
            word = join_word(item.target, shell, run)
            _feed(item, Arg(word.text + "\n", item.span, word.glob, word.origin), streams, shell)
            continue
        words = expand_words([item.target], shell, run)
        target = words[0] if len(words) == 1 else Arg(NUL, item.target.span, origin=Origin("several-words"))
        if item.op in (">&", "<&") and (target.text.rstrip("-").isdigit() or target.text == "-"):
            if _is_output(item) and not target.text.rstrip("-").strip("0") and target.text != "-":
                shell.variables["&0"] = [Arg(NUL, item.span, origin=Origin("opened"))]  # what it reads from
            if item.op == ">&" and item.fd in ("", "1") and target.text != "1":
                streams.elsewhere = True  # to the errors, or through a descriptor that was opened before
            if item.op == "<&" and item.fd in ("", "0") and target.text not in ("0", "0-"):
                opened = shell.variables.get(f"&{target.text.rstrip('-')}")
                streams.stdin = opened[0] if opened else Arg(NUL, item.span, origin=Origin("opened"))
            continue
        if target.text == "!":
            shell.unclear("`>!` means something else in zsh", item.span, kind="path")
        if item.op == "<" and target.text in _GIVES:
            if item.fd in ("", "0"):
                empty = target.text == "/dev/null"
                streams.stdin = Arg("" if empty else NUL, item.span, origin=Origin("device"))
            continue
        if item.op in _WRITES and is_device(target.text, shell):
            _to_stream(item, target.text, streams)
            continue
        if target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            _network(target, shell, item.span, looks=silent and item.fd[:1] != "{" and target.known)
            streams.elsewhere = True
            continue
        before = len(shell.found.actions)
        several = item.op in _WRITES and len(shell.folders or ()) > 1
        held = shell.files.copy() if several or item.op in _APPENDS else shell.files
        writes = item.op in _WRITES or _is_output(item)  # what is open there is written anew under the stream's name
        paths = on_path("write" if writes else "read", target, shell)
        if item.op in _WRITES and item.fd in ("", "1"):
            adds = item.op in _APPENDS
            streams.outputs.extend([(path, adds, held.get(path) if adds else None) for path in paths or (NUL,)])
            if len(paths) > 1:
                streams.instead.update([(path, held.get(path)) for path in paths])
        elif item.op in _WRITES:
            streams.risky = True
            for path in paths:
                shell.files[path] = Arg(NUL, item.span, origin=printed())
        elif item.op == "<":
            known = shell.files.get(paths[0]) if len(paths) == 1 else None
            if known is not None and known.known and not paths[0].startswith("/dev/fd/"):
                known = Unsure(known.text, item.span, False, known.origin)
            streams.risky = True
            if reads_secret(before, shell):
                shell.found.holds_secret = True
                known = Arg(NUL, item.span, origin=A_SECRET)
            number = noted_number(paths[0], item.span, shell) if len(paths) == 1 else None
            if number is not None:
                known = number
            elif known is None:
                known = _text_of(paths, item.span, shell)
            elif known.unknown and known.origin != A_SECRET and len(paths) == 1 and not isinstance(known, Flow):
                known = Poured(paths[0], item.span, known.origin)  # what this call has left in it
            _feed(item, known, streams, shell)
    return streams


def _is_output(item: Redirect) -> bool:
    """True if what is opened is the command's output, or its errors, from then on."""
    return (item.fd.lstrip("0") or "0" if item.fd else "1" if item.op[0] == ">" else "0") in _ITSELF


def _to_stream(item: Redirect, name: str, streams: Streams) -> None:
    """`> /dev/null`, `2> /dev/stdout`: as `>&1` and `>&2` would, or nowhere."""
    if item.fd == "2" and name in OUTPUT:
        streams.merged = not streams.outputs
    elif item.fd not in ("", "1") or (name in OUTPUT and item.op[:1] != "&"):
        return  # where it goes anyway
    elif name in SINKS:
        streams.outputs.append((name, False, None))
    else:
        streams.elsewhere = True


def _feed(item: Redirect, text: Arg, streams: Streams, shell: Shell) -> None:
    """A text that can be read: by default, or through a descriptor of its own."""
    if item.fd in ("", "0"):
        streams.stdin = text
    else:
        shell.variables[f"&{item.fd}"] = [text]  # no name of a variable


def _text_of(paths: list[str], span: tuple[int, int], shell: Shell) -> Arg:
    """What is in a file that is there, where somebody has looked."""
    if len(paths) == 1 and paths[0] in shell.found.facts.scripts:
        return Arg(shell.found.facts.scripts[paths[0]], span)
    return Arg(NUL, span, origin=file(paths[0]) if len(paths) == 1 else SEVERAL_FILES)


def _network(target: Arg, shell: Shell, span: tuple[int, int], *, looks: bool) -> None:
    """`looks`: nothing is said there; on this machine that only tells whether a port is open, as `nc -z` does."""
    parts = target.text.split("/")
    host = parts[3] if len(parts) > 3 and NUL not in parts[3] else "?"
    looks = looks and stays(host) and len(parts) == 5
    shell.found.act(
        Action(
            name="net:scan" if looks else "net:send",
            target=FrozenMap({"host": host} if looks or host == "?" else {"host": host, "destination": host}),
            effects=(Effect.NETWORK,),
            tags=("local",) if looks else ("external", "sends"),
            field=shell.found.field,
            span=shell.span(span),
        )
    )
