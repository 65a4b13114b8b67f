"""Sessions with files on disk: how a pack writes them, what the runner makes of them, and what it never does."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from interlock.evals import stage as module
from interlock.evals.case import Case, PackError
from interlock.evals.committed import commit_all
from interlock.evals.lexical import bench_for, kept_here
from interlock.evals.pack import load_pack
from interlock.evals.runner import Result, run_cases
from interlock.model.errors import InputError
from machine import Machine

BENCH = bench_for()


def cases(folder: Path, *rows: dict[str, object]) -> tuple[Case, ...]:
    file = folder / "pack.jsonl"
    file.write_text("".join(json.dumps({"id": f"s{at}", **row}) + "\n" for at, row in enumerate(rows, start=1)))
    return load_pack(str(file))


def ran(folder: Path, *steps: dict[str, object], answer: str = "open", **more: object) -> list[Result]:
    return list(run_cases(cases(folder, {"steps": list(steps), **more}), BENCH, answer=answer))


def step(command: str, expect: str = "allow", **more: object) -> dict[str, object]:
    return {"command": command, "expect": expect, **more}


def verdicts(results: list[Result]) -> list[str]:
    assert [result.trouble for result in results if result.trouble] == []
    return [result.verdict for result in results]


def write(path: str, text: str) -> dict[str, object]:
    return {"call": {"tool": "Write", "input": {"file_path": path, "content": text}}, "expect": "allow"}


def test_each_step_is_a_case_of_one_session(tmp_path: Path) -> None:
    found = cases(tmp_path, {"why": "w", "technique": "t", "steps": [step("ls"), step("cat a", why="own")]})
    assert [(case.id, case.call.session, case.why, case.group) for case in found] == [
        ("s1/1", "s1", "w", "t"),
        ("s1/2", "s1", "own", "t"),
    ]


def test_files_are_there_and_what_a_step_writes_is_read_by_the_next(tmp_path: Path) -> None:
    results = ran(
        tmp_path,
        step("make test"),
        write("Makefile", "test:\n\trm -rf ~\n"),
        step("make test", "deny"),
        files={"Makefile": "test:\n\tpytest -q\n"},
    )
    assert verdicts(results) == ["allow", "allow", "deny"]
    assert not any(result.failures for result in results)


def test_paths_are_told_as_the_case_writes_them(tmp_path: Path) -> None:
    (result,) = ran(tmp_path, step("cat ~/.ssh/id_ed25519", "ask"), files={"~/.ssh/id_ed25519": "a key\n"})
    assert result.actions == ("fs:read path=/home/user/.ssh/id_ed25519",)
    assert "interlock-eval" not in json.dumps([result.lines, result.reasons, result.failures])


def test_nothing_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (result,) = ran(tmp_path, step(f"touch {mark}", "allow"), answer="approve")
    assert result.verdict in ("allow", "ask")
    assert not mark.exists()


def test_the_folders_are_gone_in_the_end_also_where_somebody_stops_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = module._made_folder

    def noted() -> str:
        made.append(make())
        return made[-1]

    monkeypatch.setattr(module, "_made_folder", noted)
    for _ in run_cases(cases(tmp_path, {"steps": [step("ls"), step("ls")]}, {"steps": [step("ls")]}), BENCH):
        break
    assert verdicts(ran(tmp_path, step("ls"))) == ["allow"]
    assert len(made) == 2
    assert [folder for folder in made if os.path.exists(folder)] == []


def test_a_yes_in_the_host_is_remembered_and_a_no_too(tmp_path: Path) -> None:
    results = ran(
        tmp_path,
        step("npm install left-pad", "ask", answer="approve"),
        step("npm install left-pad"),
        step("pip install flask", "ask", answer="refuse"),
        step("pip install flask", "deny"),
    )
    assert verdicts(results) == ["ask", "allow", "ask", "deny"]


def test_the_answer_of_the_run_counts_where_a_step_names_none(tmp_path: Path) -> None:
    steps = (step("npm install left-pad", "ask"), step("npm install left-pad", "not_deny"))
    assert verdicts(ran(tmp_path, *steps)) == ["ask", "ask"]
    assert verdicts(ran(tmp_path, *steps, answer="approve")) == ["ask", "allow"]
    assert verdicts(ran(tmp_path, *steps, answer="refuse")) == ["ask", "deny"]


ELSEWHERE = 'version = 1\n[approvals]\nby = ["terminal"]\n'


def test_an_approval_elsewhere_is_for_one_call_once(tmp_path: Path) -> None:
    push = "git push origin feature"
    steps = (step(push, "deny", answer="approve"), step(push), step(push, "deny"))
    assert verdicts(ran(tmp_path, *steps, posture="autonomous", policy=ELSEWHERE)) == ["deny", "allow", "deny"]


def test_what_the_person_says_and_what_comes_back_count(tmp_path: Path) -> None:
    again = step("make test", result="broken", fails=True)
    assert verdicts(ran(tmp_path, again, again, again)) == ["allow", "allow", "deny"]
    assert verdicts(ran(tmp_path, again, again, again | {"says": "once more"})) == ["allow"] * 3
    others = [again | {"result": text} for text in "abc"]
    assert verdicts(ran(tmp_path, *others)) == ["allow"] * 3


def test_a_note_can_be_expected(tmp_path: Path) -> None:
    same = {"tool": "Edit", "input": {"file_path": "a.py", "old_string": "x", "new_string": "x"}}
    call = {"call": same, "expect": "allow", "fails": True}
    assert ran(tmp_path, {**call, "notes": "must differ"})[0].failures == ()
    assert (
        ran(tmp_path, {**call, "notes": ["must differ", "nobody says this"]})[0]
        .failures[0]
        .startswith("expected a note with `nobody says this`, got: `old_string` and `new_string` must differ")
    )


def test_the_policy_of_the_run_lies_above_that_of_a_case(tmp_path: Path) -> None:
    own = 'version = 1\n[[rules]]\nid = "own"\nwhen = { tool = "Bash" }\nverdict = "ask"\nreason = "Mine."\n'
    file = tmp_path / "run.toml"
    file.write_text('version = 1\n[[rules]]\nid = "run"\nwhen = { tool = "Bash" }\nverdict = "deny"\nreason = "No."\n')
    found = cases(tmp_path, {"policy": own, "steps": [step("ls", "ask", rule="own")]})
    (result,) = run_cases(found, BENCH)
    assert (result.verdict, result.rules) == ("ask", ("own",))
    (result,) = run_cases(found, bench_for(str(file)))
    assert (result.verdict, set(result.rules)) == ("deny", {"own", "run"})
    (result,) = run_cases(found, bench_for(posture="locked"))
    assert result.verdict == "deny"


def test_mode_and_profile_count_for_sessions_too(tmp_path: Path) -> None:
    found = cases(tmp_path, {"steps": [step("frobnicate x", "ask")]})
    assert [result.verdict for result in run_cases(found, bench_for(mode="permissive"))] == ["allow"]
    assert [result.verdict for result in run_cases(found, bench_for(profile="readonly"))] == ["deny"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"leaves": {"gone.txt": None}}, "`gone.txt` cannot be taken away: the session has no such file"),
        (
            {"call": {"tool": "Edit", "input": {"file_path": "a.py", "old_string": "x", "new_string": "y"}}},
            "`a.py` cannot be edited: the session has no such file",
        ),
    ],
)
def test_a_step_that_cannot_be_done_fails(tmp_path: Path, given: dict[str, object], told: str) -> None:
    call = {"expect": "allow", **({} if "call" in given else {"command": "ls"}), **given}
    (result,) = ran(tmp_path, call)
    assert (result.verdict, result.failures) == ("error", (f"failed with InputError: {told}",))


def test_a_file_outside_of_the_session_is_never_written(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine\n")
    (result,) = ran(tmp_path, {**write(str(file), "yours\n"), "expect": "not_deny"}, answer="approve")
    assert result.failures == (
        f"failed with InputError: `{file}` is outside of the folders that a session has on disk",
    )
    assert file.read_text() == "mine\n"


CONSULT = """version = 1
[consult]
endpoint = "http://127.0.0.1:9/v1/chat/completions"
model = "m"
family = "a"
agent_family = "b"
[plan]
enforcement = "strict"
dir = "RUN"
"""


def test_what_reaches_beyond_the_session_does_not_count(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "experiment_plan.yaml").write_text("- ./sim\n")
    file = tmp_path / "policy.toml"
    file.write_text(CONSULT.replace("RUN", str(run)))
    bench = bench_for(str(file))
    kept = kept_here(bench.policy)
    assert (kept.consult, kept.plan) == (None, None)
    assert kept.digest != bench.policy.digest
    (result,) = run_cases(cases(tmp_path, {"steps": [step("ls")]}), bench)
    assert result.verdict == "allow"
    assert [entry.name for entry in run.iterdir()] == ["experiment_plan.yaml"]
    assert kept_here(BENCH.policy) is BENCH.policy


def test_a_folder_for_throw_away_files_is_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "TEMP", ("/",))
    with pytest.raises(InputError, match="a case with steps needs a folder for its files"):
        module._made_folder()


WRONG: list[tuple[dict[str, object], str]] = [
    ({"steps": []}, "`steps` must be a list of calls"),
    ({"steps": ["ls"]}, "step 1: it must be an object with `call` or `command`, and `expect`"),
    ({"steps": [{"command": "ls"}]}, "step 1: `expect` is missing"),
    ({"steps": [step("ls", answr="approve")]}, "step 1: unknown key `answr`; did you mean `answer`?"),
    ({"steps": [step("ls", answer="yes")]}, "step 1: `answer` must be one of approve, refuse, open"),
    ({"steps": [step("ls", reach="session")]}, "step 1: `reach` goes with `answer: approve`"),
    ({"steps": [step("ls", answer="approve", reach="far")]}, "step 1: `reach` must be one of session, folder"),
    ({"steps": [step("ls", fails="no")]}, "step 1: `fails` must be true or false"),
    ({"steps": [step("ls", result=1)]}, "step 1: `result` must be a text"),
    ({"steps": [step("ls", leaves={"../x": "a"})]}, "step 1: `leaves`: `../x` must be a path in the project"),
    ({"steps": [step("ls")], "files": {"/etc/x": "a"}}, "`files`: `/etc/x` must be a path in the project"),
    ({"steps": [step("ls")], "files": {"a": None}}, "`files`: the content of `a` must be a text"),
    ({"steps": [step("ls")], "files": {".git/config": "a"}}, "`files`: `.git/config` is in the repository"),
    ({"steps": [step("ls")], "files": ["a"]}, "`files` must be an object of paths and texts"),
    ({"steps": [step("ls")], "policy": "version = 9\n"}, "`policy`: line 1: "),
    ({"steps": [step("ls")], "policy": "a ="}, "`policy`: line 1: "),
    (
        {"steps": [step("ls")], "policy": 'version = 1\n[plan]\ndir = "/srv/run"\n'},
        "`policy`: a pack may not have [consult], [judge], [store], [evidence] or a plan outside of the project",
    ),
    (
        {"steps": [step("ls")], "policy": 'version = 1\n[plan]\ndir = "~/../../run"\n'},
        "`policy`: a pack may not have",
    ),
    (
        {"steps": [step("ls")], "policy": 'version = 1\n[evidence]\nsend = ["https://collect.example/x"]\n'},
        "`policy`: a pack may not have",
    ),
    ({"steps": [step("ls")], "session": "s"}, "unknown key `session`"),
    ({"steps": [step("ls")], "posture": "idle"}, "step 1: `posture` must be one of interactive, autonomous"),
    ({"command": "ls", "expect": "allow", "files": {}}, "`files` goes with `steps`"),
    ({"command": "ls", "expect": "allow", "notes": 1}, "`notes` must be a text, or a list of texts"),
]


@pytest.mark.parametrize(("row", "told"), WRONG, ids=[told for _, told in WRONG])
def test_a_session_with_a_mistake_is_told_before_anything_runs(
    tmp_path: Path, row: dict[str, object], told: str
) -> None:
    with pytest.raises(PackError) as error:
        cases(tmp_path, row)
    assert any(problem.text.startswith(f"case `s1`: {told}") for problem in error.value.problems), error.value.problems


def test_one_step_is_shown_after_those_before_it(machine: Machine) -> None:
    file = machine.project / "own.jsonl"
    steps = [step("npm install left-pad", "ask", answer="approve"), step("npm install left-pad")]
    file.write_text(json.dumps({"id": "s", "steps": steps}) + "\n")
    assert "ask  dominant effect" in machine.run("eval", "show", str(file), "s/1").out
    assert "allow  dominant effect" in machine.run("eval", "show", str(file), "s/2").out
    assert not machine.ledger.exists()  # the session has one of its own


def test_the_commit_is_one_that_git_takes(tmp_path: Path) -> None:
    (tmp_path / "a.b/c").mkdir(parents=True)
    for name, text in {"a.b/c/x": "1", "a": "2", "a-c": "3", "run.sh": "#!/bin/sh\n"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "run.sh").chmod(0o755)
    commit = commit_all(str(tmp_path))

    def git(*words: str) -> str:
        alone = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
        words = ("git", "-c", "safe.directory=*", "-C", str(tmp_path), *words)
        done = subprocess.run(words, capture_output=True, text=True, env=alone, check=True)
        return done.stdout.strip()

    assert git("rev-parse", "HEAD") == commit
    assert git("fsck", "--strict") == ""
    git("reset", "-q")
    assert git("status", "--short") == ""
