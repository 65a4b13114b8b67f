"""Runners pass words on. What they pass on is a command, code or a file, and never swallowed as the project's own."""

from __future__ import annotations

import pytest

from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.wants import Real
from interlock.reading.bash import follow_bash
from interlock.reading.machine.options import compiled, split_roles
from interlock.reading.machine.swallowed import PASSES_ON, TAKES_CODE
from interlock.testing import assert_allows, assert_asks
from table_rows import Row, every_row

FACTS = Facts(root="/repo", home="/home/user")


def opaque(command: str) -> list[str]:
    return [part.reason for part in follow_bash(command, cwd="/repo", facts=FACTS).opaque]


def swallowing() -> list[Row]:
    """Rows that run the project's code and take words that they do not know."""
    return [
        row
        for row in every_row()
        if row.program.action == "exec:project"
        and row.program.special is None
        and split_roles(row.program.operands)[0][0] in ("text", "task")
    ]


def called(row: Row) -> str:
    return " ".join(row.words)


ROWS = sorted({called(row) for row in swallowing()})
DEFAULTS = sorted(
    {
        called(row)
        for row in swallowing()
        if row.program.name not in ("run", "run-script", "task") and len(row.words) == 1
    }
)


def test_there_are_such_rows() -> None:
    assert len(ROWS) > 100
    assert len(DEFAULTS) > 20


@pytest.mark.parametrize("line", ROWS)
def test_no_runner_swallows_code_or_a_path_outside(line: str) -> None:
    assert opaque(f"{line} 'f(\"x\"); g()'"), "code"
    assert opaque(f"{line} /etc/evil/x"), "a file outside the project"
    assert opaque(f"{line} /tmp/evil.js"), "code that anybody may have put there"


@pytest.mark.parametrize("line", DEFAULTS)
@pytest.mark.parametrize("verb", sorted(PASSES_ON))
def test_no_runner_takes_a_word_that_passes_on_for_a_task(line: str, verb: str) -> None:
    command = f"{line} {verb} rm -rf src"
    reading = follow_bash(command, cwd="/repo", facts=FACTS)
    assert reading.opaque or any(Effect.DESTRUCTIVE in action.effects for action in reading.actions), command


@pytest.mark.parametrize("line", ROWS)
def test_no_runner_takes_an_option_for_code_that_it_does_not_know(line: str) -> None:
    program = line.split(maxsplit=1)[0]
    known = {name for row in every_row() if row.words[0] == program for name in compiled(row.program).by_name}
    for option in TAKES_CODE:
        if option in known or (option[:2] == "--" and any(name.startswith(option) for name in known)):
            continue
        reading = follow_bash(f"{line} {option} x", cwd="/repo", facts=FACTS)
        assert reading.opaque, option


# Words of options that load code, or say from where it is loaded.
LOADING = frozenset(
    "adapter bootstrap conf config config-file configuration custom-formatter env-file extension extensions formatter "
    "hook hooks import import-map importmap init-file init-script load loader parser plugin plugins preload prepend "
    "preset processor rcfile reporter require resolver rules rulesdir runner script settings setup setup-file template "
    "transform".split()
)
# (program, option) whose value is data all the same, and why.
DATA = {
    ("bazel", "--config"): "names a section of the project's own .bazelrc",
    ("buildah", "--load"): "a switch: the image is loaded",
    ("docker", "--load"): "a switch: the image is loaded",
    ("caddy", "--adapter"): "one of the formats that caddy has",
    ("caddy", "--config"): "settings of a server that is started with it, and asked about",
    ("clickhouse-client", "--config-file"): "says where to connect, which is asked about",
    ("cmake", "--config"): "Debug or Release",
    ("cmake", "--preset"): "names an entry of the project's own presets",
    ("consul", "-config-file"): "an agent that is started, and asked about",
    ("dotnet", "--configuration"): "Debug or Release",
    ("xcodebuild", "-configuration"): "Debug or Release",
    ("emerge", "--config"): "a switch, and emerge is asked about",
    ("firebase", "--config"): "a deployment, asked about each time",
    ("firebase", "--import"): "data for an emulator",
    ("fly", "--config"): "a deployment, asked about each time",
    ("flyctl", "--config"): "a deployment, asked about each time",
    ("wrangler", "--config"): "a deployment, asked about each time",
    ("gh", "--config"): "a switch: prints settings for ssh",
    ("git", "--config"): "names a list of repositories",
    ("guile", "-script"): "a switch; the file is the operand",
    ("sbcl", "--script"): "a switch; the file is the operand",
    ("uv", "--script"): "a switch; the file is the operand",
    ("uvx", "--script"): "a switch; the file is the operand",
    ("jj", "--template"): "how output looks",
    ("mocha", "--extension"): "the ending of file names",
    ("nomad", "-config"): "an agent that is started, and asked about",
    ("vault", "-config"): "an agent that is started, and asked about",
    ("snowsql", "--config"): "says where to connect, which is asked about",
    ("terraform", "-config"): "a switch of old versions; the folder is the operand",
    ("terragrunt", "-config"): "a switch of old versions; the folder is the operand",
    **dict.fromkeys(
        [(name, "--env-file") for name in ("bun", "deno", "gunicorn", "op", "uv", "uvicorn", "uvx")],
        "variables for the program that is run; the file is read, and a place outside is seen",
    ),
}


