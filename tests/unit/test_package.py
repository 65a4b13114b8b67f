"""Where the package lies is worked out in one place, and what the floor guards follows from it."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest

import interlock
from interlock import PACKAGE
from interlock.cli.guarded import guard_path
from interlock.evals import agent_files, scripted, shipped
from interlock.hook.residence import package_here
from interlock.reading.places.places import guarded_by
from interlock.serve.page.drawn import FILES
from interlock.store.home.contracts import built_in_tools
from interlock.store.home.folders import folders_for
from interlock.store.home.launch import own_package
from interlock.store.home.policies import default_file
from interlock.store.home.shield import seat_text

SOURCE = Path(interlock.__file__).parent
# Files that an interpreter is started on: nothing has told them yet where they lie.
ENTRIES = {"hook/guard.py", "hook/resident_entry.py", "store/own_entry.py"}
# And those that are started by their path below the package.
STARTED = ("hook/guard.py", "store/own_entry.py", "store/errand_entry.py", "store/team_entry.py", "store/plan_yaml.py")


def asks_for_its_file(text: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__file__" for node in ast.walk(ast.parse(text)))


def test_only_the_package_and_what_is_started_on_its_own_ask_where_they_lie() -> None:
    asking = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if asks_for_its_file(path.read_text())}
    assert asking - ENTRIES == {"__init__.py"}


def test_a_module_that_asks_is_found() -> None:
    assert asks_for_its_file("import os\nHERE = os.path.dirname(__file__)")
    assert not asks_for_its_file("import os\nLIBRARY = os.__file__")


def test_the_package_is_the_folder_of_its_first_module() -> None:
    assert os.path.dirname(os.path.abspath(interlock.__file__)) == PACKAGE
    assert own_package() == package_here() == PACKAGE


def test_what_comes_with_the_package_is_found_in_it() -> None:
    assert [name for name in STARTED if not os.path.isfile(f"{PACKAGE}/{name}")] == []
    assert (guard_path(), default_file()) == (f"{PACKAGE}/hook/guard.py", f"{PACKAGE}/policy/default.toml")
    folders = (agent_files.SHIPPED, scripted.SHIPPED, shipped.FOLDER)
    assert folders == tuple(f"{PACKAGE}/evals/{name}" for name in ("suites/shipped", "scripted_sessions", "packs"))
    assert all(map(os.path.isdir, folders))
    assert seat_text()
    assert built_in_tools()
    assert all(FILES.values())


def test_the_floor_guards_what_it_guarded(tmp_path: Path) -> None:
    """What we keep, the package, and the interpreter that runs it; worked out here without the package's help."""
    home = os.path.realpath(tmp_path)
    program = os.path.abspath(sys.executable)
    around = os.path.dirname(os.path.dirname(program))
    library = os.path.dirname(os.path.abspath(os.__file__))
    site = f"{around}/lib/{os.path.basename(library)}/site-packages"
    kept = [f"{home}/{place}/interlock" for place in (".config", ".local/state", ".cache", ".local/share")]
    entries = ("interlock", *[name for name in os.listdir(site) if "interlock" in name])
    named = [
        *(*kept, str(SOURCE.absolute()), library, program, os.path.dirname(program), f"{around}/pyvenv.cfg"),
        *(f"{site}/{name}" for name in (*entries, "sitecustomize.py", "usercustomize.py")),
    ]
    wanted = {place.lower() + "/" for path in named for place in (path, os.path.realpath(path))}
    assert set(folders_for(home).own) == wanted


@pytest.mark.parametrize("name", ["__init__.py", "engine.py", "reading/read.py", "ledger.py", "hook/guard.py"])
def test_no_file_of_the_package_may_be_changed(name: str, tmp_path: Path) -> None:
    from interlock.model.facts import Facts

    facts = Facts(root=str(SOURCE.parent), home=str(tmp_path), own=folders_for(str(tmp_path)).own)
    assert guarded_by(f"{PACKAGE}/{name}", facts) == "Interlock"
