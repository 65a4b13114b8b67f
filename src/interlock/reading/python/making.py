"""Functions of Python that make a value of what they are given: texts, lists, paths, files. One row each.

Each takes the reader, the name it was called by and what it was given, and says what the call holds.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import NUL
from .texts import DECODERS, OF_PATHS, decoded
from .values import BY_NAME, DECODED, FOUND, SECRET, SOME, UNKNOWN, Given, Held, as_text, join_paths, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .called import Called

    Row = Callable[["Called", str, Given], Held]

__all__ = ["MAKING", "OPENERS", "rows"]


_DIGITS = Held("*", glob=True, kind="digits")


def _text(reader: Called, name: str, given: Given) -> Held:
    if not given.args:
        return Held("")
    held = given.args[0]
    if held.name in ("os.environ", "os.environb"):
        return unknown(SECRET)
    if name == "repr" and held.kind != "number":
        return Held(repr(as_text(held)), flow=held.flow) if held.known else unknown(held.flow & ~BY_NAME)
    if held.text is not None or held.kind == "number":
        return Held(as_text(held), held.glob, held.flow, held.kind if held.glob else "")
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
        flow |= held.flow
        if held.name in ("os.environ", "os.environb"):
            flow |= SECRET
        elif held.kind == "table":
            table.update(held.data)
        else:
            return unknown(flow)
    if given.spread:
        return unknown(flow)
    partly = any(held.kind != "table" or held.glob for held in given.args)
    return Held(kind="table", data={**table, **given.words}, flow=flow, glob=partly)


def _enumerate(reader: Called, name: str, given: Given) -> Held:
    held = given.args[0] if given.args else UNKNOWN
    if held.items is not None and held.kind in ("", SOME):
        held.used = True
        return Held(items=[Held(items=[_DIGITS, item]) for item in held.items], kind=held.kind, flow=held.flow)
    return Held(items=[Held(items=[_DIGITS, held])], kind=SOME, flow=held.flow) if held.glob else unknown(held.flow)


def _zip(reader: Called, name: str, given: Given) -> Held:
    lists = [held.items for held in given.args]
    if (
        given.spread
        or not lists
        or any(items is None or held.kind for items, held in zip(lists, given.args, strict=True))
    ):
        return unknown(given.flow)
    return Held(items=[Held(items=list(row)) for row in zip(*[items or [] for items in lists], strict=False)])


def _range(reader: Called, name: str, given: Given) -> Held:
    """Numbers, whichever: in a path they are a pattern, in an address they carry nothing away."""
    return _DIGITS if not given.flow & ~FOUND else unknown(given.flow & ~FOUND)


def _number(reader: Called, name: str, given: Given) -> Held:
    return unknown(given.flow & ~FOUND)


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
            return Held(bytes([item.data for item in held.items]).decode(), flow=held.flow | DECODED)
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


# Not `mktemp`: it makes nothing, and others may have made what has the name by then.
_MAKES_ANEW = frozenset(("tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.NamedTemporaryFile"))


_FOLDER_AT = {
    "tempfile.NamedTemporaryFile": 6, "tempfile.TemporaryFile": 6, "tempfile.SpooledTemporaryFile": 7,
}  # fmt: skip


def _temporary(reader: Called, name: str, given: Given) -> Held:
    """A new name in the temporary folder, unless it is asked for elsewhere."""
    folder = given.get(_FOLDER_AT.get(name, 2), "dir")
    if folder is not None and folder.kind != "constant":
        reader.path("write", Held(f"{as_text(folder).rstrip('/')}/tmp.*", True, kind="path"))  # noqa: S108
    base = "/tmp" if folder is None or folder.kind == "constant" else as_text(folder)  # noqa: S108 - read, not used
    if name in _MAKES_ANEW:
        reader.emit("fs:temp", (), None, (Effect.WRITE,))  # as `mktemp` does: what has that name is the code's own
    made = Held(base + "/tmp.*", glob=True, kind="path")  # noqa: S108 - read, not used
    if name.endswith("mkstemp"):
        return Held(items=[UNKNOWN, made])
    if name.endswith("File"):
        return Held(kind="file", data=made)
    if name.endswith("Directory"):
        made.kind = "tempdir"
    return made


def _open(reader: Called, name: str, given: Given) -> Held:
    mode = given.get(1, "mode")
    path = given.get(0, "file", "name", "filename")
    text = "r" if mode is None else as_text(mode)
    if mode is not None and not mode.known:
        reader.unclear("it is unclear whether a file is opened for writing")
    if given.spread and path is None:
        reader.unclear("it is unclear which file is opened")
    opener = given.words.get("opener")
    if opener is not None:
        reader.hand_on(opener)
    writes = NUL in text or any(char in text for char in "wax+")
    flow = 0
    if path is not None and path.kind not in ("number", "descriptor"):
        flow = reader.path("write" if writes else "read", path)
        if "+" in text or (NUL in text and mode is not None):
            flow |= reader.path("read", path)
    return Held(kind="file", data=path, flow=flow)


def _program(reader: Called, name: str, given: Given) -> Held:
    """`shutil.which`: wherever the program lies, it is that program."""
    held = given.args[0] if given.args else UNKNOWN
    return Held(as_text(held), flow=held.flow) if held.known and len(given.args) == 1 else unknown(held.flow)


def _descriptor(reader: Called, name: str, given: Given) -> Held:
    """`os.open`: for reading if that is all that it is told."""
    flags = given.get(1, "flags")
    role = "read" if flags is not None and flags.name in ("os.O_RDONLY", "posix.O_RDONLY") else "write"
    flow = reader.path(role, given.get(0, "path"))
    return Held(kind="descriptor", flow=flow)


def _lines(reader: Called, name: str, given: Given) -> Held:
    """`fileinput.input`: with `inplace`, what is printed goes into the file."""
    changes = given.get(1, "inplace")
    edits = changes is not None and not (changes.kind == "constant" and not changes.data)
    files = given.get(0, "files")
    flow = 0
    for held in files.items if files is not None and files.items is not None else [files]:
        if held is not None:
            flow |= reader.path("edit" if edits else "read", held)
    return unknown(flow)


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


def rows(row: Row, names: str) -> dict[str, Row]:
    return dict.fromkeys(names.split(), row)


MAKING: dict[str, Row] = {
    **rows(_program, "shutil.which distutils.spawn.find_executable"),
    **rows(lambda reader, name, given: Held("ffmpeg"), "imageio_ffmpeg.get_ffmpeg_exe"),
    **rows(_descriptor, "os.open posix.open"),
    **rows(_lines, "fileinput.input fileinput.FileInput"),
    **rows(_range, "range itertools.count"),
    **rows(_text, "str repr os.fsdecode"),
    **rows(_integer, "int"),
    **rows(_list, "list tuple set frozenset sorted reversed iter collections.deque"),
    **rows(_dict, "dict collections.OrderedDict"),
    **rows(_enumerate, "enumerate"),
    **rows(_zip, "zip"),
    **rows(_number, "len ord hash id sum abs round float hex oct bin"),
    **rows(_character, "chr"),
    **rows(_decode, " ".join(name for name in DECODERS if "." in name) + " codecs.decode codecs.encode"),
    **rows(_bytes, "bytes bytearray"),
    **rows(_path, "pathlib.Path pathlib.PurePath pathlib.PosixPath os.path.join posixpath.join "
        "pathlib.PurePosixPath py.path.local "
        "path.Path anyio.Path"),
    **rows(_of_path, " ".join(OF_PATHS)),
    **rows(_home, "pathlib.Path.home"),
    **rows(_expanduser, "os.path.expanduser"),
    **rows(_expandvars, "os.path.expandvars"),
    **rows(_cwd, "os.getcwd pathlib.Path.cwd os.getcwdb"),
    **rows(_split_path, "os.path.splitext os.path.split"),
    **rows(_glob, "glob.glob glob.iglob"),
    **rows(_walk, "os.walk os.fwalk"),
    **rows(
        _temporary,
        "tempfile.mkdtemp tempfile.TemporaryDirectory tempfile.mkstemp tempfile.NamedTemporaryFile tempfile.mktemp "
        "tempfile.TemporaryFile tempfile.SpooledTemporaryFile",
    ),
    **rows(lambda reader, name, given: Held("/tmp"), "tempfile.gettempdir"),  # noqa: S108 - read, not used
    **rows(_open, "open io.open codecs.open pathlib.Path.open gzip.open bz2.open lzma.open io.FileIO os.fdopen "
        "aiofiles.open io.OpenWrapper compression.zstd.open gzip.GzipFile bz2.BZ2File "
        "lzma.LZMAFile wave.open aifc.open sunau.open"),
    **rows(_archive, "zipfile.ZipFile tarfile.open tarfile.TarFile tarfile.TarFile.open zipfile.PyZipFile "
        "tarfile.TarFile.taropen tarfile.TarFile.gzopen "
        "tarfile.TarFile.bz2open tarfile.TarFile.xzopen tarfile.TarFile.zstopen zipfile.Path"),
    **rows(_chdir, "os.chdir contextlib.chdir os.fchdir posix.chdir"),
}  # fmt: skip

# Classes whose objects are open files.
OPENERS = frozenset(name for name, row in MAKING.items() if row in (_open, _archive) and name != "open")
