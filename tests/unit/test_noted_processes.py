"""`server & echo $! > server.pid; kill $(cat server.pid)`: a file that holds the number of a process of this shell."""

from __future__ import annotations

import pytest

from interlock.model.facts import Facts
from interlock.value import FrozenMap
from with_facts import FACTS, verdict

FACTS_HERE = FACTS.replace(absent=frozenset(("/p/n.pid", "/tmp/n.pid")))
NOTED = "npm run dev & echo $! > n.pid; "


@pytest.mark.parametrize(
    "command",
    [
        "npm start & echo $! > /tmp/n.pid; sleep 1; curl -s localhost:3000; kill $(cat /tmp/n.pid)",
        'npm start > dev.log 2>&1 & echo $! > n.pid; sleep 1; kill "$(cat n.pid)" 2>/dev/null || true',
        'npm start & pid=$!; echo "$pid" > n.pid; sleep 1; kill $(<n.pid)',
        NOTED + "PID=$(cat n.pid); kill -9 $PID",
        NOTED + "cat n.pid | xargs kill",
        NOTED + "kill -0 $(cat n.pid) && echo up; kill $(cat n.pid); rm n.pid",
    ],
)
def test_the_process_whose_number_was_noted_is_ones_own(command: str) -> None:
    assert verdict(command, FACTS_HERE) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        NOTED + "echo 1 >> n.pid; kill $(cat n.pid)",
        NOTED + "echo 1 > n.pid; kill $(cat n.pid)",
        NOTED + "echo 1 | tee n.pid; kill $(cat n.pid)",
        NOTED + "pgrep interlock > n.pid; kill $(cat n.pid)",
        NOTED + "cp other.pid n.pid; kill $(cat n.pid)",
        NOTED + "mv other.pid n.pid; kill $(cat n.pid)",
        NOTED + "ln -sf other.pid n.pid; kill $(cat n.pid)",
        NOTED + "sed -i s/1/2/ n.pid; kill $(cat n.pid)",
        NOTED + "git reset --hard; kill $(cat n.pid)",
        NOTED + "tar xf a.tar; kill $(cat n.pid)",
        NOTED + 'python3 -c \'open("n.pid","w").write("1")\'; kill $(cat n.pid)',
        NOTED + "{ echo 1 > n.pid; } & kill $(cat n.pid)",
        NOTED + "kill $(cat n.pid.old)",
        NOTED + "kill -9 -1 $(cat n.pid)",
        NOTED + "kill $(cat n.pid other.pid)",
        "npm start & echo $! 1 > n.pid; kill $(cat n.pid)",
        "npm start & echo 1$! > n.pid; kill $(cat n.pid)",
        "npm start & echo $! >> n.pid; kill $(cat n.pid)",
        "false && echo $! > n.txt; kill $(cat n.txt)",
        "echo $PPID > n.txt; kill $(cat n.txt)",
    ],
)
def test_any_other_number_is_not(command: str) -> None:
    assert verdict(command, FACTS_HERE) != "allow"


def test_a_file_that_cannot_be_written_may_hold_an_older_number() -> None:
    assert verdict(NOTED + "kill $(cat n.pid)", FACTS_HERE.replace(fixed=frozenset(("/p/n.pid",)))) != "allow"


def later(text: str) -> Facts:
    """In a later call: the session wrote the file, and this is in it now."""
    return FACTS.replace(written=frozenset(("/tmp/n.pid",)), scripts=FrozenMap({"/tmp/n.pid": text}))


@pytest.mark.parametrize("command", ["kill $(cat /tmp/n.pid)", "kill -9 `cat /tmp/n.pid`; rm -f /tmp/n.pid"])
def test_a_number_that_an_earlier_call_noted_is_read_from_the_file(command: str) -> None:
    assert verdict(command, later("4711\n")) == verdict(command.replace("$(cat /tmp/n.pid)", "4711"), later("4711\n"))
    assert verdict(command, later("4711\n")) == "allow"


@pytest.mark.parametrize("text", ["", "1\n", "-1", "4711 1", "-9 -1", "4711; rm -rf ~", "९", "47119999999"])
def test_what_else_a_later_call_may_find_there_asks(text: str) -> None:
    assert verdict("kill $(cat /tmp/n.pid)", later(text)) != "allow"


@pytest.mark.parametrize(
    "before", ["echo 1 > /tmp/n.pid", "./made > /tmp/n.pid", "git pull", "cp /tmp/x /tmp/n.pid", "tar xf a.tar"]
)
def test_a_file_that_the_call_itself_may_change_is_not_taken_at_its_word(before: str) -> None:
    assert verdict(f"{before}; kill $(cat /tmp/n.pid)", later("4711\n")) != "allow"
