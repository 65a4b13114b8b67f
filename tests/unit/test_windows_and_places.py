"""Rules that name a time or a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Action
from interlock.model.errors import PolicyError
from interlock.model.session import Session
from interlock.policy.places import places_of
from interlock.policy.window import parse_window
from interlock.record.receipt import receipt_body
from interlock.record.replay import differences, rederive
from interlock.store.clock import closed_windows, knows_zone
from interlock.store.home.policies import compile_sources, default_file
from interlock.testing import decide_call, policy_from_text
from interlock.value import FrozenMap

# 2026-11-16 is a Monday.
OPEN = [
    ("Mon-Fri 09:00-17:00", "2026-11-16T09:00:00Z", True),
    ("Mon-Fri 09:00-17:00", "2026-11-16T08:59:59Z", False),
    ("Mon-Fri 09:00-17:00", "2026-11-16T17:00:00Z", False),
    ("Mon-Fri 09:00-17:00", "2026-11-15T12:00:00Z", False),
    ("Mon-Fri 09:00-17:00 +02:00", "2026-11-16T07:00:00Z", True),
    ("Mon-Fri 09:00-17:00 -05:30", "2026-11-16T09:00:00Z", False),
    ("Mon-Fri 09:00-17:00 Europe/Berlin", "2026-11-16T08:00:00Z", True),
    ("Mon-Fri 09:00-17:00 Europe/Berlin", "2026-07-13T07:00:00Z", True),  # summer time
    ("Mon-Fri 09:00-17:00 Europe/Berlin", "2026-11-16T16:00:00Z", False),
    ("sat,sun", "2026-11-15T23:59:59Z", True),
    ("sat,sun", "2026-11-16T00:00:00Z", False),
    ("Fri-Mon", "2026-11-16T00:00:00Z", True),
    ("Fri-Mon", "2026-11-17T00:00:00Z", False),
    ("Fri 22:00-06:00", "2026-11-14T05:59:00Z", True),  # Saturday morning belongs to Friday's window
    ("Fri 22:00-06:00", "2026-11-13T05:59:00Z", False),
    ("22:00-24:00", "2026-11-16T23:59:00Z", True),
    ("09:00-12:00,13:00-17:00 UTC", "2026-11-16T12:30:00Z", False),
    ("09:00-12:00,13:00-17:00 Z", "2026-11-16T13:30:00Z", True),
    ("Mon Nowhere/Atall", "2026-11-15T12:00:00Z", True),  # what cannot be told counts as open
    ("not a window", "2026-11-15T12:00:00Z", True),
]


@pytest.mark.parametrize(("window", "moment", "is_open"), OPEN, ids=[f"{w} at {m}" for w, m, _ in OPEN])
def test_a_window_is_open_or_closed(window: str, moment: str, is_open: bool) -> None:
    assert closed_windows((window,), moment) == (frozenset() if is_open else frozenset({window}))


WRONG = [
    ("", "days or hours are missing; such as `Mon-Fri 09:00-17:00 Europe/Berlin`"),
    ("Europe/Berlin", "days or hours are missing; such as `Mon-Fri 09:00-17:00 Europe/Berlin`"),
    ("Mon-Fry", "`Mon-Fry` is no day and no range of days; days are Mon, Tue, Wed, Thu, Fri, Sat, Sun"),
    ("9-17", "`9-17` is no range of hours, such as `09:00-17:00`"),
    ("09:00-25:00", "`09:00-25:00` is no range of hours, such as `09:00-17:00`"),
    ("09:60-10:00", "`09:60-10:00` is no range of hours, such as `09:00-17:00`"),
    ("09:00-09:00", "`09:00-09:00` begins when it ends; for a whole day leave the hours out"),
    ("Mon +25:00", "`+25:00` is no offset from UTC, such as `+02:00`"),
    ("Mon ../../etc/passwd", "`../../etc/passwd` is no zone: UTC, an offset such as `+02:00`, or a name such as "
     "`Europe/Berlin`"),
    ("Mon UTC UTC", "`UTC` stands where nothing is expected; such as `Mon-Fri 09:00-17:00 Europe/Berlin`"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[text for text, _ in WRONG])
def test_what_is_no_window_says_why(text: str, expected: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_window(text)
    assert str(caught.value) == expected


FREEZE = """version = 1
[[rules]]
id = "freeze"
when = { action = "git:push", time = "Fri 15:00-24:00" }
verdict = "deny"
reason = "No pushes before the weekend."
matches = ["git push origin x"]
ignores = ["git status"]
"""
FRIDAY, MONDAY = "2026-11-13T16:00:00Z", "2026-11-16T16:00:00Z"


def test_a_rule_holds_in_its_window_only() -> None:
    policy = policy_from_text(FREEZE)
    verdicts = [decide_call("git push origin x", policy=policy, at=at).verdict.name for at in (FRIDAY, MONDAY)]
    assert verdicts == ["deny", "ask"]
    assert decide_call("git push origin x", policy=policy).verdict.name == "deny"  # no moment: every window is open


def test_the_receipt_names_the_closed_windows_that_were_read_and_replays() -> None:
    from interlock.decide import decide
    from interlock.evals.lexical import read_lexically
    from interlock.model.call import Call
    from interlock.model.facts import Facts
    from interlock.policy.rules import windows_read

    policy = policy_from_text(FREEZE)
    slices = []
    for command in ("git push origin x", "git status"):
        call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/repo")
        reading, _ = read_lexically(call, Facts(root="/repo", home="/home/user", declared=policy.tools["Bash"]))
        session = Session()
        read = windows_read(call, reading, policy, session.posture)
        session = session.replace(closed=closed_windows(read, MONDAY))
        body = receipt_body(call, reading, policy.digest, session, decide(call, reading, policy, session))
        assert differences(body, rederive(body, policy)) == []
        slices.append(body["session"])
    assert slices == [{"posture": "interactive", "closed": ["Fri 15:00-24:00"]}, {"posture": "interactive"}]


def test_a_window_that_is_none_and_a_zone_that_nobody_knows_are_told_with_their_place() -> None:
    default = ("default", default_file(), Path(default_file()).read_bytes())
    text = 'version = 1\n[[rules]]\nid = "r"\nwhen = { action = "x", time = "%s" }\nverdict = "ask"\nreason = "x"\n'
    told = []
    for window in ("Mon-Fry", "Mon Europe/Berlyn"):
        with pytest.raises(PolicyError) as caught:
            compile_sources((default, ("user", "p.toml", (text % window).encode())))
        told += [str(problem) for problem in caught.value.problems]
    assert told == [
        "p.toml:4:24: `time` must be a time window: `Mon-Fry` is no day and no range of days; days are "
        "Mon, Tue, Wed, Thu, Fri, Sat, Sun",
        "p.toml:4:24: `time` names the zone `Europe/Berlyn`, which is not known here",
    ]
    assert [knows_zone(zone) for zone in ("Europe/Berlin", "Europe/Berlyn")] == [True, False]


PLACES: list[tuple[dict[str, str], tuple[str, ...], str, set[str]]] = [  # target, marks, folder of the call, places
    ({"path": "/repo/a"}, (), "/repo", {"project"}),
    ({"path": "/tmp/a"}, (), "/repo", {"temp"}),
    ({"path": "/tmp/p/a"}, (), "/tmp/p", {"temp", "project"}),
    ({"path": "/home/me/x"}, ("outside",), "/repo", {"outside", "home"}),
    ({"path": "/USERS/me/x"}, ("outside",), "/repo", {"outside", "home"}),
    ({"path": "/etc/x"}, ("outside",), "/repo", {"outside", "system"}),
    ({"path": "/data/x"}, ("outside",), "/repo", {"outside"}),
    ({"path": "/repo/l", "real": "/home/me/.ssh/k"}, ("outside", "secret"), "/repo", {"outside", "home", "secret"}),
    ({"path": "/dev/sda"}, ("outside",), "/repo", {"outside", "device"}),
    ({"path": "/"}, ("outside", "root"), "/repo", {"outside", "system"}),
    ({"path": "/home/me"}, ("outside", "home", "project-root"), "/home/me/p", {"outside", "home", "project"}),
    ({"remote": "origin"}, ("external",), "/repo", set()),
]


@pytest.mark.parametrize(("target", "marks", "cwd", "expected"), PLACES, ids=[str(row[0]) for row in PLACES])
def test_where_a_target_lies(target: dict[str, str], marks: tuple[str, ...], cwd: str, expected: set[str]) -> None:
    assert places_of(Action(name="fs:write", target=FrozenMap(target), tags=marks), cwd) == expected


def test_a_rule_may_name_places() -> None:
    policy = policy_from_text(
        """version = 1
[[rules]]
id = "elsewhere"
when = { action = "fs:read", place = ["home", "secret"] }
verdict = "deny"
reason = "Nothing is read there."
matches = ["cat ~/notes.txt", "cat .env"]
ignores = ["cat README.md", "cat /etc/hosts", "cat /tmp/x"]
"""
    )
    reads = [{"tool": "Read", "input": {"file_path": path}} for path in ("/home/user/x", "/repo/x", "/etc/hosts")]
    assert [decide_call(call, policy=policy).verdict.name for call in reads] == ["deny", "allow", "allow"]


def test_a_place_that_is_none_is_told() -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_text('version = 1\n[[rules]]\nid = "r"\nwhen.place = ["moon"]\nverdict = "ask"\nreason = "x"\n')
    assert [problem.text for problem in caught.value.problems] == [
        "`place` must be a list of project, temp, outside, home, system, device, secret, guard, regenerable"
    ]
