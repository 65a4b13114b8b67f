"""The docs are true: what they show works, what exists is in them."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.evals.agent_files import own_suite
from interlock.evals.case import Case, bash
from interlock.evals.lexical import Bench, judge, start
from interlock.evals.scripted import load_sessions
from interlock.model.call import Call
from interlock.model.posture import Posture
from interlock.policy.compile import compile_policy
from interlock.policy.importers import import_policy
from interlock.store.home.policies import compile_sources, default_file
from interlock.value import FrozenMap

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"]
DEFAULT = ("default", default_file(), Path(default_file()).read_bytes())


@pytest.mark.parametrize("script", ["reference", "impure"])
def test_generated_pages_are_up_to_date(script: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / f"scripts/{script}.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_toml_in_the_docs_is_a_policy(page: Path) -> None:
    for example in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
        compile_sources((DEFAULT, ("user", page.name, example.encode())))


def test_the_session_and_the_suite_in_the_docs_can_be_loaded(tmp_path: Path) -> None:
    page = (ROOT / "docs/eval.md").read_text()
    (session,) = re.findall(r"```toml session\n(.*?)```", page, re.DOTALL)
    (tmp_path / "notes.toml").write_text(session)
    assert [step.tool for step in load_sessions([str(tmp_path / "notes.toml")])[0].steps] == ["", "Edit", *["Bash"] * 5]
    (rows,) = re.findall(r"```json\n(\{\"task\".*?)```", page, re.DOTALL)
    (tmp_path / "mail.jsonl").write_text(rows)
    tools = [f'[tools.{name}]\neffects = ["network"]\n' for name in ("mail_send", "mail_purge")]
    (tmp_path / "mail.toml").write_text("version = 1\n" + "".join(tools))
    suite = own_suite(str(tmp_path), "mail")
    assert (len(suite.tasks), len(suite.injections)) == (2, 1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


# --- files of ours that are named --------------------------------------------------------------------

NAMED = re.compile(r"(?<![\w./*~{-])((?:[\w-]+/)*[\w-]+\.py)\b(?![\w./(])")
# Files of the projects that are guarded, a role, and made-up examples.
THEIRS = set(
    "a.py b.py x.py other.py helper.py code.py json.py pluggy.py tests.py env.py conf.py setup.py manage.py dodo.py "
    "conftest.py run.py fabfile.py locustfile.py noxfile.py sitecustomize.py usercustomize.py tests/a.py tools/gen.py "
    "tools/extract.py".split()
)
FILES = {
    path.relative_to(ROOT).as_posix()
    for top in ("src", "tests", "scripts", "benchmarks")
    for path in ROOT.glob(f"{top}/**/*.py")
}


def wrongly_named(where: str, text: str) -> list[str]:
    """The files that a text names and that are not there, or that a comment names so that several are meant."""
    folder, _, _ = where.rpartition("/")
    wrong = []
    for named in NAMED.findall(text):
        meant = {path for path in FILES if f"/{path}".endswith(f"/{named}")}
        if named in THEIRS or named != named.lower():
            continue
        ours = {path for path in meant if path.startswith("src/")}
        if not meant:
            wrong.append(f"{where} names {named}, which is not there")
        elif (
            folder.startswith("src/")
            and len(ours) > 1
            and not meant & {f"{folder}/{named}", f"src/interlock/{named}", named}
        ):
            wrong.append(f"{where} names {named}, which may be any of {sorted(ours)}")
    return wrong


def said_in(text: str) -> Iterator[str]:
    """Comments and docstrings of a module."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node, clean=False) or ""


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    named = "\n".join(re.findall(r"`[^`]+`|\]\([^)]+\)", prose))
    assert wrongly_named(page.relative_to(ROOT).as_posix(), named.replace("../", "")) == []


def test_files_that_comments_name_are_there() -> None:
    wrong = [
        complaint
        for path in sorted(FILES)
        if path.startswith(("src/", "scripts/", "benchmarks/"))
        for said in said_in((ROOT / path).read_text())
        for complaint in wrongly_named(path, said)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the words are in reading/tables/spec.py", ""),
        ("`spec.py`", ""),
        ("commands/spec.py", "names commands/spec.py, which is not there"),
        ("see events.py", "names events.py, which may be any of ['src/interlock/follow/events.py', "),
        ("see follow/events.py", ""),
        ("as `setup.py` and NAME_install.py do", ""),
    ],
)
def test_a_file_that_is_not_there_is_found(text: str, expected: str) -> None:
    found = wrongly_named("src/interlock/engine.py", text)
    assert [complaint[: len("src/interlock/engine.py ") + len(expected)] for complaint in found] == (
        [f"src/interlock/engine.py {expected}"] if expected else []
    )


