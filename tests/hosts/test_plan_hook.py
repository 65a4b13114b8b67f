"""The plan through the real hook: what the host is told, what the log says, who gets the run folder."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from client_process import Client, client
from hook_process import ALLOW, DENY, NO_OPINION, Machine, Ran, heed_permissions, made
from person import at_a_terminal

PLAN = """\
metadata: {iteration: 3, bundle_ref: b-7}
setup:
  - cmd: make -C engine
arms:
  - arm_id: h-main
    conditions:
      - name: baseline
        cmd: ./sim run --rate 1 | tee out/baseline.log
        output: out/baseline.log
  - arm_id: h-ablation
    conditions:
      - name: slow
        command: timeout 600 ./sim run --rate 2 --slow
"""
LOG = "plan_violations.jsonl"


def plan(machine: Machine, text: str = PLAN, folder: str = "runs/3") -> Path:
    place = made(machine.project / folder)
    (place / "experiment_plan.yaml").write_text(text)
    return place


def bash(machine: Machine, command: str, *, session: str | None = None, **environment: str) -> Ran:
    changes = {} if session is None else {"session_id": session}
    return machine.run(machine.event("Bash", {"command": command}, **changes), environment=environment)


def rows(folder: Path) -> list[dict[str, Any]]:
    log = folder / LOG
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def strict(machine: Machine, more: str = "") -> None:
    machine.user_policy.write_text(f'version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/3"\n{more}')


def denied_by_plan(ran: Ran) -> bool:
    return ran.taken == DENY and "plan" in ran.reason


def test_strict_denies_what_is_not_planned_and_logs_it(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    ran = bash(machine, "./sim run --rate 1; ./other --all")
    assert ran.taken == DENY
    assert "`other` is not in the plan " in ran.reason
    assert (
        "experiment_plan.yaml. Do what the plan says. If this one command is needed besides, add the comment `# nous: "
        in ran.reason
    )
    (row,) = rows(folder)
    assert time.strptime(row.pop("timestamp"), "%Y-%m-%dT%H:%M:%SZ")
    assert row == {"arm": "h-main", "command": "./sim run --rate 1; ./other --all", "kind": "unplanned"}
    assert (folder / LOG).stat().st_mode & 0o777 == 0o600


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command",
    [
        "./sim run --rate 7",
        "make -C engine clean",
        "cd engine && make && echo done",
        "bash -c './sim run | tee x.log'",
        "timeout 5 ./sim",
        "[ -d out ] || make dirs",
    ],
)
def test_what_is_planned_passes_the_plan(machine: Machine, command: str) -> None:
    folder = plan(machine)
    strict(machine)
    ran = bash(machine, command)
    assert not denied_by_plan(ran)
    assert "plan" not in ran.out.decode()
    assert rows(folder) == []


def test_warn_lets_it_through_tells_the_agent_and_logs_it(machine: Machine) -> None:
    folder = plan(machine)
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    ran = bash(machine, "ls -la")
    assert ran.taken == ALLOW
    assert "`ls` is not in the plan " in ran.answer["hookSpecificOutput"]["additionalContext"]
    assert [(row["kind"], row["command"], row["arm"]) for row in rows(folder)] == [("unplanned", "ls -la", "")]


def test_the_names_of_the_environment_switch_it_on(machine: Machine) -> None:
    folder = plan(machine)
    names = {"NOUS_ITER_DIR": str(folder), "NOUS_PLAN_ENFORCEMENT": "strict"}
    assert denied_by_plan(bash(machine, "ls", **names))
    assert bash(machine, "ls", NOUS_ITER_DIR=str(folder)).taken == ALLOW
    assert denied_by_plan(bash(machine, "ls", INTERLOCK_PLAN_DIR="runs/3", INTERLOCK_PLAN_ENFORCEMENT="STRICT"))
    assert denied_by_plan(
        bash(machine, "ls", INTERLOCK_PLAN="runs/3/experiment_plan.yaml", NOUS_PLAN_ENFORCEMENT="strict")
    )
    assert [row["kind"] for row in rows(folder)] == ["unplanned"] * 4


def test_the_environment_cannot_loosen(machine: Machine) -> None:
    plan(machine)
    elsewhere = plan(machine, "- ls\n", "elsewhere")
    strict(machine)
    assert denied_by_plan(bash(machine, "ls", NOUS_PLAN_ENFORCEMENT="warn", NOUS_ITER_DIR=str(elsewhere)))


def test_the_marker_lifts_the_plan_and_nothing_else(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    ran = bash(machine, "# nous: ad-hoc\nls -la out/")
    assert ran.taken == ALLOW
    assert "That was logged" in ran.answer["hookSpecificOutput"]["additionalContext"]
    ran = bash(machine, "rm -rf ~  # nous: ad-hoc")
    assert ran.taken == DENY
    assert "it would destroy" in ran.reason
    assert denied_by_plan(bash(machine, 'ls; echo "# nous: ad-hoc"'))
    assert [row["kind"] for row in rows(folder)] == ["ad-hoc", "ad-hoc", "unplanned"]


def test_the_marker_may_be_limited(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine, "markers_per_run = 2\n")
    told = [bash(machine, f"ls {number} # nous: ad-hoc") for number in range(3)]
    assert [ran.taken for ran in told] == [ALLOW, ALLOW, DENY]
    assert "all 2 commands that may be marked `# nous: ad-hoc` are used up" in told[2].reason
    assert [row["kind"] for row in rows(folder)] == ["ad-hoc", "ad-hoc", "unplanned"]


def test_calls_that_run_no_command_pass_without_a_row(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    assert machine.call("Read").taken == ALLOW
    assert machine.call("Write").taken == ALLOW
    assert rows(folder) == []


def test_without_a_plan_everything_passes_with_a_note(machine: Machine) -> None:
    strict(machine)
    for prepare in (lambda: None, lambda: made(machine.project / "runs/3")):
        prepare()
        ran = bash(machine, "ls")
        assert ran.taken == ALLOW
        assert "There is no plan to hold commands against" in ran.answer["hookSpecificOutput"]["additionalContext"]
    assert list((machine.project / "runs/3").iterdir()) == []
    assert bash(machine, "ls", NOUS_PLAN_ENFORCEMENT="strict").taken == ALLOW


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("arms: [\n", "line 2, column 1: not YAML"),
        ("arms:\n  - conditions:\n    - name: x\n", "arms[0].conditions[0] must have either `cmd` or `command`"),
        ("just words\n", "it is neither a mapping with `arms` nor a list of commands"),
        ("metadata: {}\n", "it has neither `arms` nor `setup`"),
        ("a: &a [*a]\narms: []\n", "nested too deeply"),
    ],
)
def test_a_plan_that_cannot_be_used_is_closed_in_strict(machine: Machine, text: str, why: str) -> None:
    plan(machine, text)
    strict(machine)
    for _ in range(2):  # from the file, and from the cache
        ran = bash(machine, "./sim")
        assert denied_by_plan(ran)
        assert why in ran.reason
    assert machine.call("Read").taken == ALLOW
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    assert bash(machine, "ls").taken == ALLOW


@pytest.mark.parametrize("what", ["the plan", "the folder"])
def test_a_session_that_was_held_to_a_plan_is_not_rid_of_it_when_it_is_gone(machine: Machine, what: str) -> None:
    folder = plan(machine)
    strict(machine)
    assert bash(machine, "./sim run").taken == NO_OPINION
    # However it went: `git stash -u`, a branch without it, a program that tidies up.
    (folder / "experiment_plan.yaml").unlink() if what == "the plan" else shutil.rmtree(folder)
    ran = bash(machine, "./sim run")
    assert denied_by_plan(ran)
    assert "experiment_plan.yaml is gone: " in ran.reason
    mine = machine.call("Write", file_path=str(folder / "experiment_plan.yaml"))
    assert "Leave it alone" in mine.reason
    assert machine.call("Read").taken == ALLOW
    assert bash(machine, "./sim run", session="another").taken == NO_OPINION  # which never had one
    plan(machine)
    assert bash(machine, "./sim run").taken == NO_OPINION


def test_in_warn_a_plan_that_is_gone_is_a_note(machine: Machine) -> None:
    folder = plan(machine)
    environment = {"NOUS_ITER_DIR": str(folder)}
    assert bash(machine, "./sim run", **environment).taken == NO_OPINION
    (folder / "experiment_plan.yaml").unlink()
    ran = bash(machine, "./sim run", **environment)
    assert ran.taken == NO_OPINION
    assert "that this session follows is gone" in ran.answer["hookSpecificOutput"]["additionalContext"]


def test_a_session_that_is_sent_to_another_run_folder_leaves_its_first_plan_behind(machine: Machine) -> None:
    first, second = plan(machine), made(machine.project / "runs/4")
    mode = {"NOUS_PLAN_ENFORCEMENT": "strict"}
    assert bash(machine, "./sim run", NOUS_ITER_DIR=str(first), **mode).taken == NO_OPINION
    assert bash(machine, "./sim run", NOUS_ITER_DIR=str(second), **mode).taken == NO_OPINION


def test_a_changed_plan_counts_at_once(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    assert denied_by_plan(bash(machine, "ls"))
    (folder / "experiment_plan.yaml").write_text("- ls\n")
    assert bash(machine, "ls").taken == ALLOW


def test_the_agent_cannot_change_plan_log_and_lock(machine: Machine) -> None:
    folder = plan(machine)
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    for name in ("experiment_plan.yaml", LOG, ".interlock-run.json"):
        ran = machine.call("Write", file_path=str(folder / name), content="- ls\n")
        assert ran.taken == DENY
        assert "Leave it alone" in ran.reason
        assert bash(machine, f"echo '- ls' > runs/3/{name}").taken == DENY
    for command in (
        "rm -r runs/3",
        "mv runs old",
        "rm runs/3/*",
        "rm -rf ru*",
        "rm runs/3/exp*.yaml",
        "cp x runs/*/*plan.yaml",
    ):
        assert "Leave it alone" in bash(machine, command).reason, command
    assert machine.call("Write", file_path=str(folder / "results.csv"), content="1\n").taken == ALLOW


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command",
    [
        "cp x/experiment_plan.yaml runs/3",
        "cp -t runs/3 x/experiment_plan.yaml",
        "cp x/a x/experiment_plan.yaml runs/3/",
        "install x/experiment_plan.yaml runs/3",
        "ln -sf ../../x/experiment_plan.yaml runs/3",
        "cd runs/3 && cp ../../x/plan_violations.jsonl .",
    ],
)
def test_nothing_of_that_name_is_put_beside_the_log_either(machine: Machine, command: str) -> None:
    plan(machine)
    for name in ("a", "experiment_plan.yaml", LOG):
        (made(machine.project / "x") / name).write_text("")  # there before the session
    strict(machine)
    assert "Leave it alone" in bash(machine, command).reason
    assert "[floor" not in bash(machine, "cp x/a runs/3/").reason


def test_a_run_folder_behind_a_link_is_the_same_folder(machine: Machine) -> None:
    folder = plan(machine, folder="store/3")
    made(machine.project / "runs")
    (machine.project / "runs/3").symlink_to(folder)
    strict(machine)
    assert denied_by_plan(bash(machine, "ls"))
    assert len(rows(folder)) == 1
    for path in (folder, machine.project / "runs/3"):
        assert machine.call("Write", file_path=str(path / "experiment_plan.yaml"), content="- ls").taken == DENY


def test_a_log_that_is_a_link_is_not_followed(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    target = machine.project / "important.txt"
    target.write_text("mine\n")
    (folder / LOG).symlink_to(target)
    ran = bash(machine, "ls # nous: ad-hoc")
    assert denied_by_plan(ran)
    assert "The run folder cannot be written" in ran.reason
    assert target.read_text() == "mine\n"
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    ran = bash(machine, "ls")
    assert ran.taken == ALLOW
    assert "The run folder cannot be written" in ran.answer["hookSpecificOutput"]["additionalContext"]


def test_a_second_client_is_refused_until_the_first_is_gone(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    with client(machine) as one, client(machine) as two:
        assert not denied_by_plan(one.bash("./sim", "first"))
        ran = two.bash("./sim", "second")
        assert denied_by_plan(ran)
        assert "Another session is working" in ran.reason
        assert not denied_by_plan(one.bash("./sim", "first"))
        lock = folder / ".interlock-run.json"
        kept = json.loads(lock.read_text())
        assert (kept["session"], kept["markers"], kept["process"][0]) == ("first", 0, one.process.pid)
        lock.write_text(json.dumps({**kept, "seen": kept["seen"] - 100_000}))  # the process of the first is alive
        assert denied_by_plan(two.bash("./sim", "second"))
        lock.write_text(json.dumps({**kept, "boot": "another machine", "seen": kept["seen"] - 601}))
        assert not denied_by_plan(two.bash("./sim", "second"))
        assert denied_by_plan(one.bash("./sim", "first"))


def test_the_run_folder_is_free_as_soon_as_the_client_that_holds_it_has_ended(machine: Machine) -> None:
    plan(machine)
    strict(machine)
    with client(machine) as two:
        with client(machine) as one:
            assert not denied_by_plan(one.bash("./sim", "first"))
            assert denied_by_plan(two.bash("./sim", "second"))
        assert not denied_by_plan(two.bash("./sim", "second"))


def test_another_session_of_the_same_client_goes_on_with_its_run(machine: Machine) -> None:
    """After `/clear` the session has another id, and the process is the same."""
    folder = plan(machine)
    strict(machine)
    with client(machine) as one, client(machine) as two:
        assert not denied_by_plan(one.bash("./sim", "first"))
        assert not denied_by_plan(one.bash("./sim", "cleared"))
        assert json.loads((folder / ".interlock-run.json").read_text())["session"] == "cleared"
        assert denied_by_plan(two.bash("./sim", "second"))
        assert not denied_by_plan(one.bash("./sim", "first"))


def test_a_client_that_was_restarted_goes_on_with_its_session(machine: Machine) -> None:
    plan(machine)
    strict(machine)
    with client(machine) as one, client(machine) as again, client(machine) as two:
        assert not denied_by_plan(one.bash("./sim", "first"))
        assert not denied_by_plan(again.bash("./sim", "first"))
        assert denied_by_plan(two.bash("./sim", "second"))


@pytest.mark.parametrize("first", ["above", "below"])
def test_a_client_below_the_one_that_holds_the_folder_is_let_in(machine: Machine, first: str) -> None:
    folder = plan(machine)
    strict(machine)
    with client(machine) as one, client(machine) as two:
        if first == "above":
            assert not denied_by_plan(one.bash("./sim", "first"))
        assert not denied_by_plan(one.bash("./sim", "nested", below=True))
        assert not denied_by_plan(one.bash("./sim", "first"))
        assert not denied_by_plan(one.bash("./sim", "nested", below=True))
        kept = json.loads((folder / ".interlock-run.json").read_text())
        assert (kept["session"], kept["process"][0]) == ("first", one.process.pid)  # what is below only borrows it
        assert denied_by_plan(two.bash("./sim", "second"))
        assert denied_by_plan(two.bash("./sim", "second", below=True))


def test_the_refusal_names_the_command_that_frees_the_folder_and_it_does(machine: Machine, tmp_path: Path) -> None:
    folder = plan(machine, folder="runs/the 3rd")
    machine.user_policy.write_text('version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/the 3rd"\n')
    with client(machine) as one, client(machine) as two:
        assert not denied_by_plan(one.bash("./sim", "first"))
        ran = two.bash("./sim", "second")
        command = f"interlock plan release '{folder}'"
        assert (denied_by_plan(ran), command in ran.answer["systemMessage"]) == (True, True), ran.answer
        machine.user_policy.write_text("version = 1\n")  # as in a terminal that knows nothing of the run
        freed = at_a_terminal(machine.home, *shlex.split(command)[1:], folder=tmp_path)
        assert (freed.code, freed.out.strip()) == (0, f"released {folder}")
        machine.user_policy.write_text('version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/the 3rd"\n')
        assert not denied_by_plan(two.bash("./sim", "second"))
        assert denied_by_plan(one.bash("./sim", "first"))


def test_a_second_client_may_look_but_not_write(machine: Machine) -> None:
    plan(machine)
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    with client(machine) as one, client(machine) as two:
        assert one.call("Read", "first").taken == ALLOW
        assert two.call("Read", "second").taken == ALLOW
        assert two.call("Write", "second").taken == DENY


def test_how_long_a_session_counts_is_the_policys_to_say(machine: Machine) -> None:
    plan(machine)
    strict(machine, "idle = 0\n")
    with client(machine) as one, client(machine) as two:
        assert not denied_by_plan(one.bash("./sim", "first"))
        assert not denied_by_plan(two.bash("./sim", "second"))


@pytest.mark.slow
def test_of_clients_that_come_at_once_one_gets_the_folder(machine: Machine) -> None:
    plan(machine)
    strict(machine)
    bash(machine, "make")  # compiles policy and plan, and takes the folder
    (machine.project / "runs/3/.interlock-run.json").unlink()
    told: dict[str, Ran] = {}

    def come(one: Client, name: str) -> None:
        told[name] = one.bash("./sim", name)

    with ExitStack() as stack:
        clients = [stack.enter_context(client(machine)) for _ in range(5)]
        threads = [threading.Thread(target=come, args=(one, f"s{number}")) for number, one in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(denied_by_plan(ran) for ran in told.values()) == [False, True, True, True, True]


def test_decisions_under_a_plan_replay(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine, "markers_per_run = 1\n")
    for command in ("./sim", "ls", "ls # nous: ad-hoc", "ls -l # nous: ad-hoc"):
        bash(machine, command, session="first")
    with client(machine) as two:
        lock = folder / ".interlock-run.json"
        with subprocess.Popen(["sleep", "60"]) as other:
            started = int(Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[19])
            lock.write_text(json.dumps({**json.loads(lock.read_text()), "process": [other.pid, started]}))
            assert denied_by_plan(two.bash("./sim", "second"))
            other.kill()
    (folder / "experiment_plan.yaml").write_text("arms: 1\n")
    bash(machine, "./sim", session="first")
    done = subprocess.run(
        [machine.python, "-m", "interlock.cli", "--home", str(machine.home), "replay", "--json"],
        capture_output=True,
        cwd=machine.project,
        env={**os.environ},
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode()
    assert len(machine.rows()) == 6


def test_a_run_folder_that_cannot_be_written_is_closed_in_strict(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    bash(machine, "./sim")
    (folder / ".interlock-run.json").unlink()
    folder.chmod(0o500)
    event = machine.event("Bash", {"command": "./sim"})
    ran = machine.run(event, before=heed_permissions)
    assert denied_by_plan(ran)
    assert "The run folder cannot be written" in ran.reason
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    assert not denied_by_plan(machine.run(event, before=heed_permissions))
    folder.chmod(0o700)


def test_a_lock_that_is_none_is_closed_in_strict(machine: Machine) -> None:
    folder = plan(machine)
    strict(machine)
    (folder / ".interlock-run.json").write_text("[]\n")
    ran = bash(machine, "./sim")
    assert denied_by_plan(ran)
    assert "is not the lock of a run; take it away if nobody is at work there" in ran.reason
