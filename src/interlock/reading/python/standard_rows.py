"""Rows for what Python's own library runs, finds and writes for the code; the names are in standard.py.

A function that a command line has as well (`timeit.main`) is that command line. What gives an object that acts by its
methods (a profiler, a document, a builder of environments) says so by the kind of the value.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from .modules import STANDARD
from .standard import AS_MODULES
from .values import BY_NAME, FOUND, UNKNOWN, Given, Held, as_text, reference, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .annotations import read_forward
    from .called import Called
    from .services import Services

    Row = Callable[["Called", str, Given], Held]
else:
    read_forward = lazy(globals(), ".annotations", "read_forward")

__all__ = ["HEIRS", "STANDARD_ROWS", "of_standard"]


def _is_given(held: Held | None) -> bool:
    """Whether an argument that may be left out is there, and is not None."""
    return held is not None and not (held.kind == "constant" and held.data is None)


def _as_module(reader: Called, name: str, given: Given) -> Held:
    """`timeit.main([…])`: as `python -m timeit …`; without words, with those of the code's own command line."""
    front = AS_MODULES[name]
    told = given.get(0, "args", "argv", "name", "names", "start_dir")
    if name in ("unittest.main", "unittest.TestProgram"):
        return _tests(reader, given)
    if not _is_given(told):
        argv = reader.attribute(reference("sys"), "argv").items
        told = Held(items=[] if argv is None else argv[1:])
    items = told.items if told is not None and told.items is not None and told.kind == "" else [told or UNKNOWN]
    reader.start([reader.arg(held) for held in (Held("python3"), Held("-m"), *map(Held, front), *items)])
    return UNKNOWN


def _tests(reader: Called, given: Given) -> Held:
    """`unittest.main()`: the tests of the code itself, or those of a module that it names."""
    module, names = given.get(0, "module"), given.get(1, "defaultTest")
    for held in (module, names):
        if _is_given(held) and held is not None and held.name is None and as_text(held) != "__main__":
            words = held.items if held.items is not None and held.kind == "" else [held]
            reader.start([reader.arg(one) for one in (Held("python3"), Held("-m"), Held("unittest"), *words)])
    reader.hand_on_functions(given)
    return UNKNOWN


def _members(reader: Called, name: str, given: Given) -> Held:
    """`inspect.getmembers(x)`: names and what they stand for; of a module of Python's own, that may be anything."""
    held = given.get(0, "object") or UNKNOWN
    of_python = held.name is not None and held.name.partition(".")[0] in STANDARD
    for test in given.args[1:]:
        reader.hand_on(test)
    return unknown((held.flow & ~BY_NAME) | (FOUND if of_python or held.kind in ("class", "object") else 0))


def _forward(reader: Called, name: str, given: Given) -> Held:
    """`typing.ForwardRef(text)`, `TypedDict(…)`: types as texts, which are run when somebody asks for them."""
    todo = [*given.args, *given.words.values()]
    for held in todo:
        if held.known and held.kind == "":
            read_forward(reader, as_text(held))  # type: ignore[arg-type]
        todo += held.data.values() if held.kind == "table" else held.items or ()
    return unknown(given.flow)


def _file_type(reader: Called, name: str, given: Given) -> Held:
    """`argparse.FileType("w")`: whoever calls it opens a file."""
    mode = given.get(0, "mode")
    if mode is None or as_text(mode) in ("r", "rb", "rt"):
        return UNKNOWN
    return Held(kind="partial", data=(reference("open"), [], {"mode": mode}))


def _compiled(reader: Called, name: str, given: Given) -> Held:
    """`py_compile.compile(file, cfile)`."""
    reader.path("read", given.get(0, "file"))
    place = given.get(1, "cfile")
    if _is_given(place):
        reader.path("write", place)
    elif given.spread:
        reader.unclear("it is unclear where compiled code is written")
    return UNKNOWN


def _document(reader: Called, name: str, given: Given) -> Held:
    """A document of XML, which a method writes to a file."""
    source = given.get(1, "file") if name.endswith("ElementTree") else given.get(0, "source")
    flow = reader.path("read", source) if source is not None and source.text is not None else 0
    return Held(kind="document", flow=flow | given.flow)


def _of_kind(kind: str) -> Row:
    def row(reader: Called, name: str, given: Given) -> Held:
        return Held(kind=kind, flow=given.flow)

    return row


def _connects_out(reader: Called, name: str, given: Given) -> Held:
    """Something that talks to another machine, or lets others talk to this one."""
    reader.network("net:connect", {})
    return unknown(given.flow)


def _log_host(reader: Called, name: str, given: Given) -> Held:
    """`SysLogHandler(("host", 514))`; without a host it is this machine's own."""
    place = given.get(0, "address")
    if place is not None and place.items is not None:
        reader.network("net:connect", {})
    return unknown(given.flow)


