"""Well-known projects and their own tasks, with their files on disk: how much of it is free.

A folder holds the archives and repositories.json, which pins each by its digest. Each is unpacked into a home of
its own and committed to a fresh repository, so that all of it is the project's unchanged work. Then every task that the
project offers (project_tasks.py) is judged there as the first call of a session. Nothing of it is run.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import tarfile
import tempfile
from typing import Any

from ..model.errors import InputError
from ..value import FrozenMap
from .case import Case, bash
from .corpora import Corpus
from .on_disk import result_of
from .private_home import HOME, inside_a_home
from .project_tasks import tasks_of
from .runner import Result

__all__ = ["PINS", "REPOSITORIES", "archive_of", "run_repositories"]

PINS = "repositories.json"
REPOSITORIES = "repositories"
_LONGEST = 1_000_000  # bytes of a file that names tasks

_UNPACK = """
set -e
cd ~
mkdir -p projects
"""
_ONE = """
mkdir projects/{name} && tar -xf {archive} --strip-components=1 --no-same-owner -C projects/{name}
cd projects/{name} && git init -q -b main && git add -A -f
git -c user.name=Dev -c user.email=dev@acme.example commit -qm "Import"
cd ~
"""


def archive_of(folder: str, pin: dict[str, str]) -> str:
    """Where the archive lies; InputError if it is not there or is another one than the pin says."""
    path = os.path.join(folder, pin["url"].rpartition("/")[2])
    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}; `make repositories` fetches it") from None
    if found != pin["sha256"]:
        raise InputError(f"`{path}` is not the pinned archive: its digest is {found}")
    return path


def run_repositories(folder: str) -> tuple[Corpus, tuple[Result, ...]]:
    pins = _pins(folder)
    cases: list[Case] = []
    script = [_UNPACK]
    for line, pin in enumerate(pins, start=1):
        archive = archive_of(folder, pin)
        root = f"{HOME}/projects/{pin['name']}"
        script.append(_ONE.format(name=shlex.quote(pin["name"]), archive=shlex.quote(os.path.abspath(archive))))
        for kind, command in tasks_of(_texts(archive)):
            name = f"{pin['name']}: {command}"
            call = bash(command, root, name)
            cases.append(
                Case(id=name, file=REPOSITORIES, line=line, call=call, root=root, home=HOME, expect="allow", group=kind)
            )
    rows = [
        {"id": case.id, "class": "task", "tool": "Bash", "input": dict(case.call.input), "cwd": case.root}
        for case in cases
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write("".join(script))
        file.flush()
        given = json.dumps({"root": None, "rows": rows}).encode()
        out = inside_a_home(file.name, ["interlock.evals.redteam_inside"], given)
    answers: list[list[dict[str, Any]]] = json.loads(out)
    results = [
        result_of(case, answer.get("verdict", "error"), answer) for case, (answer,) in zip(cases, answers, strict=True)
    ]
    corpus = Corpus(file=REPOSITORIES, rows=len(cases), cases=tuple(cases), excluded=FrozenMap({}), problems=())
    return corpus, tuple(results)


def _pins(folder: str) -> list[dict[str, str]]:
    path = os.path.join(folder, PINS)
    try:
        with open(path, encoding="utf-8") as file:
            pins: list[dict[str, str]] = json.load(file)
            return pins
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}; `make repositories` makes it") from None
    except ValueError as error:
        raise InputError(f"`{path}` is not JSON: {error}") from None


def _texts(archive: str) -> dict[str, str]:
    """The files of the project that may name tasks: those at the top, and one folder down."""
    found: dict[str, str] = {}
    with open(archive, "rb") as file, tarfile.open(fileobj=io.BytesIO(file.read())) as tar:
        for member in tar.getmembers():
            path = member.name.removeprefix("./").partition("/")[2]
            if member.isfile() and path and path.count("/") <= 1 and member.size <= _LONGEST:
                raw = tar.extractfile(member)
                found[path] = "" if raw is None else raw.read().decode("utf-8", "replace")
    return found
