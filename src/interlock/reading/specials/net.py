"""curl, wget, httpie and their kin: where a request goes, what it carries out, what it leaves on the disk.

The rows name each option's value by what becomes of it (`body`, `form`, `save`, `proxy`, …); here those words
get their meaning. A file that was downloaded is marked as one whose text is not known, so that running it asks.
"""

from __future__ import annotations

from ...model.effects import Effect, by_precedence
from ...model.verdict import Risk
from ...value import TYPE_CHECKING
from ..evaluate.flow import is_local
from ..evaluate.origins import Origin
from ..evaluate.secrets import show_netrc
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..machine.options import parse as parse_options
from ..places.system_places import host_of
from ..runs.wrappers import run_code, run_file
from ..tables.spec import ROLES
from .local import is_own_page, take_along, tries_out

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["Request", "browse", "curl", "download", "httpie", "piece", "saved", "wget"]

_ASKS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH"))
_FETCHED = frozenset(("http", "https", "ftp", "ftps", "sftp", "scp", "ws", "wss", "tftp", "rtsp", "magnet"))
_INPUT = "/dev/stdin"  # what is saved there is written to the file that is read from
_STREAMS = ("-", "/dev/null", "/dev/stdout", "/dev/stderr", _INPUT, "")
_DAEMONS = ("docker", "podman", "containerd", "crio", "lxd")


def piece(arg: Arg, text: str) -> Arg:
    """A part of a word, as a word."""
    return Arg(text, arg.span, arg.glob, arg.origin, arg.quoted)


class Request:
    """What the options of one command say about all of its requests."""

    __slots__ = ("bodies", "carries", "detour", "files", "folder", "method", "outputs", "socket", "urls")

    def __init__(self) -> None:
        self.urls: list[Arg] = []
        self.method = ""
        self.bodies = False  # something is sent in the body
        self.carries = False  # something that is not known goes out in a header
        self.detour: list[str] = []  # a proxy, another address: it is not the URL's host that is talked to
        self.files: list[Arg] = []  # a body or cookies come from there
        self.outputs: list[Arg] = []
        self.folder: Arg | None = None
        self.socket: str | None = None


def saved(arg: Arg, shell: Shell) -> None:
    """A file that is filled with what comes from outside."""
    if arg.text in _STREAMS and arg.text != _INPUT:
        return
    for path in on_path("brings", arg, shell):
        shell.files[path] = Arg(NUL, arg.span, origin=Origin("downloaded"))


def _named_by(url: Arg, folder: Arg | None, shell: Shell) -> None:
    """A file called what the address ends with."""
    path = url.text.partition("://")[2] or url.text
    path = path.partition("?")[0].partition("#")[0]
    name = path.rpartition("/")[2] if "/" in path else ""
    where = (folder.text.rstrip("/") + "/" if folder is not None else "./") + (name or "index.html")
    unknown = url if NUL in name or folder is None else folder
    if any(char in name for char in "*[{"):
        where, unknown = folder.text if folder is not None else ".", url
    saved(Arg(where, url.span, url.glob, unknown.origin), shell)


def _go(request: Request, span: tuple[int, int], shell: Shell) -> None:
    take_along(request, shell)
    for url in request.urls:
        _visit(url, request, span, shell)


