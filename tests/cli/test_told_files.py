"""`decide --jsonl`: a call is read with what earlier calls of its session left, not with what the disk holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from machine import Machine

WIPE = "rm -rf ~\n"


class Stream:
    """Calls of one session; the project has run.sh, the home a key."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.run_sh = machine.project / "run.sh"
        self.run_sh.write_text("echo hi\n")
        (machine.home / ".ssh").mkdir()
        (machine.home / ".ssh/id_ed25519").write_text("key\n")

    def last(self, *calls: dict[str, Any] | str, answer: str = "approve", record: bool = False) -> dict[str, Any]:
        lines = []
        for call in calls:
            told = {"tool": "Bash", "input": {"command": call}} if isinstance(call, str) else call
            lines.append(json.dumps({"session": "s", "cwd": str(self.machine.project), **told}))
        options = ["--record"] if record else []
        run = self.machine.run("decide", "--jsonl", "--answer", answer, *options, stdin="\n".join(lines))
        assert self.run_sh.read_text() == "echo hi\n"
        answer_of_last: dict[str, Any] = run.lines[-1]
        return answer_of_last

    def write(self, path: str, text: str, **more: str) -> dict[str, Any]:
        return {"tool": "Write", "input": {"file_path": str(self.machine.project / path), "content": text}, **more}

    def edit(self, path: str, old: str, new: str, **fields: bool) -> dict[str, Any]:
        named = {"file_path": str(self.machine.project / path), "old_string": old, "new_string": new}
        return {"tool": "Edit", "input": {**named, **fields}}


@pytest.fixture
def stream(machine: Machine) -> Stream:
    return Stream(machine)


def test_a_script_is_read_with_the_text_that_the_session_gave_it(stream: Stream) -> None:
    assert stream.last("bash run.sh")["verdict"] == "allow"
    assert stream.last(stream.write("run.sh", WIPE), "bash run.sh")["verdict"] == "deny"
    assert stream.last(stream.write("new.sh", WIPE), "bash new.sh")["verdict"] == "deny"
    assert stream.last(stream.write("new.sh", "echo hi\n"), "bash new.sh")["verdict"] == "allow"
    assert (
        stream.last(stream.write("run.sh", WIPE), stream.write("run.sh", "ls\n"), "bash run.sh")["verdict"] == "allow"
    )


@pytest.mark.parametrize(
    "change",
    [
        "printf 'rm -rf ~\\n' > run.sh",
        "printf 'rm -rf ~\\n' >> run.sh",
        "cat > run.sh <<'E'\nrm -rf ~\nE",
        "sed -i 's/echo hi/rm -rf ~/' run.sh",
        "printf 'rm -rf ~\\n' > a.sh && mv a.sh run.sh",
        "printf 'rm -rf ~\\n' > a.sh && cp a.sh run.sh",
    ],
)
def test_what_a_command_wrote_counts_too(stream: Stream, change: str) -> None:
    assert stream.last(change, "bash run.sh")["verdict"] == "deny"


def test_an_edit_is_done_on_what_is_there_and_on_what_was_written(stream: Stream) -> None:
    assert stream.last(stream.edit("run.sh", "echo hi", "rm -rf ~"), "bash run.sh")["verdict"] == "deny"
    assert stream.last(stream.edit("run.sh", "hi", "there"), "bash run.sh")["verdict"] == "allow"
    written = stream.write("new.sh", "echo X X\n")
    assert stream.last(written, stream.edit("new.sh", "echo X", "rm -rf ~/"), "bash new.sh")["verdict"] == "deny"


def test_an_edit_that_cannot_be_worked_out_leaves_the_text_unknown(stream: Stream) -> None:
    last = stream.last(stream.edit("run.sh", "not in it", "x"), "bash run.sh")
    assert (last["verdict"], len(last["opaque"])) == ("ask", 1)


def test_texts_go_on_through_several_calls(stream: Stream) -> None:
    last = stream.last(stream.write("a.sh", WIPE), "cp a.sh b.sh", "mv b.sh c.sh", "bash c.sh")
    assert last["verdict"] == "deny"


def test_a_link_leads_where_it_was_made_to_lead(stream: Stream) -> None:
    home = stream.machine.home
    last = stream.last("ln -s ~/.ssh/id_ed25519 notes.txt", "cat notes.txt")
    assert (last["verdict"], last["actions"][0]["target"]["real"]) == ("ask", f"{home}/.ssh/id_ed25519")
    last = stream.last(
        "ln -s ~ h", {"tool": "Read", "input": {"file_path": f"{stream.machine.project}/h/.ssh/id_ed25519"}}
    )
    assert "secret" in last["actions"][0]["tags"]
    assert stream.last("ln -s ~ h", "rm -rf h/*")["verdict"] == "deny"
    assert stream.last("ln -s ~/.ssh/id_ed25519 k", "rm k", "echo hi > k", "cat k")["verdict"] == "allow"


def test_what_was_removed_is_not_there(stream: Stream) -> None:
    last = stream.last("rm run.sh", stream.write("run.sh", "ls\n"))
    assert last["actions"][0]["tags"] == ["new"]


def test_a_call_that_did_not_run_leaves_nothing(stream: Stream) -> None:
    assert stream.last(stream.write("run.sh", WIPE, outcome="not_run"), "bash run.sh")["verdict"] == "allow"
    refused = stream.last("ln -s ~/.ssh/id_ed25519 notes.txt", "cat notes.txt", answer="refuse")
    assert refused["verdict"] == "allow"


def test_a_call_that_failed_leaves_its_files_unknown(stream: Stream) -> None:
    last = stream.last(stream.write("run.sh", "echo hi\n", outcome="failed"), "bash run.sh")
    assert (last["verdict"], len(last["opaque"])) == ("ask", 1)


def test_sessions_do_not_share_their_files(stream: Stream) -> None:
    other = {**stream.write("run.sh", WIPE), "session": "other"}
    assert stream.last(other, "bash run.sh")["verdict"] == "allow"


def test_recorded_streams_are_read_in_the_same_way(stream: Stream) -> None:
    assert stream.last(stream.write("run.sh", WIPE), "bash run.sh", record=True)["verdict"] == "deny"
