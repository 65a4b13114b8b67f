"""Running cases: what counts as a failure, sessions, and a world without a disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.evals.case import EXPECTED, Case, WantedAction, bash
from interlock.evals.lexical import bench_for
from interlock.evals.runner import Result, judge_one, looks_harmless, run_cases, syntax_opaque
from interlock.model.action import Action, Opaque, Reading
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.policy.model import ApprovalMode
from interlock.reading.bash import follow_bash
from interlock.value import FrozenMap

BENCH = bench_for()


def _case(tool: str, session: str = "", **fields: object) -> Case:
    call = Call(tool=tool, input=FrozenMap({"file_path": "a.txt"}), cwd="/repo", session=session)
    return Case(**{"id": tool, "file": "p", "line": 1, "call": call, **fields})  # type: ignore[arg-type]


def _only(case: Case) -> Result:
    (result,) = run_cases([case], BENCH)
    return result


READ = _case("Read")
UNKNOWN = _case("Frobnicate")


@pytest.mark.parametrize(
    ("case", "failures"),
    [
        (READ.replace(expect="allow"), ()),
        (READ.replace(expect="not_deny"), ()),
        (READ.replace(expect="not_allow"), ("expected not_allow, got allow",)),
        (UNKNOWN.replace(expect="ask"), ()),
        (UNKNOWN.replace(expect="deny"), ("expected deny, got ask",)),
        (READ.replace(actions=(WantedAction(name="fs:read"),)), ()),
        (READ.replace(actions=(WantedAction(name="fs:read", target=FrozenMap({"path": "/repo/a.txt"})),)), ()),
        (
            READ.replace(actions=(WantedAction(name="fs:read", target=FrozenMap({"path": "/a"})),)),
            ("expected the action fs:read path=/a, read: fs:read path=/repo/a.txt",),
        ),
        (READ.replace(effects="read"), ()),
        (READ.replace(effects="write"), ("expected the dominant effect write, got read",)),
        (READ.replace(effects=("read",)), ()),
        (READ.replace(effects=()), ("expected the effects none, got read",)),
        (READ.replace(opaque=False), ()),
        (READ.replace(opaque=True), ("expected an opaque part, all was read",)),
    ],
)
def test_what_differs_is_told(case: Case, failures: tuple[str, ...]) -> None:
    assert _only(case).failures == failures


def test_every_expectation_is_a_set_of_verdicts() -> None:
    assert set(EXPECTED["not_allow"]) | set(EXPECTED["allow"]) == {"allow", "ask", "deny"}
    assert set(EXPECTED["not_deny"]) | set(EXPECTED["deny"]) == {"allow", "ask", "deny"}


def test_links_of_this_machine_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/shadow")
    call = Call(tool="Read", input=FrozenMap({"file_path": f"{tmp_path}/link"}), cwd="/repo")
    result = _only(READ.replace(call=call))
    assert (result.verdict, result.actions) == ("allow", (f"fs:read path={tmp_path}/link",))


def test_paths_are_still_settled() -> None:
    call = Call(tool="Read", input=FrozenMap({"file_path": "../home/user/.ssh/id_rsa"}), cwd="/repo")
    assert _only(READ.replace(call=call)).verdict == "ask"


def test_answers_are_remembered_within_a_session_only() -> None:
    outside = [
        _case("Write", session, call=Call(tool="Write", input=FrozenMap({"file_path": "/opt/a/b/c"}), session=session))
        for session in ("one", "one", "two", "")
    ]

    def run(**how: bool | str) -> list[str]:
        return [result.verdict for result in run_cases(outside, BENCH, **how)]  # type: ignore[arg-type]

    assert run(answer="approve") == ["ask", "allow", "ask", "ask"]
    assert run() == ["ask"] * 4
    assert run(answer="refuse") == ["ask", "deny", "ask", "ask"]
    assert run(answer="approve", stateless=True) == ["ask"] * 4
    assert judge_one(outside, outside[1], BENCH, answer="approve").decision.verdict.name == "allow"
    assert judge_one(outside, outside[1], BENCH).decision.verdict.name == "ask"


def test_a_case_of_its_own_posture() -> None:
    assert _only(_case("Write", posture=Posture.DRY_RUN)).verdict == "deny"


def test_the_bench_is_the_built_in_policy_and_the_file_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('version = 1\n[risk]\nunregistered = "deny"\n')
    bench = bench_for(str(file), mode="strict", posture="locked")
    assert (bench.policy.unregistered.name, bench.posture) == ("deny", Posture.LOCKED)
    assert bench.policy.approval_mode is ApprovalMode.STRICT
    assert len({bench.policy.digest, BENCH.policy.digest, bench_for(str(file)).policy.digest}) == 3


def test_a_fault_of_ours_is_trouble_and_not_a_verdict_to_be_proud_of() -> None:
    broken = READ.replace(call=READ.call.replace(cwd=None), expect="ask")  # such a call cannot come from outside
    result = _only(broken)
    assert result.trouble is not None
    assert result.verdict in ("ask", "error")


def _reading(*actions: Action, opaque: tuple[Opaque, ...] = ()) -> Reading:
    return Reading(call="", projection="", actions=actions, opaque=opaque)


LOOK = Action(name="fs:read", effects=(Effect.READ,))


@pytest.mark.parametrize(
    ("reading", "harmless"),
    [
        (_reading(LOOK), True),
        (_reading(Action(name="agent:note")), True),
        (_reading(LOOK, LOOK.replace(tags=("secret",))), False),
        (_reading(LOOK, Action(name="fs:write", effects=(Effect.WRITE,))), False),
        (_reading(LOOK, opaque=(Opaque(reason="x"),)), False),
    ],
)
def test_what_looks_harmless(reading: Reading, harmless: bool) -> None:
    assert looks_harmless(reading) is harmless


@pytest.mark.parametrize(
    ("command", "syntactic"),
    [("echo 'open", True), ("$X ls", False), ("git status", False)],
)
def test_which_opaque_parts_are_the_grammars(command: str, syntactic: bool) -> None:
    found = follow_bash(command, cwd="/repo", facts=Facts(root="/repo", home="/home/user"))
    assert syntax_opaque(_reading(opaque=tuple(found.opaque))) is syntactic


def test_a_reading_that_failed_counts_as_the_grammars() -> None:
    assert syntax_opaque(_reading(opaque=(Opaque(reason="reading failed: X", kind="failed"),)))


def test_files_of_a_session_are_followed_without_a_disk() -> None:
    def told(*commands: str) -> list[str]:
        cases = [_case("Bash", "s", call=bash(command, "/repo", "s")) for command in commands]
        return [result.verdict for result in run_cases(cases, bench_for(), answer="approve")]

    assert told("echo hi > a.txt", "rm a.txt") == ["allow", "allow"]
    assert told("cat a.txt", "echo hi > a.txt", "rm a.txt") == [
        "allow",
        "allow",
        "ask",
    ]  # it may have been there before
    assert told("sed -i s/a/b/ a.txt", "rm a.txt") == ["allow", "ask"]  # edited in place: it was there
    assert told("rm a.txt", "rm a.txt") == ["ask", "ask"]
    assert told("echo 'ls' > run.sh", "chmod +x run.sh", "./run.sh") == ["allow", "allow", "allow"]
    assert told("echo 'shutdown now' > run.sh", "sh run.sh") == ["allow", "ask"]
    assert told("date > run.sh", "sh run.sh") == ["allow", "ask"]  # what it holds is not known
    assert [r.verdict for r in run_cases([_case("Bash", call=bash("rm a.txt", "/repo"))], bench_for())] == ["ask"]


def _told(*commands: str, cut: tuple[int, ...] = (), one_shell: bool = False) -> list[Result]:
    cases = [
        _case("Bash", "s", id=str(at), call=bash(command, "/repo", "s"), cut=at in cut, one_shell=one_shell)
        for at, command in enumerate(commands)
    ]
    return list(run_cases(cases, BENCH, answer="approve"))


def _verdicts(*commands: str, **how: bool) -> list[str]:
    return [result.verdict for result in _told(*commands, **how)]  # type: ignore[arg-type]


def test_a_mode_that_is_changed_makes_no_file() -> None:
    """`chmod` of what is not there fails: the file was there, and is the project's own."""
    assert _verdicts("chmod +x run.sh", "./run.sh") == ["allow", "allow"]
    assert _verdicts("chmod +x run.sh", "rm run.sh") == ["allow", "ask"]


