"""Scripts of the project that are run directly: what nobody changed since the session began is the project's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.store.facts.git_head import head_of
from interlock.value import FrozenMap
from placed import Ground

SEED = "const db = require('./db');\ndb.seed();\n"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path)
    ground.git("init", "-q")
    ground.write("scripts/seed.js", SEED)
    ground.write("scripts/db.js", "exports.seed = () => {};\n")
    ground.write("bin/report", "#!/usr/bin/env ruby\nputs 1\n").chmod(0o755)
    ground.write("tools/gen.py", "import importlib\nimportlib.import_module(open('x').read()).main()\n")
    ground.write("tools/check.sh", '#!/bin/bash\nset -e\n"$LINTER" src\nour-linter --all\nnpm install\n').chmod(0o755)
    ground.write("tools/wipe.sh", '#!/bin/bash\nrm -rf "$1"\n')
    ground.write("tools/publish.sh", "#!/bin/bash\nour-linter\nnpm publish\n")
    ground.write("lib/x.php", "<?php f();\n")
    ground.commit()
    return ground


def reads(
    ground: Ground, command: str, *, written: tuple[str, ...] = (), began: str = "HEAD", by_others: tuple[str, ...] = ()
) -> Reading:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(ground.project))
    facts = Facts(
        root=str(ground.project),
        home=str(ground.home),
        temp=(),
        written=frozenset([str(ground.project / name) for name in written]),
        began=began,
    )
    others = {str(ground.project / name) for name in by_others}
    return read_with_facts(call, facts, lambda path: path in others)


OWN = [
    "node scripts/seed.js",
    "node scripts/seed.js --count 3 data/users.json",
    "ruby bin/report",
    "./bin/report",
    "php lib/x.php",
    "python3 tools/gen.py",
    "bash tools/check.sh",
    "./tools/check.sh",
]


@pytest.mark.parametrize("command", OWN)
def test_what_was_committed_when_the_session_began_is_free(ground: Ground, command: str) -> None:
    reading = reads(ground, command)
    assert reading.opaque == ()
    assert not any({"unknown", "install"}.intersection(action.tags) for action in reading.actions)
    assert any(action.name == "exec:project" and "unread" in action.tags for action in reading.actions)


def test_the_head_of_a_session_is_what_git_says(ground: Ground) -> None:
    head = ground.git("rev-parse", "HEAD")
    assert head_of(str(ground.project / "scripts")) == head
    ground.git("pack-refs", "--all")
    assert head_of(str(ground.project)) == head
    ground.git("worktree", "add", "-q", str(ground.home / "tree"), "-b", "other")
    assert head_of(str(ground.home / "tree")) == head
    ground.git("checkout", "-q", "--detach")
    assert head_of(str(ground.project)) == head
    assert head_of(str(ground.home)) == ""


@pytest.mark.parametrize("command", OWN)
def test_without_the_fact_it_is_asked_about(ground: Ground, command: str) -> None:
    assert is_asked(reads(ground, command, began=""))


def is_asked(reading: Reading) -> bool:
    return bool(reading.opaque) or any({"unknown", "written-here"} & {*action.tags} for action in reading.actions)


def test_a_script_with_changes_is_not_the_projects(ground: Ground) -> None:
    ground.write("scripts/seed.js", SEED + "more();\n")
    assert is_asked(reads(ground, "node scripts/seed.js"))


def test_a_script_that_came_after_the_session_began_is_not_the_projects(ground: Ground) -> None:
    began = ground.git("rev-parse", "HEAD")
    ground.write("scripts/late.js", "late();\n")
    ground.write("scripts/seed.js", SEED + "late();\n")
    ground.commit()
    for name in ("late", "seed"):
        assert is_asked(reads(ground, f"node scripts/{name}.js", began=began))
    assert not is_asked(reads(ground, "node scripts/late.js"))  # in a session that begins now


def test_what_a_session_wrote_is_not_the_projects_even_if_it_is_committed(ground: Ground) -> None:
    assert is_asked(reads(ground, "node scripts/seed.js", written=("scripts/seed.js",)))
    assert is_asked(reads(ground, "node scripts/seed.js", by_others=("scripts/seed.js",)))


def test_a_script_that_loads_what_the_session_wrote_is_asked_about(ground: Ground) -> None:
    assert is_asked(reads(ground, "node scripts/seed.js", written=("scripts/db.js",)))
    assert is_asked(reads(ground, "echo 'exports.seed = evil' > scripts/db.js; node scripts/seed.js"))
    assert not is_asked(reads(ground, "node scripts/seed.js", written=("src/other.js",)))


@pytest.mark.parametrize("name", ["src/see.js", "out/s.txt", "scripts/d.js", "lib/seeds.js", "eed.js", "b.js"])
def test_a_name_that_is_only_part_of_a_word_names_no_file(ground: Ground, name: str) -> None:
    """Else the more a session writes, the more it is asked about scripts that have nothing to do with it."""
    assert not is_asked(reads(ground, "node scripts/seed.js", written=(name,)))


@pytest.mark.parametrize(
    "said", ["./db2.js", "./sub/db2", "db2", "./db2${x}", ".\\x2fdb2", ".\\u002fdb2", "file:.%2fdb2"]
)
def test_a_name_behind_an_escape_is_a_word(ground: Ground, said: str) -> None:
    ground.write("scripts/load.js", f"import(`{said}`)\n")
    ground.commit()
    assert is_asked(reads(ground, "node scripts/load.js", written=("scripts/db2.js",)))


@pytest.mark.parametrize(
    "word", ["~/Documents", "/etc/passwd", "../..", '"$WHERE"', "--out=/srv/x", ".env", "~/.ssh/id_rsa"]
)
def test_what_the_call_hands_over_is_the_calls_own(ground: Ground, word: str) -> None:
    assert is_asked(reads(ground, f"node scripts/seed.js {word}"))


def test_what_is_understood_counts(ground: Ground) -> None:
    reading = reads(ground, "bash tools/publish.sh")
    assert any(action.name == "npm:publish" for action in reading.actions)
    (gone,) = [action for action in reads(ground, "bash tools/wipe.sh scripts").actions if action.name == "fs:delete"]
    assert "regenerable" not in gone.tags


@pytest.mark.parametrize(
    "command",
    [
        "node --check scripts/seed.js",
        "node -c scripts/seed.js",
        "ruby -c bin/report",
        "ruby -wc bin/report",
        "php -l lib/x.php",
        "bash -n tools/wipe.sh",
        "sh -n tools/check.sh",
    ],
)
def test_a_check_of_the_syntax_runs_nothing(ground: Ground, command: str) -> None:
    reading = reads(ground, command, began="", written=("scripts/seed.js", "bin/report", "lib/x.php", "tools/wipe.sh"))
    assert reading.opaque == ()
    assert {effect.name for action in reading.actions for effect in action.effects} <= {"read"}


@pytest.mark.parametrize(
    "command",
    [
        "node -r ./x.js --check scripts/seed.js",
        "bash -in tools/check.sh",
        "bash +n tools/check.sh",
        "perl -c lib/x.pl",
        "node -e 'x()' -c",
    ],
)
def test_what_only_looks_like_a_check_is_none(ground: Ground, command: str) -> None:
    ground.write("lib/x.pl", "BEGIN { unlink 'a' }\n")
    ground.write("x.js", "x()\n")
    assert is_asked(reads(ground, command, began=""))


@pytest.mark.slow
def test_a_session_of_many_small_files_is_not_asked_for_their_number_alone(ground: Ground) -> None:
    """A long afternoon writes some hundred; how much text there is bounds the work."""
    names = [f"src/part_{number}.ts" for number in range(200)]
    for name in names:
        ground.write(name, "export const x = 1;\n")
    assert not is_asked(reads(ground, "npx jest", written=tuple(names)))
    long = [f"src/long_{number}.ts" for number in range(16)]
    for name in long:
        ground.write(name, "export const x = 1;\n" * 5000)
    assert is_asked(reads(ground, "npx jest", written=tuple(long)))
