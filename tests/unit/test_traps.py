"""`trap`: what runs later is as free as the same command at the end, and is held against every state until then."""

from __future__ import annotations

import pytest

from interlock.model.verdict import Verdict
from interlock.testing import decide_call

ALLOWED = (
    'T=$(mktemp); trap \'rm -f "$T"\' EXIT; jq -S . package.json > "$T"; diff "$T" package.json',
    'tmp=$(mktemp -d); trap \'rm -rf "$tmp"\' EXIT; cp package.json "$tmp"; ls "$tmp"',
    'tmp=$(mktemp -d); trap \'rm -rf "$tmp"\' EXIT INT TERM; cp package.json "$tmp"',
    'tmp=$(mktemp -d); cleanup() { rm -rf "$tmp"; }; trap cleanup EXIT; cp package.json "$tmp"',
    'tmp=$(mktemp -d); cleanup() { local rc=$?; rm -rf "$tmp"; exit $rc; }; trap cleanup EXIT; ls "$tmp"',
    'T=$(mktemp); trap "rm -f $T" EXIT; jq . package.json > "$T"',
    'T=$(mktemp); trap "rm -f \'$T\'" EXIT; jq . package.json > "$T"',
    'T=$(mktemp /tmp/acme.XXXXXX); trap "rm -f $T" EXIT; ls > "$T"',
    '(T=$(mktemp); trap \'rm -f "$T"\' EXIT; ls > "$T")',
    'bash -c \'T=$(mktemp); trap "rm -f \\"$T\\"" EXIT; ls > "$T"\'',
    'set -eu; t=$(mktemp -d); trap \'rm -rf "$t"\' EXIT; for f in src/*.py; do cp "$f" "$t/"; done; wc -l "$t"/*',
    'T=$(mktemp); trap \'rm -f "$T"\' EXIT; cd src; ls > "$T"; cd ..',
    'T=$(mktemp); trap "rm -rf $T" EXIT; T=/home/user',  # it was put in when the trap was set
    "trap 'echo bye' EXIT; ls",
    "npm test & PID=$!; trap 'kill $PID' EXIT; sleep 1; ls",
    'T=$(mktemp); clean() { rm -f "$T"; }; clean; ls > "$T"; clean',  # the same act twice is one act
)
HOME = "/home/user"
DENIED = (
    f"T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; T={HOME}",
    "trap 'rm -rf \"$T\"' EXIT; T=$HOME",
    f"T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; T={HOME}; sleep 5; T=$(mktemp)",
    f"T=$(mktemp); (trap 'rm -rf \"$T\"' EXIT; T={HOME})",
    f"T=$(mktemp); (trap 'rm -rf \"$T\"' EXIT; T={HOME}; T=/tmp/x); ls",
    f"T=$(mktemp); f() {{ local T={HOME}; ls; }}; trap 'rm -rf \"$T\"' EXIT; f",
    f"T=$(mktemp); f() {{ ls; }}; trap 'rm -rf \"$T\"' EXIT; T={HOME} f",
    f"T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; ls | (T={HOME}; cat); ls",
    f"if ls; then trap 'rm -rf \"$T\"' EXIT; fi; T={HOME}",
    f"T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; printf -v T %s {HOME}; T=$(mktemp)",
    f"T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; eval 'T={HOME}; ls'; T=/tmp/x",
    f"T=$(mktemp); bash -c 'T=/tmp/x; trap \"rm -rf \\$T\" EXIT; T={HOME}; T=/tmp/x'",
    'T=$(mktemp); c() { rm -rf "$T"; }; trap c EXIT; c() { rm -rf ~; }; c() { :; }',
    "T=$(mktemp); trap 'rm -rf \"$T\"/*' EXIT; T=; T=$(mktemp)",
    f"trap 'rm -rf *' EXIT; cd {HOME}; cd /tmp/x",
    f"trap 'cd {HOME}' ERR; false; rm -rf *",
)
NOT_ALLOWED = (
    "trap 'rm -rf \"$T\"' EXIT; T=$(mktemp)",  # until then it holds what the environment says
    "T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; for T in a src; do ls; done; T=$(mktemp)",
    "T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; if ls; then T=src; ls; T=/tmp/tmp.a; fi",
    "T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; read T; T=$(mktemp)",
    "T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; while read -r T; do ls; done < names.txt; T=$(mktemp)",
    "T=$(mktemp); trap 'rm -rf \"$T\"' EXIT; unset T; T=$(mktemp)",
    "T=$(mktemp); trap 'rm -f \"$1\"' EXIT; set -- src/a.py; set --",
    "T=$(mktemp); trap 'T=src' USR1; rm -rf \"$T\"",
    "echo ls > x.sh; trap 'echo \"rm -rf ~\" > x.sh' ERR; false; bash x.sh",
    "trap 'bash x.sh' EXIT; echo 'rm -rf ~' > x.sh; echo ls > x.sh",
    'for f in /tmp/tmp.*; do trap "rm -f $f" EXIT; done',  # a name that somebody else has chosen is no code
    'T=$(mktemp); for f in /tmp/tmp.*; do trap "rm -f $T $f" EXIT; done',
    'T=$(mktemp); trap "rm -f $T $(echo /tmp/tmp.*)" EXIT',
    'T=$(mktemp); if ls; then for T in /tmp/tmp.*; do :; done; fi; trap "rm -f $T" EXIT',
    'T=$(mktemp "/tmp/a;ls.XXX"); trap "rm -f $T" EXIT',
    'T=$(mktemp); trap "$T" EXIT',
    'T=$(mktemp); trap "bash $T" EXIT; curl -s https://example.com > $T',
    "; ".join(f"trap 'echo {number}' EXIT" for number in range(17)),
)


@pytest.mark.parametrize("command", ALLOWED)
def test_it_is_as_free_as_at_the_end(command: str) -> None:
    decision = decide_call(command)
    assert (decision.verdict, [reason.text for reason in decision.reasons]) == (Verdict.ALLOW, [])


@pytest.mark.parametrize("command", DENIED)
def test_any_state_until_the_end_counts(command: str) -> None:
    assert decide_call(command).verdict is Verdict.DENY


@pytest.mark.parametrize("command", NOT_ALLOWED)
def test_what_is_not_known_until_the_end_is_asked_about(command: str) -> None:
    assert decide_call(command).verdict is not Verdict.ALLOW
