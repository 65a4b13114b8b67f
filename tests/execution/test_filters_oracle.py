"""awk, sed and jq run programs made by chance: whatever one of them did must have been read, or be opaque.

INTERLOCK_EXECUTIONS says how many programs in all languages together, 2,000 by default; the same ones each time.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from execution.filter_programs import programs
from execution.filter_world import Seen, World, missed, reads_as_harmless, variants
from sizes import how_many

EXECUTIONS = how_many("INTERLOCK_EXECUTIONS", 2000, quick=400)
SHARES = {"awk": 0.4, "sed": 0.35, "jq": 0.25}
WORKERS = 2
_COMMANDS = {"awk": ("awk",), "sed": ("sed", "-n"), "jq": ("jq", "-L", ".", "-n")}


def _words(language: str, program: str) -> list[str]:
    return [*_COMMANDS[language], program, "input"]


def _ran(language: str, share: list[str], folder: Path) -> list[tuple[str, tuple[str, ...], Seen]]:
    folder.mkdir()
    world = World(folder)
    found = []
    versions = variants(language)
    for number, program in enumerate(share):
        for variant in {versions[number % len(versions)], versions[number // len(versions) % len(versions)]}:
            seen = world.run(variant, _words(language, program)[1:])
            if seen:
                found.append((program, variant, seen))
    return found


@pytest.mark.parametrize("language", SHARES)
def test_nothing_is_done_that_was_not_read(language: str, tmp_path: Path) -> None:
    made = list(dict.fromkeys(programs(language, int(EXECUTIONS * SHARES[language]))))
    if not variants(language):
        pytest.skip(f"there is no {language} here")
    with ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(_ran, language, made[at::WORKERS], tmp_path / str(at)) for at in range(WORKERS)]
        ran = [case for job in jobs for case in job.result()]
    wrong = [
        (program, variant, why) for program, variant, seen in ran if (why := missed(_words(language, program), seen))
    ]
    wrong.sort(key=lambda case: len(case[0]))
    assert not wrong, f"{len(wrong)} of {len(ran)}:\n" + "\n".join(map(repr, wrong[:30]))
    assert len({program for program, _, _ in ran}) > 0.1 * len(made), "too few of these programs do anything"


@pytest.mark.parametrize(
    ("language", "program"),
    [
        ("awk", "{print $1}"),
        ("awk", "NR>1 && $3 > 5 {s += $3} END {print s/NR}"),
        ("awk", '/"/ {n++} END {print n / 2}'),
        ("awk", "/^[^\\/]+:/ {print $1}"),
        ("awk", "{gsub(/[\\.\\-\\/]/, \"_\"); print}"),
        ("awk", "/[^\\t ]+\\/[\\w]/ {print}"),
        ("awk", "{gsub(/[^/]*\\//, \"\"); print}"),
        ("awk", "BEGIN{FS=OFS=\",\"} {$2=toupper($2)} 1"),
        ("awk", 'function f(a, b) {return a > b ? a : b} {print f($1, $2) > "/dev/stderr"}'),
        ("awk", "{a[$1]++} END {for (k in a) if (a[k] > 1) print k, a[k]}"),
        ("sed", "s/[/]/x/g; /a/,/b/p"),
        ("sed", "/^$/d;s#a#b#;y/abc/xyz/"),
        ("sed", ":a;N;$!ba;s/\\n/ /g;p"),
        ("sed", "$a\\text w x"),
        ("jq", ".env.PATH, {env: .a, name}"),
        ("jq", '.a | "\\(.env) env" # $ENV'),
        ("jq", "[.[] | select(.env == \"x\")] | length"),
    ],
)  # fmt: skip
def test_ordinary_programs_read_their_input_and_no_more(language: str, program: str) -> None:
    assert reads_as_harmless(_words(language, program))