@pytest.mark.slow
def test_the_guide_to_policy_tests_does_what_it_shows(tmp_path: Path) -> None:
    guide = (ROOT / "docs/policy-tests.md").read_text()
    blocks = dict(re.findall(r"```(toml|yaml|python|)\n(.*?)```", guide, re.DOTALL))
    (tmp_path / ".interlock/tests").mkdir(parents=True)
    (tmp_path / ".interlock/policy.toml").write_text(blocks["toml"])
    (tmp_path / ".interlock/tests/cases.yaml").write_text(blocks["yaml"])
    (tmp_path / "test_policy.py").write_text(blocks["python"])

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    shown = run("interlock.cli", "--home", str(tmp_path), "policy", "test")
    assert "$ interlock policy test\n" + shown.replace(f"{tmp_path}/", "") == blocks[""]
    assert "7 passed" in run("pytest", "-q", "test_policy.py", ".interlock/tests")


def test_every_promise_has_the_test_that_it_names() -> None:
    tests = "\n".join(path.read_text() for path in ROOT.glob("tests/**/*.py"))
    promises = re.findall(r"^\| `(\w+)` \|.*`(test_\w+)` \|$", (ROOT / "docs/promises.md").read_text(), re.MULTILINE)
    assert len(promises) >= 9
    for promise, test in promises:
        assert test == f"test_{promise}"
        assert f"def {test}" in tests, test


def test_every_failure_has_its_row_in_the_limits() -> None:
    table = (ROOT / "docs/limits.md").read_text().partition("## When something fails")[2]
    for words in (
        "not a call",
        "policy file",
        "path leads",
        "layer raises",
        "receipt cannot",
        "run folder",
        "deadline",
        "crash",
    ):
        assert words in table


def test_make_help_lists_every_target() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE):
        assert f"make {target}" in listed


def test_the_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme


# What is shown of an agent SDK runs in the environment of that SDK (tests/sdks), and a check records (test_checks.py).
ELSEWHERE = ("sdk-", "coming-from-signet")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if not page.name.startswith(ELSEWHERE)], ids=lambda page: page.name
)
def test_python_in_the_docs_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        if "import " in example:  # the rest are rows and fragments
            exec(compile(example, page.name, "exec"), {})


def test_the_table_of_the_capabilities_page_is_what_is_decided() -> None:
    page = (ROOT / "docs/capabilities.md").read_text()
    bench = _bench(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])
    bench = bench.replace(
        policy=bench.policy.replace(grants=tuple(g.replace(expires=None) for g in bench.policy.grants))
    )
    rows = re.findall(r"^\| `([^`]+)` \| (allow|ask|deny) \|$", page, re.MULTILINE)
    assert len(rows) > 9
    for command, expected in rows:
        case = Case(id="", file="", line=0, call=bash(command, "/repo"))
        found = judge(case, bench, start(case, bench)).decision
        told = "deny" if any(finding.layer == "capability" for finding in found.reasons) else found.verdict.name
        assert (command, told) == (command, expected)


def test_the_manifest_of_the_spine_page_becomes_the_policy_that_it_shows() -> None:
    page = (ROOT / "docs/coming-from-spine.md").read_text()
    (manifest,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    imported, _ = import_policy(manifest.encode())
    assert tomllib.loads(imported) == tomllib.loads(shown)
    bench = _bench(shown)
    tools = ("look_up", "restart", "elsewhere")
    for posture, *expected in re.findall(r"^\| (\w+) \| (\w+) \| (\w+) \| (\w+) \|$", page, re.MULTILINE):
        found = []
        for tool in tools:
            case = Case(id="", file="", line=0, call=Call(tool=tool, input=FrozenMap({})), posture=Posture.of(posture))
            found.append(judge(case, bench, start(case, bench)).decision.verdict.name)
        assert (posture, found) == (posture, expected)


def _bench(text: str) -> Bench:
    policy = compile_policy((DEFAULT, ("user", "example.toml", text.encode())))
    return Bench(policy=policy, posture=policy.posture)


def test_each_cell_of_the_table_of_forms_names_a_test_that_is_there() -> None:
    text = (ROOT / "docs/limits.md").read_text()
    table = text.partition("## What each form holds")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| `")]
    promises = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/promises.md").read_text(), re.MULTILINE)
    assert {row[0].strip(" `") for row in rows} <= set(promises)
    assert len(rows) == 10
    there = {
        name for file in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text())
    }
    for row in rows:
        for cell in row[1:]:
            named = re.findall(r"`(test_\w+)`", cell)
            assert named or cell.strip().startswith(("same", "not built")), cell
            assert set(named) <= there, set(named) - there
