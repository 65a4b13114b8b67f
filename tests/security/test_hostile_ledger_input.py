"""What somebody may put into an event, or around the ledger's files, to get past it: it holds, or only reads pass."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hook_process import Machine
from interlock.bytes.canon import digest
from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.policy.ahead import permitted_ahead
from interlock.runtime import judge
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.grants import GivenGrant, give, holder_of
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question
from interlock.value import FrozenMap

ALONE = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
SESSIONS = {
    "a path": "../../../etc/passwd",
    "an absolute path": "/etc/passwd",
    "the character 0": "s\0x",
    "lines": "s\n2  decision  allow",
    "an escape sequence": "\x1b[2J\x1b]0;x\x07",
    "a statement": "'; DROP TABLE ledger; --",
    "letters that turn round": "\u202es",
    "very long": "s" * 1_000_000,
    "a holder of others' grants": "repository /srv",
    "another host's session": "codex:s",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_sessions_name_is_data(name: str, machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    session = SESSIONS[name]
    before = {path for path in machine.home.rglob("*") if path.is_file()}
    push = machine.event("Bash", {"command": "git push --force origin main"}, session_id=session)
    assert machine.run(push, environment=ALONE).taken == "deny"
    read = machine.event("Read", {"file_path": str(machine.project / "a")}, session_id=session)
    assert machine.run(read).taken == "allow"
    folders = folders_for(str(machine.home))
    assert verify(folders).damage is None
    kept = session if len(session) <= 200 else digest(session)
    kept = f":{kept}" if ":" in kept else kept
    assert {row["session"] for row in machine.rows()} == {kept}
    assert Path(folders.ledger).stat().st_size < 500_000
    made = {path for path in machine.home.rglob("*") if path.is_file()} - before
    assert all(
        path.is_relative_to(machine.home / ".local") or path.is_relative_to(machine.home / ".cache") for path in made
    )
    shown = subprocess.run(
        [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), "approvals", "list"],
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert not any(char in shown for char in ("\x1b", "\0", "\u202e", "\x07"))


def test_half_a_character_is_no_call(machine: Machine) -> None:
    for field in ("session_id", "cwd", "tool_name", "tool_use_id"):
        event = machine.event("Bash", {"command": "ls"}, **{field: "/x\ud800"})
        assert machine.run(json.dumps(event).encode()).taken == "deny", field


class Hosts:
    """Calls of several hosts at one ledger, all of which call their session `same`."""

    def __init__(self, machine: Machine) -> None:
        self.folders, self.root = folders_for(str(machine.home)), str(machine.project)
        self.policy = load_policy(self.folders, self.root)

    def verdict(self, host: str, command: str, posture: Posture = Posture.INTERACTIVE, session: str = "same") -> str:
        ledger = Ledger(self.folders.ledger)
        world = World(folders=self.folders, root=self.root, policy=self.policy, ledger=ledger, resumes=True)
        given = FrozenMap({"command": command})
        call = Call(tool="Bash", input=given, cwd=self.root, session=session, host=host)
        outcome = judge(call, world, Session(id=session, posture=posture))
        ledger.close()
        assert outcome.trouble is None
        return outcome.decision.verdict.name


def test_two_hosts_with_the_same_session_share_neither_files_nor_grants(machine: Machine) -> None:
    hosts = Hosts(machine)
    assert hosts.verdict("claude-code", "touch made.txt") == "allow"
    assert hosts.verdict("codex", "rm made.txt") == "ask"  # it is the other's, or was there before
    assert hosts.verdict("claude-code", "rm made.txt") == "allow"
    grant = permitted_ahead("git push", {"destination": "*"}, by="me").replace(reach="session")
    ledger = Ledger(hosts.folders.ledger)
    with ledger.deciding() as turn:
        give(turn, GivenGrant(grant=grant, holder=holder_of("session", "same")))
    ledger.close()
    push = "git push origin feature/x"
    assert [hosts.verdict(host, push) for host in ("claude-code", "codex", "")] == ["allow", "ask", "allow"]
    assert {row["session"] for row in machine.rows()} == {"same", "codex:same"}
    assert verify(hosts.folders).damage is None


def test_an_id_that_reads_like_another_hosts_session_is_not_that_session(machine: Machine) -> None:
    hosts = Hosts(machine)
    assert hosts.verdict("codex", "touch made.txt", session="x") == "allow"
    assert hosts.verdict("claude-code", "rm made.txt", session="codex:x") == "ask"
    assert hosts.verdict("", "rm made.txt", session="codex:x") == "ask"
    assert hosts.verdict("codex", "rm made.txt", session="x") == "allow"
    assert {row["session"] for row in machine.rows()} == {"codex:x", ":codex:x"}


def test_two_hosts_with_the_same_session_share_no_answer(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    hosts = Hosts(machine)
    push = "git push --force origin main"
    names = ("claude-code", "codex")
    assert [hosts.verdict(host, push, Posture.AUTONOMOUS) for host in names] == ["deny", "deny"]
    ledger = Ledger(hosts.folders.ledger)
    one, two = every_question(ledger)
    assert (one.body["session"], two.body["session"]) == ("same", "codex:same")
    answered(ledger, two, yes=True, by="a test", why="")
    answered(ledger, one, yes=False, by="a test", why="")
    ledger.close()
    assert [hosts.verdict(host, push, Posture.AUTONOMOUS) for host in names] == ["deny", "allow"]


# --- the folder and the file ------------------------------------------------------------------------------------------


def outcome(machine: Machine) -> tuple[str, str, bytes]:
    read = machine.run(machine.event("Read", {"file_path": str(machine.project / "a")}))
    wrote = machine.run(machine.event("Write", {"file_path": str(machine.project / "b"), "content": "x"}))
    return read.taken, wrote.taken, wrote.out


def test_a_state_folder_behind_a_link_is_used_as_it_is(machine: Machine, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere"
    real.mkdir(mode=0o700)
    (machine.home / ".local/state").mkdir(parents=True)
    (machine.home / ".local/state/interlock").symlink_to(real)
    assert outcome(machine)[:2] == ("allow", "allow")
    assert (real / "ledger.db").exists()


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_ledger_that_everybody_may_change_is_not_believed(what: str, machine: Machine) -> None:
    assert outcome(machine)[:2] == ("allow", "allow")
    (machine.state if what == "folder" else machine.ledger).chmod(0o777 if what == "folder" else 0o666)
    read, wrote, said = outcome(machine)
    assert (read, wrote) == ("allow", "deny")
    assert b"can be changed by everybody" in said
    assert b"chmod" in said


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_ledger_of_somebody_else_is_not_believed(machine: Machine) -> None:
    assert outcome(machine)[:2] == ("allow", "allow")
    os.chown(machine.ledger, 12345, 12345)
    assert outcome(machine)[:2] == ("allow", "allow")  # root stands above whoever owns it
    os.chown(machine.ledger, 0, 0)


def test_a_database_that_is_put_in_place_of_another_between_open_and_write_takes_nothing(tmp_path: Path) -> None:
    folders, other = folders_for(str(tmp_path / "a")), folders_for(str(tmp_path / "b"))
    for place in (folders, other):
        with Ledger(place.ledger).deciding() as turn:
            turn.append("override", b"{}", key="x")
    ledger = Ledger(folders.ledger)
    ledger.connect()
    os.replace(other.ledger, folders.ledger)
    with pytest.raises(Exception, match="was removed or replaced"), ledger.deciding() as turn:
        turn.append("override", b"{}", key="y")


# --- an agent that answers for the person ---------------------------------------------------------------------------

ANSWER = "approvals approve {id} --yes"
WAYS = {
    "plainly": "{interlock}",
    "in a session of its own": "setsid -w {interlock}",
    "with nohup": "nohup {interlock}",
    "in a terminal of its own": "script -qec '{interlock}' /dev/null",
    "in a terminal from Python": "{python} -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' {interlock}",
    "without its variables": "env -i {interlock}",
    "in a shell of a shell": "bash -c '(( 1 )) && ( {interlock} )'",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("way", WAYS)
def test_below_the_agents_process_nobody_answers(way: str, machine: Machine) -> None:
    """The process that starts the hook is the agent's; whatever it starts is below it."""
    machine = replace(machine, warm=False)
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    push = machine.event("Bash", {"command": "git push --force origin main"}, session_id="night")
    assert machine.run(push, environment=ALONE).taken == "deny"
    (asked,) = machine.rows("prompt")
    command = f"{sys.executable} -m interlock.cli --home {machine.home} {ANSWER.format(id=asked['key'])}"
    line = WAYS[way].format(interlock=command, python=sys.executable)
    done = subprocess.run(["bash", "-c", line], capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
    assert done.returncode != 0
    assert b"this answer is not taken" in done.stdout + done.stderr
    assert machine.rows("answer") == []
    assert machine.run(push, environment=ALONE).taken == "deny"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "arguments",
    [
        ("grant", "git push", "--scope", "destination=*", "--reach", "everywhere", "--yes"),
        ("audit", "prune", "--keep", "1", "--yes"),
        ("audit", "restart", "--yes"),
        ("posture", "set", "interactive"),
    ],
)
def test_below_the_agents_process_nothing_is_loosened(arguments: tuple[str, ...], machine: Machine) -> None:
    machine = replace(machine, warm=False)
    machine.run(machine.event("Bash", {"command": "git push origin main"}, session_id="night"))
    command = [sys.executable, "-m", "interlock.cli", "--home", str(machine.home)]
    subprocess.run([*command, "posture", "set", "locked"], cwd=machine.project, check=True, capture_output=True)
    line = " ".join([*command, *[f"'{word}'" for word in arguments]])
    done = subprocess.run(
        ["script", "-qec", line, "/dev/null"], capture_output=True, cwd=machine.project, check=False, timeout=60
    )
    assert done.returncode != 0
    assert b"only a person may do this" in done.stdout + done.stderr
