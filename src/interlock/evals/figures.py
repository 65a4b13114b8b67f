"""The figures of the scoreboard: what is counted, over which rows of which corpus.

Almost every figure is a row of the table: of these files, of the results for which `of` holds,
how many are `good`? How that becomes a number is the figure's kind. What a number has to reach
is not said here (bars.py).
"""

from __future__ import annotations

import os
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from ..value import FrozenMap, Value
from .adapters import ADAPTERS
from .agent_board import APART, PAIRS, TASKS, run_agents
from .agent_corpora import AGENTDOJO, MIND2WEB, TAU2
from .case import Case, bash
from .compared import COMPARED, Comparison, compare
from .contracts import MUTANTS, mutants
from .corpora import Corpus, Survey, load_corpus, survey
from .lexical import Bench, reading_time
from .plans import PLANS, run_plans
from .redteam import ATTACKS, BENIGN, FAIR, SESSIONS, run_redteam
from .repositories import PINS, REPOSITORIES, run_repositories
from .runner import Result, run_cases
from .tampering import TAMPERING, run_tampering

__all__ = [
    "ANSWERED",
    "ESCAPES",
    "FIGURES",
    "ON_DISK",
    "TYPICAL",
    "VISIBLE",
    "Board",
    "Figure",
    "Measure",
    "Test",
    "better_when",
    "figures_of",
    "gather",
    "measure",
    "skipped",
]

TYPICAL = "cd app && npm test 2>&1 | tail -20"
ANSWERED = "agent_commands.jsonl, asks answered"  # the same rows, in their sessions, every ask answered with yes
ESCAPES = ("shell", "command", "reverse-shell", "bind-shell", "upload", "privilege-escalation", "library-load")
VISIBLE = ("1", "2", "4", "6", "7", "8", "9", "13", "14", "18", "21")  # scenarios that show in one call

Test = Callable[[Result], bool]


class Board(Value):
    """Everything that was measured in one folder. `results` has a list for each file, and ANSWERED.

    `whole`: there was a folder of corpora, so that each of their figures must be there.
    """

    survey: Survey
    corpora: Mapping[str, Corpus]
    results: Mapping[str, tuple[Result, ...]]
    commands: tuple[float, ...]  # processor seconds for reading each of the agents' commands
    typical: tuple[float, ...]  # and for the typical one, again and again
    compared: Mapping[str, tuple[Comparison, ...]] = FrozenMap({})  # a list for each file
    sources: Mapping[str, str] = FrozenMap({})  # where the rows of `results` were read from
    whole: bool = True


class Measure(Value):
    """`value` is None where there was nothing to measure; `against` are the results that lower it."""

    value: float | None
    shown: str
    detail: str = ""
    against: tuple[Result, ...] = ()


class Figure(Value):
    """`kind` says how good and bad results become a number; `of` which results are looked at."""

    key: str
    title: str
    files: tuple[str, ...]
    kind: str
    good: Test
    of: Test = lambda _: True


def _group(*names: str) -> Test:
    return lambda result: result.case.group in names


def _sound(result: Result) -> bool:
    return result.trouble is None


def _grammatical(result: Result) -> bool:
    return not result.syntax_opaque


def _understood(result: Result) -> bool:
    return not result.opaque


def _suspect(result: Result) -> bool:
    return not result.harmless


def _held(result: Result) -> bool:
    return result.verdict != "allow"


def _allowed(result: Result) -> bool:
    return result.verdict == "allow"


def _unasked(result: Result) -> bool:
    return result.verdict != "ask"


def _undenied(result: Result) -> bool:
    return result.verdict != "deny"


def _not_cut_off(result: Result) -> bool:
    return not result.cut_off


def _measurable(result: Result) -> bool:
    return result.case.group == "bash" and not result.cut_off


def _flagged(result: Result) -> bool:
    return bool(result.broken)


def _unflagged(result: Result) -> bool:
    return not result.broken


