"""A value that is a program, which a tool starts: read as if it had been called, unless it is a usual interpreter."""

from __future__ import annotations

import re

import pytest

from interlock.decide import decide
from interlock.evals.disk import Disk
from interlock.evals.lexical import bench_for, read_lexically
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.reading.machine.options import compiled
from interlock.reading.runs.started import is_usual
from interlock.reading.tables.vocabulary import CODE, SPOKEN
from interlock.value import FrozenMap
from table_rows import every_row

ROOT = "/home/user/app"
BENCH = bench_for()
SCRIPTS = {
    "scripts/deploy.sh": "#!/bin/bash\nkubectl delete ns prod\n",
    "scripts/ok.sh": "#!/bin/bash\necho hi\n",
}


def verdict(command: str) -> str:
    texts = {f"{ROOT}/{name}": text for name, text in SCRIPTS.items()}
    call = Call(tool="Bash", input={"command": command}, cwd=ROOT, session="s")
    facts = Facts(root=ROOT, home="/home/user")
    reading, _ = read_lexically(call, facts, Disk(texts=FrozenMap(texts), named=frozenset(texts)))
    return decide(call, reading, BENCH.policy, Session(id="s"), ()).verdict.name


ASK = [
    "mypy --python-executable ./scripts/deploy.sh src",
    "python3 -m mypy --python-executable=scripts/deploy.sh src",
    "cmake -S native -B b -DCMAKE_CXX_COMPILER=/home/user/app/scripts/deploy.sh",
    "cmake -S native -B b -DCMAKE_CXX_COMPILER=./scripts/deploy.sh",
    "cmake -S native -B b -D CMAKE_C_COMPILER:FILEPATH=scripts/deploy.sh",
    "cmake -S . -B b -DCMAKE_CXX_COMPILER_LAUNCHER=./scripts/deploy.sh",
    "cmake -S . -B b -DCMAKE_MAKE_PROGRAM=./scripts/deploy.sh",
    "cmake -S . -B b -DCMAKE_LINKER=./scripts/deploy.sh",
    "cmake -S . -B b -DCMAKE_AR=./scripts/deploy.sh",
    "cmake -S . -B b '-DCMAKE_C_COMPILER_LAUNCHER=env;./scripts/deploy.sh'",
    "CXX=./scripts/deploy.sh cmake -S . -B b",
    "CC=./scripts/deploy.sh ./configure",
    "./configure CC=./scripts/deploy.sh --prefix=/usr",
    "CC=./scripts/deploy.sh cargo build",
    "CC=./scripts/deploy.sh pip install -e .",
    "CC=./scripts/deploy.sh go build ./...",
    "CC=./scripts/deploy.sh npm rebuild",
    "CC='env ./scripts/deploy.sh' make",
    'CC="ccache ./scripts/deploy.sh" make',
    "make CC=./scripts/deploy.sh",
    "export CC=./scripts/deploy.sh && make",
    "virtualenv -p ./scripts/deploy.sh .venv",
    "virtualenv --python=scripts/deploy.sh .venv",
    "uv venv --python ./scripts/deploy.sh",
    "uv venv -p scripts/deploy.sh",
    "uv run --python ./scripts/deploy.sh pytest",
    "uv run -p ./scripts/deploy.sh pytest",
    "uv sync --python ./scripts/deploy.sh",
    "uv python find ./scripts/deploy.sh",
    "UV_PYTHON=./scripts/deploy.sh uv sync",
    "poetry env use ./scripts/deploy.sh",
    "pdm use ./scripts/deploy.sh",
    "pyright --pythonpath ./scripts/deploy.sh",
    "lcov -c -d . --gcov-tool ./scripts/deploy.sh",
    "gcovr --gcov-executable ./scripts/deploy.sh",
    "gcovr --gcov-executable './scripts/deploy.sh -x'",
    "cppcheck --clang=./scripts/deploy.sh src",
    "RUSTFMT=./scripts/deploy.sh cargo fmt",
    "help2man ./scripts/deploy.sh",
    "help2man scripts/deploy.sh -o a.1",
    "uv pip install --python ./scripts/deploy.sh -r requirements.txt",
    "mypy --python-executable frobnicate src",
    "CC=/tmp/x/cc make",
    "jj diff --tool ./scripts/deploy.sh",
    "hg merge --tool ./scripts/deploy.sh",
    "gpg --pinentry-program ./scripts/deploy.sh --verify a.sig",
    "npm --script-shell ./scripts/deploy.sh run build",
    "npm_config_python=./scripts/deploy.sh npm ci",
    "make PYTHON=./scripts/deploy.sh test",
]
FREE = [
    "mypy --python-executable .venv/bin/python src",
    "mypy --python-executable python3.12 src",
    "mypy --python-executable $(which python3) src",
    "cmake -S . -B b -DCMAKE_CXX_COMPILER=clang++",
    "cmake -S . -B b -DCMAKE_CXX_COMPILER=/usr/bin/clang++-17 -DCMAKE_C_COMPILER=gcc-13",
    "cmake -S . -B b -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    "cmake -S . -B b -DCMAKE_MAKE_PROGRAM=ninja -DPython3_EXECUTABLE=.venv/bin/python",
    "cmake -S . -B b -DPYTHON_EXECUTABLE=$(which python3)",
    'cmake -S . -B b -DCMAKE_CXX_CLANG_TIDY="clang-tidy;-checks=*"',
    "cmake -S . -B b -DBUILD_TOOL=ON -DENABLE_COMMAND=OFF",
    "CC=clang CXX=clang++ cmake -S . -B b",
    "CC=gcc-13 make",
    "./configure CC=gcc-13 --prefix=/usr/local",
    'CC="ccache gcc" make',
    "make CC=clang",
    'make CC="ccache clang"',
    "CC=x86_64-linux-musl-gcc cargo build",
    "CC=/usr/bin/gcc go build ./...",
    "export CC=clang-17",
    "virtualenv -p python3.12 .venv",
    "virtualenv -p 3.12 .venv",
    "virtualenv -p /usr/bin/python3.11 .venv",
    "virtualenv -p py311 .venv",
    "uv venv --python 3.12",
    "uv venv -p 3.12",
    "uv venv --python python3.12",
    "uv venv --python cpython@3.12",
    "uv venv --python '>=3.11'",
    "uv venv --python ~/.pyenv/versions/3.12.1/bin/python",
    "uv run --python 3.13 pytest",
    "uv run -p 3.13t pytest",
    "uv sync --python 3.12",
    "uv python find 3.12",
    "uv python find",
    "uv python pin 3.12",
    "uv python list",
    "poetry env use 3.12",
    "poetry env use python3.12",
    "poetry env use /usr/bin/python3",
    "poetry env use system",
    "pdm use 3.12",
    "pdm use -f .venv/bin/python",
    "pyright --pythonpath .venv/bin/python",
    "lcov -c -d . --gcov-tool gcov-13 -o c.info",
    "gcovr --gcov-executable gcov-12 -r .",
    "gcovr --gcov-executable 'llvm-cov gcov' -r .",
    "cppcheck --clang src",
    "cppcheck --clang=clang-17 src",
    "RUSTFMT=rustfmt cargo fmt",
    "help2man python3",
    "mypy src",
    "CC=./scripts/ok.sh make",
    "mypy --python-executable ./scripts/ok.sh src",
    "uv pip list --python .venv",
    "pandoc a.md --pdf-engine=xelatex -o a.pdf",
    "npm --script-shell bash run build",
    "PYTHON=python3 make",
    "CONFIG_SHELL=/bin/bash ./configure",
    "npm_config_python=/usr/bin/python3 npm ci",
    "jj diff --tool difft",
    "jj diff --tool :git",
    "make PYTHON=python3.12 test",
    "cmake -S . -B b -DCMAKE_C_COMPILER=$(which gcc)",
    "CC=$(which clang) make",
]


