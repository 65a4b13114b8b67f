"""Our own files, broken one by one: policies, the compiled cache, trust and postures. Errors never loosen."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, Ran, heed_permissions, made
from interlock import __version__
from interlock.limits import MAX_POLICY_BYTES, MAX_PROJECT_POLICY_BYTES

LOOSE = 'version = 1\n[risk]\nunregistered = "allow"\n'


def taken(
    machine: Machine, *tools: str, before: Callable[[], None] | None = None, session: str = "s1"
) -> dict[str, str]:
    """What each tool gets. A session in which a file of ours changes is asked about that first."""
    return {tool: machine.run(machine.event(tool, session_id=session), before=before).taken for tool in tools}


# --- policy files -------------------------------------------------------------------------------


def _written(text: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text if isinstance(text, bytes) else text.encode())


def _ring(path: Path) -> None:
    path.symlink_to(path.name)


def _unreadable(path: Path) -> None:
    path.write_text(LOOSE)
    path.chmod(0)


POLICIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "not TOML": (_written("version = 1\nposture = \n"), "{file}:2:11: not TOML: Invalid value"),
    "not UTF-8": (_written(b"version = 1\n# \xff\n"), "{file}:2:3: this is not UTF-8"),
    "a mistyped value": (
        _written("version = 1\nposture = 'lokced'\n"),
        "{file}:2:1: `posture` must be one of interactive, autonomous, dry_run, locked",
    ),
    "for a newer version only": (
        _written('version = 1\nmin_engine = "99.1"\nnewer = true\n'),
        f"{{file}}:2:1: this policy needs Interlock 99.1 or newer (`min_engine`); this is {__version__}",
    ),
    "wrong version": (
        _written("version = 2\n"),
        "{file}:1:1: `version` must be 1; this version of Interlock knows no other",
    ),
    "empty": (_written(""), "{file}:1:1: `version` is missing"),
    "deeply nested": (_written("version = " + "[" * 3000), "{file}:1:1: the file is nested deeper than 100 levels"),
    "huge": (_written("version = 1\n" + "#" * 2**22), "`{file}` is larger than {most} bytes"),
    "a folder": (Path.mkdir, "`{file}` is not a file"),
    "a pipe": (os.mkfifo, "`{file}` is not a file"),
    "a device without end": (lambda path: path.symlink_to("/dev/zero"), "`{file}` is not a file"),
    "a ring of links": (_ring, "`{file}` could not be read: Too many levels of symbolic links"),
    "unreadable": (_unreadable, "`{file}` could not be read: Permission denied"),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("whose", ["user", "project"])
@pytest.mark.parametrize("case", POLICIES)
def test_a_policy_that_cannot_be_used_lets_only_reads_pass_and_names_the_place(
    case: str, whose: str, machine: Machine
) -> None:
    spoil, problem = POLICIES[case]
    file = machine.user_policy if whose == "user" else machine.project_policy
    most = MAX_POLICY_BYTES if whose == "user" else MAX_PROJECT_POLICY_BYTES
    said = problem.format(file=file, most=most)
    spoil(file)
    assert machine.run(machine.event("Read"), before=heed_permissions).answer == {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
    }
    assert machine.run(machine.event("Write"), before=heed_permissions).answer == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "Interlock: Refused. Tell the person that the policy file has an error: "
            f"{said}. Until they fix it, only read-only calls are allowed.",
        }
    }
    assert taken(machine, "Bash", "mcp__x__y", before=heed_permissions) == {"Bash": DENY, "mcp__x__y": DENY}


def test_an_unknown_key_asks_in_the_person_s_own_file_and_breaks_a_project_s(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\npostur = 'locked'\n")
    assert taken(machine, "Write", "Read") == {"Write": ASK, "Read": ALLOW}
    said = machine.run(machine.event("Write")).out.decode()
    assert "sets `postur`, which Interlock" in said
    machine.user_policy.unlink()
    machine.project_policy.write_text("version = 1\npostur = 'locked'\n")
    assert taken(machine, "Write", "Read", session="another") == {"Write": DENY, "Read": ALLOW}


def test_a_policy_that_is_mended_counts_at_once(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\nposture = ")
    assert taken(machine, "Write") == {"Write": DENY}
    machine.user_policy.write_text("version = 1\n")
    assert taken(machine, "Write", "Read") == {"Write": ASK, "Read": ALLOW}
    assert taken(machine, "Write", session="another") == {"Write": ALLOW}


def test_a_policy_that_became_stricter_counts_at_once(machine: Machine) -> None:
    assert taken(machine, "Write") == {"Write": ALLOW}
    machine.user_policy.write_text('version = 1\nposture = "locked"\n')
    assert taken(machine, "Write", "Read") == {"Write": DENY, "Read": ALLOW}


# --- the compiled cache -------------------------------------------------------------------------


def forged(cache: Path, *, checksum: bytes | None = None, body: Any = None) -> None:
    """The cache with another policy before its rules; the right checksum unless one is given."""
    _, _, rules = cache.read_bytes().partition(b"\n")[2].partition(b"\n")
    raw = body if isinstance(body, bytes) else json.dumps(body).encode() + b"\n" + rules
    right = b"sha256:" + hashlib.sha256(raw).hexdigest().encode()
    cache.write_bytes((right if checksum is None else checksum) + b"\n" + raw)


def loosened(cache: Path) -> Any:
    whole = json.loads(cache.read_bytes().split(b"\n")[1])
    whole["policy"]["risk"]["unregistered"] = "allow"
    return whole


def without(whole: Any, *keys: str) -> Any:
    inner = whole
    for key in keys[:-1]:
        inner = inner[key]
    del inner[keys[-1]]
    return whole


def _replaced_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(cache: Path) -> None:
        cache.unlink()
        make(cache)

    return replace


CACHES: dict[str, Callable[[Path], object]] = {
    "empty": lambda cache: cache.write_bytes(b""),
    "garbage": lambda cache: cache.write_bytes(os.urandom(4096)),
    "cut short": lambda cache: cache.write_bytes(cache.read_bytes()[:-1]),
    "one byte changed": lambda cache: cache.write_bytes(cache.read_bytes().replace(b'"ask"', b'"aks"')),
    "another policy, its old checksum": lambda cache: forged(
        cache, checksum=cache.read_bytes().partition(b"\n")[0], body=loosened(cache)
    ),
    "another policy, no checksum": lambda cache: forged(cache, checksum=b"", body=loosened(cache)),
    "right checksum, broken JSON": lambda cache: forged(cache, body=b'{"policy":'),
    "right checksum, an array": lambda cache: forged(cache, body=[]),
    "right checksum, no rules": lambda cache: forged(cache, body=without(loosened(cache), "rules")),
    "right checksum, no tools": lambda cache: forged(cache, body=without(loosened(cache), "policy", "tools")),
    "right checksum, no digest": lambda cache: forged(cache, body=without(loosened(cache), "digest")),
    "right checksum, an unknown word": lambda cache: forged(
        cache, body=json.loads(json.dumps(loosened(cache)).replace('"interactive"', '"free"'))
    ),
    "a pipe": _replaced_by(os.mkfifo),
    "a folder": _replaced_by(Path.mkdir),
    "a link to a device": _replaced_by(lambda cache: cache.symlink_to("/dev/zero")),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CACHES)
def test_a_cache_that_is_not_what_it_says_is_as_good_as_none(case: str, machine: Machine) -> None:
    cache = machine.cache
    CACHES[case](cache)
    assert taken(machine, "mcp__x__y", "Write", "Bash") == {"mcp__x__y": ASK, "Write": ALLOW, "Bash": ASK}


def test_a_cache_that_cannot_be_written_only_costs_time(machine: Machine) -> None:
    made(machine.home / ".cache").joinpath("interlock").write_text("")
    assert taken(machine, "mcp__x__y", "Write") == {"mcp__x__y": ASK, "Write": ALLOW}


def test_a_policy_of_another_machine_is_not_answered_from_the_cache(machine: Machine) -> None:
    """The key holds the digest of every source, so a cache under another name is never looked at."""
    cache = machine.cache
    other = cache.with_name("policy-" + "0" * 64 + ".json")
    other.write_bytes(cache.read_bytes())
    forged(other, body=loosened(cache))
    assert taken(machine, "mcp__x__y") == {"mcp__x__y": ASK}


# --- trust and postures -------------------------------------------------------------------------

NOT_A_FILE_OF_OURS: dict[str, Callable[[Path], object]] = {
    "empty": _written(""),
    "not JSON": _written("{"),
    "not UTF-8": _written(b'{"\xff": "sha256:0"}'),
    "an array": _written("[]"),
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a ring of links": _ring,
    "unreadable": _unreadable,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", NOT_A_FILE_OF_OURS)
def test_trust_that_cannot_be_read_is_no_trust(case: str, machine: Machine) -> None:
    machine.project_policy.write_text(LOOSE)
    trust = machine.user_policy.with_name("trust.json")
    digest = "sha256:" + hashlib.sha256(LOOSE.encode()).hexdigest()
    trust.write_text(json.dumps({str(machine.project_policy): digest}))
    assert taken(machine, "mcp__x__y", "Write") == {"mcp__x__y": ALLOW, "Write": ALLOW}
    trust.unlink()
    NOT_A_FILE_OF_OURS[case](trust)
    assert taken(machine, "mcp__x__y", "Write", before=heed_permissions, session="another") == {
        "mcp__x__y": ASK,
        "Write": ALLOW,
    }


POSTURES: dict[str, Callable[[Path], object]] = {
    **NOT_A_FILE_OF_OURS,
    "an unknown posture": lambda path: path.write_text(json.dumps({_root(path): "relaxed"})),
    "a posture that is no text": lambda path: path.write_text(json.dumps({_root(path): None})),
    "two postures for one project": lambda path: path.write_text(
        f'{{"{_root(path)}": "locked", "{_root(path)}": "interactive"}}'
    ),
}


def _root(postures: Path) -> str:
    return str(postures.parents[4] / "project")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", POSTURES)
def test_a_posture_that_cannot_be_read_counts_as_locked(case: str, machine: Machine) -> None:
    """It may have said `locked`; reads pass, as they do when it says that, and the person is told the file."""
    postures = machine.state / "postures.json"
    POSTURES[case](postures)
    assert taken(machine, "Read", "Write", "Bash", before=heed_permissions) == {
        "Read": ALLOW,
        "Write": DENY,
        "Bash": DENY,
    }
    denied = machine.run(machine.event("Write"), before=heed_permissions).answer
    assert denied["hookSpecificOutput"]["permissionDecisionReason"] == (
        "Interlock: Refused. The session is locked: only read-only calls are allowed. Tell the person what you wanted "
        "to do. Only they can unlock it."
    )
    assert denied["systemMessage"].startswith(f"Interlock: `{postures}` ")
    assert ". Until you fix it, only read-only calls are allowed" in denied["systemMessage"]


def test_a_posture_that_a_person_set_counts(machine: Machine) -> None:
    postures = machine.state / "postures.json"
    for posture, expected in {"interactive": ALLOW, "autonomous": ALLOW, "dry_run": DENY, "locked": DENY}.items():
        postures.write_text(json.dumps({str(machine.project): posture}))
        assert taken(machine, "Write", "Read") == {"Write": expected, "Read": ALLOW}


def test_everything_broken_at_once_still_lets_reads_pass_and_nothing_else(machine: Machine) -> None:
    machine.user_policy.write_text("{")
    machine.project_policy.mkdir()
    (machine.state / "postures.json").write_text("{")
    machine.user_policy.with_name("trust.json").write_text("{")
    machine.ledger.mkdir()
    ran: Ran = machine.call("Read")
    assert (ran.taken, machine.call("Write").taken, machine.call("Bash").taken) == (ALLOW, DENY, DENY)
