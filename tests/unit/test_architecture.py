"""The shape of the tree: what is pure, which way the arrows go, what a module says it offers.

Each check is a function from a module's name and text to complaints, so that it can be fed a
bad module as well: a check that cannot fail is a defect.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import interlock
from lazies import absolute, lazy_calls, preloaded, row_of, wrong_rows

ROOT = Path(__file__).parents[2]
SOURCE = Path(interlock.__file__).parent
MAX_LINES = 500

# Where the disk, the network, the clock and the environment may be touched. Everything else is pure.
IMPURE = (
    *("store", "hosts", "hook", "serve", "client", "telemetry", "cli", "evals", "testing", "pytest_plugin"),
    "runtime",
    *("engine", "calls", "follow", "checks", "gate", "sdks"),
    *("relay", "proxy", "preview"),
)
# Pure parts of what is not.
PURE_WITHIN = ("proxy.rewrite",)

# What pure code may import. A list of what is allowed: a module that touches the world stays out by itself.
PURE_IMPORTS = {
    *("__future__", "typing", "collections", "collections.abc", "bisect", "math", "string", "unicodedata", "re"),
    *("_json", "json", "json.encoder", "_sha2", "_sha256", "hashlib", "base64", "binascii", "struct"),
    "xml.etree.ElementTree",
    *("tomllib", "tomli_w", "yaml", "datetime", "difflib", "ast", "shlex", "functools", "itertools", "operator"),
}
# What loads our own tables when they are met, and our own functions when they are called.
LATE = ("interlock.reading.machine.index", "interlock.reading.specials", "interlock.value")
LAZY_LOADER = "interlock"  # the package itself loads its public names when they are first used
ITS_OWN = ("importlib", "os.path")  # what it takes for that, and to say where it lies
FORBIDDEN_CALLS = {"open", "input", "print", "exec", "eval", "__import__", "breakpoint"}
CLOCK = {"now", "utcnow", "today", "time", "monotonic", "perf_counter", "gmtime", "localtime", "fromtimestamp"}


def modules() -> dict[str, str]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ("interlock", *path.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path.read_text()
    return found


MODULES = modules()
parsed = cache(ast.parse)  # each module is looked at by many
PACKAGES = {name for name in MODULES if any(other.startswith(name + ".") for other in MODULES)}


@cache
def nodes_of(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parsed(text)))


def in_type_checking(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Every node that no interpreter ever runs."""
    return {
        node
        for branch in nodes
        if isinstance(branch, ast.If) and isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING"
        for statement in branch.body
        for node in ast.walk(statement)
    }


