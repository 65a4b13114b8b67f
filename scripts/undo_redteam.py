"""Which cases of a red team a checkpoint takes the question away from, and whether each comes back once it has run.

    REDTEAM=DIR .venv/bin/python scripts/undo_redteam.py

DIR holds attacks.jsonl and mkhome.sh, as for `interlock eval scoreboard --redteam`. Rows stay where they are: what is
printed is their ids. Needs root or user namespaces. The exit code is 1 where something did not come back.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from interlock.evals.private_home import inside_a_home


def main() -> int:
    folder = os.environ.get("REDTEAM", "")
    if not folder:
        print("name the folder of cases: REDTEAM=DIR", file=sys.stderr)
        return 64
    rows = [json.loads(line) for line in (Path(folder) / "attacks.jsonl").read_text().splitlines()]
    single = [row for row in rows if row.get("tool") == "Bash"]
    out = inside_a_home(str(Path(folder) / "mkhome.sh"), ["interlock.evals.undo_inside"], json.dumps(single).encode())
    found = json.loads(out)
    for row in found:
        state = "came back" if not row["left"] else f"DID NOT COME BACK: {', '.join(row['left'][:5])} {row['said']}"
        print(f"{row['id']:28} {row['class']:20} {row['changed']:4} paths changed  {state}")
    print(f"{len(found)} of {len(single)} cases are allowed with a checkpoint")
    return 1 if any(row["left"] for row in found) else 0


if __name__ == "__main__":
    sys.exit(main())