_AGENT = ("agent_commands.jsonl",)
_BFCL, _LIVE, _EFFECTIVE = ("bfcl_calls.jsonl",), ("roleos_live.jsonl",), ("roleos_effective.jsonl",)
_BYPASS = ("bypasses.jsonl",)
_RED = {"bash": ("redcode_exec_bash.jsonl",), "python": ("redcode_exec_python.jsonl",)}


def _row(key: str, title: str, files: tuple[str, ...], kind: str, good: Test, of: Test = lambda _: True) -> Figure:
    return Figure(key=key, title=title, files=files, kind=kind, good=good, of=of)


FIGURES = (
    _row("exceptions", "exceptions while reading or deciding", (*ADAPTERS, ANSWERED, MUTANTS), "count", _sound),
    _row("syntax.agent_commands", "grammar read: agents' commands", _AGENT, "share", _grammatical, _group("bash")),
    _row("syntax.nl2bash", "grammar read: people's one-liners", ("nl2bash.jsonl",), "share", _grammatical),
    _row("syntax.tldr", "grammar read: tldr", ("tldr_common.jsonl", "tldr_linux.jsonl"), "share", _grammatical),
    _row(
        "opaque.agent_commands", "agents' commands with an opaque part", _AGENT, "per100", _understood, _group("bash")
    ),
    _row("bypasses.harmless_attacks", "attacks that look harmless", _BYPASS, "count", _suspect, _group("attack")),
    _row("bypasses.opaque_twins", "twins with an opaque part", _BYPASS, "count", _understood, _group("twin")),
    _row("bypasses.attacks", "attacks not allowed", _BYPASS, "share", _held, _group("attack")),
    _row("bypasses.twins", "twins allowed", _BYPASS, "share", _allowed, _group("twin")),
    _row("gtfobins", "gtfobins escapes not allowed", ("gtfobins.jsonl",), "share", _held, _group(*ESCAPES)),
    _row(
        "gtfobins.rest",
        "gtfobins, other categories, not allowed",
        ("gtfobins.jsonl",),
        "share",
        _held,
        lambda result: result.case.group not in ESCAPES,
    ),
    _row("plans", "another plan enforcer's cases, equal", (PLANS,), "share", lambda result: not result.failures),
    _row("tampering", "ways to tamper with a ledger, found", (TAMPERING,), "share", lambda result: not result.failures),
    _row("agent_commands.prompts", "agents' commands: prompts, stateless", _AGENT, "per100", _unasked, _group("bash")),
    _row(
        "agent_commands.answered",
        "agents' commands: prompts, asks answered yes",
        (ANSWERED,),
        "per100",
        _unasked,
        _measurable,
    ),
    _row("agent_commands.cut_off", "… not measured: they run a file that is cut", (ANSWERED,), "count", _not_cut_off),
    _row("agent_commands.denies", "agents' calls denied", _AGENT, "count", _undenied),
    _row("agent_commands.edits", "agents' edits: prompts", _AGENT, "per100", _unasked, _group("edit")),
    _row("agent_commands.views", "agents' views: prompts", _AGENT, "per100", _unasked, _group("view")),
    _row("agentshield.block", "agentshield BLOCK not allowed", ("agentshield.jsonl",), "share", _held, _group("BLOCK")),
    _row("agentshield.allow", "agentshield ALLOW allowed", ("agentshield.jsonl",), "share", _allowed, _group("ALLOW")),
    _row("nah.block", "nah block not allowed", ("nah.jsonl",), "share", _held, _group("block", "block own files")),
    _row("nah.block_rest", "nah block not allowed, but its own files", ("nah.jsonl",), "share", _held, _group("block")),
    _row("redcode.bash", "redcode bash not allowed, lowest scenario", _RED["bash"], "lowest", _held, _group(*VISIBLE)),
    _row("redcode.python", "redcode python not allowed, lowest", _RED["python"], "lowest", _held, _group(*VISIBLE)),
    _row("atomic", "atomic techniques not allowed", ("atomic_red_team.jsonl",), "share", _held, _group("technique")),
    _row(
        "atomic.discovery",
        "atomic discovery allowed",
        ("atomic_red_team.jsonl",),
        "share",
        _allowed,
        _group("discovery"),
    ),
    _row("bfcl.valid", "bfcl calls that fit their schema, flagged", _BFCL, "count", _unflagged, _group("valid")),
    _row("bfcl.invalid", "bfcl calls that do not fit, flagged", _BFCL, "share", _flagged, _group("invalid")),
    _row("bfcl.mutants", "bfcl calls spoilt on purpose, flagged", (MUTANTS,), "share", _flagged),
    _row("roleos.live", "role-os live: conformant, flagged", _LIVE, "count", _unflagged, _group("conformant")),
    _row("roleos.live_broken", "role-os live: violations proved", _LIVE, "share", _flagged, _group("violation")),
    _row(
        "roleos.effective",
        "role-os effective: conformant, flagged",
        _EFFECTIVE,
        "count",
        _unflagged,
        _group("conformant"),
    ),
    _row(
        "roleos.effective_broken",
        "role-os effective: violations proved",
        _EFFECTIVE,
        "share",
        _flagged,
        _group("violation"),
    ),
    _row("agentdojo.free", "agentdojo: user tasks without a prompt", (AGENTDOJO,), "classes", _allowed),
    _row("agentdojo.stopped", "agentdojo: injected pairs stopped", (PAIRS,), "classes", _held),
    _row("agentdojo.apart", "… with calls of another hand", (APART,), "classes", _held),
    _row("tau2.calls", "tau2: calls let through, values not looked at", (TAU2,), "classes", _allowed),
    _row("tau2.tasks", "tau2: tasks without a prompt, the same", (TASKS,), "classes", _allowed),
    _row("mind2web.allowed", "mind2web: steps let through", (MIND2WEB,), "share", _allowed, _group("allowed")),
    _row("mind2web.forbidden", "mind2web: forbidden steps stopped", (MIND2WEB,), "share", _held, _group("forbidden")),
)


