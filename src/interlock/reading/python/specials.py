"""Functions of Python that give something the reader can go on with, or that run what they are given. One row each.

Each takes the reader, the name it was called by and what it was given, and says what the call holds.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from .calls import ACTING, ACTING_NAMES
from .libraries import LIBRARIES
from .making import MAKING, rows
from .modules import STANDARD
from .services import DATABASES, SESSIONS
from .standard_rows import STANDARD_ROWS
from .values import BY_NAME, SOME, UNKNOWN, Given, Held, as_text, either, joined, reference, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .arguments import new_parser
    from .called import Called

    Row = Callable[["Called", str, Given], Held]
else:
    new_parser = lazy(globals(), ".arguments", "new_parser")

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
        own = BY_NAME if held.kind in ("object", "class") else 0
        return held if held.kind == "table" else unknown(held.flow | own)
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
    callee = (
        given.words.get("target") or given.words.get("function") or (given.args[at] if len(given.args) > at else None)
    )
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


_KEPT_AT = {"run": 1, "runctx": 3}  # which argument of a profiler names the file for its figures


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
    place = given.get(_KEPT_AT.get(name.rpartition(".")[2], 9), "filename")
    if place is not None and place.text is not None and "rofile" in name:
        reader.path("write", place)
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
            (not as_text(held).startswith(("/", "~")) and ".." not in as_text(held))
            or (as_text(held) + "/").startswith(reader.found.facts.root + "/")
        )
        if not inside and held.text is not None:
            reader.unclear("modules are looked for outside the project")
    return UNKNOWN


def _packages(reader: Called, name: str, given: Given) -> Held:
    """`pkgutil.walk_packages(folders)`: packages in there are loaded."""
    held = given.get(0, "path") or UNKNOWN
    return _search_path(reader, name, Given(list(held.items or ())))


def _session(reader: Called, name: str, given: Given) -> Held:
    base = given.words.get("base_url") or (given.args[0] if given.args and name.startswith("aiohttp") else None)
    return Held(base.text if base is not None else None, kind="session", flow=given.flow)


def _request(reader: Called, name: str, given: Given) -> Held:
    url = given.get(0, "url") or UNKNOWN
    carries = len(given.args) > 1 or not given.words.keys().isdisjoint(("data", "method"))
    return Held(url.text, url.glob, given.flow, "request", given if carries else None)


def _opener(reader: Called, name: str, given: Given) -> Held:
    """`urllib.request.install_opener`: requests go another way from then on, through a proxy for one."""
    reader.rewired = True
    return UNKNOWN


def _database(reader: Called, name: str, given: Given) -> Held:
    return reader.connects(name, given)


def _statement(reader: Called, name: str, given: Given) -> Held:
    return given.args[0] if given.args else UNKNOWN


def _parser(reader: Called, name: str, given: Given) -> Held:
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


def _log_to(reader: Called, name: str, given: Given) -> Held:
    """`logging.basicConfig(filename=…)`."""
    if "filename" in given.words:
        reader.path("write", given.words["filename"])
    elif given.spread:
        reader.unclear("it is unclear where a log is written")
    return UNKNOWN


def _connects(reader: Called, name: str, given: Given) -> Held:
    """A connection; to this machine it is the code's own."""
    place = given.get(0, "host") or UNKNOWN
    host = place.items[0] if place.items else place
    if not host.known or as_text(host) not in ("localhost", "127.0.0.1", "::1"):
        reader.hand_on_all(given)
        reader.network("net:connect", {})
    return unknown(given.flow)


# Rows that look after the functions that they are given; from the others, these are handed on.
_CONSUMES: dict[str, Row] = {
    **rows(_exec, "exec eval"),
    **rows(_compile, "compile ast.parse"),
    **rows(_import, "__import__ importlib.import_module importlib.__import__"),
    **rows(_getattr, "getattr"),
    **rows(_setattr, "setattr delattr"),
    **rows(_vars, "vars globals locals"),
    **rows(_partial, "functools.partial functools.partialmethod"),
    **rows(_caller, "operator.methodcaller"),
    **rows(
        _thread,
        "threading.Thread multiprocessing.Process threading.Timer _thread.start_new_thread _thread.start_new "
        "multiprocessing.context.Process multiprocessing.dummy.Process",
    ),
    **rows(_now(0), "asyncio.to_thread atexit.register contextlib.ExitStack.callback trio.to_thread.run_sync "
        "operator.call "
        "anyio.to_thread.run_sync"),
    **rows(_now(1), "weakref.finalize signal.signal asyncio.run_in_executor"),
    **rows(_each, "map filter itertools.starmap itertools.filterfalse concurrent.futures.map"),
    **rows(_timed, "timeit.timeit timeit.repeat timeit.Timer cProfile.run profile.run cProfile.runctx "
        "pdb.run pdb.runeval pdb.runctx profile.runctx"),
    **rows(_statement, "functools.cache functools.lru_cache contextlib.contextmanager copy.copy copy.deepcopy "
        "staticmethod "
        "classmethod"),
}  # fmt: skip
CONSUMES = frozenset(_CONSUMES) | {"inspect.getmembers", "inspect.getmembers_static"}

SPECIAL: dict[str, Row] = {
    **_CONSUMES,
    **rows(_getenv, "os.getenv os.getenvb decouple.config"),
    **rows(_log_to, "logging.basicConfig"),
    **rows(_connects, "asyncio.open_connection multiprocessing.connection.Client"),
    **rows(_putenv, "os.putenv"),
    **rows(_search_path, "sys.path.insert sys.path.append sys.path.extend"),
    **rows(_packages, "pkgutil.walk_packages pkgutil.extend_path"),
    **rows(_session, " ".join(SESSIONS)),
    **rows(_request, "urllib.request.Request"),
    **rows(_opener, "urllib.request.install_opener"),
    **rows(_database, " ".join(DATABASES)),
    **rows(_statement, "sqlalchemy.text sqlalchemy.sql.text psycopg.sql.SQL psycopg2.sql.SQL textwrap.dedent"
        " os.fsencode asyncio.run asyncio.wait_for "
        "asyncio.create_task asyncio.ensure_future contextlib.closing"),
    **rows(lambda reader, name, given: Held(kind="machine"), "fabric.Connection fabric.connection.Connection"),
    **rows(_parser, "argparse.ArgumentParser"),
    **rows(_accounts, "pwd.getpwall pwd.getpwnam grp.getgrall spwd.getspall spwd.getspnam"),
    **rows(_either, "max min next random.choice"),
    **rows(_joined, "shlex.join subprocess.list2cmdline"),
    **rows(_quoted, "shlex.quote pipes.quote"),
    **rows(_words, "shlex.split"),
    **MAKING,
    **LIBRARIES,
    **STANDARD_ROWS,
}  # fmt: skip
