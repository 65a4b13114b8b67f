"""What a call in Python code comes to: a row of the table, a function of the code itself, or one of these.

A function that acts is followed where it is called, whatever it was called by: under another name, through `partial`,
`map`, a thread or `getattr`. Where it is handed to something that may call it with anything, the code is opaque.
"""

from __future__ import annotations

from ...model.effects import Effect
from .calls import CALLS, HIDDEN, LOOKING, METHODS, NETWORK, TRUSTING
from .handing import CALLABLE, Handing
from .loopback import method_of, role_of
from .making import OPENERS
from .modules import STANDARD
from .names import BUILTINS, REACHES
from .own_modules import read_own
from .probes import connects, what_is_reached
from .services import SDKS
from .specials import CONSUMES, SPECIAL
from .standard import ACTS_BY_NAME, CALLS_GIVEN, INSIDES, KEEPS_IN_FILE, gives, is_inside
from .texts import of_text
from .values import (
    BY_NAME,
    EITHER,
    FOUND,
    OWN_NAMES,
    SECRET,
    SOME,
    TOKEN,
    UNKNOWN,
    Function,
    Given,
    Held,
    as_text,
    reference,
    unknown,
)

__all__ = ["MAX_ITEMS", "Called"]

MAX_ITEMS = 32  # of a list that a loop goes through
_EACH = frozenset("map imap imap_unordered map_async starmap starmap_async amap".split())
_LATER = frozenset(
    "submit run_in_executor call_soon call_later call_at call_soon_threadsafe add_done_callback apply apply_async "
    "callback push addCleanup register to_thread run_sync spawn add_job start_soon start_new_thread pipe".split()
)
_SENDS = frozenset(
    "send sendall sendto sendmsg sendmail send_message storbinary storlines send_bytes send_json putrequest request "
    "put putfo publish write_message sendfile".split()
)
_SAVES = frozenset(
    "to_csv to_json to_excel to_parquet to_pickle to_html to_feather to_hdf to_markdown savefig save_pretrained "
    "write_html write_image dump_stats".split()
)