def _window(reader: Called, name: str, given: Given) -> Held:
    """`tkinter.Tk()`: it has a whole language inside, which starts programs."""
    return unknown(FOUND)


def _browser(reader: Called, name: str, given: Given) -> Held:
    """`webbrowser.get("prog %s")`: a command line, if it has a place for the address."""
    using = given.get(0, "using")
    if _is_given(using) and using is not None and (not using.known or "%s" in as_text(using)):
        reader.unclear("a program is taken for a browser")
    return unknown(FOUND)


def _rows(row: Row, names: str) -> dict[str, Row]:
    return dict.fromkeys(names.split(), row)


STANDARD_ROWS: dict[str, Row] = {
    **_rows(_as_module, " ".join(AS_MODULES)),
    **_rows(_members, "inspect.getmembers inspect.getmembers_static"),
    **_rows(_forward, "typing.ForwardRef typing.TypedDict typing.NamedTuple typing.evaluate_forward_ref "
        "annotationlib.ForwardRef dataclasses.make_dataclass"),
    **_rows(_file_type, "argparse.FileType"),
    **_rows(_compiled, "py_compile.compile"),
    **_rows(_document, "xml.etree.ElementTree.parse xml.etree.ElementTree.ElementTree "
        "xml.etree.cElementTree.parse xml.etree.cElementTree.ElementTree"),
    **_rows(_of_kind("runner"), "cProfile.Profile profile.Profile"),
    **_rows(_of_kind("builder"), "venv.EnvBuilder"),
    **_rows(_of_kind("opener"), "urllib.request.build_opener urllib.request.OpenerDirector urllib.request.URLopener "
        "urllib.request.FancyURLopener"),
    **_rows(_of_kind("tests"), "unittest.TestLoader"),
    **_rows(_browser, "webbrowser.get"),
    **_rows(_window, "tkinter.Tk tkinter.create"),
    **_rows(_log_host, "logging.handlers.SysLogHandler"),
    **_rows(_connects_out, "asyncio.start_server asyncio.start_unix_server logging.handlers.DatagramHandler "
        "logging.handlers.HTTPHandler logging.handlers.SMTPHandler logging.handlers.SocketHandler "
        "multiprocessing.connection.Listener ssl.get_server_certificate"),
}  # fmt: skip


# Classes, besides those of files, whose objects act as soon as they are made, also as part of another class.
HEIRS = frozenset(
    "cProfile.Profile logging.FileHandler profile.Profile sqlite3.Connection tempfile.TemporaryDirectory "
    "timeit.Timer xml.etree.ElementTree.ElementTree".split()
)


# --- what their objects do -------------------------------------------------------------------------------------


def _of_runner(reader: Services, name: str, given: Given) -> Held | None:
    """A profiler: it runs a text, or a function."""
    if name in ("run", "runctx"):
        reader.run_text(given.get(0, "cmd") or UNKNOWN, expression=False, apart=True)  # type: ignore[attr-defined]
        return UNKNOWN
    if name == "runcall" and given.args:
        found: Held = reader.defer(  # type: ignore[attr-defined]
            given.args[0], Given(given.args[1:], dict(given.words), given.spread)
        )
        return found
    return None


def _of_document(reader: Services, name: str, given: Given) -> Held | None:
    if name in ("write", "write_c14n") and given.get(0, "file_or_filename", "file") is not None:
        place = given.get(0, "file_or_filename", "file")
        if place is not None and place.kind in ("", "path", "either"):
            reader.path("write", place)
        return UNKNOWN
    return None


def _of_builder(reader: Services, name: str, given: Given) -> Held | None:
    if name == "create":
        reader.path("write", given.get(0, "env_dir"))
        return UNKNOWN
    return None


def _of_opener(reader: Services, name: str, given: Given) -> Held | None:
    """`build_opener().open(url, data)`."""
    if name not in ("open", "retrieve"):
        return None
    sends = name == "open" and _is_given(given.get(1, "data"))
    place = given.get(1, "filename") if name == "retrieve" else None
    if place is not None and _is_given(place):
        reader.path("write", place)
    return reader.request(given, given.get(0, "fullurl", "url"), "sends" if sends else "fetch")


def _of_tests(reader: Services, name: str, given: Given) -> Held | None:
    whole = f"unittest.TestLoader.{name}"
    return _as_module(reader, whole, given) if whole in AS_MODULES else None  # type: ignore[arg-type]


_OBJECTS: dict[str, Callable[[Services, str, Given], Held | None]] = {
    "runner": _of_runner,
    "document": _of_document,
    "builder": _of_builder,
    "opener": _of_opener,
    "tests": _of_tests,
}


def of_standard(reader: Services, owner: Held, name: str, given: Given) -> Held | None:
    """A method of an object of these kinds; None: as of any other object."""
    row = _OBJECTS.get(owner.kind)
    return None if row is None else row(reader, name, given)