def imports(name: str, text: str, *, typing: bool) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything that a module imports, also inside functions, and with `lazy`."""
    hidden = set() if typing else in_type_checking(nodes_of(text))
    package = name if name in PACKAGES else name.rpartition(".")[0]
    for node in nodes_of(text):
        if node in hidden:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield node.lineno, whole if whole in MODULES else base
    for call in lazy_calls(parsed(text)):
        if row := row_of(call):
            yield call.lineno, absolute(package, row[0])
    for line, ahead in preloaded(parsed(text)):
        if ahead:
            yield line, absolute(package, ahead)


def area_of(name: str) -> str:
    """The part of the tree that a module belongs to; the rows of ARROWS."""
    inner = name.removeprefix("interlock").removeprefix(".")
    if inner in AREAS:
        return AREAS[inner]
    if inner.startswith("proxy.rewrite"):
        return "rewrite"
    return inner.split(".")[0] or "interlock"


AREAS = {
    **dict.fromkeys(
        (
            "value",
            "calls.quick",
            "calls.forks",
            "limits",
            "model.errors",
            "model.effects",
            "model.known_hosts",
            "model.obeyed",
            "model.verdict",
            "model.posture",
        ),
        "base",
    ),
    "build": "base",
    "model.environment": "base",
    "hook.bundle": "base",  # how modules are found: whoever starts a process of ours does it so
    "model.level": "base",
    "model.runs_anything": "base",
    **dict.fromkeys(
        ("calls.world", "calls.prepare", "calls.commit", "calls.undoing", "calls.between", "calls.unrecorded"),
        "runtime",
    ),
    **dict.fromkeys(("calls.worlds", "calls.together", "calls.replies"), "engine"),
    "approve.weigh": "weigh",
    "approve.glob": "base",  # patterns of names, whatever is named
    **dict.fromkeys(("bytes.canon", "bytes.positions", "bytes.redact", "bytes.secrets", "bytes.strict"), "bytes"),
    "bytes.masked": "bytes",
    **dict.fromkeys(("model.essence", "bytes.ed25519", "bytes.sshsig"), "bytes"),
    **dict.fromkeys(
        (
            "model.action",
            "model.call",
            "model.decision",
            "model.heard",
            "model.session",
            "model.facts",
            "model.toolnames",
            "model.more_wants",
            "model.wants",
            "model.events",
        ),
        "nouns",
    ),
    **dict.fromkeys(("model.answer", "model.origins", "model.steps", "model.touched"), "nouns"),
    **dict.fromkeys(("model.origin_words", "model.origin_days"), "nouns"),
    "record.replay": "replay",
    **dict.fromkeys(("words.hidden", "words.said"), "base"),
    **dict.fromkeys(("words.told", "words.yes", "words.question", "words.tool_call", "words.whole_call"), "told"),
}

# area -> the areas that it may import from when it runs; its own is always among them
ARROWS: dict[str, set[str]] = {
    "interlock": set(),
    "base": set(),
    "bytes": {"base"},
    "nouns": {"base", "bytes"},
    "approve": {"base", "bytes", "nouns"},
    "contracts": {"base", "nouns"},
    "reading": {"base", "bytes", "nouns", "approve", "contracts"},
    "policy": {"base", "bytes", "nouns", "approve", "reading"},
    "plan": {"base", "nouns", "reading", "policy"},
    "words": {"base", "nouns", "approve"},
    "layers": {"base", "nouns", "approve", "policy", "words"},
    "decide": {"base", "nouns", "approve", "policy", "words", "layers"},
    "record": {"base", "bytes", "nouns", "approve"},
    "weigh": {"base", "nouns", "approve", "policy", "layers", "decide"},
    "replay": {"base", "bytes", "nouns", "approve", "policy", "record", "decide"},
    "history": {"base", "bytes", "nouns", "approve", "reading", "policy", "record", "replay", "decide", "layers"},
    "told": {"base", "bytes", "nouns", "approve", "words", "history"},
    "install": {"base", "bytes"},
    "store": {"base", "bytes", "nouns", "approve", "contracts", "install", "reading", "policy", "plan", "record"},
    "hosts": {"base", "bytes", "nouns"},
}
EVERYTHING_BELOW = {*ARROWS}
ARROWS["runtime"] = EVERYTHING_BELOW - {"hosts"}  # world, prepare and commit among it
ARROWS["follow"] = EVERYTHING_BELOW | {"runtime"}
ARROWS["engine"] = EVERYTHING_BELOW - {"hosts"} | {"runtime", "follow"}
ARROWS["hook"] = EVERYTHING_BELOW | {"engine"}
ARROWS["checks"] = EVERYTHING_BELOW | {"gate"}
ARROWS["evals"] = EVERYTHING_BELOW | {"runtime", "checks", "engine"}
ARROWS["testing"] = EVERYTHING_BELOW | {"evals"}
ARROWS["pytest_plugin"] = EVERYTHING_BELOW | {"evals", "testing"}
ARROWS["preview"] = EVERYTHING_BELOW - {"hosts"}  # what is applied is decided by whoever has an engine
ARROWS["client"] = {"base", "interlock"}
ARROWS["telemetry"] = EVERYTHING_BELOW
ARROWS["gate"] = EVERYTHING_BELOW | {"runtime", "engine", "follow", "client"}
ARROWS["sdks"] = EVERYTHING_BELOW | {"gate"}
ARROWS["relay"] = EVERYTHING_BELOW | {"runtime", "engine", "follow"}
ARROWS["serve"] = EVERYTHING_BELOW | {"runtime", "engine", "follow", "telemetry", "preview"}
ARROWS["rewrite"] = {"base", "bytes"}  # answers of models: it knows nothing of policies, nor of the proxy around it
ARROWS["proxy"] = {"base", "bytes", "nouns", "store", "gate", "serve", "rewrite"}
ARROWS["cli"] = EVERYTHING_BELOW | {"runtime", "engine", "follow", "hook", "evals", "serve", "client", "telemetry"}
ARROWS["cli"] |= {"relay", "proxy", "preview"}


# --- the checks ------------------------------------------------------------------------------------


def impurities(name: str, text: str) -> list[str]:
    """What a pure module does that only the edges may do."""
    found = []
    # The package itself names the gate among its public names, and loads it when it is first used.
    for line, wanted in imports(name, text, typing=name != LAZY_LOADER):
        ours = wanted == "interlock" or wanted.startswith("interlock.")
        if ours and not is_pure(wanted):
            found.append(f"{name}:{line} imports {wanted}, which touches the world")
        if not ours and wanted not in PURE_IMPORTS and not (name == LAZY_LOADER and wanted in ITS_OWN):
            found.append(f"{name}:{line} imports {wanted}, which is not known to be pure")
    for node in nodes_of(text):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            if name in LATE and node.func.id == "__import__":
                continue
            found.append(f"{name}:{node.lineno} calls {node.func.id}()")
        if isinstance(node, ast.Attribute) and node.attr in CLOCK:
            found.append(f"{name}:{node.lineno} reads the clock with .{node.attr}")
    return found


def wrong_arrows(name: str, text: str) -> list[str]:
    own = area_of(name)
    return [
        f"{name}:{line} ({own}) imports {wanted} ({area_of(wanted)})"
        for line, wanted in imports(name, text, typing=False)
        if wanted.startswith("interlock.") and area_of(wanted) != own and area_of(wanted) not in ARROWS[own]
    ]


def public_names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names that exist when the module runs, and among them the public ones that it defines itself."""
    hidden = in_type_checking(ast.walk(tree))
    exist: set[str] = set()
    defined: set[str] = set()
    todo: list[ast.stmt] = list(tree.body)
    while todo:
        node = todo.pop()
        if node in hidden:
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
            if any(node.value is call for call in lazy_calls(node)):
                exist |= names
            else:
                defined |= names
        elif isinstance(node, ast.Import | ast.ImportFrom):
            exist |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.If | ast.Try):
            handlers = [line for handler in getattr(node, "handlers", []) for line in handler.body]
            todo += [*node.body, *node.orelse, *handlers, *getattr(node, "finalbody", [])]
    # `TYPE_CHECKING` and `dataclass_transform` stand in for names of `typing`, which would cost its import.
    public = {name for name in defined if not name.startswith("_") and name not in TYPING}
    return exist | defined, public


