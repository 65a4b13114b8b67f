"""Real projects: their own tasks are found by name, and judged with their files on disk, committed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from interlock.evals.figures import gather, measure, skipped
from interlock.evals.lexical import bench_for
from interlock.evals.project_tasks import tasks_of
from interlock.evals.repositories import PINS, archive_of, run_repositories
from interlock.model.errors import InputError
from namespaces import needs_namespaces

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"

MAKEFILE = """\
VERSION := 1
.PHONY: test
test: build
\tpytest
%.o: %.c
\tcc $<
build/x: a
wipe:
\trm -rf ~
"""
NOX = """\
@nox.session(python=["3.12"])
@nox.parametrize("x", [1])
def tests(session):
    pass
"""
PYPROJECT = """\
[tool.hatch.envs.docs.scripts]
build = "x"
[tool.pdm.scripts]
fmt = "y"
[tool.tox.env.style]
"""
README = """\
# Acme

```bash
# first
pip install acme \\
    --upgrade
```

```console
$ acme run
output that is no command
```

```python
print(1)
```
"""


def test_tasks_are_found_where_projects_name_them() -> None:
    found = tasks_of(
        {
            "Makefile": MAKEFILE,
            "package.json": json.dumps({"scripts": {"test": "x", "lint:fix": "y"}}),
            "tox.ini": "[tox]\nenvlist = py\n[testenv]\ncommands = pytest\n[testenv:docs]\ncommands = make\n",
            "noxfile.py": NOX,
            "pyproject.toml": PYPROJECT,
            "scripts/check.sh": "pytest\n",
            "scripts/lint": "#!/bin/sh\nruff check\n",
            "scripts/notes": "no program",
            "scripts/part.py": "def f(): ...\n",
            "scripts/gen.py": 'if __name__ == "__main__":\n    print(1)\n',
            "README.md": README,
            "README.rst": "Use\n\n.. code-block:: bash\n\n    acme check\n\nend\n",
        }
    )
    assert found == [
        ("make", "make test"),
        ("make", "make wipe"),
        ("npm", "npm test"),
        ("npm", "npm run lint:fix"),
        ("tox", "tox"),
        ("tox", "tox -e docs"),
        ("nox", "nox -s tests"),
        ("pyproject", "hatch run docs:build"),
        ("pyproject", "pdm run fmt"),
        ("pyproject", "tox -e style"),
        ("scripts", "bash scripts/check.sh"),
        ("scripts", "./scripts/lint"),
        ("scripts", "python scripts/gen.py"),
        ("readme", "pip install acme      --upgrade"),
        ("readme", "acme run"),
        ("readme", "acme check"),
    ]


def test_files_that_are_no_json_toml_or_ini_have_no_tasks() -> None:
    assert tasks_of({"package.json": "{", "pyproject.toml": "=", "tox.ini": "x"}) == []
    assert tasks_of({"package.json": '{"scripts": ["a"]}', "pyproject.toml": "tool = 1"}) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One archive, as a registry has it: all of it in one folder."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for name, text in {"Makefile": MAKEFILE, "scripts/check.sh": "pytest -q\n", "README.md": README}.items():
            member = tarfile.TarInfo(f"acme-1.0/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    (tmp_path / "acme-1.0.tar.gz").write_bytes(raw.getvalue())
    pin = {
        "name": "acme",
        "url": "https://x.example/acme-1.0.tar.gz",
        "sha256": hashlib.sha256(raw.getvalue()).hexdigest(),
    }
    (tmp_path / PINS).write_text(json.dumps([pin]))
    return tmp_path


@pytest.mark.slow
@needs_namespaces
def test_the_tasks_of_a_project_are_judged_with_its_files(folder: Path) -> None:
    corpus, results = run_repositories(str(folder))
    assert {result.case.id: result.verdict for result in results} == {
        "acme: make test": "allow",
        "acme: make wipe": "deny",
        "acme: bash scripts/check.sh": "allow",
        "acme: pip install acme      --upgrade": "ask",
        "acme: acme run": "ask",
    }
    assert corpus.rows == len(results)
    board = gather(None, bench_for(), lambda _what, _count: lambda: None, repositories=str(folder))
    found = {key: (measured.shown, measured.detail) for key, (_, measured) in measure(board).items()}
    assert found == {
        "rows": ("0", ""),
        "repositories.free": ("40.0 %", "2 of 5; readme -2 of 2; make -1 of 2"),
        "repositories.denied": ("1", "of 5"),
    }
    assert skipped(board) == []


def test_an_archive_that_is_not_the_pinned_one_is_refused(folder: Path) -> None:
    (folder / "acme-1.0.tar.gz").write_bytes(b"other")
    with pytest.raises(InputError, match="is not the pinned archive"):
        run_repositories(str(folder))
    os.unlink(folder / "acme-1.0.tar.gz")
    with pytest.raises(InputError, match="`make repositories` fetches it"):
        archive_of(str(folder), {"url": "x/acme-1.0.tar.gz", "sha256": ""})
    os.unlink(folder / PINS)
    with pytest.raises(InputError, match="`make repositories` makes it"):
        run_repositories(str(folder))


def test_twelve_projects_are_pinned() -> None:
    pins = json.loads((SCRIPTS / PINS).read_text())
    assert len({pin["name"] for pin in pins}) == 12
    for pin in pins:
        assert pin["url"].startswith(("https://files.pythonhosted.org/", "https://registry.npmjs.org/"))
        assert pin["version"] in pin["url"]
        assert len(pin["sha256"]) == 64