@pytest.mark.parametrize("command", ASK)
def test_a_script_in_the_place_of_an_interpreter_is_run(command: str) -> None:
    assert verdict(command) == "ask"


@pytest.mark.parametrize("command", FREE)
def test_a_usual_interpreter_compiler_or_version_is_free(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize(
    "name",
    "python3.12 3.12 3.13t py311 cpython@3.12 >=3.11 clang++ clang++-17 gcc-13 x86_64-linux-musl-gcc ninja".split(),
)
def test_names_and_versions_that_such_options_are_for(name: str) -> None:
    assert is_usual(name)


@pytest.mark.parametrize("name", ["deploy", "deploy.sh", "rm", "x/python3", "", "python-x y"])
def test_other_names_are_no_usual_interpreter(name: str) -> None:
    assert not is_usual(name)


# --- every option that looks like it -------------------------------------------------------------------------------

LOOKS_LIKE = re.compile(
    r"(?:^|-)(?:executable|program|compiler|linker|python|interpreter|shell|pager|editor|launcher|wrapper|tool|prog"
    r"|gcov|viewer)(?:-(?:path|executable|program))?$"
)
RUN = CODE | {"starts", "command", "script"} | {"program", "ex", "lisp", "login"}

# option -> why its value is no program, in whichever rows have it
EXCUSED = {
    ("--pager", "text"): "when to use one: always, never, auto",
    ("--python", "text"): "a version, or the first line of an archive",
    ("--set-interpreter", "text"): "written into a program, which is changed",
    ("-dynamic-linker", "text"): "written into a program, which is built",
    ("--shell", "text"): "for whom words are completed, or in another machine",
    ("--tool", "text"): "one of the program's own tools",
    ("--tool", "tool"): "a name of git's settings",
    ("--tool-path", "edit"): "a folder",
    ("--tool-path", "write"): "a folder",
    ("-editor", "config"): "a setting that makes the call opaque",
    ("-python", "write"): "a file that is made",
}


def test_no_option_that_looks_like_a_program_is_only_a_word() -> None:
    assert {"program", "ex", "lisp", "login"} <= {role for roles in SPOKEN.values() for role in roles.split()}
    found: dict[tuple[str, str], list[str]] = {}
    for row in every_row():
        for name, option in compiled(row.program).by_name.items():
            if option.role is None or option.role in RUN or not LOOKS_LIKE.search(name.lstrip("-")) or len(name) < 4:
                continue
            adds = row.program.flags.get(option.name)
            if adds is None or adds.opaque is None:
                found.setdefault((name, option.role), []).append(str(row))
    assert {key: rows[:3] for key, rows in found.items() if key not in EXCUSED} == {}
    assert [key for key in EXCUSED if key not in found] == []