def wrong_all(name: str, text: str) -> list[str]:
    tree = parsed(text)
    exist, public = public_names(tree)
    listed: list[str] | None = None
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            listed = ast.literal_eval(node.value)
    if listed is None:
        return [f"{name} has no __all__"] if public and name not in WITHOUT_ALL else []
    in_order = sorted(listed, key=lambda word: (not (word.isupper() and len(word) > 1), not word[0].isupper(), word))
    if name == "interlock":
        exist, public = exist | set(listed), set()  # loaded when first used; another test resolves each
    if area_of(name) in ("cli", "hosts"):
        public = set()  # commands are found by their group, encoders by their host: nobody else asks for them
    return [
        *(f"{name} lists {word}, which is not there" for word in listed if word not in exist),
        *(f"{name} does not list {word}" for word in sorted(public - set(listed))),
        *([f"{name} lists a name twice"] if len(set(listed)) != len(listed) else []),
        *([f"{name}: __all__ is not in order"] if listed != in_order else []),
    ]


TYPING = {"TYPE_CHECKING", "dataclass_transform"}
WITHOUT_ALL = {
    "interlock.limits",  # nothing but constants, all public
    "interlock.hook.guard",  # a program, not a module
    "interlock.cli.__main__",
}


def wrong_lazy(name: str, text: str) -> list[str]:
    return wrong_rows(name, parsed(text), name if name in PACKAGES else name.rpartition(".")[0], MODULES)


