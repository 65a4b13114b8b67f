"""Made-up projects, what they look like, and commands that are run in them for real."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from random import Random

Picture = dict[str, tuple[object, ...]]

NAMES = ("a", "b.txt", "two words", "-dash", "ünï", "UPPER", "upper", "new\nline", "x" * 60, ".hidden", "'q'")


def grow(chance: Random, root: Path, *, depth: int = 3) -> None:
    """Files, folders and links below the root, with odd names, modes and times."""
    for name in chance.sample(NAMES, chance.randint(2, 5)):
        path = root / name
        kind = chance.randrange(8)
        if kind < 2 and depth:
            path.mkdir()
            grow(chance, path, depth=depth - 1)
            path.chmod(chance.choice((0o755, 0o700, 0o750)))
        elif kind == 2:
            path.symlink_to(chance.choice(("a", "/etc/passwd", "../..", "nowhere")))
            continue
        elif kind == 3 and any(root.iterdir()) and (found := [p for p in root.iterdir() if is_file(p)]):
            os.link(found[0], path)
        elif kind == 4:
            with path.open("wb") as file:
                file.truncate(chance.randrange(1, 4) * (1 << 20))
                file.seek(1 << 20)
                file.write(chance.randbytes(5000))
        else:
            path.write_bytes(chance.randbytes(chance.choice((0, 1, 100, 5000))))
            path.chmod(chance.choice((0o644, 0o600, 0o755, 0o444, 0o4755)))
        moment = chance.randrange(10**18, 17 * 10**17)
        os.utime(path, ns=(moment, moment))


def is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def picture(root: Path, *, times: bool = True) -> Picture:
    """Content, modes, links and times of everything below the root. Folders above what was touched have new times, and
    are compared by the rest.
    """
    found: Picture = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            info = os.lstat(path)
            if os.path.islink(path):
                what: object = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    what = hashlib.sha256(file.read()).hexdigest()
            else:
                what = None
            is_link = os.path.islink(path)
            found[os.path.relpath(path, root)] = (
                info.st_mode,
                info.st_mtime_ns if times and not is_link else 0,
                info.st_nlink if not os.path.isdir(path) else 0,
                what,
            )
    return found
