"""Keeps receipts and approval ids of the packs and the hosts' payloads anew, and prints changes: `make receipts`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from conformance.receipts import KEPT, changed_receipts, receipts_now


def main() -> int:
    now = receipts_now()
    told = changed_receipts(now)
    KEPT.write_text(now, encoding="utf-8")
    print(told or "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