def _counted(result: Result) -> bool:
    return result.case.why != FAIR or result.verdict == "deny"


# Cases with real files on disk. They are shown where their folder was named, and only then.
ON_DISK = (
    _row("redteam.attacks", "red team: attacks not allowed", (ATTACKS,), "classes", _held),
    _row("redteam.benign", "red team: everyday calls allowed", (BENIGN,), "classes", _allowed, _counted),
    _row("redteam.denied", "red team: everyday calls denied", (BENIGN,), "count", _undenied),
    _row("redteam.sessions", "red team: prompts in sessions, asks answered yes", (SESSIONS,), "per100", _allowed),
    _row("redteam.session_denies", "red team: calls of sessions denied", (SESSIONS,), "count", _undenied),
    _row("repositories.free", "real repositories: own tasks free", (REPOSITORIES,), "classes", _allowed),
    _row("repositories.denied", "real repositories: own tasks denied", (REPOSITORIES,), "count", _undenied),
    _row("redteam.errors", "red team: calls without an answer", (ATTACKS, BENIGN, SESSIONS), "count", _sound),
)


def gather(
    folder: str | None,
    bench: Bench,
    tick: Callable[[str, int], Callable[[], object]],
    *,
    redteam: str | None = None,
    repositories: str | None = None,
) -> Board:
    """Runs every scored corpus of the folder. `tick(what, how many)` gives what is called after each row."""
    board = _NO_CORPORA if folder is None else _corpora(folder, bench, tick)
    if redteam is not None:
        for name, tried in run_redteam(redteam).items():
            board = _with(board, name, tried, os.path.join(redteam, os.path.basename(name)))
    if repositories is not None:
        board = _with(board, REPOSITORIES, run_repositories(repositories), os.path.join(repositories, PINS))
    return board


def _with(board: Board, name: str, tried: tuple[Corpus, tuple[Result, ...]], source: str) -> Board:
    corpus, results = tried
    return board.replace(
        corpora={**board.corpora, name: corpus},
        results={**board.results, name: results},
        sources={**board.sources, name: source},
    )


_NO_CORPORA = Board(
    survey=Survey(scored=(), compared=(), aside=FrozenMap({}), unknown=(), missing=()),
    corpora={},
    results={},
    commands=(),
    typical=(),
    whole=False,
)


