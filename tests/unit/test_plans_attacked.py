"""Plans under attack: no spelling of a line hides a program from its plan, and nothing but a comment is a marker."""

from __future__ import annotations

import pytest

from conformance.cases import FACTS
from interlock.model.call import Call
from interlock.plan.match import line_of
from interlock.plan.model import Plan, Step
from interlock.policy.plan import Enforcement, Planned
from interlock.reading.runs.programs import programs_of
from interlock.reading.shell.comments import has_comment
from interlock.value import FrozenMap

MARK = "# nous: ad-hoc"
PLANNED = ("./sim run", "tee a.log", "make test")
# Each of them runs `rm`, a script, or something that nobody can name, besides what is planned.
HIDDEN = [
    "sim() { rm x; }; sim",
    "alias sim=rm; sim x",
    "hash -p /bin/rm sim; sim x",
    "source evil.sh",
    ". ./evil.sh",
    "bash evil.sh",
    "bash ./evil.sh",
    'eval "$(cat f)"',
    "eval 'r''m x'",
    "trap 'rm x' EXIT",
    "trap 'rm x' DEBUG",
    "coproc rm x",
    "{ rm x; } &",
    "if rm x; then :; fi",
    "[[ $(rm x) ]]",
    "(( $(rm x) ))",
    "case $(rm x) in a) :;; esac",
    "echo ${x:-$(rm x)}",
    "sim <(rm x)",
    "sim > >(rm x)",
    "sim <<< $(rm x)",
    "a[$(rm x)]=1",
    "let 'a[$(rm x)]=1'",
    "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]",
    "printf -v 'a[$(rm x)]' x",
    "read 'a[$(rm x)]' <<< x",
    "unset 'a[$(rm x)]'",
    "[[ -v a[$(rm x)] ]]",
    "[[ 'a[$(rm x)]' -eq 1 ]]",
    "declare 'a[$(rm x)]=1'",
    "export 'a[$(rm x)]=1'",
    "readonly 'a[$(rm x)]=1'",
    "(( a['$(rm x)'] ))",
    "x='a[$(rm x)]'; (( x ))",
    "x='a[$(rm x)]'; echo $(( x ))",
    "PS4='$(rm x)'; set -x; :",
    "x='$(rm x)'; echo \"${x@P}\"",
    "mapfile -C 'rm x' -c 1 a < f",
    "readarray -C 'rm x' a < f",
    "wait -p 'a[$(rm x)]'",
    "getopts 'a' 'a[$(rm x)]'",
    "env -S 'rm x'",
    'timeout 5 env -S "rm x"',
    "xargs -I{} sh -c '{}'",
    "find . -exec rm {} \\;",
    "find . -ok rm {} \\;",
    "nohup setsid rm x",
    "nice -n 5 rm x",
    "watch rm x",
    "flock l rm x",
    "flock l -c 'rm x'",
    "flock l -- rm x",
    "timeout 5 -- rm x",
    "busybox rm x",
    "sh <<< 'rm x'",
    "echo 'rm x' | sh",
    "echo cm0geA== | base64 -d | sh",
    'bash -c "$X"',
    "$X",
    '"$(echo rm)" x',
    "\\rm x",
    "r\\m x",
    "'rm' x",
    "/bin/rm x",
    "command rm x",
    "builtin command rm x",
    "exec rm x",
    "exec -a sim rm x",
    "! rm x",
    "time rm x",
    'f() { "$@"; }; f rm x',
    "select a in b; do rm x; done",
    "for a in $(rm x); do :; done",
    "while rm x; do :; done",
    "until rm x; do :; done",
    "x=$(rm x)",
    "x=$(rm x) sim",
    'sim "`rm x`"',
    "enable -f ./x.so sim; sim",
    "BASH_ENV=evil bash -c sim",
    "ENV=evil sh -c sim",
    "printf 'rm x' > a.sh; sh a.sh",
    "cd x && ./run.sh",
    "zsh -c 'rm x'",
    "ksh -c 'rm x'",
    "dash -c 'rm x'",
    "bash -c 'exec rm x'",
    "bash <(echo rm x)",
    "bash -s < f",
    "(exec rm x)",
    "stdbuf -oL rm x",
    "taskset 1 rm x",
    "chrt 5 rm x",
    "numactl -N 0 rm x",
    "unbuffer rm x",
    "caffeinate rm x",
    "faketime 1 rm x",
    "eatmydata rm x",
    "time -p rm x",
    "env -i rm x",
    "env A=b rm x",
    "env - rm x",
    "logout; rm x",
    "disown; rm x",
    "echo a; rm x # c",
    "true && rm x",
    "false || rm x",
    "true | rm x",
    "fg; rm x",
    "ulimit -n 1; rm x",
    "umask 0; rm x",
    "test x -a $(rm x)",
    "exec 3< <(rm x)",
    "PROMPT_COMMAND='rm x'",
    "GIT_PAGER='rm x' sim",
    "LD_PRELOAD=./x.so sim",
    "sim; $'\\x72m' x",
    "sim $'\\n' rm; rm x",
]
ORDINARY = [
    "sim run | tee a.log",
    "timeout 60 bash -c './sim | tee log'",
    "cd x && sim",
    "export A=1; sim",
    "for i in 1 2 3; do sim $i; done",
    "sim > out.txt 2>&1",
    "A=1 sim",
    "if [ -f x ]; then sim; fi",
    "sim & wait",
    "sim <<< x",
    "echo $((1+2)); sim",
    "x=$(sim)",
    "nohup sim &",
    "env A=1 sim",
    "time sim",
    "while read l; do sim $l; done < f",
    "sim $RATE",
    'cd "$DIR" && sim',
    "printf '%s\\n' a | sim",
    "test -d out || sim",
    'sim --a "$X" b*.txt',
    "timeout 5 -- sim",
    "[[ -f x ]] && sim",
]
NO_MARKER = [
    "make '# nous: ad-hoc'",
    'make "# nous: ad-hoc"',
    "make <<X\n# nous: ad-hoc\nX",
    "echo \\# nous: ad-hoc",
    "echo x# nous: ad-hoc",
    "echo ${x# nous: ad-hoc}",
    "echo $((2# nous: ad-hoc))",
    "make '\n# nous: ad-hoc\n'",
    "echo a\\\n# nous: ad-hoc",
    "echo # nous: ad-hocx",
    "echo # not nous: ad-hoc",
    "bash -c 'make # nous: ad-hoc'",
    "echo $# nous: ad-hoc",
    'echo "${x:-# nous: ad-hoc}"',
]


def unplanned(command: str) -> tuple[str, ...]:
    steps = tuple([Step(text=text, programs=programs_of(text, cwd="/repo", facts=FACTS)) for text in PLANNED])
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/repo")
    line = line_of(call, FACTS, Plan(steps=steps), Planned(enforcement=Enforcement.STRICT, file="/plan", marker=MARK))
    assert line is not None
    return line.unplanned


@pytest.mark.parametrize("command", HIDDEN)
def test_a_program_that_is_not_planned_is_found_wherever_it_stands(command: str) -> None:
    assert unplanned(command) != ()


@pytest.mark.parametrize("command", ORDINARY)
def test_what_runs_planned_programs_alone_is_planned(command: str) -> None:
    assert unplanned(command) == ()


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\x0c", "\u3000"])
def test_a_line_of_the_plan_is_that_line_to_a_shell_too(space: str) -> None:
    assert unplanned("  make test\n") == ()
    assert unplanned(f"{space}make test") != ()


@pytest.mark.parametrize("command", NO_MARKER)
def test_what_only_looks_like_a_comment_marks_nothing(command: str) -> None:
    assert not has_comment(command, MARK)
