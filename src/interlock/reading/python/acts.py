"""What a call in Python code does, by the roles of its row: the actions that it is, on what it is given.

What is not known of a path, a command or an address makes the action unread and the code opaque. A secret that reaches
something which sends is marked `leaks`, text from the network that is run `remote-code`, as between programs
of a shell (evaluate/flow.py).
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.environment import hand_over
from ..evaluate.flow import carry, stays
from ..evaluate.origins import A_SECRET, Origin
from ..evaluate.processes import OF_A_NAME
from ..evaluate.words import NUL, Arg
from ..lands.fetched import came_with, carry_along, reads_foreign
from ..lands.laid import lay
from ..lands.placing import ARCHIVE, FOLDER
from ..machine.acts import emit, on_path
from ..machine.engine import run_command
from ..machine.places import has_written, where
from ..places.paths import in_project
from ..places.system_places import host_of, is_control_plane
from ..reach.addresses import carries as carries_data
from ..runs.shell_changes import disguised
from .loopback import is_tried, is_web_server_here
from .values import BY_NAME, DECODED, EITHER, REMOTE, SECRET, SOME, TOKEN, UNKNOWN, Given, Held, as_text, unknown

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..reach.channels import posts
    from .reached import reach

    Target = dict[str, str | bool | tuple[str, ...]]
else:
    posts = lazy(globals(), "..reach.channels", "posts")
    reach = lazy(globals(), ".reached", "reach")

__all__ = ["Acts"]

_HIDES = Origin("python")
_CARRIES = ("data", "json", "files", "body", "content", "params", "fields")
_SHOWN = frozenset(("headers", "auth", "cookies", "cert", "verify", "timeout"))  # a server is shown who asks
_SENDERS = ("curl", "wget", "nc ", "ncat", "ssh", "scp", "telnet", "://", "/dev/tcp")


class Acts:
    """Puts down what the code does. `shell` is the interpreter's own: its folder, its environment."""

    def __init__(self, shell: Shell, span: tuple[int, int]) -> None:
        self.found = shell.found
        self.span = span
        self.base: str | None = None  # where modules are looked for first; None: this session has written none
        self.relative = False  # whether modules are looked for beside the one that names them, and nowhere else
        self.shell = shell.copy()
        self.shell.frozen_span = shell.span(span)
        self.foreign: set[str] = set()
        self.done: dict[tuple[str, str, bool], int] = {}
        self.certain = True  # whether what is read now runs for sure, and once
        self.acted = False
        self.rewired = False  # whether a library or a request was changed, so that it may go anywhere
        self.touched = 0  # how often something was looked at that decides what the code does

    def unclear(self, reason: str) -> None:
        self.acted = True
        self.touched += 1
        self.shell.unclear(f"Python: {reason}", self.span)

    def emit(
        self,
        name: str,
        tags: tuple[str, ...] = (),
        target: Target | None = None,
        effects: tuple[Effect, ...] = (Effect.EXECUTE,),
    ) -> None:
        self.acted = True
        self.touched += 1
        emit(self.shell, self.span, name=name, effects=effects, tags=tags, target=target, by_program=False)

    def hides(self, how: str) -> None:
        """Something that is written so that it cannot be seen."""
        self.acted = True
        disguised(self.shell, self.span, how)

    def arg(self, held: Held) -> Arg:
        text = as_text(held)
        origin = A_SECRET if held.flow & SECRET else _HIDES if NUL in text else None
        return Arg(text, self.span, held.glob, origin)

    # --- files -------------------------------------------------------------------------------------------------

    def path(self, role: str, held: Held | None) -> int:
        """One path in its role; what a value that is read from it carries."""
        self.acted = True
        self.touched += 1
        if held is not None and held.kind == EITHER and held.items is not None:
            flow = 0
            for choice in held.items:
                flow |= self.path(role, choice)
            return flow
        if held is not None and held.kind == "file":
            held = held.data if isinstance(held.data, Held) else None
        arg = Arg(NUL, self.span, origin=_HIDES) if held is None else self.arg(held)
        if role == "script":
            self.shell.found.follow.run_file(arg, [], self.span, self.shell, "code.py")
            return 0
        if "://" in arg.text[:12] and role in ("read", "list"):
            return self.address(held or UNKNOWN, "fetch")
        key = (role, arg.text, arg.glob)
        before = len(self.found.actions)
        if key in self.done and role in ("read", "list", "delete", "folder"):
            return self.done[key]
        on_path(role, arg, self.shell)
        flow = 0
        if role in ("read", "send", "edit"):
            flow = SECRET if any("secret" in action.tags for action in self.found.actions[before:]) else 0
        self.done[key] = flow
        return flow

    def reach(self, name: str, given: Given) -> int:
        """What a function that no table knows may read of what it is given."""
        if not any(held.text or held.items or held.kind == "table" for held in (*given.args, *given.words.values())):
            return 0
        return reach(self, name, given)

    def along(self, name: str, roles: tuple[str, ...], args: list[Held]) -> None:
        """`shutil.move(a, b)`: what the session wrote or fetched below the one is below the other then."""
        if name.endswith("unpack_archive") and len(args) == 1:
            self.unpack(None, args[0])
        if roles not in (("read", "write"), ("move", "write")) or len(args) < 2:
            return
        source, place = self.arg(args[0]), self.arg(args[1])
        if not source.known or not place.known or self.shell.folders is None:
            return
        came_from, goal = where(source, self.shell), where(place, self.shell)
        if name.endswith("unpack_archive"):
            self.unpack(args[1], args[0])
            return
        within = "never" if name.endswith("copytree") else "maybe"
        if within == "never" or "copy" not in name:
            deep = (("deep", "1"), ("within", within))
            lay(FOLDER, came_from, goal, self.span, self.shell, deep)
        if came_with(came_from, self.shell) or not in_project(self.found.facts.root, came_from):
            if "copy" not in name or name.endswith("tree"):  # a folder, perhaps
                on_path("brings", place, self.shell)
        else:
            carry_along(came_from, [goal, f"{goal}/{came_from.rpartition('/')[2]}"], self.span, self.shell)

    def unpack(self, folder: Held | None, archive: Held | None = None) -> None:
        """An archive, wherever it came from; which one it is was said when it was opened."""
        self.path("brings" if reads_foreign(self.shell) else "write", folder or Held("."))
        into = self.arg(folder or Held("."))
        if archive is not None and archive.kind == "file" and isinstance(archive.data, Held):
            archive = archive.data  # `ZipFile(open(name, "rb"))`
        if archive is None or archive.text is None or not into.known or self.shell.folders is None:
            return
        source = self.arg(archive)
        if source.known:
            naming = (("as", "any"), ("loose", "1"))
            lay(ARCHIVE, where(source, self.shell), where(into, self.shell), self.span, self.shell, naming)

    def here(self, text: str) -> str:
        """A relative path, from the folder that the code is in now."""
        folders = self.shell.folders
        if folders is None or len(folders) != 1:
            return text
        return folders[0] if text in (".", "") else f"{folders[0]}/{text}"

    def enter(self, held: Held | None) -> None:
        """`os.chdir`: where relative paths lie from here on; what may not happen leaves both folders possible."""
        text = None if held is None or not held.known else as_text(held)
        shell = self.shell
        self.touched += 1
        if text is None or (shell.folders is None and text[:1] != "/"):
            shell.folders = None
            return
        self.done.clear()
        moved = tuple([text if text[:1] == "/" else f"{folder}/{text}" for folder in shell.folders or ("",)])
        shell.folders = moved if self.certain else (*(shell.folders or ()), *moved)
        if len(shell.folders) > 4:
            shell.folders = None

    # --- programs ----------------------------------------------------------------------------------------------

    def words(self, held: Held | None) -> list[Arg] | None:
        """A list that is given as the words of a command; None if it is not known."""
        if held is None or held.items is None or held.kind in (EITHER, SOME):
            return None
        held.used = True
        return [self.arg(item) for item in held.items]

    def command(self, given: Given, held: Held | None) -> Held:
        """A program that is started: with a shell or without, somewhere, with an environment and an input."""
        through_shell, where = given.words.get("shell"), given.words.get("cwd")
        shell = self.shell.copy()
        if where is not None and not (where.kind == "constant" and where.data is None):
            outer = self.shell.folders
            self.shell, kept, certain, self.certain = shell, self.shell, self.certain, True
            self.enter(where)
            self.shell, self.certain = kept, certain
            if not where.known and outer is not None and where.glob:
                shell.folders = None
        if given.spread or "preexec_fn" in given.words or "executable" in given.words:
            self.unclear("it is unclear how a program is started")
        if "env" in given.words:
            self.environment(given.words["env"], shell)
        before = len(self.found.actions)
        fed = given.words.get("input") or given.words.get("stdin")
        if fed is not None and fed.flow & REMOTE:
            shell.stdin = Arg(NUL, self.span, origin=Origin("answered"))
        elif fed is not None and fed.text is not None:
            shell.stdin = self.arg(fed)
        secret = fed is not None and fed.flow & SECRET
        output: Held = UNKNOWN
        is_true = through_shell is not None and through_shell.kind == "constant" and through_shell.data is True
        if is_true:
            output = self.line(held, shell)
        elif through_shell is not None and not (through_shell.kind == "constant" and not through_shell.data):
            self.unclear("it is unclear whether a shell is used")
        else:
            words = self.words(held)
            if words is None and held is not None and held.kind == EITHER:
                self.unclear("it is unclear which program runs")
            elif words is None and held is not None and held.known:
                words = [self.arg(held)]
            if words is not None:
                output = self._printed(self.start(words, shell), before)
                if held is not None and held.flow & REMOTE:
                    self._mark(before, ("exec:stdin", "exec:script", "exec:code"), "remote-code")
            elif held is None or held.kind != EITHER:
                self.unclear("it is unclear which program runs")
                self.remote_code(held)
        if secret:
            carry(before, before, self.shell, [Arg(NUL, self.span, origin=A_SECRET)])
        if fed is not None and fed.flow & REMOTE:
            self._mark(before, ("exec:stdin", "exec:shell", "exec:code"), "remote-code")
        return output

    def _printed(self, output: Arg | None, since: int) -> Held:
        """What a program prints, and what that carries: a secret that it read, an answer that it fetched."""
        flow = 0
        for action in self.found.actions[since:]:
            if Effect.READ in action.effects and "secret" in action.tags:
                flow |= SECRET
            if Effect.NETWORK in action.effects:
                flow |= REMOTE
        if output is not None and output.origin in OF_A_NAME:
            return Held("*", True, flow, "pids")
        return Held(kind="process", flow=flow) if output is None else Held(output.text, output.glob, flow, "process")

    def start(self, words: list[Arg], shell: Shell | None = None) -> Arg | None:
        if not words:
            return None
        self.acted = True
        inner = shell or self.shell.copy()
        inner.functions = {}
        inner.aliases = set()
        before = len(self.found.actions)
        output = run_command(words, self.span, inner)
        if any(word.origin == A_SECRET for word in words):
            carry(before, before, self.shell, words)
        return output

    def line(self, held: Held | None, shell: Shell | None = None) -> Held:
        """A command line that is given to a shell."""
        self.acted = True
        if held is not None and held.items and held.kind == "":
            held = held.items[0]
        if held is not None and held.kind == EITHER and held.items is not None:
            for choice in held.items:
                self.line(choice, shell)
            return UNKNOWN
        if held is None or not held.known:
            self.unclear("it is unclear which command line runs")
            if held is not None and held.flow & (SECRET | TOKEN) and any(s in as_text(held) for s in _SENDERS):
                self.emit("net:send", ("external", "leaks", "sends"), {}, (Effect.NETWORK,))
            self.remote_code(held)
            return unknown(0 if held is None else held.flow & ~BY_NAME)
        before = len(self.found.actions)
        arg = self.arg(held)
        if held.flow & DECODED:
            arg.origin = Origin("decoded")
        output = self.shell.found.follow.run_code("code.sh", arg, shell or self.shell, self.span)
        return self._printed(output, before)

    def remote_code(self, held: Held | None) -> None:
        """Code that is run and came from another machine."""
        if held is not None and held.flow & REMOTE:
            self.emit("exec:code", ("remote-code", "unread"))

    def environment(self, held: Held, shell: Shell) -> None:
        """Variables that a program is given: those that make it load other code count as in a shell."""
        table = held.data if held.kind == "table" else None
        if table is None:
            if held.kind not in ("environment", "constant"):
                self.unclear("it is unclear with which variables a program is started")
            return
        for name, value in table.items():
            hand_over(name, self.arg(value), shell, self.span)

    def _mark(self, since: int, names: tuple[str, ...], mark: str) -> None:
        actions = self.found.actions
        for at in range(since, len(actions)):
            if actions[at].name in names:
                actions[at] = actions[at].replace(tags=tuple(sorted({*actions[at].tags, mark})))

    def ends(self, process: Held | None) -> None:
        """A process that is ended: its number is known, or it is any of them."""
        number = process.data if process is not None and process.kind == "number" else None
        # numbers of processes that a program has looked up
        listed = process is not None and process.glob and process.kind == "pids"
        if type(number) is not int or number <= 1:
            number = None
            if not listed:
                self.unclear("it is unclear which process is ended")
        self.emit("proc:kill", (), {"process": "?" if number is None else str(number)})

    def unpickle(self, given: Given, held: Held | None) -> None:
        """A file of objects is a program: from the project it is the project's, from elsewhere it is not known."""
        weights = given.words.get("weights_only")
        if weights is not None and weights.kind == "constant" and weights.data is True:
            self.path("read", held)
            return
        if held is not None and held.kind in ("file", "member"):
            held = held.data if isinstance(held.data, Held) else None
        if held is not None and held.known and "://" in as_text(held):
            self.unclear("objects that are fetched and loaded can run anything")
        elif held is not None and held.known:
            root = self.found.facts.root
            places = on_path("read", self.arg(held), self.shell)
            if not places or any(
                has_written(place, self.shell) or not place.startswith(root + "/") for place in places
            ):
                self.unclear("objects that are not the project's own are loaded, and loading them can run anything")
            else:
                self.emit("exec:project", ("unread",), {"path": places[0]})
        else:
            self.unclear("it loads objects from an unclear place, and loading them can run anything")
            self.remote_code(held)

    # --- the network -------------------------------------------------------------------------------------------

    def request(
        self, given: Given, address: Held | None, role: str, base: str = "", method: Held | None = None
    ) -> Held:
        """A request: what it carries, and whether that is a secret. `method`: where it is known what is asked for."""
        words = given.words
        made = address.data if address is not None and address.kind == "request" else None  # what a `Request` was given
        carries = any(name in words for name in _CARRIES) or made is not None
        secret = 0
        for held in given.args:
            secret |= held.flow
        for name, held in words.items():
            secret |= held.flow & ~TOKEN if name in _SHOWN else held.flow
        if address is not None and base and address.text is not None and "://" not in address.text:
            address = Held(base.rstrip("/") + "/" + address.text.lstrip("/"), flow=address.flow)
        tries = method is not None and not self.rewired and is_tried(given, made, method)
        role = "sends" if carries else role
        asks = as_text(method).upper() if method is not None and method.known and made is None else ""
        flow = self.address(address or UNKNOWN, role, bool(secret & (SECRET | TOKEN)), tries=tries, asks=asks)
        return Held(kind="response", flow=flow | REMOTE)

    def address(self, held: Held, role: str, secret: bool = False, *, tries: bool = False, asks: str = "") -> int:
        """`tries`: what is sent is spelled out, as one tries out a server of one's own. `asks`: the method."""
        text = as_text(held)
        if held.kind == EITHER and held.items is not None:
            for choice in held.items:
                self.address(choice, role, secret, tries=tries, asks=asks)
            return REMOTE
        if tries and role == "sends" and not secret and is_web_server_here(text):
            self.emit("net:local", ("local",), {"host": str(host_of(text)), "url": text}, (Effect.NETWORK,))
            return REMOTE
        host = None
        if NUL not in text:
            host = host_of(text)
        elif "://" in text and "/" in text[8:] and NUL not in text[: text.index("/", 8)]:
            host = host_of(text.replace(NUL, "x"))
        if host is None:
            self.unclear("the address is unclear")
        elif NUL in text or (len(text) > 24 and carries_data(host, text)):
            role = "sends"  # what is not known of the path may carry anything there
        tags: tuple[str, ...] = ("external", "sends") if role == "sends" else ()
        if secret and not stays(host):
            tags = ("external", "leaks", "sends")
        if host is not None:
            tags = (*tags, "posts") if posts(host, text, sends=bool(tags)) else tags
        target: Target = {"host": host or "?"}
        if stays(host) and is_control_plane(text):
            target["url"] = text  # which port it is counts
        elif tags and host is not None and NUL not in text:
            target["url"] = text.partition("?")[0]  # a yes to it is for this address
            if asks:
                target["method"] = asks
        self.network("net:send" if "sends" in tags else "net:fetch", target, tags)
        return REMOTE

    def network(self, name: str, target: Target, tags: tuple[str, ...] = ("external",)) -> None:
        self.emit(name, tags, target, (Effect.NETWORK,))
