"""Tries, inside a home that was made for it, every case that a checkpoint takes the question away from: it is run for
real, undone, and what is there afterwards is compared with what was there before. JSON rows in, what came of them out.

A case that is allowed without a checkpoint, or asked about all the same, is not run.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from typing import Any

from .private_home import HOME, PROJECT

__all__ = ["main"]

_COMMAND = [sys.executable, "-m", "interlock.cli"]
_PLAIN = {"HOME": HOME, "PATH": "/usr/bin:/bin"}


def main() -> None:
    rows: list[dict[str, Any]] = json.load(sys.stdin)
    told = "".join([json.dumps(_call(row)) + "\n" for row in rows])
    done = subprocess.run([*_COMMAND, "decide", "--jsonl"], input=told, capture_output=True, text=True, check=True)  # noqa: S603
    asked = [
        row
        for row, line in zip(rows, done.stdout.splitlines(), strict=True)
        if (decided := json.loads(line))["verdict"] == "ask" and "destructive" in decided["effects"]
    ]
    json.dump([found for row in asked if (found := _tried(row)) is not None], sys.stdout)


def _as_it_was() -> None:
    """The project anew for each case, whatever the one before has left."""
    copy = f"{HOME}/.cache/copy"
    if not os.path.isdir(copy):
        shutil.copytree(PROJECT, copy, symlinks=True)
    shutil.rmtree(PROJECT, ignore_errors=True)
    shutil.copytree(copy, PROJECT, symlinks=True)


def _call(row: dict[str, Any]) -> dict[str, Any]:
    cwd = row.get("cwd", PROJECT)
    return {"tool": row["tool"], "input": row["input"], "cwd": cwd, "session": row["id"], "host": "claude-code"}


def _tried(row: dict[str, Any]) -> dict[str, Any] | None:
    _as_it_was()
    call = _call(row)
    cwd = call["cwd"]
    decided = _decided(call)
    if decided["verdict"] != "allow":
        return None
    command = str(row["input"].get("command", ""))
    before = _picture(HOME)
    subprocess.run(["/bin/bash", "-c", command], cwd=cwd, env=_PLAIN, capture_output=True, timeout=60, check=False)  # noqa: S603
    changed = sorted(path for path, what in _picture(HOME).items() if before.get(path) != what) + sorted(
        path for path in before if not os.path.lexists(path)
    )
    undone = subprocess.run(  # noqa: S603
        [*_COMMAND, "undo", decided["receipt"], "--yes", "--force"],
        cwd=PROJECT,
        env=_PLAIN,
        capture_output=True,
        text=True,
        check=False,
    )
    after = _picture(HOME)
    left = sorted({*before, *after} - {path for path in before if before[path] == after.get(path)})
    return {"id": row["id"], "class": row["class"], "changed": len(changed), "left": left, "said": undone.stderr}


def _decided(call: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603
        [*_COMMAND, "decide", "--json", "--record"], input=json.dumps(call), capture_output=True, text=True, check=False
    )
    decided: dict[str, Any] = json.loads(done.stdout)
    return decided


def _picture(home: str) -> dict[str, tuple[object, ...]]:
    """Everything below the home but what we keep there, and git's own logs."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(home):
        folders[:] = [name for name in folders if f"{folder}/{name}" not in (f"{home}/.local", f"{home}/.cache")]
        for name in (*folders, *files):
            path = f"{folder}/{name}"
            if "/.git/" in path and not path.endswith(("/HEAD", "/refs/stash")) and "/refs/heads/" not in path:
                continue
            info = os.lstat(path)
            what: object = None
            if os.path.islink(path):
                what = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    what = hashlib.sha256(file.read()).hexdigest()
            found[path] = (info.st_mode, what)
    return found


if __name__ == "__main__":
    main()
