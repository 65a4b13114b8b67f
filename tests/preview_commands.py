"""Made-up commands, previewed and then run for real in the same place: the changes must be the same.

`python preview_commands.py FOLDER SEED COUNT` prints one JSON object for each command whose preview told something else.
Left out of the comparison: the content of `.git/index`, which holds the numbers of files on this disk, and what the
command prints: `mv` words an error otherwise where a folder cannot be renamed.
"""

# ruff: noqa: E501 - a row is a command
from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["command_from", "made_project", "main"]

_FILES = (
    "a.txt",
    "b.txt",
    "src/app.py",
    "src/lib/util.py",
    "src/lib/deep/x.c",
    "docs/index.md",
    "data/1.csv",
    "run.sh",
)
_FOLDERS = ("src", "src/lib", "src/lib/deep", "docs", "data", "empty")
_GIT = "export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z GIT_AUTHOR_NAME=A GIT_COMMITTER_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_EMAIL=a@b; "


def made_project(root: Path) -> None:
    root.mkdir()
    for folder in _FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for at, name in enumerate(_FILES):
        (root / name).write_text("".join(f"{name} line {n} {n * at}\n" for n in range(at + 2)))
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("a.txt")
    (root / "folder-link").symlink_to("src/lib")


def _steps(chance: random.Random) -> list[str]:
    some, other = chance.choice(_FILES), chance.choice(_FILES)
    folder, new = chance.choice(_FOLDERS), chance.choice(("new", "new/er", "src/new", "docs/n e w", "-odd"))
    number = chance.randint(0, 9)
    return [
        f"rm -f {some}", f"rm -rf {folder}", f"rm -rf {folder}/*", f"rmdir {folder}", "rm link folder-link",
        f"echo line{number} >> {some}", f"echo {number} > {some}", f": > {some}", f"printf x > './{new}'",
        f"mkdir -p './{new}' && echo {number} > './{new}/f{number}'", f"mkdir -m 700 '{folder}/m{number}'",
        f"mv {some} {other}", f"mv {some} moved{number}", f"mv {folder} moved-{number}", f"mv -T {folder} docs",
        f"cp {some} {other}", f"cp -a {folder} copy{number}", "cp -a src/. data/", f"cp --parents {some} empty",
        f"ln -s {some} l{number}", f"ln -sfn {folder} folder-link", f"ln {some} hard{number}", f"ln -sf {other} {some}",
        f"chmod {chance.choice(('600', '755', '444', 'u+x', 'a-w', 'g+w'))} {some}", f"chmod -R go-rwx {folder}",
        f"chmod {chance.choice(('700', '755', '1777', '2755'))} {folder}",
        f"sed -i 's/line/{number}/' {some}", f"sed -i {number + 1}d {some}", f"tr a-z A-Z < {some} > up{number}",
        f"sort -r -o {some} {some}", f"head -2 {some} > h{number}", f"truncate -s {number * 3} {some}", f"touch {some} t{number}",
        f"find {folder} -name '*.{chance.choice(('txt', 'c', 'py', 'md'))}' -delete", "find . -type l -delete",
        f"find {folder} -type f -exec sed -i s/1/2/ {{}} +", "find . -empty -delete",
        f"tar cf t{number}.tar --sort=name --mtime=2026-01-01 {folder}", f"tar cf - {folder} | (cd empty && tar xf -)",
        f"for i in 1 2 3; do echo $i > '{folder}'/i$i; done", f"cat {some} {other} > both", f"dd if={some} of={other} bs=3 count=2 conv=notrunc",
        f"install -m 640 {some} inst{number}", f"split -l 1 {some} part-", f"gzip -n {some}", f"gzip -nk {other}; rm {other}",
        f"python3 -c \"import os; os.rename('{some}', 'py{number}'); open('made', 'w').write('{number}')\"",
        f"python3 -c \"import shutil; shutil.rmtree('{folder}')\"", f"python3 -c \"import shutil; shutil.move('{folder}', 'sm{number}')\"",
        "exit 3", "false", f"test -e {some} && rm {some} || mkdir none", f"cd {folder} && echo here > here && cd - > /dev/null",
        "cd folder-link && echo through > t && rm -f util.py", f"(umask 077; echo s > u{number}; mkdir ud{number})",
        f"{_GIT}git init -q . && git add -A && git commit -qm m{number}", f"{_GIT}git init -q . && git add {some} && git commit -qm x && git rm -q {some}",
        f"{_GIT}git init -q . && git add -A && git commit -qm m && git checkout -qb b{number} && echo z > {some} && git stash -q && git stash drop -q",
        f"mkfifo p{number} && rm p{number}", f"mv {folder} tmp{number} && mkdir {folder} && mv tmp{number} {folder}/inner",
        f"rm -rf {folder} && mkdir -p {folder} && echo back > {folder}/back", f"mv {some} x && mv {other} {some} && mv x {other}",
    ]  # fmt: skip