def _visit(url: Arg, request: Request, span: tuple[int, int], shell: Shell) -> None:
    text = url.text if "://" in url.text else "http://" + url.text
    scheme, _, rest = text.partition("://")
    if scheme.lower() == "file":
        on_path("read", piece(url, "/" + rest.partition("/")[2]), shell)
        return
    method = request.method.upper() or ("POST" if request.bodies else "GET")
    sends = request.bodies or request.carries or method not in _ASKS
    raw = scheme.lower() not in _FETCHED
    if raw:
        sends = True  # gopher, smtp, telnet, dict, ldap …: the address itself is what is sent
    authority = rest.replace("?", "/").partition("/")[0]
    host = None if NUL in authority or NUL in scheme else host_of("http://" + rest.replace(NUL, "x"))
    effects, tags = [Effect.NETWORK], []
    target: dict[str, str | bool | tuple[str, ...]] = {}
    if host is not None:
        target["host"] = host
    if method != "GET" or (sends and not raw):
        target["method"] = method.replace(NUL, "…")
    if request.detour:
        target["via"] = tuple(request.detour)
    if request.socket is not None:
        target["socket"] = request.socket
    local = host is not None and is_local(host) and not request.detour and request.socket is None
    if local:
        tags.append("local")
    elif sends:
        tags += ["external", "sends"]
    if method == "DELETE" and not local:
        effects.append(Effect.DESTRUCTIVE)
    if request.socket is not None and sends and any(name in request.socket for name in _DAEMONS):
        shell.unclear("a request to the daemon that runs containers", span)
    if host is None or url.unknown:
        shell.unclear(f"the address is unclear: {url.why or url.text[:60]}", url.span)
        tags.append("unread")
    else:
        target["url"] = url.text
    emit(
        shell,
        url.span,
        name="net:local"
        if local and sends and not raw and tries_out(method, url, request, span, shell)
        else "net:send"
        if sends
        else "net:fetch",
        effects=by_precedence(effects),
        tags=tuple(tags),
        risk=Risk.HIGH if Effect.DESTRUCTIVE in effects else Risk.LOW,
        irreversible=Effect.DESTRUCTIVE in effects,
        target=target,
    )


def _options(row: Program, parsed: Parsed, request: Request, span: tuple[int, int], shell: Shell) -> None:
    """The values of options, by the word that the row gives them."""
    for arg in parsed.doubtful:
        shell.unclear(f"an argument depends on {arg.why}", arg.span)
    for name in parsed.switches:
        add = row.flags.get(name)
        if add is not None and add.opaque is not None:
            shell.unclear(add.opaque, span)
    for option, value in parsed.values:
        role = option.role or "text"
        meaning = _MEANS.get(role)
        if meaning is not None:
            meaning(value, request, shell, span)
        elif role in ROLES:
            if value.text not in _STREAMS or (value.text == _INPUT and role != "read"):
                on_path(role, value, shell)
        elif role in ("command", "code.sh"):
            run_code("code.sh", value, shell, span)


