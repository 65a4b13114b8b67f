"""`python -m NAME` is the program NAME, and pytest obeys files of settings in whatever way it is started."""

from __future__ import annotations

import pytest

from interlock.model.wants import Script
from interlock.reading.evaluate.state import Found
from interlock.reading.tables.python_tools import PROGRAMS
from task_files import read_in_project, reasons, says

EVIL = "import os\nos.remove('/srv/data')\n"
FILES = ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "conftest.py", "setup.py", "noxfile.py")
# These are known as modules by rows of their own, which are stricter.
APART = frozenset(("bpython", "ipython", "pdb", "ptpython"))
NAMES = sorted({name for row in PROGRAMS for name in (row.name, *row.also) if " " not in name} - APART)


def _read(command: str, *written: str, **texts: str) -> Found:
    known = {f"/repo/{name}": EVIL for name in written if name.endswith(".py")}
    known.update({f"/repo/{name.replace('__', '.')}": text for name, text in texts.items()})
    return read_in_project(command, known, written=tuple(f"/repo/{name}" for name in written))


def _said(found: Found) -> tuple[list[object], list[str]]:
    return [(a.name, dict(a.target), a.tags, a.effects, a.risk) for a in found.actions], reasons(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_is_read_as_the_program_of_its_name(name: str) -> None:
    (row,) = [row for row in PROGRAMS if name in (row.name, *row.also)]
    for words in ("", " x", *[f" {sub}" for sub in row.subs]):
        for written in ((), *[(file,) for file in FILES]):
            plain = _said(_read(name + words, *written))
            for module in {name, name.replace("-", "_")}:
                assert _said(_read(f"python -m {module}{words}", *written)) == plain, (words, written)


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("python -m pip.__main__ install x", "pip install x"),
        ("python -m pip._internal install x", "pip install x"),
        ("python3 -m pip._internal.cli.main install x", "pip install x"),
        ("python -mpip install x", "pip install x"),
        ("python -m twine.__main__ upload dist/a", "twine upload dist/a"),
        ("python -m awscli s3 rm --recursive s3://b", "aws s3 rm --recursive s3://b"),
        ("python -m azure.cli group delete -n x", "az group delete -n x"),
        ("python -m ansible.cli.playbook site.yml", "ansible-playbook site.yml"),
        ("python -m keyring get a b", "keyring get a b"),
        ("python -m s3cmd del s3://b/x", "s3cmd del s3://b/x"),
        ("python -m notebook --generate-config", "jupyter notebook --generate-config"),
        ("python -m sphinx docs out", "sphinx-build docs out"),
        ("python -m build", "pyproject-build"),
        ("python -m django test", "django-admin test"),
        ("python -m twisted.trial", "trial"),
        ("python -m unittest.__main__", "python -m unittest"),
        ("coverage run -m pytest", "pytest"),
        ("python -m coverage run -m pytest", "pytest"),
        ("uv run python -m pytest", "uv run pytest"),
        ("python3.12 -B -m pytest", "pytest"),
        ("pip3.11 install -e .", "pip install -e ."),
    ],
)
@pytest.mark.parametrize("written", [(), ("pyproject.toml",), ("conftest.py",), ("setup.py",), ("test_a.py",)])
def test_ways_into_a_package_are_the_program(command: str, plain: str, written: tuple[str, ...]) -> None:
    assert _said(_read(command, *written)) == _said(_read(plain, *written))


RUNS = (
    "pytest",
    "python -m pytest",
    "py.test -q",
    "coverage run -m pytest",
    "cd src && pytest",
    "pytest tests/test_a.py",
)


