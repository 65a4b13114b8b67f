"""Every function of the tables that takes a path, given one that is not spelt out: found on the disk, or not known."""

from __future__ import annotations

import pytest

from interlock.reading.python.calls import CALLS, METHODS
from interlock.reading.python.libraries import _METHODS as OF_FILESYSTEMS
from interlock.testing import assert_allows, decide_call

FOUND = "glob.glob('/home/*/.aws/cred*')"
PATHS = frozenset("closed delete edit folder link list mode move read script send unpickle write".split())
OPENERS = (
    "open io.open codecs.open gzip.open bz2.open lzma.open io.FileIO wave.open fsspec.open zipfile.ZipFile "
    "tarfile.open os.open fileinput.input sqlite3.connect logging.FileHandler xml.etree.ElementTree.parse toml.load "
    "tomlkit.load yaml.safe_load lxml.etree.parse PIL.Image.open paramiko.RSAKey.from_private_key_file mylib.parse"
).split()


def _code(*lines: str) -> str:
    return "python3 - <<'E'\n" + "\n".join(["import glob, os", *lines]) + "\nE\n"


def _module(name: str) -> str:
    parts = name.split(".")[:-1]
    while parts and parts[-1][:1].isupper():
        parts.pop()
    return f"import {'.'.join(parts)}" if parts else ""


def _called(name: str, roles: tuple[str, ...], at: int, value: str) -> str:
    args = ["'x'"] * len(roles)
    args[at] = value
    return f"{name}({', '.join(args)})"


def _is_free(command: str) -> bool:
    return decide_call(command).verdict.name == "allow"


ROWS = [(name, roles, at) for name, roles in CALLS.items() for at, role in enumerate(roles) if role in PATHS]


@pytest.mark.parametrize(("name", "roles", "at"), ROWS, ids=[f"{name}-{at}" for name, _, at in ROWS])
def test_no_function_of_the_tables_takes_a_path_that_is_not_spelt_out_for_nothing(
    name: str, roles: tuple[str, ...], at: int
) -> None:
    values = ["input()"] if roles[at] == "list" else ["input()", FOUND, f"[one for one in {FOUND}]"]
    for value in values:
        assert not _is_free(_code(_module(name), _called(name, roles, at, value))), value
    if roles[at] != "list":
        assert not _is_free(_code(_module(name), f"for g in {FOUND}: {_called(name, roles, at, 'g')}"))


@pytest.mark.parametrize("name", [name for name, role in METHODS.items() if role != "process"])
def test_nor_does_a_method_of_a_path(name: str) -> None:
    assert not _is_free(_code("from pathlib import Path", f"Path(input()).{name}()"))
    if METHODS[name] != "list":
        assert not _is_free(_code("from pathlib import Path", f"for p in Path('/home').glob('*/.aws/c*'): p.{name}()"))


@pytest.mark.parametrize("name", OF_FILESYSTEMS)
def test_nor_does_a_method_of_a_file_system(name: str) -> None:
    roles = OF_FILESYSTEMS[name]
    for at, role in enumerate(roles):
        for value in ("input()", FOUND) if role != "list" else ("input()",):
            lines = ("import fsspec", "f = fsspec.filesystem('file')", _called(f"f.{name}", roles, at, value))
            assert not _is_free(_code(*lines)), (at, value)


@pytest.mark.parametrize("name", OPENERS)
@pytest.mark.parametrize(
    "value",
    [
        "g",
        "os.path.expanduser('~/.aws/') + 'credentials'",
        "os.path.join(os.path.expanduser('~'), '.aws', 'credentials')",
        "f\"{os.path.expanduser('~')}/.aws/credentials\"",
        "Path.home() / '.aws' / 'credentials'",
        "*glob.glob('/home/*/.aws/cred*')",
    ],
)
def test_whoever_is_given_the_name_of_a_secret_reads_it(name: str, value: str) -> None:
    assert not _is_free(_code("from pathlib import Path", _module(name), f"for g in {FOUND}: {name}({value})"))


@pytest.mark.parametrize("value", ["[g]", "[[g]]", "{'path': g}", "path=g", "(1, g)", "**{'path': g}"])
def test_a_name_inside_of_a_value_is_given_too(value: str) -> None:
    assert not _is_free(_code("import mylib", f"for g in {FOUND}: mylib.parse({value})"))


def test_a_bare_name_counts_where_the_code_has_gone() -> None:
    assert not _is_free(_code("import mylib", "os.chdir('/home/user/.aws')", "mylib.parse('credentials')"))
    assert_allows(_code("import mylib", "os.chdir('src')", "mylib.parse('credentials')"))


@pytest.mark.parametrize(
    "value",
    [
        FOUND,
        "[p for p in glob.glob('/home/*/.aws/cred*')]",
        "'/home/user/.aws/credentials'",
        "Path.home() / '.aws' / 'credentials'",
        "Path.home().glob('.aws/*')",
        "input()",
        "os.environ['FILE']",
    ],
)
def test_a_file_of_settings_is_read(value: str) -> None:
    made = ("from pathlib import Path", "import configparser", "c = configparser.ConfigParser()")
    assert not _is_free(_code(*made, f"c.read({value})"))


@pytest.mark.parametrize(
    "lines",
    [
        f"print({FOUND})",
        f"for g in {FOUND}: print(os.path.getsize(g), os.stat(g), os.path.exists(g))",
        f"x = []\nfor g in {FOUND}: x.append(g)\nprint(x)",
        f"print(sorted({FOUND}, key=os.path.getmtime))",
        f"if not {FOUND}: raise ValueError({FOUND})",
        "import configparser\nc = configparser.ConfigParser()\nc.read('setup.cfg')\nprint(c.sections())",
        "import configparser\nc = configparser.ConfigParser()\nc.read(glob.glob('*.cfg'))\nprint(c.get('a', 'b'))",
        "import configparser\nc = configparser.ConfigParser()\nc.read(['setup.cfg', 'tox.ini'])",
        "import configparser\nc = configparser.ConfigParser()\nc.read_string('[a]')",
        "import mylib\nfor g in glob.glob('src/**/*.py'): mylib.parse(g)",
        "import mylib\nfrom pathlib import Path\nmylib.parse(Path('docs') / 'index.md')",
        "import mylib\nmylib.parse(input())",
        "import toml\nprint(toml.load('pyproject.toml'))",
    ],
)
def test_names_alone_and_files_of_the_project_are_free(lines: str) -> None:
    assert_allows(_code(lines))