def plain_loading() -> set[tuple[str, str]]:
    """Options that look as if they load something, in rows that run something, and have no role for it."""
    found = set()
    for row in every_row():
        program = row.program
        if Effect.EXECUTE not in program.effects:
            continue
        for name, option in compiled(program).by_name.items():
            handled = option.name in program.flags or option.shows in program.flags or name in program.dryrun.split()
            if name.lstrip("-").lower() in LOADING and option.role in (None, "text", "read", "number") and not handled:
                found.add((row.words[0], name))
    return found


def test_every_option_that_loads_code_has_a_role_or_a_reason() -> None:
    assert sorted(plain_loading() - set(DATA)) == []
    assert sorted(set(DATA) - plain_loading()) == [], "reasons for nothing"


@pytest.mark.parametrize(
    "command",
    [
        "npx stylelint --custom-formatter /tmp/evil.js a.css",
        "npx vitest --reporter /tmp/evil.js",
        "bats -F /tmp/evil.sh tests",
        "pylint --rcfile /tmp/rc src",
        "pylint --load-plugins=/tmp/evil.py src",
        "deno test --import-map /tmp/map.json",
        "php -d auto_prepend_file=/tmp/evil.php index.php",
        "php -dextension=/tmp/evil.so index.php",
        "php -c /tmp/php.ini index.php",
        "php -r 'echo 1;' -d auto_prepend_file=/tmp/evil.php",
        "node -p 1 -r ./x.js",
        "node -e 1 --import=./x.mjs",
        "node --env-file=/tmp/evil.env app.js",
        "ruby -e 'puts 1' -r./x",
        "ruby -e 'puts 1' -e 'system(\"id\")'",
        "perl -I /tmp/lib a.pl",
        "yarn config set npmRegistryServer https://evil.example",
        "yarn config set npmScopes.acme.npmRegistryServer https://evil.example",
        "pnpm config set @acme:registry https://evil.example",
        "clojure -M -e '(println 1)'",
        "clojure -Sdeps '{:deps {}}' -M:x",
        "lein run -m clojure.main -e '(println 1)'",
        "mix eval 'System.halt(1)'",
        "mix cmd rm -rf src",
        "mix do cmd rm -rf src, test",
        "sbt 'eval 1'",
        "echo 'rm()' | sbt console",
        "python3 -m zipapp src -o t.pyz && python3 t.pyz",
    ],
)
def test_what_loads_code_or_switches_where_it_comes_from_is_asked_about(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize(
    "command",
    [
        "mix test test/a_test.exs:12",
        "clojure -M:test",
        "lein test",
        "sbt 'testOnly *Foo'",
        "npm run shell",
        "npm test -- -t 'renders (twice) \"x\"'",
        "npm run build -- --outDir /tmp/x",
        "cargo run -- eval '1 + (2)'",
        "bazel run //app:main -- --flag",
        "rake 'task[a,b]'",
        "npx jest --reporter-log=/tmp/jest.log",
        "npx stylelint 'src/**/*.css'",
        "php -d memory_limit=-1 vendor/bin/phpunit",
        "node -p '1+1'",
        "node --env-file=.env app.js",
        "ruby -Ilib -e 'puts 1'",
        "yarn config set nodeLinker node-modules",
        "deno test --import-map import_map.json",
        "php artisan test",
    ],
)
def test_everyday_runs_stay_free(command: str) -> None:
    assert_allows(command)


def at(command: str, **facts: object) -> list[str]:
    world = Facts(root="/repo", home="/home/user").replace(**facts)
    return [action.name for action in follow_bash(command, cwd="/repo", facts=world).actions]


def absent(name: str) -> frozenset[str]:
    folders = ("/repo", "/repo/src", "/repo/lib", "/repo/python")
    return frozenset(f"{folder}/{name}{ending}" for folder in folders for ending in ("", ".py"))


def test_a_module_that_is_no_file_of_the_project_and_in_no_table_is_an_unknown_program() -> None:
    assert at("python -m evilmod", absent=absent("evilmod")) == ["exec:evilmod"]
    assert at("python -m evilmod.cli x", absent=absent("evilmod")) == ["exec:evilmod.cli"]
    assert at(
        "python -m mine", absent=absent("mine") - {"/repo/src/mine"}, real={"/repo/src/mine": "/repo/src/mine"}
    ) == ["exec:project"]
    assert at("python -m pytest", absent=absent("pytest")) == ["exec:project"]
    missing = follow_bash("python -m mine", cwd="/repo", facts=FACTS).missing
    assert Real("/repo/mine.py") in missing
