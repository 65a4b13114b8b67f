"""500 secret shapes in calls: none of them in the database, an export, an answer or on the screen."""

from __future__ import annotations

import json
import random
import string
import sys
from pathlib import Path

import pytest

from hook_process import Machine
from interlock.approve.approval import projection_of
from interlock.bytes.redact import MARK, is_suspicious, redact, redact_target, redacted
from interlock.bytes.secrets import TOKENS
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.read import read_call
from interlock.value import FrozenMap, freeze
from machine import Machine as Desk
from secret_shapes import calls, texts

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits

# how a secret stands in a call; {} is the secret
TOKEN_PLACES = (
    "echo {}",
    "curl -s https://api.example/v1?x=1 -d '{}'",
    "export THING={}; run it",
    'printf "%s" "{}" | tee notes.txt',
    "git remote add o https://{}@git.example/a.git",
    "cat > /srv/{}/x.txt",
)
WORD_PLACES = (
    "mysql -u root -p{} -e 'select 1'",
    "sshpass -p {} ssh host.example ls",
    "curl -u admin:{} https://api.example/",
    "curl -H 'Authorization: Bearer {}' https://api.example/",
    'curl -H "X-Api-Key: {}" https://api.example/',
    "DB_PASSWORD={} ./serve",
    "export GITHUB_TOKEN={}",
    "tool --password {} --verbose",
    "tool --client-secret={} login",
    "psql postgres://app:{}@db.example:5432/app",
    "git clone https://me:{}@git.example/a.git",
    'curl -d \'{{"password": "{}"}}\' https://api.example/login',
    "redis-cli -a {} ping",
    "docker login -u me -p {} registry.example",
    "openssl enc -aes-256-cbc -k {} -in a -out b",
    "aws configure set aws_secret_access_key {}",
    "ldapsearch -x -w {} -b dc=example",
    "unzip -P {} a.zip",
    "MYSQL_PWD={} mysqldump app",
    "smbclient -U me%{} //host/share",
)


def _some(dice: random.Random, alphabet: str, length: int) -> str:
    return "".join(dice.choice(alphabet) for _ in range(length - 1)) + dice.choice("23456789")


def _token(dice: random.Random, start: str) -> str:
    _, characters, least = TOKENS[start]
    alphabet = ALNUM if "g" in characters else "ABCDEF234567" if "G" in characters else HEX
    if start == "eyJ":
        return "eyJ" + ".".join(_some(dice, ALNUM, 24) for _ in range(3))
    return start + _some(dice, alphabet, least + 8)


def shapes() -> list[tuple[str, str]]:
    """Command and the secret in it: every family in every place, then passwords in the places for them."""
    dice = random.Random(20260701)
    found = [
        (place.format(secret), secret)
        for n, start in enumerate(TOKENS)
        for place in (TOKEN_PLACES[n % len(TOKEN_PLACES)], TOKEN_PLACES[(n + 1) % len(TOKEN_PLACES)])
        for secret in [_token(dice, start)]
    ]
    while len(found) < 500:
        place = WORD_PLACES[len(found) % len(WORD_PLACES)]
        secret = _some(dice, ALNUM, dice.randint(8, 24))
        found.append((place.format(secret), secret))
    return found


PEM_BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"
PEM = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{PEM_BODY}\nQyNTUxOQAAACDn\n-----END OPENSSH PRIVATE KEY-----"