def too_long(name: str, text: str) -> list[str]:
    lines = text.count("\n")
    return [f"{name} has {lines} lines, more than {MAX_LINES}"] if lines > MAX_LINES else []


def is_pure(name: str) -> bool:
    inner = name.removeprefix("interlock.")
    return inner.split(".")[0] not in IMPURE or f"{inner}.".startswith(tuple(f"{part}." for part in PURE_WITHIN))


# --- the tree as it is -----------------------------------------------------------------------------


@pytest.mark.slow
def test_everything_but_the_edges_is_pure() -> None:
    pure = [name for name in MODULES if is_pure(name)]
    assert "interlock.decide" in pure
    assert [wrong for name in pure for wrong in impurities(name, MODULES[name])] == []


@pytest.mark.slow
def test_arrows_go_one_way() -> None:
    assert [wrong for name, text in MODULES.items() for wrong in wrong_arrows(name, text)] == []


def test_every_module_says_what_it_offers() -> None:
    assert [wrong for name, text in MODULES.items() for wrong in wrong_all(name, text)] == []


def test_what_is_lazy_can_be_followed() -> None:
    assert [wrong for name, text in MODULES.items() for wrong in wrong_lazy(name, text)] == []


def test_no_file_is_longer_than_a_person_reads() -> None:
    files = [path for folder in ("src", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(files) > 50
    assert [wrong for path in files for wrong in too_long(str(path), path.read_text())] == []


@pytest.mark.parametrize(("folder", "most"), [("", 8), ("reading", 8), ("store", 6)])
def test_few_modules_lie_outside_a_room(folder: str, most: int) -> None:
    loose = [path.name for path in (SOURCE / folder).glob("*.py") if path.name != "__init__.py"]
    assert 0 < len(loose) <= most, loose


def test_every_module_says_why_it_is_there_and_postpones_its_annotations() -> None:
    for name, text in MODULES.items():
        tree = parsed(text)
        if name != "interlock.hook.guard":
            assert ast.get_docstring(tree), name
        if any(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in tree.body) and "hook.guard" not in name:
            assert "from __future__ import annotations" in text, name


def test_the_public_names_are_those_that_can_be_loaded() -> None:
    assert set(interlock.__all__) == set(interlock._HOMES)
    for name in interlock.__all__:
        assert getattr(interlock, name).__name__ == name
    with pytest.raises(AttributeError, match="module `interlock` has no attribute `nothing`"):
        interlock.nothing  # noqa: B018


HEAVY = {"click", "rich", "asyncio", "yaml", "dataclasses", "enum", "re", "json", "typing", "tomllib", "inspect"}


@pytest.mark.parametrize("statement", ["import interlock", "import interlock.decide", "import interlock.runtime"])
def test_importing_costs_next_to_nothing(statement: str) -> None:
    program = f"import sys; sys.path.append({str(SOURCE.parent)!r}); {statement}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert HEAVY & {name.split(".")[0] for name in done.stdout.split()} == set()


# --- that the checks can fail ----------------------------------------------------------------------

BAD: list[tuple[Callable[[str, str], list[str]], str, str, list[str]]] = [
    (impurities, "interlock.layers.bad", "import os", ["imports os, which is not known to be pure"]),
    (impurities, "interlock.layers.bad", "import os.path as p", ["imports os.path, which is not known to be pure"]),
    (impurities, "interlock.bad", "from time import time", ["imports time, which is not known to be pure"]),
    (
        impurities,
        "interlock.bad",
        "def f() -> None:\n    from random import choice",
        ["imports random, which is not known to be pure"],
    ),
    (
        impurities,
        "interlock.layers.bad",
        "from ..store.home.files import read_file",
        ["imports interlock.store.home.files, which touches the world"],
    ),
    (
        impurities,
        "interlock.layers.bad",
        "from .. import runtime",
        ["imports interlock.runtime, which touches the world"],
    ),
    (
        impurities,
        "interlock.bad",
        "from importlib import import_module",
        ["imports importlib, which is not known to be pure"],
    ),
    (impurities, "interlock.bad", "x = open('f')", ["calls open()"]),
    (impurities, "interlock.bad", "import datetime\nx = datetime.datetime.now()", ["reads the clock with .now"]),
    (impurities, "interlock.bad", "from .value import Value\nimport json", []),
    (
        wrong_arrows,
        "interlock.record.bad",
        "from ..layers.floor import floor",
        ["(record) imports interlock.layers.floor (layers)"],
    ),
    (wrong_arrows, "interlock.value", "from .decide import decide", ["(base) imports interlock.decide (decide)"]),
    (
        wrong_arrows,
        "interlock.policy.bad",
        "def f():\n    from ..store.home import files",
        ["(policy) imports interlock.store.home.files (store)"],
    ),
    (
        wrong_arrows,
        "interlock.hosts.bad",
        "from ..runtime import judge",
        ["(hosts) imports interlock.runtime (runtime)"],
    ),
    (
        wrong_arrows,
        "interlock.hosts.bad",
        'judge = lazy(globals(), "..runtime", "judge")',
        ["(hosts) imports interlock.runtime (runtime)"],
    ),
    (
        impurities,
        "interlock.layers.bad",
        'run = lazy(globals(), "subprocess", "run")',
        ["imports subprocess, which is not known to be pure"],
    ),
    (
        wrong_arrows,
        "interlock.hosts.bad",
        'preload(globals(), "..runtime")',
        ["(hosts) imports interlock.runtime (runtime)"],
    ),
    (wrong_lazy, "interlock.bad", "f = lazy(globals(), NAME, 'f')", ["after the import for `TYPE_CHECKING`"]),
    (wrong_all, "interlock.bad", "__all__ = []\nf = lazy(globals(), '.value', 'f')", []),
    (wrong_arrows, "interlock.model.facts", "if TYPE_CHECKING:\n    from ..policy.model import Policy", []),
    (wrong_all, "interlock.bad", "def f(): ...", ["has no __all__"]),
    (wrong_all, "interlock.bad", "def _f(): ...", []),
    (wrong_all, "interlock.bad", "__all__ = ['g']\ndef _f(): ...", ["lists g, which is not there"]),
    (wrong_all, "interlock.bad", "__all__ = ['f']\ndef f(): ...\nX: int = 1", ["does not list X"]),
    (wrong_all, "interlock.bad", "__all__ = ['f', 'X']\ndef f(): ...\nX = 1", ["__all__ is not in order"]),
    (wrong_all, "interlock.bad", "__all__ = ['f', 'f']\ndef f(): ...", ["lists a name twice"]),
    (wrong_all, "interlock.bad", "__all__ = ['T']\nif TYPE_CHECKING:\n    T = int", ["lists T, which is not there"]),
    (too_long, "interlock.bad", "\n" * 501, ["has 501 lines, more than 500"]),
]


@pytest.mark.parametrize(("check", "name", "text", "expected"), BAD, ids=[f"{b[0].__name__}-{b[2][:30]}" for b in BAD])
def test_the_checks_can_fail(check: Callable[[str, str], list[str]], name: str, text: str, expected: list[str]) -> None:
    found = check(name, text)
    assert len(found) == len(expected)
    for told, wanted in zip(found, expected, strict=True):
        assert told.startswith(name)
        assert told.endswith(wanted)