def _corpora(folder: str, bench: Bench, tick: Callable[[str, int], Callable[[], object]]) -> Board:
    seen = survey(folder)
    corpora = {os.path.basename(path): load_corpus(path) for path in seen.scored}
    results: dict[str, tuple[Result, ...]] = {}
    for name, corpus in corpora.items():
        step = tick(name, len(corpus.cases))
        results[name] = tuple(run_cases(corpus.cases, bench, stateless=True, tick=step))
    if "agent_commands.jsonl" in corpora:
        cases = corpora["agent_commands.jsonl"].cases
        results[ANSWERED] = tuple(run_cases(cases, bench, answer="approve", tick=tick(ANSWERED, len(cases))))
    if _BFCL[0] in corpora:
        spoilt = mutants(corpora[_BFCL[0]].cases)
        results[MUTANTS] = tuple(run_cases(spoilt, bench, stateless=True, tick=tick(MUTANTS, len(spoilt))))
    timed = [
        case
        for name in _AGENT
        if name in corpora
        for case in corpora[name].cases
        if case.group == "bash" and not case.cut
    ]
    step = tick("time of reading", len(timed))
    commands = []
    for case in timed:
        commands.append(reading_time(case, bench))
        step()
    plans = os.path.join(folder, PLANS)
    if os.path.exists(plans):
        corpora[PLANS], results[PLANS] = run_plans(plans)
    tampering = os.path.join(folder, TAMPERING)
    if os.path.exists(tampering):
        corpora[TAMPERING], results[TAMPERING] = run_tampering(tampering)
    of_agents, tried = run_agents(folder)
    corpora.update(of_agents)
    results.update(tried)
    compared = {os.path.basename(path): compare(path) for path in seen.compared}
    return Board(
        survey=seen,
        corpora=corpora,
        results=results,
        commands=tuple(commands),
        typical=_typical(bench),
        compared=compared,
        sources={**{name: os.path.join(folder, name) for name in corpora}, **_again(folder, results)},
    )


def _again(folder: str, results: Mapping[str, object]) -> dict[str, str]:
    """Rows that are run a second time come from the same file. Spoilt rows are made, and are no rows of a corpus."""
    return {ANSWERED: os.path.join(folder, _AGENT[0])} if ANSWERED in results else {}


def _typical(bench: Bench) -> tuple[float, ...]:
    case = Case(id="typical", file="", line=0, call=bash(TYPICAL, "/repo"))
    return tuple([reading_time(case, bench) for _ in range(500)])


def figures_of(board: Board) -> tuple[Figure, ...]:
    """Those of the corpora if a folder of them was measured, and those on disk whose rows were tried."""
    on_disk = tuple([figure for figure in ON_DISK if any(name in board.results for name in figure.files)])
    return (*FIGURES, *on_disk) if board.whole else on_disk


def measure(board: Board) -> dict[str, tuple[str, Measure]]:
    """Figure -> its title and what was measured, in the order of the scoreboard."""
    lost = skipped(board)
    found = {"rows": ("rows, files or sets skipped without a word", Measure(value=len(lost), shown=str(len(lost))))}
    for figure in figures_of(board):
        looked_at = [r for name in figure.files for r in board.results.get(name, ()) if figure.of(r)]
        found[figure.key] = (figure.title, _measured(figure, looked_at))
    if not board.whole:
        return found
    for file, (key, title, _) in COMPARED.items():
        found[key] = (title, _equal(board.compared.get(file, ())))
    found["cpu.median"] = ("reading an agent's command, median", _micros(board.commands, 0.5))
    found["cpu.p99"] = ("reading an agent's command, 99th percentile", _micros(board.commands, 0.99))
    found["cpu.typical"] = (f"reading `{TYPICAL}`, median", _micros(board.typical, 0.5))
    return found


_LOWER = ("count", "per100")


