"""Functions of Python that give something the reader can go on with, or that run what they are given. One row each.

Each takes the reader, the name it was called by and what it was given, and says what the call holds.
"""

from __future__ import annotations

from ..effects import Effect
from ..value import TYPE_CHECKING
from .evaluate.words import NUL
from .python_calls import ACTING, ACTING_NAMES
from .python_modules import STANDARD
from .python_services import DATABASES, SESSIONS
from .python_texts import DECODERS, OF_PATHS, decoded
from .python_values import (
    BY_NAME,
    SECRET,
    SOME,
    UNKNOWN,
    Given,
    Held,
    as_text,
    either,
    join_paths,
    joined,
    reference,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .python_called import Called

    Row = Callable[["Called", str, Given], Held]

__all__ = ["CONSUMES", "SPECIAL"]


def _spelt(given: Given, at: int) -> bool:
    """True if the argument is written out as a text, and not put together."""
    node = given.node
    return node is not None and at < len(node.args) and type(node.args[at]).__name__ == "Constant"


# --- what is run or looked up by name --------------------------------------------------------------------------


def _exec(reader: Called, name: str, given: Given) -> Held:
    held = given.get(0, "source") or UNKNOWN
    inside = [*given.args[1:], *[given.words[word] for word in ("globals", "locals") if word in given.words]]
    result = reader.run_text(held, expression=name == "eval", apart=bool(inside))
    for names in inside:  # what the text binds is there by name
        if names.kind == "table":
            names.flow |= BY_NAME
    return result


def _compile(reader: Called, name: str, given: Given) -> Held:
    """Code that is made and not run yet: as long as its text is known, so is what it does."""
    held = given.get(0, "source") or UNKNOWN
    return Held(held.text, held.glob, held.flow) if held.known else unknown(held.flow)


def _import(reader: Called, name: str, given: Given) -> Held:
    held = given.get(0, "name") or UNKNOWN
    if not held.known:
        reader.unclear(f"`{name}` loads what is not seen here")
        return unknown(BY_NAME)
    module = as_text(held)
    reader.module(module)
    reader.imported.add(module.partition(".")[0])
    if module.partition(".")[0] in ACTING:
        reader.hides("a module that acts is loaded by a function")
        if not _spelt(given, 0):
            reader.unclear(f"`{name}` loads a module whose name is put together")
    return reference(module.partition(".")[0] if name == "__import__" else module)


def _getattr(reader: Called, name: str, given: Given) -> Held:
    owner, key = given.get(0) or UNKNOWN, given.get(1) or UNKNOWN
    if len(given.args) > 2:
        reader.hand_on(given.args[2])
    if key.known:
        found = reader.attribute(owner, as_text(key))
        if found.name is not None and found.name in ACTING_NAMES and not _spelt(given, 1):
            reader.unclear(f"`{name}` looks up a function whose name is put together")
        return found
    if owner.name is not None and owner.name.partition(".")[0] in (*STANDARD, "__builtins__"):
        reader.unclear(f"`{name}` looks up what is not seen here")
        return unknown(BY_NAME)
    if owner.name is not None:
        return UNKNOWN  # a function of the project or of a package, which is not read under its own name either
    return unknown(owner.flow | BY_NAME)


def _setattr(reader: Called, name: str, given: Given) -> Held:
    owner, key = given.get(0) or UNKNOWN, given.get(1) or UNKNOWN
    value = given.args[2] if len(given.args) > 2 else UNKNOWN
    if key.known:
        reader.store(owner, as_text(key), value)
        return UNKNOWN
    reader.hand_on(value)
    if owner.name is not None and owner.name.partition(".")[0] in STANDARD:
        reader.unclear(f"`{owner.name}` is made to be something else")
    elif owner.flow & BY_NAME or owner.kind in ("object", "class"):
        reader.unclear(f"`{name}` changes what is not seen here")
    return UNKNOWN


def _vars(reader: Called, name: str, given: Given) -> Held:
    if given.args and given.args[0].name is None and not given.args[0].flow & BY_NAME:
        held = given.args[0]
        return held if held.kind == "table" else unknown(held.flow)
    return unknown(BY_NAME)


def _partial(reader: Called, name: str, given: Given) -> Held:
    if not given.args:
        return UNKNOWN
    if given.spread:
        reader.hand_on(given.args[0])
    return Held(kind="partial", data=(given.args[0], given.args[1:], given.words), flow=given.flow)


def _caller(reader: Called, name: str, given: Given) -> Held:
    if not given.args or not given.args[0].known:
        reader.unclear(f"`{name}` calls what is not seen here")
        return unknown(BY_NAME)
    return Held(kind="caller", data=(as_text(given.args[0]), Given(given.args[1:], given.words)))


def _thread(reader: Called, name: str, given: Given) -> Held:
    at = 0 if "thread.start" in name else 1
    callee = given.words.get("target") or given.words.get("function") or (given.args[at] if len(given.args) > at else None)
    if callee is None:
        reader.hand_on_all(given)
        return UNKNOWN
    args = given.words.get("args") or (given.args[at + 1] if len(given.args) > at + 1 else Held(items=[]))
    more = given.words.get("kwargs")
    words = more.data if more is not None and more.kind == "table" else {}
    spread = args.items is None or (more is not None and more.kind != "table")
    reader.defer(callee, Given(list(args.items or ()), dict(words), spread))
    return UNKNOWN


def _now(at: int) -> Row:
    """A function that calls, now or later, the one it is given at that place, with what stands after it."""

    def row(reader: Called, name: str, given: Given) -> Held:
        if len(given.args) <= at:
            reader.hand_on_all(given)
            return UNKNOWN
        result = reader.defer(given.args[at], Given(given.args[at + 1 :], dict(given.words), given.spread))
        return given.args[at] if name == "atexit.register" else result

    return row


def _timed(reader: Called, name: str, given: Given) -> Held:
    """Code that is given as a text or as a function, what comes before it first."""
    parts = [given.get(1, "setup") if name.startswith("timeit") else None, given.get(0, "stmt", "statement")]
    texts = []
    for held in parts:
        if held is None:
            continue
        if held.code is not None or held.name is not None or held.kind:
            reader.apply(held, Given([]))
        else:
            texts.append(held)
    if texts:
        reader.run_text(joined(texts, "\n"), expression=False, apart=True)
    return UNKNOWN


def _each(reader: Called, name: str, given: Given) -> Held:
    if not given.args:
        return UNKNOWN
    found = reader.each(given.args[0], given.args[1:], given.spread)
    if name not in ("filter", "itertools.filterfalse"):
        return found
    source = given.args[1] if len(given.args) > 1 else UNKNOWN
    return Held(items=source.items, kind=SOME, flow=source.flow) if source.items is not None else source


# --- values ----------------------------------------------------------------------------------------------------


def _text(reader: Called, name: str, given: Given) -> Held:
    if not given.args:
        return Held("")
    held = given.args[0]
    if held.name in ("os.environ", "os.environb"):
        return unknown(SECRET)
    if name == "repr" and held.kind != "number":
        return Held(repr(as_text(held)), flow=held.flow) if held.known else unknown(held.flow & ~BY_NAME)
    if held.text is not None or held.kind == "number":
        return Held(as_text(held), held.glob, held.flow)
    return unknown(held.flow & ~BY_NAME)


def _integer(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if held.known and as_text(held).strip().isdigit() and len(as_text(held)) < 12 and len(given.args) == 1:
        return Held(kind="number", data=int(as_text(held)))
    return held if held.glob or held.kind == "number" else unknown(held.flow)


def _list(reader: Called, name: str, given: Given) -> Held:
    if not given.args:
        return Held(items=[])
    held = given.args[0]
    if held.items is not None and held.kind in ("", SOME):
        held.used = True
        loose = name in ("set", "frozenset", "sorted", "reversed") and len(held.items) > 1
        reader.hand_on_all(Given([], {k: v for k, v in given.words.items() if k == "key"}))
        return Held(items=list(held.items), flow=held.flow, kind=SOME if loose else held.kind)
    reader.hand_on_all(Given(given.args[1:], given.words))
    return held if held.glob else unknown(held.flow)


def _dict(reader: Called, name: str, given: Given) -> Held:
    reader.hand_on_all(Given([], given.words))
    table: dict[str, Held] = {}
    flow = given.flow
    for held in given.args:
        if held.name in ("os.environ", "os.environb"):
            flow |= SECRET
        elif held.kind == "table":
            table.update(held.data)
        else:
            return unknown(flow)
    return Held(kind="table", data={**table, **given.words}, flow=flow) if not given.spread else unknown(flow)


def _enumerate(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if held.items is not None and held.kind in ("", SOME):
        held.used = True
        return Held(items=[Held(items=[UNKNOWN, item]) for item in held.items], kind=held.kind, flow=held.flow)
    return Held(items=[Held(items=[UNKNOWN, held])], kind=SOME, flow=held.flow) if held.glob else unknown(held.flow)


def _zip(reader: Called, name: str, given: Given) -> Held:
    lists = [held.items for held in given.args]
    if given.spread or not lists or any(items is None or held.kind for items, held in zip(lists, given.args, strict=True)):
        return unknown(given.flow)
    return Held(items=[Held(items=list(row)) for row in zip(*[items or [] for items in lists], strict=False)])


def _number(reader: Called, name: str, given: Given) -> Held:
    return unknown(given.flow)


def _character(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    known = held.kind == "number" and type(held.data) is int and 0 < held.data < 0x110000
    return Held(chr(held.data)) if known else UNKNOWN


def _decode(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    how = as_text(given.args[1]).lower().replace("-", "_") if len(given.args) > 1 else ""
    if name in ("codecs.decode", "codecs.encode"):
        if how in ("utf_8", "ascii", "latin_1", "utf8", ""):
            return held
        return decoded(how, held)
    return decoded(name, held)


def _bytes(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else Held("")
    if held.items is not None and all(item.kind == "number" for item in held.items) and not held.kind:
        try:
            return Held(bytes([item.data for item in held.items]).decode(), flow=held.flow | 8)
        except (ValueError, TypeError):
            return unknown(held.flow)
    return Held(held.text, held.glob, held.flow) if held.text is not None else unknown(held.flow)


# --- paths -----------------------------------------------------------------------------------------------------


def _path(reader: Called, name: str, given: Given) -> Held:
    reader.paths = True
    if given.spread:
        return UNKNOWN
    return join_paths(given.args) if given.args else Held(".", kind="path")


def _of_path(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if held.text is None or (NUL in held.text and OF_PATHS[name] is not str):
        return unknown(held.flow)
    text = OF_PATHS[name](held.text)
    if name in ("os.path.abspath", "os.path.realpath") and text[:1] not in ("/", "~"):
        text = reader.here(text)
    return Held(text, held.glob, held.flow, held.kind)


def _home(reader: Called, name: str, given: Given) -> Held:
    return Held(reader.found.facts.home, kind="path")


def _expanduser(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if held.text is not None and held.text[:2] in ("~", "~/"):
        return Held(reader.found.facts.home + held.text[1:], held.glob, held.flow)
    if held.text is not None and held.text[:1] == "~":
        return unknown(held.flow)
    return held


def _expandvars(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if held.text is not None and held.text.startswith("$HOME/"):
        return Held(reader.found.facts.home + held.text[5:], held.glob, held.flow)
    return held if held.text is not None and "$" not in held.text else unknown(held.flow)


def _cwd(reader: Called, name: str, given: Given) -> Held:
    return Held(reader.here("."), kind="path")


def _split_path(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if not held.known:
        return unknown(held.flow)
    text = as_text(held)
    if name.endswith("splitext"):
        stem, dot, end = text.rpartition(".")
        parts = [stem, dot + end] if dot and "/" not in end and stem else [text, ""]
    else:
        parts = [OF_PATHS["os.path.dirname"](text), OF_PATHS["os.path.basename"](text)]
    return Held(items=[Held(part) for part in parts])


def _glob(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    root = given.words.get("root_dir")
    return Held(held.text, True, held.flow) if held.text is not None and root is None else unknown(held.flow)


def _walk(reader: Called, name: str, given: Given) -> Held:
    """Each folder below a root counts as the root; names in it are a pattern."""
    root = given.get(0, "top") or UNKNOWN
    reader.path("list", root)
    names = Held("*", glob=True)
    return Held(items=[Held(items=[root, names, names, UNKNOWN][: 4 if name == "os.fwalk" else 3])], kind=SOME)


def _temporary(reader: Called, name: str, given: Given) -> Held:
    """A new name in the temporary folder, unless it is asked for elsewhere."""
    folder = given.words.get("dir")
    base = "/tmp" if folder is None or folder.kind == "constant" else as_text(folder)  # noqa: S108 - read, not used
    made = Held(f"{base}/tmp.*", glob=True, kind="path")
    if name.endswith("mkstemp"):
        return Held(items=[UNKNOWN, made])
    if name.endswith("File"):
        return Held(kind="file", data=made)
    return made


def _open(reader: Called, name: str, given: Given) -> Held:
    mode = given.get(1, "mode")
    path = given.get(0, "file", "name", "filename")
    text = "r" if mode is None else as_text(mode)
    if mode is not None and not mode.known:
        reader.unclear("whether a file is opened for writing is not known")
    if given.spread and path is None:
        reader.unclear("which file is opened is not known")
    opener = given.words.get("opener")
    if opener is not None:
        reader.hand_on(opener)
    writes = NUL in text or any(char in text for char in "wax+")
    flow = 0
    if path is not None and path.kind != "number":
        flow = reader.path("write" if writes else "read", path)
        if "+" in text or (NUL in text and mode is not None):
            flow |= reader.path("read", path)
    return Held(kind="file", data=path, flow=flow)


def _archive(reader: Called, name: str, given: Given) -> Held:
    mode = given.get(1, "mode")
    path = given.get(0, "name", "file", "fileobj") or UNKNOWN
    text = "r" if mode is None else as_text(mode)
    flow = path.flow
    if path.text is not None or path is UNKNOWN:
        flow |= reader.path("write" if NUL in text or any(char in text for char in "wax") else "read", path)
    return Held(kind="archive", data=path, flow=flow)


def _chdir(reader: Called, name: str, given: Given) -> Held:
    reader.acted = True
    reader.enter(given.get(0, "path"))
    return UNKNOWN


# --- the rest --------------------------------------------------------------------------------------------------


def _getenv(reader: Called, name: str, given: Given) -> Held:
    return reader.variable(given.get(0, "key"), given.get(1, "default"))


def _putenv(reader: Called, name: str, given: Given) -> Held:
    if len(given.args) > 1:
        reader.set_variable(given.args[0], given.args[1])
    return UNKNOWN


def _search_path(reader: Called, name: str, given: Given) -> Held:
    """`sys.path.insert`: where modules are looked for. Folders of the project are its own."""
    for held in given.args:
        if held.kind == "number":
            continue
        inside = held.known and (
            not as_text(held).startswith(("/", "~"))
            and ".." not in as_text(held)
            or (as_text(held) + "/").startswith(reader.found.facts.root + "/")
        )
        if not inside and held.text is not None:
            reader.unclear("modules are looked for outside the project")
    return UNKNOWN


def _session(reader: Called, name: str, given: Given) -> Held:
    base = given.words.get("base_url") or (given.args[0] if given.args and name.startswith("aiohttp") else None)
    return Held(base.text if base is not None else None, kind="session", flow=given.flow)


def _request(reader: Called, name: str, given: Given) -> Held:
    url = given.get(0, "url") or UNKNOWN
    return Held(url.text, url.glob, given.flow, "request", len(given.args) > 1 or "data" in given.words)


def _database(reader: Called, name: str, given: Given) -> Held:
    return reader.connects(name, given)


def _statement(reader: Called, name: str, given: Given) -> Held:
    return given.args[0] if given.args else UNKNOWN


def _parser(reader: Called, name: str, given: Given) -> Held:
    from .python_arguments import new_parser

    argv = reader.attribute(reference("sys"), "argv").items
    return new_parser(None if argv is None else argv[1:])


def _accounts(reader: Called, name: str, given: Given) -> Held:
    reader.emit("user:list", ("accounts",), effects=(Effect.READ,))
    return UNKNOWN


def _either(reader: Called, name: str, given: Given) -> Held:
    found = given.args[0] if given.args else UNKNOWN
    if len(given.args) == 1:
        return Held(found.text, True, found.flow, found.kind) if found.glob else unknown(found.flow)
    for held in given.args[1:]:
        found = either(found, held)
    return found


def _joined(reader: Called, name: str, given: Given) -> Held:
    """`shlex.join`: the words of a command line, each quoted."""
    held = given.args[0] if given.args else UNKNOWN
    if held.items is None or held.kind or not all(item.known for item in held.items):
        return unknown(held.flow)
    held.used = True
    quoted = ["'" + as_text(item).replace("'", "'\"'\"'") + "'" for item in held.items]
    return Held(" ".join(quoted), flow=held.flow)


def _quoted(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    return Held("'" + as_text(held).replace("'", "'\"'\"'") + "'", flow=held.flow) if held.known else unknown(held.flow)


def _words(reader: Called, name: str, given: Given) -> Held:
    """`shlex.split`, where no quote or escape makes it hard."""
    held = given.args[0] if given.args else UNKNOWN
    text = as_text(held)
    if not held.known or any(char in text for char in "'\"\\#"):
        return unknown(held.flow)
    return Held(items=[Held(word, flow=held.flow) for word in text.split()], flow=held.flow)


def _all(row: Row, names: str) -> dict[str, Row]:
    return dict.fromkeys(names.split(), row)


# Rows that look after the functions that they are given; from the others, these are handed on.
_CONSUMES: dict[str, Row] = {
    **_all(_exec, "exec eval"),
    **_all(_compile, "compile ast.parse"),
    **_all(_import, "__import__ importlib.import_module importlib.__import__"),
    **_all(_getattr, "getattr"),
    **_all(_setattr, "setattr delattr"),
    **_all(_vars, "vars globals locals"),
    **_all(_partial, "functools.partial functools.partialmethod"),
    **_all(_caller, "operator.methodcaller"),
    **_all(
        _thread,
        "threading.Thread multiprocessing.Process threading.Timer _thread.start_new_thread _thread.start_new "
        "multiprocessing.context.Process multiprocessing.dummy.Process",
    ),
    **_all(_now(0), "asyncio.to_thread atexit.register contextlib.ExitStack.callback trio.to_thread.run_sync operator.call "
        "anyio.to_thread.run_sync"),
    **_all(_now(1), "weakref.finalize signal.signal asyncio.run_in_executor"),
    **_all(_each, "map filter itertools.starmap itertools.filterfalse concurrent.futures.map"),
    **_all(_timed, "timeit.timeit timeit.repeat timeit.Timer cProfile.run profile.run cProfile.runctx pdb.run"),
    **_all(_statement, "functools.cache functools.lru_cache contextlib.contextmanager copy.copy copy.deepcopy staticmethod "
        "classmethod"),
}  # fmt: skip
CONSUMES = frozenset(_CONSUMES)

SPECIAL: dict[str, Row] = {
    **_CONSUMES,
    **_all(_text, "str repr os.fsdecode"),
    **_all(_integer, "int"),
    **_all(_list, "list tuple set frozenset sorted reversed iter collections.deque"),
    **_all(_dict, "dict collections.OrderedDict"),
    **_all(_enumerate, "enumerate"),
    **_all(_zip, "zip"),
    **_all(_number, "len ord hash id sum abs round float hex oct bin"),
    **_all(_character, "chr"),
    **_all(_decode, " ".join(name for name in DECODERS if "." in name) + " codecs.decode codecs.encode"),
    **_all(_bytes, "bytes bytearray"),
    **_all(_path, "pathlib.Path pathlib.PurePath pathlib.PosixPath os.path.join posixpath.join pathlib.PurePosixPath py.path.local "
        "path.Path anyio.Path"),
    **_all(_of_path, " ".join(OF_PATHS)),
    **_all(_home, "pathlib.Path.home"),
    **_all(_expanduser, "os.path.expanduser"),
    **_all(_expandvars, "os.path.expandvars"),
    **_all(_cwd, "os.getcwd pathlib.Path.cwd os.getcwdb"),
    **_all(_split_path, "os.path.splitext os.path.split"),
    **_all(_glob, "glob.glob glob.iglob"),
    **_all(_walk, "os.walk os.fwalk"),
    **_all(
        _temporary,
        "tempfile.mkdtemp tempfile.TemporaryDirectory tempfile.mkstemp tempfile.NamedTemporaryFile tempfile.mktemp "
        "tempfile.TemporaryFile tempfile.SpooledTemporaryFile",
    ),
    **_all(lambda reader, name, given: Held("/tmp"), "tempfile.gettempdir"),  # noqa: S108 - read, not used
    **_all(_open, "open io.open codecs.open pathlib.Path.open gzip.open bz2.open lzma.open io.FileIO os.fdopen aiofiles.open"),
    **_all(_archive, "zipfile.ZipFile tarfile.open tarfile.TarFile tarfile.TarFile.open zipfile.PyZipFile"),
    **_all(_chdir, "os.chdir contextlib.chdir os.fchdir posix.chdir"),
    **_all(_getenv, "os.getenv os.getenvb"),
    **_all(_putenv, "os.putenv"),
    **_all(_search_path, "sys.path.insert sys.path.append sys.path.extend"),
    **_all(_session, " ".join(SESSIONS)),
    **_all(_request, "urllib.request.Request"),
    **_all(_database, " ".join(DATABASES)),
    **_all(_statement, "sqlalchemy.text sqlalchemy.sql.text psycopg.sql.SQL psycopg2.sql.SQL textwrap.dedent"
        " os.fsencode asyncio.run asyncio.wait_for "
        "asyncio.create_task asyncio.ensure_future contextlib.closing"),
    **_all(_parser, "argparse.ArgumentParser"),
    **_all(_accounts, "pwd.getpwall pwd.getpwnam grp.getgrall spwd.getspall spwd.getspnam"),
    **_all(_either, "max min next random.choice"),
    **_all(_joined, "shlex.join subprocess.list2cmdline"),
    **_all(_quoted, "shlex.quote pipes.quote"),
    **_all(_words, "shlex.split"),
}  # fmt: skip