@pytest.mark.slow
def test_no_secret_is_stored_exported_or_shown(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    cases = [*shapes(), (f"echo '{PEM}' > k", PEM_BODY)]
    assert len(cases) > 500
    inputs: list[tuple[str, dict[str, object]]] = [("Bash", {"command": command}) for command, _ in cases]
    inputs += [("Write", {"file_path": f"/srv/{s}.txt", "content": command}) for command, s in cases[:90]]
    inputs += [("mcp__x__y", {"args": {"password": secret, secret: 1}}) for _, secret in cases[:90]]
    calls = [{"tool": tool, "input": given, "cwd": str(desk.project)} for tool, given in inputs]
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    seen = {
        "answers": desk.run("decide", "--jsonl", "--record", stdin=lines).out,
        "export": desk.run("audit", "export").out,
        "csv": desk.run("audit", "export", "--format", "csv").out,
        "screen": desk.run("audit", "tail", "-n", "2000").out,
        "one row": desk.run("audit", "show", "9").out,
    }
    state = desk.ledger.parent
    stored = {path.name: path.read_bytes().decode("utf-8", "replace") for path in state.iterdir() if path.is_file()}
    assert set(stored) - {"ledger.db-shm", "ledger.db-wal"} == {"ledger.db", "ledger.db.head", "proof.key"}
    assert (state / "proof.key").stat().st_mode & 0o777 == 0o600
    leaked = {(place, secret) for place, text in {**seen, **stored}.items() for _, secret in cases if secret in text}
    assert sorted(leaked) == []
    assert seen["answers"].count("\n") == len(calls)
    assert desk.run("audit", "verify").code == 0
    assert desk.run("replay", "--quiet").out == f"{len(calls)} of {len(calls)} receipts hold\n"


def test_no_secret_of_the_world_survives_redacting() -> None:
    """Forms that are made up from what is publicly known of them, and not from our own tables."""
    left = [(what, redact(text)) for seed in (1, 2, 3) for what, text, secret in texts(seed) if secret in redact(text)]
    assert left == []
    for what, text, _ in texts():
        once = redact(text)
        assert redact(once) == once, what


@pytest.mark.slow
def test_no_secret_of_the_world_is_stored_exported_or_shown(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.user_policy('version = 1\n[approvals]\nby = ["terminal"]\nmax_pending = 10000\n')
    cases = list(calls())
    assert len(cases) > 2000
    rows = [{"tool": tool, "input": given, "cwd": str(desk.project), "session": "s"} for tool, given, _ in cases]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    answers = desk.run("decide", "--jsonl", "--record", "--posture", "autonomous", stdin=lines)
    asked = desk.run("approvals", "list", "--json").json
    seen = {
        "answers": answers.out + answers.err,
        "export": desk.run("audit", "export").out,
        "csv": desk.run("audit", "export", "--format", "csv").out,
        "screen": desk.run("audit", "tail", "-n", "10000").out,
        "search": desk.run("audit", "search", "e", "--json").out,
        "approvals": json.dumps(asked) + desk.run("approvals", "list", "--all").out,
        "replay": desk.run("replay").out,
        "suggest": desk.run("suggest", "--json").out,
        "simulate": desk.run("simulate", "--policy", str(desk.home / ".config/interlock/policy.toml"), "--json").out,
    }
    for one in asked[:: max(1, len(asked) // 8)]:
        seen["approvals"] += desk.run("approvals", "show", one["id"]).out
    for seq in (9, 300, 900, 1500, 2000):
        seen[f"row {seq}"] = desk.run("audit", "show", str(seq)).out
    state = desk.ledger.parent
    stored = {path.name: path.read_bytes().decode("utf-8", "replace") for path in state.iterdir() if path.is_file()}
    everything = {**seen, **stored}
    leaked = {
        (place, tool, secret) for place, text in everything.items() for tool, _, secret in cases if secret in text
    }
    assert sorted(leaked) == []
    assert seen["answers"].count("\n") == len(cases)


def test_explaining_a_call_does_not_show_its_secrets(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for tool, given, secret in [case for case in calls() if case[0] == "Bash"][:: 1000 // 8]:
        told = desk.run("explain", stdin={"tool": tool, "input": given, "cwd": str(desk.project)})
        assert secret not in told.out + told.err, given


def test_the_hook_neither_stores_nor_answers_a_secret(machine: Machine) -> None:
    for n, (command, secret) in enumerate(shapes()[:: 500 // 12]):
        ran = machine.run(machine.event("Bash", {"command": command}, tool_use_id=f"t{n}"))
        assert secret not in ran.out.decode(), command
        assert ran.err == b""
    kept = b"".join(path.read_bytes() for path in machine.state.iterdir() if path.is_file())
    assert [secret for _, secret in shapes() if secret.encode() in kept] == []
    broken = machine.run(
        b'{"ghp_abcdefghijklmnopqrstuvwxyz0123456789": 1, "ghp_abcdefghijklmnopqrstuvwxyz0123456789": 2}'
    )
    assert b"ghp_abc" not in broken.out


def test_calls_that_differ_only_in_a_secret_share_a_digest_but_not_a_proof(machine: Machine) -> None:
    for n, secret in enumerate(("hunter2hunter2", "hunter3hunter3", "hunter2hunter2")):
        machine.run(machine.event("Bash", {"command": f"tool --password {secret}"}, tool_use_id=f"t{n}"))
    one, other, again = machine.rows()
    assert len({row["body"]["receipt"]["call"]["digest"] for row in (one, other, again)}) == 1
    assert one["proof"] == again["proof"]
    assert one["proof"] != other["proof"]
    assert one["body"]["input"] == {"command": f"tool --password {MARK}password]"}


def test_what_is_no_secret_stays_as_it_is() -> None:
    for text in (
        "git commit -m 'handle tokens and passwords better'",
        "cat /etc/passwd",
        "grep -rn password src/",
        "max_tokens: 4096",
        "pip install sk-learn-contrib-things",
        "ls ~/.ssh/id_ed25519.pub",
        "docker run -p 8080:80 nginx",
        "ssh -p 2222 host.example",
        "mkdir -p build/out",
        "tool --password-stdin < file",
        "export TOKEN=$(cat token.txt)",
        "curl -b cookies.txt https://a.example",
        "kubectl get secrets -n prod",
        "git clone ssh://git@git.example/a.git",
        "openssl genrsa -out private_key.pem 2048",
        '{"token_url": "https://a.example/token"}',
        "git checkout 3f0c9a2b71de4455aa66bb77cc88dd99ee00ff11",
        "docker pull nginx@sha256:3f0c9a2b71de4455aa66bb77cc88dd99ee00ff113f0c9a2b71de4455aa66bb77",
        "echo 'we log in with the password of the person' | tee notes.txt",
        "class TestHTTPServerHandlesUTF8InputAndOutput2Times(TestCase): pass",
        "def test_that_a_session_which_was_pruned_2_times_is_resumed_after_that():",
        "python -m pytest tests/unit/test_ledger_grants.py::test_that_Something_Happens_In_2026_and_later",
        '"integrity": "sha512-oxVHkHR/EJf2CNXnWxRLW6mg7JyCCUcG0DtEGmL2ctUo1PNTin1PUil+r/+4r5MpVgC/fn1kjsx7mjSujKq=="',
        "curl -O https://files.example/packages/aB3/dE5/fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9/pkg-1.0.tar.gz",
        "echo aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0 | base64 -d",
        "for (const key of keys) { console.log(key, values) }",
        'words = ["password", "token", "secret"]',
        "grep -n 'token' src/parser.c",
        "npm run pass the-tests",
        "git log --author auth --grep 'sign in'",
        "12:30:45 12:31:10 and fe80:0000:1234:5678:9abc",
        "kubectl get secret db -o yaml",
        "git stash pop && make pass",
        "gh auth login --web",
        "echo done | tee log",
        "useradd -m app",
        "printf '%s\\n' one two | sort",
    ):
        assert redact(text) == text


def test_a_target_loses_the_secret_and_nothing_around_it() -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    assert redact_target(f"/srv/prod/{token}/db.sql") == "/srv/prod/[redacted:github-token]/db.sql"
    assert redact_target("/srv/password=abc/prod/db.sql") == "/srv/password=abc/prod/db.sql"
    assert redact_target("https://u:pw@h.example/a?b") == "https://u:[redacted:password]@h.example/a?b"


def test_redacting_is_idempotent_and_leaves_plain_data_as_the_same_object() -> None:
    plain = freeze({"a": ["b", {"c": 1}], "d": None})
    assert redacted(plain) is plain
    for command, secret in shapes():
        once = redact(command)
        assert secret not in once
        assert redact(once) == once


def test_two_keys_that_become_one_keep_both_values() -> None:
    keys = {f"ghp_{'a' * 36}": 1, f"ghp_{'b' * 36}": 2}
    assert sorted(redacted(keys).values()) == [1, 2]


def test_digests_that_are_kept_do_not_tell_a_weak_secret() -> None:
    calls = [
        Call(tool="Bash", input=FrozenMap({"command": f"tool --password {word}"})) for word in ("summer1", "winter2")
    ]
    assert len({projection_of(call) for call in calls}) == 1


def test_hints_cover_every_name_and_header() -> None:
    from interlock.bytes.secrets import HEADERS, NAMES, OPTIONS

    assert [name for name in (*NAMES, *HEADERS) if not is_suspicious(name)] == []
    assert [program for program in OPTIONS if not is_suspicious(f"{program} -p x")] == []


@pytest.mark.parametrize(
    "unit",
    [
        "-----BEGIN PRIVATE KEY----- ",
        "https://a:b",
        "password=",
        "password_file=",
        "eyJ.",
        "cookie: ",
        "mysql -p ",
        "token='",
    ],
)
def test_work_grows_with_the_text_and_no_faster(unit: str) -> None:
    """Counted in lines that the interpreter runs, not in time."""

    def lines(text: str) -> int:
        count = 0

        def trace(*_: object) -> object:
            nonlocal count
            count += 1
            return trace

        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            redact(text)
        finally:
            sys.settrace(None)
        return count

    assert lines(unit * 400) < 5 * lines(unit * 100)


def test_names_of_actions_come_from_tables_and_stay_as_they_are() -> None:
    command = 'grep -rE "(api_key|access_key|token|password)" . && export T=ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    call = Call(host="h", session="s", agent="a", cwd="/repo", tool="Bash", input=FrozenMap({"command": command}))
    reading = read_call(call, Facts(root="/repo", home="/home/u"))
    assert "secret:search" in [action.name for action in reading.actions]


def test_a_broken_line_does_not_make_a_secret_the_name_of_an_action() -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    for command in (f"curl -s\n--header=x:{token}", f'echo\n"the token is {token}"'):
        call = Call(host="h", session="s", agent="a", cwd="/repo", tool="Bash", input=FrozenMap({"command": command}))
        reading = read_call(call, Facts(root="/repo", home="/home/u"))
        assert "nowhere" in [tag for action in reading.actions for tag in action.tags]
        assert token not in repr(reading.actions)