def test_a_row_that_is_cut_leaves_its_files_and_no_result() -> None:
    results = _told("cat <<'EOF' > a.py\nimport os\nprint(os", "rm a.py", cut=(0,))
    assert [(result.case.id, result.verdict) for result in results] == [("1", "allow")]


def test_a_call_that_runs_a_file_whose_text_is_cut_cannot_be_measured() -> None:
    written = "cat <<'EOF' > a.py\nimport os\nprint(os"
    (run,) = _told(written, "python a.py", cut=(0,))
    assert (run.verdict, run.cut_off) == ("ask", True)
    (run,) = _told(written, "cd sub; cd ..; python a.py && sudo reboot", cut=(0,))
    assert (run.verdict, run.cut_off) == ("ask", False), "it is asked about for something else as well"
    again, run = _told(written, "echo 'print(1)' > a.py", "python a.py", cut=(0,))
    assert (again.verdict, run.verdict, run.cut_off) == ("allow", "allow", False), "its text is known since"


def test_an_answer_to_a_row_that_is_cut_is_not_remembered() -> None:
    first, again = _told("pip install a && cat <<'E' > x\nb", "pip install a", "pip install a", cut=(0,))
    assert (first.verdict, again.verdict) == ("ask", "allow")


def test_one_shell_is_still_in_the_folder_in_which_it_was_left() -> None:
    assert _verdicts("cd a/b", "cd ../..; echo hi > x", one_shell=True) == ["allow", "allow"]
    assert _verdicts("cd a/b", "cd ../..; echo hi > x", one_shell=False) == ["allow", "ask"]
    assert _verdicts("cd..", "echo hi > x", one_shell=True) == ["allow", "allow"]


def test_texts_are_followed_through_changes_from_call_to_call() -> None:
    assert _verdicts("echo ls > a.sh", "sed -i s/ls/pwd/ a.sh", "sh a.sh") == ["allow", "allow", "allow"]
    assert _verdicts("echo ls > a.sh", "sed -i 's/ls/shutdown now/' a.sh", "sh a.sh") == ["allow", "allow", "ask"]
    assert _verdicts("echo ls > a.sh", "echo 'shutdown now' >> a.sh", "sh a.sh") == ["allow", "allow", "ask"]
    assert _verdicts("echo ls > a.sh", "cp a.sh b.sh", "sh b.sh") == ["allow", "allow", "allow"]
    assert _verdicts("test -d x && echo ls > a.sh", "sh a.sh") == ["allow", "allow"]


def test_a_yes_to_packages_covers_a_list_that_names_packages() -> None:
    assert _verdicts(
        "pip install requests",
        "echo flask > list.txt && pip install -r list.txt",
        "echo 'git+https://example.com/x' > odd.txt && pip install -r odd.txt",
    ) == ["ask", "allow", "ask"]
