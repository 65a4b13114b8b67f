"""The environment of the official model clients, which `scripts/model_clients.sh` makes. Standard library only: the
script runs it before there is any environment.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

__all__ = ["REQUIREMENTS", "path_of_clients"]

REQUIREMENTS = Path(__file__).parent / "requirements.txt"


def path_of_clients() -> Path:
    """Other pins are another folder, so that an old environment is never taken for a new one."""
    cache = Path(os.environ.get("INTERLOCK_DEV_CACHE") or Path.home() / ".cache" / "interlock-dev")
    return cache / f"model-clients-{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]}"


if __name__ == "__main__":
    print(path_of_clients())