def command_from(seed: int) -> str:
    chance = random.Random(seed)
    return "; ".join(chance.choice(_steps(chance)) for _ in range(chance.randint(1, 4)))


def _told(root: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for above, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(above, name)
            mode = path.lstat().st_mode & 0o7777
            if path.is_symlink():
                side: dict[str, Any] = {"kind": "link", "target": os.readlink(path)}
            elif path.is_dir():
                side = {"kind": "folder", "mode": f"{mode:04o}"}
            else:
                raw = path.read_bytes()
                side = {
                    "kind": "file",
                    "mode": f"{mode:04o}",
                    "size": len(raw),
                    "digest": hashlib.sha256(raw).hexdigest(),
                }
            found[str(path.relative_to(root))] = side
    return found


def _plain(side: dict[str, Any] | None, path: str) -> dict[str, Any] | None:
    if side is None:
        return None
    left = ("mode",) if side["kind"] == "link" else ("digest", "size") if path.endswith(".git/index") else ()
    return {name: value for name, value in side.items() if name not in left}


def _one(folder: Path, seed: int) -> dict[str, Any] | None:
    from interlock.preview.changes import changes_of
    from interlock.preview.run import new_stage, run
    from interlock.preview.view import Order
    from interlock.store.home.folders import folders_for

    root, home = folder / "project", folder / "home"
    home.mkdir(exist_ok=True)
    made_project(root)
    command = command_from(seed)
    stage = new_stage(folders_for(str(home)))
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    ran = run(Order(command=command, root=str(root), cwd=str(root)), folders_for(str(home)), stage, environment)
    told = {change.path: change.told() for change in changes_of(ran).changes}
    before = _told(root)
    own = {**environment, "HOME": str(home), "PWD": str(root), "TMPDIR": "/tmp"}
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        cwd=root,
        env=own,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = _told(root)
    real = {
        path: (_plain(before.get(path), path), _plain(after.get(path), path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    }
    seen = {path: (_plain(one["before"], path), _plain(one["after"], path)) for path, one in sorted(told.items())}
    shutil.rmtree(stage)
    for above, folders, _ in os.walk(root):
        for name in folders:
            if not os.path.islink(os.path.join(above, name)):
                os.chmod(os.path.join(above, name), 0o700)
    shutil.rmtree(root)
    wrong: dict[str, Any] = {}
    if seen != real:
        paths = [path for path in sorted(seen.keys() | real.keys()) if seen.get(path) != real.get(path)]
        wrong["paths"] = {path: {"preview": seen.get(path), "real": real.get(path)} for path in paths}
    if ran.told["exit"] != done.returncode:
        wrong["exit"] = [ran.told["exit"], done.returncode]
    return {"seed": seed, "command": command, **wrong} if wrong else None


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    os.umask(0o022)
    folder, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for number in range(seed, seed + count):
        wrong = _one(folder, number)
        if wrong is not None:
            print(json.dumps(wrong), flush=True)
    print(json.dumps({"tried": count}))


if __name__ == "__main__":
    main()
