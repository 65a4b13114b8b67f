"""The shell parser against shfmt and bash: it may leave things unread, and must not read them differently.

INTERLOCK_NESTS says how many nests are made (the other checks grow with it), INTERLOCK_SEED which ones,
INTERLOCK_CORPORA names a folder of command corpora.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from differential import corpora, hidden, nests, oracle, ours, printed, soup
from interlock.reading.shell import parse
from sizes import how_many

NESTS = how_many("INTERLOCK_NESTS", 1000, quick=300)
SEED = int(os.environ.get("INTERLOCK_SEED", "1")) * 10**8

pytestmark = pytest.mark.skipif(
    bool(oracle.missing_programs()), reason=f"not installed here: {oracle.missing_programs()}"
)


@pytest.fixture(scope="session")
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where answers are kept between runs."""
    store = getattr(request.config, "cache", None)
    return Path(store.mkdir("differential")) if store is not None else tmp_path_factory.mktemp("differential")


class Tally:
    """What came out, and each text that is read in another way than bash or shfmt reads it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.bad: list[str] = []

    def add(self, text: str, answer: oracle.Answer) -> None:
        accepted, theirs = answer
        script = parse(text)
        self.counts["accepted"] += accepted
        self.counts["clear"] += accepted and not script.opaque
        if not accepted:
            if not script.opaque and not script.refused:
                self.bad.append(f"clear, but bash refuses it: {text!r}")
        elif script.refused:
            self.bad.append(f"a line is left out as refused, but bash takes it: {text!r}")
        elif theirs is not None:
            verdict = ours.compare(text, theirs)
            self.counts[verdict if verdict in ("equal", "opaque") else "different"] += 1
            if verdict not in ("equal", "opaque"):
                self.bad.append(f"{text!r}\n    {verdict:.600}")

    @property
    def share(self) -> float:
        return 100 * self.counts["clear"] / max(1, self.counts["accepted"])


def tally(texts: Iterable[str], kept: Path, name: str) -> Tally:
    found = Tally()
    for text, answer in oracle.ask_all(texts, kept, name).items():
        found.add(text, answer)
    return found


def shortest(bad: list[str]) -> str:
    return "\n".join(sorted(bad, key=len)[:8])


@pytest.mark.slow
def test_nests_are_read_as_shfmt_reads_them(kept: Path) -> None:
    texts = [nests.make(SEED + k) for k in range(NESTS)]
    # shfmt takes the `#` of `$name#` for a comment inside parentheses; bash does not (README.md).
    found = tally([text for text in texts if not re.search(r"\$\w+#", text)], kept, f"nests-{SEED}")
    assert not found.bad, shortest(found.bad)
    assert found.counts["equal"] > NESTS / 2  # the check has something to compare


def test_soup_is_read_as_shfmt_reads_it(kept: Path) -> None:
    count = NESTS // 2
    texts = [make(SEED + k) for k in range(count) for make in (soup.make, hidden.make)]
    clear = [text for text in texts if not parse(text).opaque and not soup.SHFMT_IS_WRONG.search(text)]
    found = tally(clear, kept, f"soup-{SEED}")
    assert not found.bad, shortest(found.bad)
    assert found.counts["equal"] > count / 20


def test_bash_runs_no_marker_that_the_reading_does_not_hold() -> None:
    with ThreadPoolExecutor(oracle.PROCESSES) as pool:
        verdicts = list(pool.map(hidden.judge, range(SEED, SEED + NESTS * 3 // 10)))
    missed = [text for verdict, text in verdicts if verdict == "MISSED"]
    assert not missed, shortest([repr(text) for text in missed])
    assert sum(verdict in ("seen", "not run") for verdict, _ in verdicts) > NESTS / 20


def test_what_bash_prints_is_read_as_what_it_was_given() -> None:
    texts = list(dict.fromkeys(nests.make(SEED * 3 + k) for k in range(NESTS // 5)))
    with ThreadPoolExecutor(oracle.PROCESSES) as pool:
        verdicts = list(zip(texts, pool.map(printed.judge, texts), strict=True))
    bad = [f"{text!r}\n    {why:.600}" for text, (verdict, why) in verdicts if verdict == "DIFFERENT"]
    assert not bad, shortest(bad)
    assert sum(verdict == "equal" for _, (verdict, _) in verdicts) > len(texts) / 3


@pytest.mark.skipif(corpora.folder() is None, reason="INTERLOCK_CORPORA names no folder of corpora")
@pytest.mark.parametrize("name", corpora.CLEAR)
def test_corpora_are_read_as_shfmt_reads_them(name: str, kept: Path) -> None:
    texts = corpora.commands(name)
    if not texts:
        pytest.skip(f"there is no {name}.jsonl in INTERLOCK_CORPORA")
    found = tally(texts, kept, name)
    assert not found.bad, shortest(found.bad)
    assert found.share >= corpora.CLEAR[name], f"{found.share:.2f} % are read completely"