class Called(Handing):
    """Calls. Names and expressions are expressions.py's, functions of the code functions.py's."""

    def module(self, name: str) -> None:
        """A module that is imported."""
        top = name.partition(".")[0]
        top = OWN_NAMES.get(top, top)
        if top in INSIDES:
            self.unclear(f"`{top}` is the inside of Python, and loads or runs what is not seen here")
        if name in NETWORK or top in NETWORK:
            self.network(*what_is_reached(name, self.probes))
        if top in ("ctypes", "cffi", "_ctypes"):
            self.unclear(f"`{top}` calls code that is not Python")
        if top == "interlock":
            self.unclear("loads the guard's own code")
            if name in ("interlock.cli.main", "interlock.cli.__main__"):  # our command, whatever the file is called
                self.emit("guard:change", ("guard",), {}, (Effect.WRITE,))
        if top not in STANDARD:
            self.foreign.add(top)
        self.own(name)

    def own(self, name: str) -> None:
        """A module that this session may have written."""
        if self.base is not None:
            read_own(name, self.base, self.span, self.shell, relative=self.relative)

    def attribute(self, owner: Held, attr: str) -> Held:
        raise NotImplementedError

    def local(self, function: Function, given: Given) -> Held:
        raise NotImplementedError

    def instance(self, of: Held, given: Given) -> Held:
        """An object of a class that the code defines: what its methods are given, and what it is told to hold."""
        made = Held(kind="object", data=(of, {}), flow=given.flow)
        start = of.data.held.get("__init__")
        if start is not None and start.code is not None:
            self.local(start.code, Given([made, *given.args], given.words, given.spread))
        else:
            self.hand_on_all(given)
        return made

    def store(self, owner: Held, attr: str, held: Held) -> None:
        raise NotImplementedError

    def run_text(self, held: Held, expression: bool, apart: bool = False) -> Held:
        raise NotImplementedError

    def defer(self, callee: Held, given: Given) -> Held:
        """A call that is made now or at any later time: names may hold something else by then."""
        if callee.code is not None or callee.kind == "partial":
            self.later.append((callee, given))
        return self.apply(callee, given)

    # --- calls -------------------------------------------------------------------------------------------------

    def apply(self, callee: Held, given: Given) -> Held:
        if given.words and not TRUSTING.isdisjoint(given.words):
            self._trusts(given)
        if callee.name is not None:
            return self.named(callee.name, given)
        if callee.code is not None:
            return self.local(callee.code, given)
        kind = callee.kind
        if kind == "partial":
            function, args, words = callee.data
            more = Given([*args, *given.args], {**words, **given.words}, given.spread)
            more.flow = given.flow
            return self.apply(function, more)
        if kind == "method":
            return self.method(callee.data[0], callee.data[1], given)
        if kind == "caller":
            owner = given.args[0] if given.args else UNKNOWN
            if owner.name is not None:
                return self.apply(self.attribute(owner, callee.data[0]), callee.data[1])
            return self.method(owner, callee.data[0], callee.data[1])
        if kind == "class":
            return self.instance(callee, given)
        if kind == "sdk":
            return self.service(callee.data, given)
        if kind == "heir":
            made = self.named(callee.data, given)
            return made if made.kind in ("database", "runner", "document") else unknown(made.flow)
        if callee.flow & (BY_NAME | FOUND):
            self.unclear("a function that is looked up while the code runs")
        self.hand_on_all(given)
        return unknown((given.flow | callee.flow | self.reach("", given)) & ~(BY_NAME | FOUND))

    def _trusts(self, given: Given) -> None:
        for word in TRUSTING & given.words.keys():
            held = given.words[word]
            if not (held.kind == "constant" and held.data is False):
                self.unclear("code of somebody else is loaded and run")

    def named(self, name: str, given: Given) -> Held:
        special = SPECIAL.get(name)
        if special is not None:
            if name not in CONSUMES:
                self.hand_on_functions(given)
            else:
                self.touched += 1
            return special(self, name, given)
        roles = CALLS.get(name)
        if roles is not None:
            self.touched += 1
            return self.table(name, roles, given)
        if name in HIDDEN:
            self.remote_code(given.get(0))
            self.unclear(f"`{name}` runs or loads what is not seen here")
            self.hand_on_all(given)
            return unknown(given.flow | BY_NAME)
        if name in LOOKING:
            if any(_is_environment(held) for held in given.args):
                self.emit("sys:env", ("environment",), effects=(Effect.READ,))
            self.hand_on_words(given)
            if name == "type" and len(given.args) == 3:
                return next(
                    (Held(kind="heir", data=one.name) for one in given.args[1].items or () if one.name in OPENERS),
                    UNKNOWN,
                )
            return unknown(given.flow & ~(BY_NAME | FOUND))
        top, dot, _ = name.partition(".")
        if top in SDKS:
            return self.service(name, given)
        if top == "sh" or name.startswith("plumbum.cmd."):  # each of its functions is the program of that name
            before = len(self.found.actions)
            words = [self.arg(Held(name.rpartition(".")[2])), *[self.arg(held) for held in given.args]]
            return self._printed(self.start(words), before)
        self._alters(name, given)
        if dot:
            return self._unlisted(name, given)
        if name in self.doubtful:
            self.unclear(f"`{name}` may be a function that acts")
        self.hand_on_all(given)
        return unknown(given.flow | self.reach(name, given))

    def _unlisted(self, name: str, given: Given) -> Held:
        """A function that is in no table, by its module and its name."""
        owner, _, last = name.rpartition(".")
        if last in ("__init__", "__new__") and given.args:  # of a class that a row may know
            return self.named(owner, Given(given.args[1:], given.words, given.spread))
        of_python = name.partition(".")[0] in STANDARD
        if of_python and is_inside(name):
            self.unclear(f"`{name}` is the inside of Python, and may do what is not seen here")
        if name in CALLS_GIVEN and any(held.flow & FOUND and held.text is None for held in given.args[:2]):
            self.unclear("a function that is looked up while the code runs is handed on")
        result = self.method(reference(owner), last, given)
        if result.text is not None or result.kind or result.name is not None or result.items is not None:
            return result
        return unknown(
            result.flow | FOUND if of_python and gives(name) else result.flow if of_python else result.flow & ~FOUND
        )

    def _alters(self, name: str, given: Given) -> None:
        """A function that is not read may change the lists that it is given; of Python's own, few do."""
        self.reach(name, given)  # while it is known what is in them
        top = name.partition(".")[0]
        if top in STANDARD and top not in _ALTERING and name != "random.shuffle":
            return
        if top in BUILTINS and top not in _ALTERING:
            return
        for held in given.args:
            if held.items is not None and held.kind in ("", SOME):
                self.changes(held, name, Given([], spread=True))
            elif held.kind == "table":
                held.data, held.glob = {}, True

    doubtful: frozenset[str] = frozenset()  # names that a module of which everything is imported may have brought

    def table(self, name: str, roles: tuple[str, ...], given: Given) -> Held:
        """A row of the table, role by role."""
        self.acted = True
        result = unknown(given.flow)
        args = given.args
        self.hand_on_functions(Given(args[len(roles) :], given.words))
        if len(args) < len(roles) and given.words:
            args = [*args, *[held for word, held in given.words.items() if word in _PLACES]]
        if len(args) < min(len(roles), 1) and not roles[0].startswith(("listed", "opaque")):
            self.unclear("it is unclear what a call is given")
            return result
        if given.spread and len(args) < len(roles):
            args = [*args, UNKNOWN]
        if roles[0] == "opaque":
            self.unclear(f"`{name}` does what is not seen here")
            self.hand_on_all(given)
            return unknown(given.flow | BY_NAME)
        for at, role in enumerate(roles):
            if at >= len(args) and not role.startswith("listed"):
                break
            held = args[at] if at < len(args) else UNKNOWN
            if role == "argv":
                result = self.command(given, held if at == 0 else _with_program(args[at - 1], held))
            elif role == "shell":
                result = self.line(held)
            elif role in ("fetch", "sends"):
                result = self.request(given, held, role_of(name, role, given), method=method_of(name, given))
            elif role == "process":
                self.ends(held)
            elif role == "unpickle":
                self.unpickle(given, held)
            elif role == "foreign":
                self.unclear("code that is fetched and run")
            elif role == "rights":
                self.emit("proc:rights", ("privileged",))
            elif role == "program":
                self.start([self.arg(one) for one in (args[at], *args[at + 2 :])])
            elif role == "module":
                self.start([self.arg(Held("python3")), self.arg(Held("-m")), self.arg(held)])
            elif role.startswith(("words", "listed")):
                result = self._as_program(role, args if role.startswith("words") else held, given)
            elif role != "text":
                flow = self.path(role, held)
                result = unknown(result.flow | flow)
                if role == "list":
                    result = self.listed(name, held)
        self.along(name, roles, args)
        return args[-1] if name.startswith("shutil.copy") else result

    def _as_program(self, role: str, given_words: list[Held] | Held, given: Given) -> Held:
        """A tool that is called as a function, with what would be its command line."""
        program = role.partition(":")[2]
        if isinstance(given_words, list):
            words = [self.arg(held) for held in given_words]
            given_spread = given.spread
        else:
            found = self.words(given_words)
            words, given_spread = found or [], found is None
        if given_spread:
            self.unclear(f"it is unclear what `{program or 'a program'}` is told to do")
        before = len(self.found.actions)
        return self._printed(self.start([self.arg(Held(program)), *words] if program else words), before)

    def listed(self, name: str, folder: Held) -> Held:
        """Names in a folder: a pattern; `os.scandir` gives them with the folder in front."""
        if name.endswith("scandir") and folder.text is not None:
            return Held(f"{folder.text.rstrip('/')}/*", True, folder.flow, "path")
        return Held("*", True, folder.flow)

    # --- methods -----------------------------------------------------------------------------------------------

    def method(self, owner: Held, name: str, given: Given) -> Held:
        """A method of a value, by the kind of the value or, where that is not known, by its name."""
        if owner.text is not None and not (name in ("replace", "rename") and len(given.args) == 1):
            found = of_text(owner, name, given.args, self.found.facts.home)
            if found is not None:
                return found
        kind = owner.kind
        if kind == "object":
            found = owner.data[1].get(name) or owner.data[0].data.held.get(name)
            if found is not None and found.flow & FOUND:
                return self.apply(found, given)
            if found is not None and found.code is not None:
                bound = found is owner.data[1].get(name) or found.code.static
                return self.local(
                    found.code, given if bound else Given([owner, *given.args], given.words, given.spread)
                )
        if kind == EITHER and owner.items and name in METHODS:
            for choice in owner.items:
                self.method(choice, name, given)
            return unknown(owner.flow)
        if name == "__call__" and (owner.code is not None or kind in CALLABLE):
            return self.apply(owner, given)
        if kind == "partial" and name == "func":
            return self.apply(owner.data[0], given)
        if kind in CALLABLE and name[:2] == "__":
            self.hand_on(owner)
        if kind == "path" and name in _AS_FUNCTIONS:
            return self.named(_AS_FUNCTIONS[name], Given([owner, *given.args], given.words, given.spread))
        if kind:
            served = self.of_kind(owner, name, given)
            if served is not None:
                self.touched += kind in _SERVING
                return served
        if name in REACHES:
            self.unclear(f"`{name}` gives access to everything by name")
            return unknown(BY_NAME)
        if owner.flow & BY_NAME and name not in _READS_TABLE:
            self.unclear("a function that is looked up while the code runs")
        elif owner.flow & FOUND and name in ACTS_BY_NAME:
            self.unclear(f"`{name}` of something that is looked up while the code runs")
        if owner.items is not None and kind != EITHER and name in _CHANGES:
            return self.changes(owner, name, given)
        if owner.name in ("os.environ", "os.environb"):
            return self.of_environment(name, given)
        if (name in _EACH or name in _LATER) and given.args and given.args[0].flow & FOUND:
            self.unclear("a function that is looked up while the code runs is handed on")
        if (name in _EACH or name in _LATER) and any(
            held.code is not None or held.name is not None or held.kind in ("partial", "method") for held in given.args
        ):
            return self._later(name, given)
        if name in ("glob", "rglob") and given.args:
            return self._globs(owner, name, given.args[0])
        role = METHODS.get(name)
        if name in ("rename", "replace") and len(given.args) == 1:
            role = "move"  # a path; texts and tables take more, or names
        flow = (owner.flow | given.flow) & ~BY_NAME | (FOUND if owner.flow & BY_NAME else 0)
        if name in _SENDS and (flow & (SECRET | TOKEN)) and any(top in NETWORK for top in self.imported):
            self.network("net:send", {}, ("external", "leaks", "sends"))
        if role is None:
            return self._plain_method(owner, name, given, flow)
        return self._path_method(owner, name, role, given, flow)

    imported: set[str]
    later: list[tuple[Held, Given]]
    probes = False  # whether sockets only look at ports of this machine: see probes.py
    paths = False  # whether values may be paths that act by their methods

    def changes(self, owner: Held, name: str, given: Given) -> Held:
        raise NotImplementedError

    def _plain_method(self, owner: Held, name: str, given: Given, flow: int) -> Held:
        self.hand_on_all(given)
        if name in ("system", "popen", "Popen", "rmtree", "remove_tree") and owner.name is None:
            self.unclear(f"`{name}` of something unknown")
        elif connects(name, given, self.probes):
            self.network("net:connect", {})
        elif name == "open" and self.paths and owner.name is None and _writes(given.get(0, "mode")):
            self.path("write", None)
        elif name == "subprocess_shell" and len(given.args) > 1:  # of a loop of asyncio
            return self.line(given.args[1])
        elif name == "subprocess_exec":
            self.start([self.arg(held) for held in given.args[1:]])
        elif name == "exec_command":
            self.login(given.get(0, "command"))
        elif name in ("execute", "executemany", "executescript", "exec_driver_sql"):
            self.touched += 1
            self.statement(owner, name, given)
        elif name in _SAVES and given.args and given.args[0].text is not None:
            self.path("write", given.args[0])
        elif owner.flow & FOUND and name in KEEPS_IN_FILE:
            place = given.get(0, "file", "filename", "coverdir")
            if place is not None and place.text is not None:
                self.path("write", place)
        elif name == "extractall" or (name == "extract" and len(given.args) > 1):
            self.unpack(given.get(0 if name == "extractall" else 1, "path"))
        if name == "copy" and owner.items is not None:
            return Held(items=list(owner.items), flow=flow, kind=owner.kind)
        return unknown(flow | self.reach(name, given))

    def _path_method(self, owner: Held, name: str, role: str, given: Given, flow: int) -> Held:
        if role == "process":
            if "psutil" in self.foreign or (owner.name or "").startswith("psutil"):
                self.ends(None)
            return unknown(flow)
        known = owner.text is not None
        self.hand_on_all(given)
        if role == "move":
            target = given.args[0]
            if known and owner.text is not None and (owner.kind == "path" or not target.known):
                self.path("move", owner)
                self.path("write", target)
                self.along(name, ("move", "write"), [owner, target])
                return target
            if (
                not known
                and self.paths
                and owner.name is None
                and (target.kind == "path" or not target.known)
                and (target.kind != "table")
            ):
                self.unclear(f"it is unclear what `{name}` moves")
            elif known:
                self.path("move", owner)
            return unknown(flow)
        if role == "link" and given.args:
            self.path("linked", given.args[0])
        if not known and role in ("read", "list"):
            self.unclear(f"it is unclear which file `{name}` reads")
            return unknown(flow)
        result = self.path(role, owner if known else None)
        if role == "list":
            return Held(f"{as_text(owner).rstrip('/')}/*", True, owner.flow, "path")
        return unknown(flow | result)

    def _globs(self, owner: Held, name: str, pattern: Held) -> Held:
        """`Path.glob`, `Path.rglob`: names below a folder."""
        if owner.text is None:
            return unknown(owner.flow)
        self.path("list", owner)
        end = as_text(pattern) if pattern.known and ".." not in as_text(pattern) else "*"
        deep = "**/" if name == "rglob" else ""
        return Held(f"{owner.text.rstrip('/')}/{deep}{end.lstrip('/')}", True, owner.flow, "path")

    def _later(self, name: str, given: Given) -> Held:
        """`pool.submit(f, x)`, `pool.map(f, xs)`: a function that is called with what stands after it."""
        args = given.args
        at = next(i for i, held in enumerate(args) if held.code or held.name is not None or held.kind in CALLABLE)
        callee, rest = args[at], args[at + 1 :]
        if name in _EACH:
            return self.each(callee, rest, given.spread)
        if name in ("apply", "apply_async", "start_new_thread"):
            inside = rest[0].items if rest else []
            more = given.words.get("args")
            inside = more.items if more is not None else inside
            return self.defer(callee, Given(list(inside or ()), spread=inside is None))
        return self.defer(callee, Given(list(rest), dict(given.words), given.spread))

    def each(self, callee: Held, lists: list[Held], spread: bool = False) -> Held:
        """A function that is called with each item of a list."""
        source = lists[0] if len(lists) == 1 and not spread else UNKNOWN
        if source.items is not None and len(source.items) <= MAX_ITEMS:
            source.used = True
            found = [self.apply(callee, Given([item])) for item in source.items]
            return Held(items=found, flow=source.flow, kind=source.kind if source.kind == SOME else "")
        item = Held(source.text, True, source.flow, source.kind) if source.glob else unknown(source.flow)
        flow = 0
        for one in lists:
            flow |= one.flow
        extra = [] if len(lists) < 2 else [unknown(flow)] * (len(lists) - 1)
        found_one = self.apply(callee, Given([item, *extra]))
        return found_one if found_one.glob else unknown(flow | found_one.flow)