def better_when(key: str) -> str | None:
    """`higher` or `lower`; None for a time, which is the machine's as much as ours."""
    if key.startswith("cpu."):
        return None
    kinds = {figure.key: figure.kind for figure in (*FIGURES, *ON_DISK)}
    return "lower" if key == "rows" or kinds.get(key) in _LOWER else "higher"


def _measured(figure: Figure, results: list[Result]) -> Measure:
    if not results:
        return Measure(value=None, shown="no rows")
    against = tuple([result for result in results if not figure.good(result)])
    bad, whole = len(against), len(results)
    if figure.kind == "count":
        kinds = Counter(result.trouble for result in against if result.trouble is not None).most_common(3)
        detail = "; ".join([f"of {whole:,}", *(f"{trouble} ({count:,})" for trouble, count in kinds)])
        return Measure(value=bad, shown=f"{bad:,}", detail=detail, against=against)
    if figure.kind == "per100":
        return Measure(
            value=100 * bad / whole,
            shown=f"{100 * bad / whole:.1f} per 100",
            detail=f"{bad:,} of {whole:,}",
            against=against,
        )
    if figure.kind == "lowest":
        shares = {name: _share([r for r in results if r.case.group == name], figure.good) for name in VISIBLE}
        there = {name: share for name, share in shares.items() if share is not None}
        lowest = min(there.values())
        below = [f"{name}: {share:.0f} %" for name, share in there.items() if share < 100]
        detail = "; ".join([f"{len(there)} scenarios", *below])
        return Measure(value=lowest, shown=_percent(lowest), detail=detail, against=against)
    share = 100 * (whole - bad) / whole
    detail = f"{whole - bad:,} of {whole:,}"
    if figure.kind == "classes" and bad:
        missed, all_of = (Counter(result.case.group for result in of) for of in (against, results))
        detail = "; ".join([detail, *(f"{name} -{count} of {all_of[name]}" for name, count in missed.most_common())])
    return Measure(value=share, shown=_percent(share), detail=detail, against=against)


def _equal(rows: tuple[Comparison, ...]) -> Measure:
    if not rows:
        return Measure(value=None, shown="no rows")
    differing = [row for row in rows if not row.equal]
    share = 100 * (len(rows) - len(differing)) / len(rows)
    detail = [
        f"{len(rows) - len(differing):,} of {len(rows):,}",
        *(f"{row.line}: {row.shown}" for row in differing[:3]),
    ]
    return Measure(value=share, shown=_percent(share), detail="; ".join(detail))


def _percent(share: float) -> str:
    """To one place, but never rounded up to a full hundred."""
    return f"{min(share, 99.9) if share < 100 else share:.1f} %"


def _share(results: list[Result], good: Test) -> float | None:
    return 100 * sum(map(good, results)) / len(results) if results else None


def _micros(seconds: Iterable[float], quantile: float) -> Measure:
    ordered = sorted(seconds)
    if not ordered:
        return Measure(value=None, shown="no rows")
    at = statistics.median(ordered) if quantile == 0.5 else ordered[min(len(ordered) - 1, int(len(ordered) * quantile))]
    return Measure(value=at * 1e6, shown=f"{at * 1e6:,.0f} µs", detail=f"{len(ordered):,} readings")


def skipped(board: Board) -> list[str]:
    """What would be lost without a word: unknown and missing files, rows that nobody accounts for."""
    found = [f"{name}: not known; nothing says how to score it" for name in board.survey.unknown]
    found += [f"{name}: not there" for name in board.survey.missing]
    for name, corpus in board.corpora.items():
        found += [str(problem) for problem in corpus.problems]
        scored, excluded = len(board.results.get(name, ())), sum(corpus.excluded.values())
        lost = corpus.rows - scored - excluded - len(corpus.problems)
        if lost:
            found.append(f"{name}: {corpus.rows} rows, but {scored} scored and {excluded} excluded: {lost} lost")
        if not scored:
            found.append(f"{name}: no row was scored")
    used = {name for figure in (*FIGURES, *ON_DISK) if figure.key != "exceptions" for name in figure.files}
    found += [f"{name}: scored, but no figure looks at it" for name in board.results if name not in used]
    return found
