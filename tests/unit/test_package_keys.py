"""Keys of a package.json that name commands or code: which program obeys which, and what counts of what they name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.model.wants import Script
from interlock.reading.evaluate.state import Found
from task_files import BAD, deleted, read_in_project, reasons, says

FILE = "/repo/package.json"
CODE = "/repo/load.js"
RUNS_CODE = f"runs `{CODE}`, which was written in this session"


def _read(command: str, keys: dict[str, Any], *, written: tuple[str, ...] = (FILE,), **texts: str) -> Found:
    more = {f"/repo/{name}.sh": text for name, text in texts.items()}
    return read_in_project(command, {FILE: json.dumps(keys), **more}, written=written)


COMMANDS: list[tuple[str, dict[str, Any]]] = [
    ("npx lint-staged", {"lint-staged": {"*.js": BAD}}),
    ("lint-staged", {"lint-staged": {"*.js": ["eslint --fix", BAD]}}),
    ("node_modules/.bin/lint-staged", {"lint-staged": {"*.js": BAD}}),
    ("npm test", {"scripts": {"test": "lint-staged"}, "lint-staged": {"*": BAD}}),
    ("cd src && npx lint-staged", {"lint-staged": {"*.js": BAD}}),
    ("npx lint-staged", {"lint-staged": {"*.js": "npm run x"}, "scripts": {"x": BAD}}),
    ("nodemon", {"nodemonConfig": {"exec": BAD}}),
    ("npx nodemon app.js", {"nodemonConfig": {"execMap": {"js": BAD}}}),
    ("nodemon app.js", {"nodemonConfig": {"events": {"start": BAD}}}),
    ("nodemon", {"scripts": {"start": BAD}}),
    ("vercel build", {"scripts": {"vercel-build": BAD}}),
    ("netlify build", {"scripts": {"build": BAD}}),
    ("npx wireit", {"wireit": {"build": {"command": BAD}}}),
    ("nx run build", {"nx": {"targets": {"build": {"command": BAD}}}}),
    ("nx build", {"nx": {"targets": {"build": {"options": {"commands": ["ls", BAD]}}}}}),
    ("npx tsup src/index.ts", {"tsup": {"onSuccess": BAD}}),
    ("npx prisma db seed", {"prisma": {"seed": BAD}}),
    ("npx release-it", {"release-it": {"hooks": {"after:bump": ["ls", BAD]}}}),
    ("git commit -m x", {"husky": {"hooks": {"pre-commit": BAD}}}),
    ("git commit -m x", {"husky": {"hooks": {"commit-msg": f"ls && {BAD}"}}}),
    ("git commit --amend --no-edit", {"simple-git-hooks": {"pre-commit": BAD}}),
    ("git -C /repo commit -m x", {"gitHooks": {"pre-commit": BAD}}),
    ("git add -A && git commit -qm x", {"config": {"ghooks": {"pre-commit": BAD}}}),
    ("git commit -m x", {"git-hooks": {"post-commit": BAD}}),
    ("git commit -m x", {"pre-commit": ["lint"], "scripts": {"lint": BAD}}),
    ("git commit -m x", {"pre-commit": "lint, test", "scripts": {"lint": "ls", "test": BAD}}),
    ("git commit -m x", {"pre-commit": {"run": ["lint"]}, "scripts": {"lint": BAD}}),
    ("git commit -m x", {"scripts": {"precommit": BAD}}),
    ("git commit -m x", {"scripts": {"commitmsg": BAD}}),
    ("git commit -m x", {"lint-staged": {"*.js": BAD}}),
    ("git commit -m x", {"husky": {"hooks": {"pre-commit": "lint-staged"}}, "lint-staged": {"*": BAD}}),
    ("git push origin main", {"husky": {"hooks": {"pre-push": BAD}}}),
    ("git push", {"scripts": {"prepush": BAD}}),
    ("git merge topic", {"husky": {"hooks": {"post-merge": BAD}}}),
    ("git pull", {"husky": {"hooks": {"post-merge": BAD}}}),
    ("git checkout topic", {"simple-git-hooks": {"post-checkout": BAD}}),
    ("git switch topic", {"simple-git-hooks": {"post-checkout": BAD}}),
    ("npx jest", {"bin": {"jest": "./run.sh"}}),
    ("npx shop", {"name": "@us/shop", "bin": "run.sh"}),
    ("npm exec jest", {"bin": {"jest": "run.sh"}}),
]


@pytest.mark.parametrize(("command", "keys"), COMMANDS)
def test_a_command_under_a_key_is_read_where_its_program_is_run(command: str, keys: dict[str, Any]) -> None:
    assert "/srv/data" in deleted(_read(command, keys, written=(FILE, "/repo/run.sh"), run=BAD))


@pytest.mark.parametrize(("command", "keys"), COMMANDS)
def test_what_the_project_brought_along_is_trusted(command: str, keys: dict[str, Any]) -> None:
    other = _read(command, keys, written=("/repo/README.md",))
    assert "bin" in keys or "scripts" in keys or (deleted(other), reasons(other)) == ([], [])


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("npx eslint src", {"lint-staged": {"*.js": BAD}}),
        ("jest", {"nodemonConfig": {"exec": BAD}, "husky": {"hooks": {"pre-commit": BAD}}}),
        ("vercel ls", {"scripts": {"build": BAD}}),
        ("npx prisma generate", {"prisma": {"seed": BAD}}),
        ("git status", {"husky": {"hooks": {"pre-commit": BAD}}}),
        ("git commit -m x", {"husky": {"hooks": {"pre-push": BAD}}, "scripts": {"prepush": BAD}}),
        ("git commit --no-verify -m x", {"husky": {"hooks": {"pre-commit": BAD}}}),
        ("git push --no-verify", {"husky": {"hooks": {"pre-push": BAD}}}),
        ("npx vitest run", {"bin": {"jest": "./run.sh"}, "jest": {"globalSetup": BAD}}),
        ("git commit -m x", {"name": "husky", "keywords": ["pre-commit"], "scripts": {"pre-commit": BAD}}),
    ],
)
def test_a_key_is_for_the_program_that_obeys_it(command: str, keys: dict[str, Any]) -> None:
    found = _read(command, keys)
    assert (deleted(found), reasons(found)) == ([], [])


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("jest", {"jest": {"globalSetup": "./load.js"}}),
        ("npx jest -t x", {"jest": {"setupFiles": ["<rootDir>/load.js"]}}),
        ("npx jest", {"jest": {"setupFilesAfterEnv": ["./load"]}}),
        ("node_modules/.bin/jest", {"jest": {"transform": {"^.+\\.js$": "<rootDir>/load.js"}}}),
        ("jest", {"jest": {"reporters": ["default", ["./load.js", {"a": 1}]]}}),
        ("jest", {"jest": {"projects": [{"testEnvironment": "./load.js"}]}}),
        ("jest", {"babel": {"plugins": [["./load.js", {"a": 1}]]}}),
        ("npm test", {"scripts": {"test": "jest"}, "jest": {"runner": "./load.js"}}),
        ("npx ava", {"ava": {"require": ["./load.js"]}}),
        ("npx ava", {"ava": {"nodeArguments": ["--import=./load.js"]}}),
        ("npx mocha", {"mocha": {"require": "./load.js"}}),
        ("npx nyc npm test", {"nyc": {"require": ["./load"]}, "scripts": {"test": "true"}}),
        ("npx c8 mocha", {"mocha": {"file": ["load.js"]}}),
        ("npx tap", {"tap": {"before": "./load.js"}}),
        ("npx prettier --check .", {"prettier": {"plugins": ["./load.js"]}}),
        ("prettier -w src", {"prettier": "./load.js"}),
        ("npx eslint .", {"eslintConfig": {"parser": "./load.js"}}),
        ("eslint .", {"eslintConfig": {"overrides": [{"files": ["*.ts"], "plugins": ["./load.js"]}]}}),
        ("npx stylelint '**/*.css'", {"stylelint": {"plugins": ["./load.js"]}}),
        ("npx postcss a.css", {"postcss": {"plugins": {"./load.js": {}}}}),
        ("npx webpack", {"babel": {"presets": ["./load.js"]}}),
        ("npx electron .", {"main": "load.js"}),
        ("nodemon", {"main": "./load.js"}),
        ("eslint src", {"eslintConfig": {"settings": {"import/resolver": {"./load.js": {}}}}}),
        ("electron-forge start", {"config": {"forge": "./load.js"}}),
    ],
)
def test_a_file_that_a_key_names_and_this_session_wrote_is_run(command: str, keys: dict[str, Any]) -> None:
    assert RUNS_CODE in reasons(_read(command, keys, written=(FILE, CODE)))
    assert reasons(_read(command, keys)) == [], "a file of the project is its own code"
    assert reasons(_read(command, keys, written=("/repo/README.md",))) == []


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("npx jest", {"jest": {"testMatch": ["./load.js"], "collectCoverageFrom": ["load.js"], "preset": "ts-jest"}}),
        ("eslint .", {"eslintConfig": {"extends": ["airbnb"], "overrides": [{"files": ["load.js"]}]}}),
        ("npx prettier -w .", {"prettier": {"singleQuote": True, "overrides": [{"files": "load.js"}]}}),
        ("npx nodemon app.js", {"main": "load.js", "scripts": {"start": BAD}}),
        ("npx jest", {"main": "load.js", "files": ["load.js"]}),
        ("npx jest", {"jest": {"transform": {"/src/.+": "babel-jest"}, "moduleNameMapper": {"^a": "./load.js"}}}),
    ],
)
def test_a_file_that_is_only_named_is_not_run(command: str, keys: dict[str, Any]) -> None:
    assert reasons(_read(command, keys, written=(FILE, CODE))) == []


def test_a_file_outside_the_project_is_not_known() -> None:
    for place in ("/opt/x.js", "../x.js", "<rootDir>/../x.js"):
        (why,) = reasons(_read("jest", {"jest": {"globalSetup": place}}))
        assert why.endswith("is outside the project, and its content was not read")


def test_a_shell_script_that_a_key_names_is_read() -> None:
    found = _read("npx tap", {"tap": {"before": "./run.sh"}}, written=(FILE, "/repo/run.sh"), run=BAD)
    assert deleted(found) == ["/srv/data"]


def test_commands_for_staged_files_are_given_files_of_the_project() -> None:
    found = _read("npx lint-staged", {"lint-staged": {"*.md": "rm -f"}})
    assert [dict(action.target) for action in found.actions if action.name == "fs:delete"] == [
        {"path": "/repo/*", "glob": True}
    ]


@pytest.mark.parametrize(
    "command", ["rm #x /srv/data", "rm < /srv/data", "ls; rm x", "rm a\\ b", 'rm "$X"', "ls && rm x", "rm 'a", "a\nb"]
)
def test_what_a_shell_would_take_apart_and_the_program_does_not_is_not_read(command: str) -> None:
    assert reasons(_read("npx lint-staged", {"lint-staged": {"*": command}})) == [
        f"`lint-staged` of `{FILE}`, which was written in this session, is no plain command"
    ]


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (
            "git commit -m x",
            {"husky": {"hooks": {"pre-commit": "lint-staged && npm test"}}, "scripts": {"test": "jest"}},
        ),
        ("git commit -m x", {"lint-staged": {"*.{js,ts}": ["eslint --fix", "prettier --write", "git add"]}}),
        ("git commit -m x", {"lint-staged": {"*.ts": ["bash -c 'tsc --noEmit'", "jest --bail --findRelatedTests"]}}),
        (
            "git commit -m x",
            {"simple-git-hooks": {"pre-commit": "npx lint-staged"}, "lint-staged": {"*": "prettier -w"}},
        ),
        ("git commit -m x", {"gitHooks": {"commit-msg": "npx commitlint --edit $1"}}),
        ("npx lint-staged", {"lint-staged": {"*.py": "ruff check --fix"}}),
        (
            "npm run dev",
            {"scripts": {"dev": "nodemon"}, "nodemonConfig": {"exec": "ts-node src/a.ts", "watch": ["src"]}},
        ),
        ("npx prisma db seed", {"prisma": {"seed": "ts-node prisma/seed.ts"}}),
    ],
)
def test_ordinary_keys_are_understood(command: str, keys: dict[str, Any]) -> None:
    assert reasons(_read(command, keys)) == []


def test_a_file_that_cannot_be_read_is_opaque_for_who_obeys_it() -> None:
    for text in ('{"jest": 1, "jest": 2}', "{"):
        assert reasons(read_in_project("npx jest", {FILE: text}, written=(FILE,))) == [says(FILE)]
        assert reasons(read_in_project("ls", {FILE: text}, written=(FILE,))) == []
        assert reasons(read_in_project("npx tsc", {FILE: text}, written=(FILE,))) == []
    first = read_in_project("npx jest", {}, written=(FILE,))
    assert (Script(FILE) in first.missing, reasons(first)) == (True, [says(FILE)])


@pytest.mark.parametrize(
    ("before", "why"), [({"name": "shop"}, []), ({"husky": {"hooks": {"pre-commit": "ls"}}}, [says(FILE)])]
)
def test_an_edit_that_is_not_followed_counts_for_hooks_only_where_there_are_some(
    before: dict[str, Any], why: list[str]
) -> None:
    command = "jq .version=2 package.json > t && mv t package.json && git commit -am x"
    assert reasons(_read(command, before, written=())) == why


def test_an_edit_that_is_followed_is_read_as_what_it_leaves() -> None:
    before = {"husky": {"hooks": {"pre-commit": "ls /srv/data"}}}
    found = _read("sed -i 's/ls/rm -r/' package.json && git commit -am x", before, written=())
    assert deleted(found) == ["/srv/data"]


@pytest.mark.parametrize("command", [f"nyc {BAD}", f"c8 -r text --lines 90 {BAD}", f"dotenv-cli -e .env -- {BAD}"])
def test_what_a_tool_runs_for_another_is_read(command: str) -> None:
    assert deleted(_read(command, {}, written=())) == ["/srv/data"]


@pytest.mark.parametrize("command", ["yarn jest -t x", "yarn run jest", "pnpm jest", "bun run jest"])
def test_a_tool_that_is_run_by_its_name_is_read_as_that_tool(command: str) -> None:
    plain = _read(command, {"scripts": {"test": "jest"}, "jest": {"preset": "ts-jest"}})
    assert reasons(plain) == []
    assert RUNS_CODE in reasons(_read(command, {"jest": {"globalSetup": "./load.js"}}, written=(FILE, CODE)))
    assert reasons(_read("yarn own-tool", {"scripts": {"test": "jest"}})) == [says(FILE)]
    assert reasons(_read("npm run jest", {"scripts": {"test": "jest"}})) == [says(FILE)]
