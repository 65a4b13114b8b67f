"""Check 1 and 2: no silent difference from shfmt on the corpora, and how much of them is read without
an opaque part.

python checks/corpora.py [name …] [--show N]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import oracle
import ours

CORPORA = Path("/work/shared/corpora")
NAMES = [
    "agent_commands",
    "nl2bash",
    "bypasses",
    "tldr_common",
    "tldr_linux",
    "gtfobins",
    "agentshield",
    "nah",
    "atomic_red_team",
    "redcode_exec_bash",
]


def commands(name: str) -> list[str]:
    rows = [json.loads(line) for line in (CORPORA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        r["command"] for r in rows if r.get("tool", "bash") == "bash" and isinstance(r.get("command"), str)
    ]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--show", type=int, default=5)
    options = parser.parse_args()
    bad = 0
    for name in options.names:
        texts = commands(name)
        answers = oracle.ask_all(texts, name)
        counts: Counter = Counter()
        reasons: Counter = Counter()
        shown = 0
        for text in texts:
            accepted, theirs = answers[text]
            script = ours.parse(text)
            clear = not script.opaque
            if accepted:
                counts["bash accepts"] += 1
                counts["clear where bash accepts"] += clear
                if not clear:
                    reasons[script.opaque[0].reason] += 1
            elif clear:
                counts["CLEAR BUT BASH REFUSES"] += 1
                if shown < options.show:
                    shown += 1
                    print("  REFUSED", json.dumps(text)[:300])
            if accepted and theirs is not None:
                verdict = ours.compare(text, theirs)
                counts["compared"] += 1
                if verdict == "equal":
                    counts["equal"] += 1
                elif verdict != "opaque":
                    counts["DIFFERENT"] += 1
                    if shown < options.show:
                        shown += 1
                        print("  DIFF", json.dumps(text)[:400], "\n      ", verdict[:600])
            elif accepted and clear:
                counts["clear, shfmt refuses"] += 1
        bad += counts["DIFFERENT"] + counts["CLEAR BUT BASH REFUSES"]
        share = 100 * counts["clear where bash accepts"] / max(1, counts["bash accepts"])
        print(
            f"{name}: {len(texts)} rows, {share:.2f} % clear",
            dict(counts),
            "reasons:",
            reasons.most_common(8),
        )
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