@pytest.mark.parametrize("command", RUNS)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -p evil\n"),
        ("pytest.ini", "[pytest]\naddopts = -pevil\n"),
        ("pytest.ini", "[pytest]\naddopts = -xpevil\n"),
        ("pytest.ini", '[pytest]\naddopts = "-p" evil\n'),
        ("pytest.ini", "[pytest]\naddopts =\n    -q\n    --basetemp=/home/user/work\n"),
        ("pytest.ini", "[pytest]\naddopts = --base=/home/user/work\n"),
        ("pytest.ini", "[pytest]\naddopts = --junitxml=../x.xml\n"),
        ("pytest.ini", "[pytest]\naddopts = -q /srv/tests\n"),
        ("pytest.ini", "[pytest]\npython_files = *.py\n"),
        ("pytest.ini", "[pytest]\npythonpath = /opt/x\n"),
        ("pytest.ini", "[pytest]\nlog_file = /home/user/.bashrc\n"),
        ("pytest.ini", "[pytest]\nenv =\n    PATH=/tmp\n"),
        ("pytest.ini", "[pytest]\ntestpaths = ../other\n"),
        ("pytest.ini", "[pytest]\n[pytest]\naddopts = -q\n"),
        ("pytest.ini", "[pytest]\naddopts = 'x\n"),
        (".pytest.ini", "[pytest]\naddopts = -c other.ini\n"),
        ("tox.ini", "[pytest]\naddopts = --pdbcls=evil:Evil\n"),
        ("tox.ini", "[coverage:run]\nplugins = evil\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = -o log_file=x\n"),
        ("setup.cfg", "[tool:pytest]\naddopts: -p evil\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-p evil"\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-q", "-p", "evil"]\n'),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["-p", "evil"]\n'),
        ("pyproject.toml", '[tool.coverage.run]\nplugins = ["evil"]\n'),
        ("pyproject.toml", '[tool.pytest_env]\nA = "b"\n'),
        ("pyproject.toml", "[tool.pytest\n"),
        ("pyproject.toml", "tool = 1\n"),
    ],
)
def test_settings_with_which_pytest_runs_or_writes_more_are_opaque(command: str, name: str, text: str) -> None:
    found = read_in_project(command, {f"/repo/{name}": text}, written=(f"/repo/{name}",))
    assert reasons(found)[:1] == [says(f"/repo/{name}")]


@pytest.mark.parametrize("command", RUNS)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "pytest.ini",
            "[pytest]\ntestpaths = tests\naddopts = -ra -q --strict-markers\nmarkers =\n    slow: takes long\n",
        ),
        ("pytest.ini", "# how tests run\n[pytest]\naddopts = -m 'not slow' -n auto -p no:cacheprovider\n"),
        ("pytest.ini", "[pytest]\npythonpath = . src\npython_files = test_*.py *_test.py\nasyncio_mode = auto\n"),
        ("tox.ini", "[tox]\nenvlist = py311\n[testenv]\ncommands = rm -rf /srv/data\n[pytest]\naddopts = -vv\n"),
        (
            "setup.cfg",
            "[metadata]\nname = shop\n[tool:pytest]\nfilterwarnings =\n    error\n    ignore::DeprecationWarning\n",
        ),
        ("pyproject.toml", '[project]\nname = "shop"\ndependencies = ["zod"]\n[build-system]\nrequires = ["x"]\n'),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = "--cov=src --cov-report=term-missing"\nxfail_strict = true\n',
        ),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\nminversion = "7"\nfilterwarnings = ["error", "ignore::pytest.PytestWarning"]\n',
        ),
        ("pyproject.toml", "[tool.ruff]\nline-length = 120\n[tool.coverage.run]\nbranch = true\n"),
    ],
)
def test_settings_that_say_how_tests_are_run_and_shown_are_read(command: str, name: str, text: str) -> None:
    found = read_in_project(command, {f"/repo/{name}": text}, written=(f"/repo/{name}",))
    assert reasons(found) == []


def test_a_warning_of_a_module_that_this_session_wrote_is_code() -> None:
    text = "[pytest]\nfilterwarnings = ignore::evil.Warn\n"
    found = read_in_project("pytest", {"/repo/pytest.ini": text}, written=("/repo/pytest.ini", "/repo/evil.py"))
    assert says("/repo/pytest.ini") in reasons(found)


def test_settings_of_which_nothing_is_known_are_asked_for() -> None:
    found = read_in_project("pytest", {}, written=("/repo/pyproject.toml",))
    assert (Script("/repo/pyproject.toml") in found.missing, reasons(found)) == (True, [says("/repo/pyproject.toml")])


@pytest.mark.parametrize("command", ["uv run pytest", "hatch run pytest", "pip install -e .", "tox", "python -m build"])
def test_what_builds_the_project_obeys_more_of_the_file(command: str) -> None:
    text = '[project]\nname = "shop"\n'
    found = read_in_project(command, {"/repo/pyproject.toml": text}, written=("/repo/pyproject.toml",))
    assert reasons(found) == [says("/repo/pyproject.toml")]