def _body(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.bodies = True
    if value.text.startswith("@") and value.text[1:] not in _STREAMS:
        request.files.append(piece(value, value.text[1:]))


def _encoded(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.bodies = True
    before, at, path = value.text.partition("@")
    if at and "=" not in before and path not in _STREAMS:
        request.files.append(piece(value, path))


def _query(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    """As a form's field, and part of the address."""
    request.carries = request.carries or value.unknown
    before, at, path = value.text.partition("@")
    if at and "=" not in before and path not in _STREAMS:
        request.carries = True
        on_path("send", piece(value, path), shell)


def _session(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    """A name, or a file that holds what the last answers have set."""
    if "/" in value.text or value.unknown:
        on_path("edit", value, shell)


def _form(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.bodies = True
    content = value.text.partition("=")[2]
    if content[:1] in ("@", "<"):
        for path in content[1:].partition(";")[0].split(","):
            if path.strip('"') not in _STREAMS:
                on_path("send", piece(value, path.strip('"')), shell)


def _upload(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.bodies = True
    request.method = request.method or "PUT"
    if value.text not in (*_STREAMS, "."):
        on_path("send", value, shell)


def _sent(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.bodies = True


def _header(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    if value.text.startswith("@"):
        request.carries = True
        if value.text[1:] not in _STREAMS:
            on_path("send", piece(value, value.text[1:]), shell)
    request.carries = request.carries or value.unknown


def _cookie(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    if "=" in value.text or value.unknown:
        request.carries = request.carries or value.unknown
    elif value.text not in _STREAMS:
        request.files.append(value)


def _method(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.method = value.text


def _detour(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.detour.append(value.text.replace(NUL, "…"))
    if value.unknown:
        shell.unclear(f"where a request really goes depends on {value.why}", value.span)


def _socket(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.socket = value.text.replace(NUL, "…")
    on_path("read", value, shell)


def _address(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.urls.append(value)


def _save(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.outputs.append(value)


def _folder(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.folder = value


def _config(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    shell.unclear("options come from a file or from standard input", span)
    if value.text not in _STREAMS:
        on_path("read", value, shell)


def _list(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    """A file full of addresses: each line of it is asked for, so its text goes out."""
    shell.unclear("the addresses come from a file", span)
    emit(shell, span, name="net:fetch", effects=(Effect.NETWORK,), tags=("unread",))
    if value.text not in _STREAMS:
        on_path("send", value, shell)


def _printed(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    """`curl -w`: a format; `%output{f}` in it writes a file, `@f` takes it from one."""
    if "%output{" in value.text or value.unknown:
        shell.unclear("a format that can write files", span)
    if value.text.startswith("@") and value.text[1:] not in _STREAMS:
        on_path("read", piece(value, value.text[1:]), shell)


def _variable(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    request.carries = True
    _, at, path = value.text.partition("@")
    if at and path not in _STREAMS:
        on_path("send", piece(value, path), shell)


_PLAIN_WGETRC = frozenset(
    ("robots", "check_certificate", "continue", "timestamping", "quiet", "verbose", "wait", "tries")
)


def _wgetrc(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    """`wget -e NAME=VALUE`: any setting, also those that run or send something."""
    name, _, setting = value.text.partition("=")
    plain = name.strip().lower().replace("-", "_")
    if plain.endswith("_proxy") and plain != "use_proxy":
        _detour(piece(value, setting), request, shell, span)
    elif plain not in _PLAIN_WGETRC and plain != "use_proxy":
        shell.unclear("an unknown setting of wget", span)


def _program(value: Arg, request: Request, shell: Shell, span: tuple[int, int]) -> None:
    shell.unclear("a program is run to ask for a password", span)
    run_file(value, [], span, shell)


_MEANS = {
    "body": _body,
    "encoded": _encoded,
    "query": _query,
    "session": _session,
    "form": _form,
    "upload": _upload,
    "sent": _sent,
    "header": _header,
    "carried": _header,
    "cookie": _cookie,
    "method": _method,
    "detour": _detour,
    "socket": _socket,
    "address": _address,
    "save": _save,
    "folder": _folder,
    "config": _config,
    "list": _list,
    "printed": _printed,
    "variable": _variable,
    "wgetrc": _wgetrc,
    "program": _program,
}


def curl(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Any number of addresses; `-o` for each, `-O` for names from the address."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    request = Request()
    _options(row, parsed, request, span, shell)
    request.urls += parsed.operands
    show_netrc({*parsed.switches, *[option.name for option, _ in parsed.values]}, span, shell)
    if "head" in parsed.switches:
        request.method = request.method or "HEAD"
    if "get" in parsed.switches:
        request.method, request.bodies = request.method or "GET", False
        request.carries = request.carries or any(value.unknown for _, value in parsed.values)
    _go(request, span, shell)
    for output in request.outputs:
        inside = request.folder is not None and not output.text.startswith("/") and output.text not in _STREAMS
        if inside and request.folder is not None:
            output = Arg(
                f"{request.folder.text}/{output.text}", output.span, output.glob, output.origin or request.folder.origin
            )
        if "#" in output.text:
            output = Arg(output.text.partition("#")[0] + "*", output.span, glob=True)
        saved(output, shell)
    if "-J" in parsed.switches and "remote-name" in parsed.switches:  # the server says what it is called
        on_path("brings", request.folder or Arg(".", span), shell)
    if "remote-name" in parsed.switches:
        for url in request.urls:
            _named_by(url, request.folder, shell)
    if not request.urls and not parsed.values:
        emit(shell, span, name="exec:curl", effects=(), tags=())
    return None


def wget(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Saves what it fetches under the address's own name, unless told otherwise."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    request = Request()
    _options(row, parsed, request, span, shell)
    request.urls += parsed.operands
    _go(request, span, shell)
    if "background" in parsed.switches:
        emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), target={"program": row.name})
    for output in request.outputs:
        saved(output, shell)
    if request.outputs or "spider" in parsed.switches:
        return None
    named_there = not parsed.switches.isdisjoint(("recursive", "--content-disposition", "--trust-server-names"))
    if named_there and request.urls:
        on_path("brings", request.folder or Arg(".", span), shell)
    else:
        for url in request.urls:
            _named_by(url, request.folder, shell)
    return None


def download(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """aria2c, axel, yt-dlp: addresses in, files out."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    request = Request()
    _options(row, parsed, request, span, shell)
    request.urls += [arg for arg in parsed.operands if not arg.text.endswith((".torrent", ".metalink", ".meta4"))]
    for arg in parsed.operands:
        if arg not in request.urls:
            on_path("read", arg, shell)
    _go(request, span, shell)
    if parsed.switches.isdisjoint(row.dryrun.split()) and (request.urls or parsed.values):
        for output in request.outputs:
            template = output.text.partition("%(")[0].rpartition("/")[0] if "%(" in output.text else output.text
            folder = request.folder.text + "/" if request.folder is not None and template[:1] != "/" else ""
            saved(Arg(folder + (template or "."), output.span, output.glob, output.origin), shell)
        if not request.outputs:
            if row.name in ("axel", "aria2c"):
                for url in request.urls:
                    _named_by(url, request.folder, shell)
            else:
                on_path("brings", request.folder or Arg(".", span), shell)
    for name in parsed.switches:
        add = row.flags.get(name)
        if add is not None and add.action is not None:
            emit(shell, span, name=add.action, effects=add.effects, tags=add.tags)
    return None


def httpie(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`http [METHOD] URL [ITEM…]`: `a=b` and `a@f` are sent, `a==b` is asked for, `A:b` is a header."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    request = Request()
    _options(row, parsed, request, span, shell)
    words = list(parsed.operands)
    if len(words) > 1 and words[0].text.isalpha():
        request.method = words.pop(0).text
    if not words:
        return None
    url = words.pop(0)
    request.urls.append(piece(url, "localhost" + url.text) if url.text.startswith(":") else url)
    for item in words:
        _item(item, request, shell)
    if shell.stdin is not None and "--ignore-stdin" not in parsed.switches:
        request.bodies = True
    if "--offline" in parsed.switches:
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
    else:
        _go(request, span, shell)
    for output in request.outputs:
        saved(output, shell)
    if "download" in parsed.switches and not request.outputs:
        _named_by(request.urls[0], None, shell)
    return None


def _item(item: Arg, request: Request, shell: Shell) -> None:
    text = item.text
    at = next((i for i, char in enumerate(text) if char in "=:@"), len(text))
    mark = text[at : at + 3]
    if mark.startswith("=="):
        return
    if mark.startswith((":=@", "=@", "@")):
        request.bodies = True
        path = text[at:].lstrip(":=@").partition(";type=")[0]
        on_path("send", piece(item, path), shell)
    elif mark.startswith((":=", "=")):
        request.bodies = True
    elif mark.startswith(":@"):
        on_path("send", piece(item, text[at + 2 :]), shell)
        request.carries = True
    elif mark.startswith(":"):
        request.carries = request.carries or item.unknown
    elif item.unknown:
        request.carries = True


def browse(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Browsers, viewers, `open`, `xdg-open`: an operand is an address or a file."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    request = Request()
    _options(row, parsed, request, span, shell)
    for output in request.outputs:
        saved(output, shell)
    for arg in parsed.operands:
        scheme = arg.text.partition("://")[0] if "://" in arg.text else arg.text.partition(":")[0]
        bare = row.stdin == "address" and not arg.text.startswith(("/", "./", "../")) and "." in arg.text
        if "://" in arg.text or scheme in ("about", "data", "mailto", "javascript") or bare:
            if scheme in ("about", "data"):
                continue
            if scheme in ("mailto", "javascript", "vnd.sun.star.script", "macro") or scheme not in _FETCHED | {"file"}:
                if not bare:
                    shell.unclear(f"an address that may run something: `{scheme}:`".replace(NUL, "…"), arg.span)
                    continue
            _visit(arg, request, span, shell)
        elif arg.text.endswith(_RUNS):
            run_file(arg, [], span, shell)
        else:
            on_path("read", arg, shell)
    effects = row.effects
    if not parsed.switches.isdisjoint(row.dryrun.split()):
        effects = (Effect.EXECUTE,)
    elif row.action == "desktop:open" and parsed.operands and not (parsed.values or parsed.strange or parsed.doubtful):
        if all(is_own_page(arg, shell) for arg in parsed.operands):
            effects = (Effect.EXECUTE,)  # a tab of the person's browser, or a viewer
    emit(shell, span, name=row.action or f"exec:{row.name}", effects=effects, tags=row.tags)
    return None


_RUNS = (".app", ".command", ".desktop", ".sh", ".exe", ".workflow", ".scpt", ".pkg", ".jar", ".AppImage", ".terminal")
