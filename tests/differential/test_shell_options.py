"""Which words a shell takes for its options, held against bash: in `set`, behind `bash`, and in a first line `#!`."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from random import Random

import pytest

from differential.oracle import BASH
from hook_process import DENY, Machine
from interlock.reading.evaluate.shell_options import interpreter_of, set_by, started_by
from sizes import how_many

pytestmark = pytest.mark.skipif(BASH is None, reason="bash is missing")

HOW_MANY = how_many("INTERLOCK_NESTS", 1000, quick=200)
# No `n` and no `t`: after these bash says nothing more.
SET = (
    "-e -u -x +x -eu -euo -eo -o +o -oo -oe -Ceo -euxo +eo - -- + -a +a -B +B -E -z -i -ez -oz -l --x -euo-x "
    "pipefail errexit nounset allexport noclobber vi posix history nosuch a b x"
).split()
WRITTEN = (
    "set -euo pipefail", "set -eo pipefail -- a b", "set -- a", "set --", "set -", "set - a", "set - ''", "set -o",
    "set +o", "set +o x y", "set -o '' a", "set -oo pipefail nounset x", "set -o -- a", "set -eo - a", "set + a b",
    "set a -e", "set -e a -u", "set '' a", "set -e-u a", "set pipefail -e", "set -o pipefail nounset",
)  # fmt: skip


def set_lines(seed: int) -> list[str]:
    chance = Random(seed)
    made = [shlex.join(["set", *chance.choices(SET, k=chance.randrange(1, 6))]) for _ in range(HOW_MANY)]
    return [*WRITTEN, *made]


def after_set(lines: list[str]) -> list[tuple[bool, list[str], set[str]]]:
    """Of each line, in a shell with the parameters P Q: whether bash took it, the parameters, and its options."""
    tell = """printf '%s\\0' "$failed" "$SHELLOPTS" "$#" "$@" """
    script = "\n".join([f"(set -- P Q; failed=0; {line} >/dev/null 2>&1 || failed=1\n{tell})" for line in lines])
    done = subprocess.run(["bash", "--norc"], input=script, capture_output=True, text=True, check=False)
    words, found = done.stdout.split("\0"), []
    while len(words) > 1:
        failed, options, count, *words = words
        found.append((failed == "0", words[: int(count)], set(options.split(":"))))
        words = words[int(count) :]
    return found


def test_set_leaves_the_parameters_that_bash_leaves() -> None:
    lines = set_lines(how_many("INTERLOCK_SEED", 1, quick=1))
    [(_, _, before), *_] = after_set(["set -"])
    told = after_set(lines)
    assert len(told) == len(lines)
    unclear = 0
    for line, (taken, parameters, options) in zip(lines, told, strict=True):
        words = shlex.split(line)[1:]
        ours = set_by(words)
        if ours is None:
            unclear += taken
            continue
        assert taken, line
        assert parameters == (["P", "Q"] if ours.parameters is None else words[ours.parameters :]), line
        now = set(before)
        for change in ours.changes:
            (now.add if change[0] == "-" else now.discard)(change[1:])
        assert now - {"emacs", "vi"} == options - {"emacs", "vi"}, line
    assert unclear < len(lines) / 4


SHOWS = """printf${IFS}'%s\\0'${IFS}text${IFS}"$0"${IFS}"$@" """.strip()
STARTS = (
    "-e -u -eu -euo -eo -o +o -oo -oe -O +O -c -c -ec -oc -co -euoc -s -es - -- --norc --noprofile --posix --login "
    "-norc -posix -login --rcfile -init-file -x pipefail nounset extglob dotglob errexit a b"
).split()


def test_a_shell_is_started_with_the_text_the_file_and_the_words_that_bash_takes(tmp_path: Path) -> None:
    """Every word is a file with a script in it, so that what bash takes for the file shows."""
    chance = Random(how_many("INTERLOCK_SEED", 1, quick=1))
    for word in {*STARTS, SHOWS}:
        if "/" not in word:
            (tmp_path / word).write_text("""printf '%s\\0' file "$0" "$@"\n""")
    compared = 0
    for _ in range(HOW_MANY // 4):
        words = [*chance.choices(STARTS, k=chance.randrange(1, 5)), *chance.choices([SHOWS, "a", "pipefail"], k=2)]
        done = subprocess.run(
            [str(BASH), *words], input="""printf '%s\\0' stdin "$@"\n""", capture_output=True, text=True, check=False,
            timeout=20, cwd=tmp_path, env={"PATH": "/nowhere", "HOME": str(tmp_path)},
        )  # fmt: skip
        started = started_by(words)
        rest, letters = words[started.rest :], {flag[1:] for flag in started.flags}
        if done.returncode and not done.stdout:
            continue  # it refuses them
        if "-n" in started.flags:
            expected = []
        elif "c" in letters:
            expected = ["text", *(rest[1:] or [str(BASH)])] if rest[:1] == [SHOWS] else []
        else:
            expected = ["stdin", *rest] if "s" in letters or not rest else ["file", *rest]
        assert done.stdout.split("\0")[:-1] == expected, (words, done.stderr)
        compared += bool(expected)
    assert compared > HOW_MANY // 20


FIRST = (
    "#!/bin/bash", "#!/bin/bash -e", "#!/bin/bash -eu", "#! /bin/bash -x ", "#!/usr/bin/env bash",
    "#!/usr/bin/env -S bash -eu", "#!/bin/bash -euo pipefail", "#!/bin/bash -e -u", "#!/bin/sh -e",
    "#!/usr/bin/env -S bash -euo pipefail", "#!/usr/bin/env -S bash -o pipefail -e",
    "#!/bin/bash -s", "#!/bin/bash other", "#!/bin/bash -o", "#!/bin/bash -n", "#!/bin/bash --",
    "#!/usr/bin/env -S bash -euo", "#!/usr/bin/env -S bash other",
)  # fmt: skip


@pytest.mark.parametrize("first", FIRST)
def test_a_plain_first_line_runs_the_file_itself_with_its_words(tmp_path: Path, first: str) -> None:
    """Or nothing is: Linux hands on `-euo pipefail` as one word, which bash refuses."""
    file = tmp_path / "script"
    file.write_text(f'{first}\nprintf \'%s,\' "$0" "$@"\n')
    file.chmod(0o755)
    done = subprocess.run([file, "a", "b"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          cwd=tmp_path, env={"PATH": os.defpath})  # fmt: skip
    _, plain = interpreter_of(first)
    if plain:
        assert done.stdout == f"{file},a,b," or (done.returncode and not done.stdout), done
    else:
        assert not done.stdout or first.endswith("--"), done


@pytest.mark.parametrize(
    "line",
    [
        "set -euo pipefail",
        "set -eo pipefail -u",
        "set -uo pipefail -o errexit",
        "set -",
        "set -o",
        "set -eo pipefail -- \"$1\"",
        "shopt -so pipefail",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "called", ["bash clean.sh", "bash -euo pipefail clean.sh", "./clean.sh", "bash -o pipefail clean.sh"]
)
def test_a_script_that_removes_its_first_word_removes_the_home(tmp_path: Path, line: str, called: str) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / ".interlock"):
        folder.mkdir(parents=True)
    machine = Machine(home.resolve(), project.resolve(), warm=True)
    script = project / "clean.sh"
    script.write_text(f'#!/bin/bash -eu\n{line}\nrm -rf "$1"\n')
    script.chmod(0o755)
    assert machine.run(machine.event("Bash", {"command": f"{called} {home}"})).taken == DENY


@pytest.mark.parametrize(
    "command",
    [
        "bash -oc pipefail 'rm -rf {}'",
        "bash -euoc pipefail 'rm -rf \"$1\"' a {}",
        "sh -eoo pipefail nounset -c 'rm -rf {}'",
        "bash -login -c 'rm -rf {}'",
    ],
)
def test_a_text_behind_options_that_take_words_is_read(tmp_path: Path, command: str) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / ".interlock"):
        folder.mkdir(parents=True)
    machine = Machine(home.resolve(), project.resolve(), warm=True)
    assert machine.run(machine.event("Bash", {"command": command.format(home)})).taken == DENY
