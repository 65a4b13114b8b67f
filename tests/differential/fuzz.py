"""Check 3: whatever the text, `parse` returns; steps stay within the budget, spans within the text.

    python checks/fuzz.py [--cases 100000] [--seed 1]

Inputs are corpus rows and generated nests, cut, spliced, doubled and sprinkled with metacharacters.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

import corpora
import nests
import ours

from interlock.reading.shell import parser as entry
from interlock.reading.shell.state import FREE_STEPS, STEPS_PER_CHAR, Budget
from interlock.reading.shell.walk import nodes

META = [
    "$(",
    ")",
    "`",
    '"',
    "'",
    "\\",
    "{",
    "}",
    "(",
    "((",
    "))",
    "$((",
    "<<E\n",
    "\nE\n",
    "\n",
    ";",
    "&",
    "|",
    "<(",
    ">(",
    "${",
    "[[ ",
    " ]]",
    "=~",
    "#",
    "!",
    " case x in ",
    " esac ",
    ";;",
    " do ",
    " done ",
    " if ",
    " fi ",
    "\\\n",
    "\t",
    "\r",
    "\0",
    "\x1b",
    "\ud800",
    "\u2028",
    "\xa0",
    "é",
    "<<-'X'\n",
    "$'",
    '$"',
    "$[",
    "]",
    "a=(",
    "a[",
    "~",
    "{a,b}",
    "..",
    "function ",
    "coproc ",
    "time ",
    "2>",
    "&>",
    ">&",
    "\x7f",
]


def mutate(rng: random.Random, rows: list[str]) -> str:
    text = rng.choice(rows)[:2000]
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            other = rng.choice(rows)[:1000]
            text = text[:at] + other[rng.randint(0, len(other)) :]
        elif kind == 2:
            end = min(len(text), at + rng.randint(1, 40))
            text = text[:end] + text[at:end] * rng.randint(1, 3) + text[end:]
        elif kind == 3:
            end = min(len(text), at + rng.randint(1, 20))
            text = text[:at] + text[end:]
        else:
            text = text[:at] + rng.choice(META) * rng.choice([1, 1, 1, 2, 70]) + text[at:]
    return text


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    rng = random.Random(given.seed)
    rows = [row for name in corpora.NAMES for row in corpora.commands(name)]
    rows += [nests.make(k) for k in range(2000)]
    budgets: list[Budget] = []

    class Counted(Budget):
        def __init__(self, length: int) -> None:
            super().__init__(length)
            budgets.append(self)

    entry.Budget = Counted  # type: ignore[misc]
    counts: Counter = Counter()
    worst_share = worst_time = 0.0
    slowest = ""
    for _ in range(given.cases):
        text = mutate(rng, rows)
        budgets.clear()
        begin = time.process_time()
        try:
            script = ours.parse(text)
        except BaseException as error:
            print("RAISED", type(error).__name__, error, ascii(text), file=sys.stderr)
            counts["RAISED"] += 1
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        spent = (time.process_time() - begin) / (len(text) + 50)
        if spent > worst_time:
            worst_time, slowest = spent, text
        allowed = STEPS_PER_CHAR * len(text) + FREE_STEPS
        worst_share = max(worst_share, (allowed - budgets[0].left) / allowed)
        counts["opaque" if script.opaque else "clear"] += 1
        for node in nodes(script):
            start, end = node.span
            if not 0 <= start <= end <= len(text):
                counts["SPAN OUTSIDE"] += 1
                print("SPAN", type(node).__name__, node.span, ascii(text), file=sys.stderr)
                break
    print(
        dict(counts),
        f"worst share of the budget {worst_share:.3f}, slowest {worst_time * 1e6:.1f} µs per character",
    )
    print("slowest:", ascii(slowest[:300]))
    return 1 if counts["RAISED"] or counts["SPAN OUTSIDE"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
