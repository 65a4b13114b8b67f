"""Keeps the exact readings of tests/conformance and of the shipped packs anew, and prints the changes: `make exact`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from conformance.every_case import FILES, blocks_of
from conformance.kept import EXACT, changed, written


def main() -> int:
    EXACT.mkdir(exist_ok=True)
    for path in EXACT.glob("*.txt"):
        if path.stem not in FILES:
            path.unlink()
    count = 0
    for name in FILES:
        blocks = blocks_of(name)
        told = changed(name, blocks)
        if told:
            count += 1
            print(told)
            (EXACT / f"{name}.txt").write_text(written(blocks), encoding="utf-8")
    print(f"{count} of {len(FILES)} files changed" if count else "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
