"""Which modules of Python's own library only compute, and which run, load, find or write what they are told to.

Nobody lists every function of the library. So it is told by the module what a call may give back: one that computes
gives data, or objects of its own. Any other may find a function by its name, wherever that lies; what it gives is data
until it is called. A function with a private name is the inside of one that a table knows, and is not in any.
"""

from __future__ import annotations

__all__ = [
    "ACTS_BY_NAME",
    "AS_MODULES",
    "CALLED_WORDS",
    "CALLS_GIVEN",
    "INSIDES",
    "KEEPS_IN_FILE",
    "LOADS",
    "STANDARD_CALLS",
    "gives",
    "is_inside",
]


def _rows(roles: str, names: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), tuple(roles.split()))


# Modules that compute: nothing private in them does anything to a file or a process.
_COMPUTES = frozenset(
    "abc array ast base64 binascii bisect calendar cmath collections colorsys copy csv dataclasses datetime decimal "
    "difflib enum errno fnmatch fractions functools getopt graphlib hashlib heapq hmac html ipaddress itertools json "
    "keyword math numbers operator pprint queue random re reprlib secrets stat statistics string struct textwrap time "
    "token tomllib types typing unicodedata uuid warnings weakref zlib zoneinfo".split()
)
# Modules whose objects are called every day, and are what the code made of them.
_MAKES_OWN = (_COMPUTES - {"string"}) | frozenset(
    "argparse asyncio codecs concurrent configparser contextlib contextvars curses email getpass gettext glob http io "
    "locale logging mimetypes modulefinder multiprocessing optparse pathlib platform sched select selectors shlex "
    "signal socket sqlite3 ssl tempfile threading tkinter tokenize traceback unittest urllib xml zipfile".split()
)
# Parts of these that find things by name all the same.
_FINDS = (
    "concurrent.interpreters.", "logging.config.", "multiprocessing.forkserver.", "multiprocessing.reduction.",
    "multiprocessing.spawn.", "types.resolve_bases", "unittest.loader.",
)  # fmt: skip
_RAISED = ("Error", "Exception", "Exit", "Expired", "Interrupt", "Warning")
# Private names that are used every day, or that only tell something; modules that have no others.
_KNOWN_INSIDE = frozenset(
    "asyncio concurrent os._exit platform._sys_version ssl._create_default_https_context "
    "ssl._create_stdlib_context ssl._create_unverified_context sys._clear_type_cache sys._current_exceptions "
    "sys._debugmallocstats sys._getframe sys._git sys._is_gil_enabled threading".split()
)


def gives(name: str) -> bool:
    """Whether a function of Python's own may give back any function there is."""
    top = name.partition(".")[0]
    if name.endswith(_RAISED) or name.startswith("importlib.resources."):
        return False
    return top not in _MAKES_OWN or name.startswith(_FINDS) or is_inside(name)


def is_inside(name: str) -> bool:
    """Whether a function of Python's own has a private name, and belongs to a module that does more than compute."""
    top, _, rest = name.partition(".")
    if top in _COMPUTES or top in _KNOWN_INSIDE or name in _KNOWN_INSIDE:
        return False
    return any(part[:1] == "_" and part[:2] != "__" for part in rest.split("."))


# Modules of Python that load or run things for it, and have no other name: an import of one is for that.
INSIDES = frozenset(
    "_bootsubprocess _frozen_importlib _frozen_importlib_external _imp _interpreters _osx_support _posixshmem "
    "_posixsubprocess _testcapi _testinternalcapi _testlimitedcapi _winapi _xxsubinterpreters".split()
)

# Words by which a function is told what to call.
CALLED_WORDS = frozenset(
    "action callback copy_function default default_factory func function hook initializer key object_hook "
    "object_pairs_hook onerror onexc opener parse_constant parse_float parse_int side_effect target type".split()
)

# Functions of modules that compute which call what they are given.
CALLS_GIVEN = frozenset(
    "codecs.register codecs.register_error functools.cmp_to_key functools.reduce functools.singledispatch "
    "itertools.accumulate itertools.dropwhile itertools.groupby itertools.takewhile re.sub re.subn".split()
)

# Methods by which what a module of Python's own gave is written to a file.
KEEPS_IN_FILE = frozenset(("dump", "postscript", "write_results"))

# What a value that was found by its name does to the machine by a method, if it is a module or an object that acts.
# Not what lists, texts and tables have as well, but for `remove`: of those, nobody asks such a value for one.
ACTS_BY_NAME = frozenset(
    "Popen __import__ call check_call check_output chmod chown chroot compile copy2 copyfile copytree eval exec execl "
    "execlp execv execve execvp execvpe exec_module fork forkpty getoutput getstatusoutput import_module kill killpg "
    "lchown link load load_module makedirs mkdir mknod move onecmd open popen posix_spawn posix_spawnp push putenv "
    "remove removedirs rename renames rmdir rmtree run run_code run_module run_path run_script run_string runcall "
    "runcode runctx runeval runsource setuid spawn spawnl spawnlp spawnv spawnve spawnvp symlink system truncate "
    "unlink unpack_archive unsetenv".split()
)

