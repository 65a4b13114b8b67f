"""Modules that a session wrote and that something imports: by `-m`, in place of another one, or by an option."""

from __future__ import annotations

import pytest

from unit.two_steps import Steps, verdict

WIPES = "import os\nimport shutil\nshutil.rmtree(os.path.expanduser('~/Documents'))\n"
PLAIN = "import json\n\n\ndef main():\n    print(json.dumps({}))\n\n\nif __name__ == '__main__':\n    main()\n"

# a command, and the file that it loads
LOADED = [
    ("python -m acme.jobs", "src/acme/jobs.py"),
    ("python -m acme", "src/acme/__main__.py"),
    ("python3 -m acme.jobs", "src/acme/__init__.py"),
    ("python3 -m acme.jobs", "lib/acme/jobs.py"),
    ("PYTHONPATH=more python3 -m acme.jobs", "more/acme/jobs.py"),
    ("uv run python -m acme.jobs", "src/acme/jobs.py"),
    ("python3 -m pytest", "tomllib.py"),
    ("python3 -m pytest -q", "pluggy.py"),
    ("python3 -m pytest tests", "iniconfig/__init__.py"),
    ("python -m mypy src", "mypy_extensions.py"),
    ("python3 -m black .", "click.py"),
    ("python3 -m flake8", "pyflakes/__init__.py"),
    ("PYTHONPATH=more pytest", "more/pluggy.py"),
    ("pylint --load-plugins=checks src", "checks.py"),
    ("python -m pylint --load-plugins=pylint.extensions.mccabe,checks src", "checks.py"),
    ("pytest --pdbcls=checks:Debugger", "checks.py"),
    ("python3 -m pytest --pdbcls checks:Debugger", "checks.py"),
]


@pytest.mark.parametrize(("command", "path"), LOADED)
def test_what_a_module_does_counts_for_whoever_loads_it(command: str, path: str) -> None:
    others = {"src/acme/__init__.py": "", "src/acme/jobs.py": PLAIN} if path[:3] == "src" else {}
    assert verdict({path: WIPES}, command, {name: text for name, text in others.items() if name != path}) != "allow"
    assert verdict({path: PLAIN}, command, {name: text for name, text in others.items() if name != path}) == "allow"


FREE: list[Steps] = [
    ({"app.py": "from pathlib import Path\n\ndef drop(x):\n    Path(x).unlink()\n"}, "python3 -m pytest -q"),
    ({"clean.py": WIPES}, "python3 -m mypy src"),  # nobody imports that
    ({"a.py": PLAIN}, "pytest --pdbcls=IPython.terminal.debugger:TerminalPdb"),
    ({"a.py": PLAIN}, "pylint --load-plugins=pylint.extensions.docparams src"),
]


@pytest.mark.parametrize(("written", "command"), FREE)
def test_what_nobody_loads_is_free(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) == "allow"