# Methods of a path that are the same as a function.
_AS_FUNCTIONS = {
    "open": "open",
    **dict.fromkeys(("copy", "copy_into"), "shutil.copy"),
    **dict.fromkeys(("move", "move_into"), "shutil.move"),
}
_PLACES = tuple("args path cmd src dst name url command file filename fname target argv program stmt".split())
_ALTERING = frozenset("list dict set operator heapq bisect collections bytearray".split())
_SERVING = ("database", "sdk", "session", "archive")
_READS_TABLE = frozenset("get keys values items copy __contains__ __len__ startswith endswith strip lower".split())
_ADDS = "append appendleft add extend insert update setdefault __setitem__ __iadd__"
_CHANGES = frozenset(f"{_ADDS} pop remove clear sort reverse __delitem__ discard".split())


def _is_environment(held: Held) -> bool:
    return held.name in ("os.environ", "os.environb") or (held.kind == "table" and bool(held.flow & SECRET))


def _writes(mode: Held | None) -> bool:
    """Whether it is the mode of a file that is opened for writing."""
    text = as_text(mode) if mode is not None and mode.known else ""
    return 0 < len(text) < 4 and set(text) <= set("rwaxbt+") and not set(text) <= set("rbt")


def _with_program(file: Held, words: Held) -> Held:
    """`os.execv(file, words)`: the file is what runs, whatever the first word calls it."""
    if words.items is None or words.kind:
        return words
    if words.items and file.known and as_text(file).rpartition("/")[2] == as_text(words.items[0]).rpartition("/")[2]:
        return words
    return Held(items=[file, *words.items[1:]], flow=words.flow)
