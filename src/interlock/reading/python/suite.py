"""Test files of Python, as a test runner runs them: the module, then fixtures, classes and test functions.

What a test calls in the project or in a package is their own code, as everywhere. What it acts on itself must be
known: a path that is removed, a command, a text that is run. Fixtures of pytest are known by name, those of
the files by what they give; what is replaced for a test (`monkeypatch`, `unittest.mock`) is not trusted to give what it
gave before. A value that others hand over may be read and written to: a test of a class that saves does nothing else.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL
from .calls import ACTING, NETWORK
from .functions import KEEPS, bound_again
from .modules import STANDARD
from .own_modules import read_own
from .replaced import replaces
from .specials import SPECIAL
from .statements import Reader
from .values import BY_NAME, EITHER, GIVEN, UNKNOWN, Function, Given, Held, as_text, join_paths, unknown

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from .names import Scope

__all__ = ["TEMP", "Suite", "SuiteReader"]

TEMP = "/tmp/pytest-of-you/pytest-0/test0"  # noqa: S108 - stands for the folder that pytest makes for each test
_MAX_CASES = 24
_MOCKS = ("unittest.mock.", "mock.")
_SETUPS = ("setUpModule", "setup_module", "setUpClass", "setUpTestData", "setup_class", "setup", "setUp", "asyncSetUp",
    "setup_method")  # fmt: skip
_LOOKS = ("read", "list", "search", "count")
_MAKES = ("write", "folder")
_LOCAL = ("", "localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - names of this machine
_OPENS_NOTHING = frozenset(
    "socket socketpair gethostname getfqdn HTTPServer ThreadingHTTPServer TCPServer ThreadingTCPServer UDPServer "
    "BaseHTTPRequestHandler SimpleHTTPRequestHandler inet_aton inet_ntoa htons ntohs setdefaulttimeout timeout".split()
)
_LEAVES_MEMORY = ("attach", "vacuum", "load_extension", "writefile", "readfile", "copy", "install", "export")
_CARRIES_ON = ("sendall", "send", "sendmsg")  # to whom was said when it was connected


class Suite:
    """What the files of one run share.

    fixtures  what the fixtures of the files give, by name
    replaced  last names of what tests replace for a while
    trusted   whether pytest's own fixtures are what they are called
    own       names of modules that this session wrote
    defined   names that functions and parameters have in the files: a value under one is theirs
    """

    __slots__ = ("bases", "defined", "fixtures", "own", "replaced", "trusted")

    def __init__(self, bases: tuple[str, ...], own: frozenset[str]) -> None:
        self.bases = bases
        self.own = own
        self.fixtures: dict[str, Held] = {}
        self.defined: set[str] = {"request"}
        self.replaced: set[str] = set()
        self.trusted = True


class SuiteReader(Reader):
    def __init__(self, shell: Shell, span: tuple[int, int], path: str, suite: Suite) -> None:
        super().__init__(shell, span)
        self.suite = suite
        self.file = path
        self.base = path.rpartition("/")[0]
        self.classes: list[Held] = []
        self.cases: dict[int, list[dict[str, Held]]] = {}  # what a test is given by its decorators
        self.shared: set[str] = set()  # attributes that are set on a class, or on who knows what

    # --- modules -----------------------------------------------------------------------------------------------

    def module(self, name: str) -> None:
        if name in NETWORK or name.partition(".")[0] in NETWORK:
            self.own(name)  # that it is there reaches nobody; a call may
        else:
            super().module(name)

    def _star(self, module: str) -> None:
        if module in NETWORK:
            self.network("net:connect", {})
        super()._star(module)

    def own(self, name: str) -> None:
        super().own(name)
        if not self.relative:
            for base in self.suite.bases:
                if base != self.base:
                    read_own(name, base, self.span, self.shell, relative=True)

    def _foreign(self, name: str) -> bool:
        top = name.partition(".")[0]
        return top not in STANDARD and top in self.foreign and top not in self.suite.own

    def _given(self, held: Held) -> bool:
        return bool(held.flow & GIVEN) or (held.name is not None and self._foreign(held.name))

    # --- functions, fixtures and classes -----------------------------------------------------------------------

    def knows_bases(self, bases: list[ast.expr]) -> bool:
        return True

    def bind(self, name: str, held: Held) -> None:
        if held.kind == "class" and held not in self.classes:
            self.classes.append(held)
        if name == "pytest_plugins":
            for one in held.items if held.items is not None else [held]:
                if one.known:
                    self.own(as_text(one))
        super().bind(name, held)

    def yielded(self, node: ast.expr) -> Held:
        return self.ev(node)

    def _decorated(self, decorators: list[ast.expr], held: Held) -> Held:
        """Decorators are run where they stand; the function itself when all that it may use is there."""
        for decorator in reversed(decorators):
            callee = self.ev(decorator)
            if callee.name in KEEPS:
                continue
            if held.code is not None and isinstance(decorator, ast.Call) and _called(decorator) == "parametrize":
                key = id(held.code.node)
                self.cases[key] = self._parametrized(decorator, self.cases.get(key, [{}]))
            if callee.name is not None or callee.code is not None or callee.kind:
                self.apply(callee, Given([UNKNOWN]))
            if callee.code is not None:
                held = UNKNOWN
        return held

    def _parameters(self, args: ast.arguments, inside: Scope, defaults: dict[str, Held], given: Given | None) -> None:
        super()._parameters(args, inside, defaults, given)
        if given is None and inside.parent is self.top:
            return
        filled = 0 if given is None or given.spread else len(given.args)
        for at, parameter in enumerate((*args.posonlyargs, *args.args, *args.kwonlyargs)):
            name = parameter.arg
            if inside.held[name] is UNKNOWN and at >= filled and (given is None or name not in given.words):
                inside.held[name] = self._fixture(name)

    def _fixture(self, name: str) -> Held:
        found = self.suite.fixtures.get(name)
        if found is not None:
            return found
        if name in ("tmp_path", "tmpdir"):
            return Held(TEMP, kind="path") if self.suite.trusted else UNKNOWN
        if name in ("tmp_path_factory", "tmpdir_factory"):
            return Held(kind="folders") if self.suite.trusted else UNKNOWN
        if name in ("pytester", "testdir") and self.suite.trusted:
            return Held(kind="tester")
        if name in ("monkeypatch", "mocker"):
            return Held(kind="patcher", data=name)
        return unknown(GIVEN) if self.suite.trusted and name not in self.suite.defined else UNKNOWN

    def enter_all(self) -> None:
        """All that the runner calls, followed before what nobody is seen to call (`finish`)."""
        self._entries()
        again = bound_again(self.top.bound)
        if again:  # what a name holds by then may be something else
            for name in again:
                if name in self.top.held:
                    self.top.held[name] = self._lost(self.top.held[name])
            self.done.clear()
            self._entries()

    def finish(self) -> None:
        called = {id(function.node) for function in self.functions if function.called}
        for function in self.functions:  # one that a fixture defines is there as often as the fixture was run
            function.called = id(function.node) in called
        super().finish()

    def _entries(self) -> None:
        """What the runner calls: fixtures, then what prepares, then tests and hooks."""
        for function in (*self.functions, *self.functions):  # one may use another that stands further down
            if _is_fixture(function):
                self.suite.fixtures[_fixture_name(function)] = self._call_entry(function, _has_self(function))
        for held in self.classes:
            self._of_class(held)
        for function in self.functions:
            name = getattr(function.node, "name", "")
            if name.startswith(("test", "pytest_", "setup", "teardown", "setUp", "tearDown")) and not function.called:
                self._call_entry(function, _has_self(function))

    def _of_class(self, held: Held) -> None:
        one = Held(kind="object", data=(held, {}))
        methods = [(name, inside.code) for name, inside in held.data.held.items() if inside.code is not None]
        methods.sort(key=lambda pair: _SETUPS.index(pair[0]) if pair[0] in _SETUPS else len(_SETUPS))
        for first in (True, False):  # what one method leaves in the object, another finds
            for name, function in methods:
                if name != "__init__":
                    self.certain = first and name in _SETUPS
                    self._call_entry(function, has_self=True, one=one)
            self.certain = True
            self.done.clear()

    def _call_entry(self, function: Function, has_self: bool, one: Held | None = None) -> Held:
        function.called = True
        before, fixtures = self.shell, self.suite.fixtures
        result = UNKNOWN
        for case in self.cases.get(id(function.node), [{}]):
            self.shell = before.copy()
            self.suite.fixtures = {**fixtures, **case} if case else fixtures
            given = Given([one or unknown(GIVEN)] if has_self and not function.static else [])
            result = self._enter(function, given)
        self.shell, self.suite.fixtures = before, fixtures
        return result

    def _parametrized(self, node: ast.Call, cases: list[dict[str, Held]]) -> list[dict[str, Held]]:
        """The values that a test is given one after the other, as far as they are known."""
        if len(node.args) < 2 or not isinstance(node.args[0], ast.Constant | ast.Tuple | ast.List):
            return cases
        first = node.args[0]
        parts = [first] if isinstance(first, ast.Constant) else first.elts
        names = [name.strip() for part in parts for name in str(getattr(part, "value", "")).split(",")]
        items = self.ev(node.args[1]).items
        if not items or len(items) > _MAX_CASES:
            return cases
        rows = [dict(zip(names, [item] if len(names) == 1 else item.items or (), strict=False)) for item in items]
        size = max(len(rows), len(cases))
        return [{**cases[at % len(cases)], **rows[at % len(rows)]} for at in range(size)]

    # --- what is replaced --------------------------------------------------------------------------------------

    def named(self, name: str, given: Given) -> Held:
        if name.startswith(_MOCKS):
            return replaces(self, name, given)
        if name in ("pytest.mark.skipif", "pytest.mark.xfail"):  # a condition may be a text, which pytest evaluates
            held = given.get(0, "condition")
            if held is not None and held.known and not held.kind:
                self.run_text(Held(f"import os, sys, platform\n({as_text(held)})"), expression=False, apart=True)
            return UNKNOWN
        if name == "pytest.param":
            return given.args[0] if len(given.args) == 1 else Held(items=list(given.args))
        if name in ("importlib.reload", "importlib.invalidate_caches"):
            module = given.args[0] if given.args else UNKNOWN
            if module.name is not None and module.name.partition(".")[0] not in ACTING:
                return module
        if name == "pickle.loads" and _dumped(given):
            self.hand_on_all(given)
            return unknown(given.flow)
        if name == "importlib.util.spec_from_file_location" and len(given.args) > 1 and given.args[1].known:
            self.path("script", given.args[1])
            return Held(kind="spec")
        if name == "importlib.util.module_from_spec" and given.args and given.args[0].kind == "spec":
            return unknown(0)
        if self._is_network(name):
            return self._reaches(name.rpartition(".")[2], given)
        result = super().named(name, given)
        if name.rpartition(".")[2] in self.suite.replaced and name in SPECIAL:
            return unknown(result.flow)
        if result.text is None and not result.kind and result.name is None and self._foreign(name):
            return unknown(result.flow & ~GIVEN if self._passes_on(given) else result.flow | GIVEN)
        return result

    def _passes_on(self, given: Given) -> bool:
        """Whether a call is given a place outside: what comes back may be that place."""
        root = self.found.facts.root
        for held in (*given.args, *given.words.values()):
            text = held.text or ""
            if text[:1] in ("/", "~", NUL) and not text.startswith((root + "/", TEMP)):
                return True
        return False

    def attribute(self, owner: Held, attr: str) -> Held:
        if owner.kind == "spec":
            return owner if attr == "loader" else UNKNOWN
        found = super().attribute(owner, attr)
        if found.text is not None and owner.text is not None and attr in self.suite.replaced:
            return unknown(found.flow)
        return unknown(found.flow) if owner.kind == "object" and attr in self.shared and found.code is None else found

    def store(self, owner: Held, attr: str, held: Held) -> None:
        if owner.kind == "class" or (owner.name is None and owner.kind != "object"):
            self.shared.add(attr)
        super().store(owner, attr, held)

    def method(self, owner: Held, name: str, given: Given) -> Held:
        kind = owner.kind
        if kind == "patcher":
            return replaces(self, f"{owner.data}.{name}", given)
        if kind == "tester":
            return self._tester(name, given)
        if kind == "folders":
            return Held(f"{TEMP}/made", kind="path")
        if kind == "path" and name in ("join", "mkdir", "ensure") and given.args and given.args[0].kind != "number":
            return join_paths([owner, *given.args])  # of `py.path`
        if kind == "spec":
            return UNKNOWN
        if name == "pop" and owner.flow & BY_NAME:  # `sys.modules.pop("x")`
            self.hand_on_all(given)
            return unknown(BY_NAME)
        found = super().method(owner, name, given)
        if found.flow & GIVEN and self._passes_on(given):
            found = unknown(found.flow & ~GIVEN)
        return unknown(found.flow) if found.text is not None and name in self.suite.replaced else found

    def _tester(self, name: str, given: Given) -> Held:
        """`pytester`: files with code that are made in a temporary folder and run, and commands."""
        if name in ("run", "popen", "spawn"):
            self.start([self.arg(held) for held in given.args])
        elif name.startswith(("makepy", "makeconf", "inline_runs", "getitem", "getmodulecol")):
            for held in (*given.args, *given.words.values()):
                self.run_text(self._dedented(held), expression=False, apart=True)
        elif name in ("copy_example", "syspathinsert", "chdir", "path", "tmpdir", "mkdir", "mkpydir"):
            return Held(TEMP, kind="path")
        return unknown(given.flow)

    def _dedented(self, held: Held) -> Held:
        """Without the blanks that all of its lines begin with."""
        if not held.known:
            return held
        lines = as_text(held).split("\n")
        margin = min([len(line) - len(line.lstrip(" ")) for line in lines if line.strip()], default=0)
        return Held("\n".join([line[margin:] for line in lines]), flow=held.flow)

    # --- what is acted on --------------------------------------------------------------------------------------

    def path(self, role: str, held: Held | None) -> int:
        if held is not None and held.kind not in (EITHER, "file") and NUL in as_text(held):
            if role in _LOOKS or (role in _MAKES and self._given(held)):
                return 0
        return super().path(role, held)

    def _path_method(self, owner: Held, name: str, role: str, given: Given, flow: int) -> Held:
        if owner.text is None and (role in _LOOKS or (role in _MAKES and self._given(owner))):
            self.hand_on_all(given)
            return unknown(flow)
        return super()._path_method(owner, name, role, given, flow)

    def statement(self, owner: Held, name: str, given: Given) -> None:
        text = given.args[0] if given.args else UNKNOWN
        if owner.kind == "database" and _in_memory(owner) and text.known:
            if not any(word in as_text(text).lower() for word in _LEAVES_MEMORY):
                return
        if owner.kind == "database" or text.known:
            super().statement(owner, name, given)

    def _plain_method(self, owner: Held, name: str, given: Given, flow: int) -> Held:
        if name in ("connect", "connect_ex", "sendto", *_CARRIES_ON):
            if name not in _CARRIES_ON and any(self._is_network(module + ".") for module in self.imported):
                return self._reaches(name, given)
            self.hand_on_all(given)
            return unknown(flow)
        return super()._plain_method(owner, name, given, flow)

    def _is_network(self, name: str) -> bool:
        parts = name.split(".")
        return len(parts) > 1 and (parts[0] in NETWORK or f"{parts[0]}.{parts[1]}" in NETWORK)

    def _reaches(self, name: str, given: Given) -> Held:
        """A connection: to this machine it is the test's own."""
        self.hand_on_all(given)
        place = given.args[-1 if name == "sendto" else 0] if given.args else UNKNOWN
        host = place.items[0] if place.items else place
        if name not in _OPENS_NOTHING and not (host.known and as_text(host) in _LOCAL):
            self.network("net:connect", {})
        return unknown(given.flow)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _in_memory(database: Held) -> bool:
    _, where, file = database.data
    return bool(file) and where is not None and as_text(where) == ":memory:"


def _is_fixture(function: Function) -> bool:
    return any("fixture" in ast.dump(one) for one in getattr(function.node, "decorator_list", ()))


def _fixture_name(function: Function) -> str:
    for one in function.node.decorator_list:
        for word in one.keywords if isinstance(one, ast.Call) else ():
            if word.arg == "name" and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str):
                return word.value.value
    return str(function.node.name)


def _has_self(function: Function) -> bool:
    args = getattr(function.node, "args", None)
    return bool(args and args.args and args.args[0].arg in ("self", "cls"))


def _dumped(given: Given) -> bool:
    """`loads(dumps(…))`: what comes out is what went in."""
    node = given.node.args[0] if given.node is not None and given.node.args else None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "dumps"