# `X.main([…])` is `python -m X …`: function -> the words in front of its own.
AS_MODULES: dict[str, tuple[str, ...]] = {
    f"{module}.{function}": (module,)
    for function, modules in {
        "main": "ast base64 cProfile calendar compileall dis doctest gzip idlelib.pyshell pdb profile "
        "py_compile quopri tabnanny tarfile timeit tokenize trace unittest venv webbrowser zipapp zipfile",
        "_main": "ensurepip inspect",
        "cli": "pydoc",
        "test": "cgi http.server",
        "_script": "site",
    }.items()
    for module in modules.split()
} | {
    "ensurepip._uninstall._main": ("ensurepip._uninstall",),
    "ensurepip._run_pip": ("pip",),
    "idlelib.run.main": ("idlelib",),
    "json.tool.main": ("json.tool",),
    "unittest.TestLoader.discover": ("unittest", "discover", "-s"),
    "unittest.TestLoader.loadTestsFromName": ("unittest",),
    "unittest.TestLoader.loadTestsFromNames": ("unittest",),
    "unittest.defaultTestLoader.discover": ("unittest", "discover", "-s"),
    "unittest.defaultTestLoader.loadTestsFromName": ("unittest",),
    "unittest.defaultTestLoader.loadTestsFromNames": ("unittest",),
}

# Functions that run a text, or load or find something by a name that they are given.
LOADS = frozenset(
    "annotationlib.call_annotate_function annotationlib.call_evaluate_function code.InteractiveInterpreter.runcode "
    "codeop.CommandCompiler codeop.Compile concurrent.interpreters.create distutils.core.run_setup "
    "doctest.DebugRunner doctest.debug doctest.debug_script doctest.testsource "
    "imp.load_compiled imp.load_dynamic imp.load_package "
    "importlib.abc.InspectLoader.source_to_code importlib.abc.SourceLoader.source_to_code "
    "importlib.machinery.AppleFrameworkLoader importlib.machinery.BuiltinImporter.create_module "
    "importlib.machinery.FrozenImporter.create_module "
    "importlib.machinery.SourcelessFileLoader "
    "lib2to3.main.main logging.config.BaseConfigurator logging.config.DictConfigurator "
    "multiprocessing.forkserver.ensure_running multiprocessing.forkserver.main multiprocessing.popen_fork.Popen "
    "multiprocessing.popen_forkserver.Popen multiprocessing.popen_spawn_posix.Popen "
    "multiprocessing.reduction.ForkingPickler.loads multiprocessing.reduction.loads "
    "multiprocessing.spawn.import_main_path multiprocessing.spawn.prepare multiprocessing.spawn.spawn_main "
    "multiprocessing.util.spawnv_passfds pdb.Pdb pdb.pm pdb.post_mortem pickle._Unpickler pickle._load pickle._loads "
    "pydoc.browse pydoc.importfile pydoc.resolve pydoc.safeimport site.addpackage site.addsitepackages "
    "site.addusersitepackages site.execsitecustomize site.execusercustomize site.main site.venv sys.remote_exec "
    "test.support.run_in_subinterp test.support.script_helper.assert_python_failure "
    "test.support.script_helper.assert_python_ok test.support.script_helper.spawn_python "
    "sys.meta_path.append sys.meta_path.extend sys.meta_path.insert sys.path_hooks.append sys.path_hooks.extend "
    "sys.path_hooks.insert tkinter.Tcl unittest.mock._get_target unittest.mock._importer webbrowser.BackgroundBrowser "
    "webbrowser.GenericBrowser webbrowser.UnixBrowser".split()
)

# The roles of what is given, as rows of calls.py.
STANDARD_CALLS: dict[str, tuple[str, ...]] = {
    **_rows(
        "write",
        "compression.zstd.ZstdFile dbm.dumb.open dbm.sqlite3.open distutils.archive_util.make_tarball "
        "distutils.archive_util.make_zipfile distutils.file_util.write_file logging.handlers.BaseRotatingHandler "
        "pydoc.writedocs shelve.DbfilenameShelf turtle.write_docstringdict wave.Wave_write",
    ),
    **_rows("folder", "distutils.dir_util.mkpath"),
    **_rows("read write", "binhex.binhex binhex.hexbin uu.decode uu.encode"),
    **_rows("read mode", "shutil.copymode shutil.copystat"),
    **_rows("mode", "os.utime"),
    **_rows("read", "os.getxattr tracemalloc.Snapshot.load"),
    **_rows("process", "os.pidfd_send_signal"),
}
