"""The environments of the agent SDKs: which there are, whose turn it is, and where `scripts/sdks.sh` puts them.

Standard library only: the script runs it before there is any environment.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["NAMES", "path_of", "pin_of", "turn", "turn_at"]

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements"
NAMES = tuple(sorted(file.stem for file in REQUIREMENTS.glob("*.txt") if file.stem != "all"))
AT_ONCE = 3  # of them are tried for each commit


def path_of(name: str) -> Path:
    """Other pins are another folder, so that an old environment is never taken for a new one."""
    cache = Path(os.environ.get("INTERLOCK_DEV_CACHE") or Path.home() / ".cache" / "interlock-dev")
    pins = (REQUIREMENTS / "all.txt").read_bytes() + (REQUIREMENTS / f"{name}.txt").read_bytes()
    return cache / f"sdk-{name}-{hashlib.sha256(pins).hexdigest()[:16]}"


def pin_of(name: str) -> str:
    return (REQUIREMENTS / f"{name}.txt").read_text().splitlines()[0]


def turn(said: str | None = None) -> tuple[str, ...]:
    """Which are to be tried. `INTERLOCK_SDKS`: all, rotate (three, others for each commit), or names with commas."""
    said = os.environ.get("INTERLOCK_SDKS", "all") if said is None else said
    if said == "all":
        return NAMES
    if said == "rotate":
        commits = subprocess.run(
            ["git", "rev-list", "--count", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False
        ).stdout.strip()
        return turn_at(int(commits or 0))
    wanted = tuple(said.split(","))
    if unknown := sorted(set(wanted) - set(NAMES)):
        raise SystemExit(f"there is no SDK {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return wanted


def turn_at(commits: int) -> tuple[str, ...]:
    """Those whose turn it is after so many commits."""
    first = commits * AT_ONCE
    return tuple(sorted({NAMES[(first + more) % len(NAMES)] for more in range(AT_ONCE)}))


def main(verb: str, *given: str) -> None:
    if verb == "names":
        print(*turn(",".join(given) or "all"), sep="\n")
    else:
        print(path_of(given[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
