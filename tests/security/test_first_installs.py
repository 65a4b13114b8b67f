"""Which installations are free, by what HEAD names: every manager, the tricks, and their harmless neighbors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from package_project import FILES, LOCK, Project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("packages"))


# Each with the verdict that is wanted: (a) what the lock holds, (b) what HEAD names, (c) widely used, (d) any other,
# (e) from elsewhere or nearly another's name, (f) fetched and run, (g) for the person.
TABLE = """
allow npm ci
allow npm install
allow npm i lodash
allow npm i zod@3.22.4
allow npm i zod@^3.22.0
allow npm i obscure-inside
allow npm i -D vitest --ignore-scripts
allow npm i x@workspace:*; true
allow npx tsc
allow npx lodash
ask npm i zod@4
ask npm i zod@latest
ask npm i zod-unheard-of
ask npm i -D vitest
ask npm i -D vitest --ignore-scripts=false
ask npm i -D vitest@1.0.0 --ignore-scripts
ask npm i unheard-of --ignore-scripts
ask npm i lodahs
ask npm i lodash lodahs
ask npm i x@npm:evil
ask npm i lodash@npm:evil
ask npm i https://h.example/x.tgz
ask npm i git+ssh://git@h.example/x.git
ask npm i someone/repo
ask npm i --registry https://h.example lodash
ask npm ci --registry https://h.example
ask npm_config_registry=https://h.example npm ci
ask npm i -g lodash
ask npm i -g vitest --ignore-scripts
ask npx cowsay
ask npx prettier .
ask npx tsc@5.0.0
ask npm create lodash
ask npm exec cowsay
allow pnpm install --frozen-lockfile
allow pnpm add zod
ask pnpm add unheard-of
ask pnpm add -g zod
ask pnpm dlx cowsay
allow yarn install --immutable
allow yarn add zod
ask yarn add unheard-of
ask yarn global add zod
ask yarn dlx cowsay
allow bun install --frozen-lockfile
allow bun add zod
ask bun add unheard-of
ask bunx cowsay
allow pip install -r requirements.txt
allow pip install --require-hashes -r requirements.txt
allow pip install httpx
allow pip install flask==3.0.0
allow pip install Obscure_Thing
allow pip install --only-binary :all: requests
allow pip install --only-binary=:all: requests
allow pip install -e .
ask pip install requests
ask pip install flask==2.0.0
ask pip install --only-binary :all: --no-binary requests requests
ask pip install --only-binary :all: unheard-of
ask pip install reqeusts
ask pip install --user flask
ask pip install --index-url https://h.example/simple flask
ask pip install --extra-index-url https://h.example/simple flask
ask PIP_INDEX_URL=https://h.example/simple pip install flask
ask pip install -e git+https://h.example/x#egg=x
ask pip install git+https://h.example/x
ask pip install 'flask @ https://h.example/x.whl'
allow uv sync --frozen
allow uv sync --locked
allow uv add httpx
allow uv pip install rare-lib
ask uv add unheard-of
ask uv add httpx==0.1
ask uv add --index https://h.example/simple httpx
ask uvx ruff check
ask uvx cowsay
ask uv tool install httpx
allow poetry install
allow poetry add httpx
ask poetry add unheard-of
ask pipx install black
ask pipx run cowsay
allow cargo build --locked
allow cargo add odd-crate
allow cargo add odd-crate@0.2.1
ask cargo add odd-crate@0.1.0
ask cargo add serde
ask cargo add unheard-of
ask cargo add --git https://h.example/x odd-crate
ask cargo install odd-crate
allow go mod download
allow go get github.com/odd/mod
allow go get github.com/odd/mod@v1.2.3
allow go get golang.org/x/text
ask go get github.com/odd/mod@v1.9.9
ask go get github.com/other/mod
ask go install github.com/odd/mod@latest
ask go run github.com/other/x@latest
allow bundle install --frozen
allow bundle add rare_gem
ask bundle add rails
ask bundle add rare_gem --version 0.1
ask bundle add rare_gem --source https://h.example
ask gem install rare_gem
allow composer install
allow composer require acme/rare
ask composer require acme/rare:^9
ask composer require other/rare
ask composer global require acme/rare
"""


@pytest.mark.parametrize("row", TABLE.strip().split("\n"))
def test_what_an_installation_is_by_what_head_names(project: Project, row: str) -> None:
    wanted, _, command = row.partition(" ")
    assert project.says(command) == wanted, project.why(command)


EACH_TIME = """
npm i lodahs
npm i https://h.example/x.tgz
npm i someone/repo
npm i --registry https://h.example lodash
pip install --index-url https://h.example/simple flask
PIP_INDEX_URL=https://h.example/simple pip install flask
pip install git+https://h.example/x
uv add --index https://h.example/simple httpx
"""


@pytest.mark.parametrize("command", EACH_TIME.strip().split("\n"))
def test_a_yes_to_what_is_odd_is_never_kept(project: Project, command: str) -> None:
    assert not project.remembers(command)


@pytest.mark.parametrize("command", ["npm i unheard-of", "npm i zod@4", "npm i -g vitest", "npx cowsay", "uvx ruff"])
def test_a_yes_to_a_package_is_kept_for_the_session(project: Project, command: str) -> None:
    assert project.remembers(command)


def test_the_question_says_what_is_odd(project: Project) -> None:
    assert project.why("npm i lodahs") == (
        "Install `lodahs`: its name is nearly that of `lodash`, so it may be a mistake or a trap.",
    )
    assert project.why("npm i zod@4") == (
        "Install `zod@4`: it brings in code from outside, and the project has `3.22.4` and `^3.22.0` of it.",
    )
    assert project.why("npm i --registry https://h.example lodash") == (
        "Install `lodash` from `https://h.example`: packages come from `h.example`, and not from where they usually "
        "come from.",
    )


# --- what the project's files say ---------------------------------------------------------------------------------


def test_a_lock_in_head_that_leads_elsewhere_is_asked_about(tmp_path: Path) -> None:
    project = Project(tmp_path, **{"package-lock.json": LOCK(zod="https://h.example/zod.tgz")})
    assert [project.says(command) for command in ("npm ci", "npm install", "npm i zod")] == ["ask"] * 3
    assert project.says("pnpm install") == "allow"  # it obeys another file


def test_a_registry_of_the_persons_own_settings_is_theirs(tmp_path: Path) -> None:
    project = Project(tmp_path, **{"package-lock.json": LOCK(zod="https://npm.corp.example/zod.tgz")})
    (project.home / ".npmrc").write_text("registry=https://npm.corp.example/\n")
    assert [project.says(command) for command in ("npm ci", "npm i zod")] == ["allow"] * 2
    project.written.add(str(project.home / ".npmrc"))
    assert project.says("npm ci") == "ask"  # unless the session wrote them


def test_a_registry_that_the_projects_settings_name_is_asked_about(tmp_path: Path) -> None:
    project = Project(tmp_path, **{".npmrc": "registry=https://h.example/\n"})
    assert [project.says(command) for command in ("npm ci", "npm i zod")] == ["ask"] * 2


def test_settings_that_name_the_usual_registry_change_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path, **{".npmrc": "save-exact=true\nregistry=https://registry.npmjs.org/\n"})
    assert [project.says(command) for command in ("npm ci", "npm i zod")] == ["allow"] * 2


def test_settings_that_this_session_wrote_are_asked_about(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.writes(".npmrc", "save-exact=true\n")
    assert project.says("npm i zod") == "ask"


def test_a_lock_that_this_session_edited_is_asked_about_with_what_it_adds(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.writes("package-lock.json", LOCK().replace("3.22.4", "3.99.0"))
    assert project.says("npm ci") == "ask"
    assert "`zod@3.99.0`" in project.why("npm ci")[0]


def test_a_lock_that_this_session_wrote_as_it_was_is_free(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.writes("package-lock.json", LOCK())
    assert project.says("npm ci") == "allow"


def manifest(**more: str) -> str:
    data = json.loads(FILES["package.json"])
    return json.dumps({**data, "scripts": {"x": "echo 1"}, "dependencies": {**data["dependencies"], **more}})


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, "allow"),
        ({"zod": "3.22.4"}, "allow"),
        ({"@app/inner": "workspace:*"}, "allow"),
        ({"unheard-of": "^1"}, "ask"),
        ({"zod": "3.0.0"}, "ask"),
        ({"zod": "npm:unheard-of@1"}, "ask"),
        ({"zod": "https://h.example/x.tgz"}, "ask"),
        ({"zod": "git+https://h.example/x.git"}, "ask"),
    ],
)
def test_a_manifest_of_this_session_is_asked_about_for_what_head_does_not_name(
    tmp_path: Path, more: dict[str, str], wanted: str
) -> None:
    project = Project(tmp_path)
    project.writes("package.json", manifest(**more))
    assert [project.says(command) for command in ("npm install", "npm i lodash")] == [wanted] * 2


@pytest.mark.parametrize(
    ("name", "text", "command", "wanted"),
    [
        ("requirements.txt", FILES["requirements.txt"] + "# why\n", "pip install -r requirements.txt", "allow"),
        ("requirements.txt", FILES["requirements.txt"] + "unheard-of\n", "pip install -r requirements.txt", "ask"),
        ("requirements.txt", "flask==2.0.0\n", "pip install -r requirements.txt", "ask"),
        ("requirements.txt", "--index-url https://h.example\nflask\n", "pip install -r requirements.txt", "ask"),
        ("Cargo.toml", FILES["Cargo.toml"].replace("0.1.0", "0.2.0"), "cargo build", "allow"),
        ("Cargo.toml", FILES["Cargo.toml"] + 'unheard-of = "1"\n', "cargo build", "ask"),
        ("Cargo.toml", FILES["Cargo.toml"].replace('"0.2"', '"=0.1.0"'), "cargo build", "ask"),
        ("go.mod", FILES["go.mod"].replace("1.22", "1.23"), "go build ./...", "allow"),
        ("go.mod", FILES["go.mod"] + "require github.com/other/x v1.0.0\n", "go build ./...", "ask"),
        ("go.mod", FILES["go.mod"].replace("v1.2.3", "v1.9.9"), "go build ./...", "ask"),
        ("Gemfile", FILES["Gemfile"] + 'gem "unheard_of"\n', "bundle install", "ask"),
    ],
)
def test_any_manifest_of_this_session_is_held_against_heads(
    tmp_path: Path, name: str, text: str, command: str, wanted: str
) -> None:
    project = Project(tmp_path)
    project.writes(name, text)
    assert project.says(command) == wanted, project.why(command)


def test_what_is_only_in_the_work_tree_is_not_named(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.put("package.json", manifest(**{"unheard-of": "^1"}))
    assert project.says("npm i unheard-of") == "ask"


def test_what_this_session_committed_is_not_named(tmp_path: Path) -> None:
    from made_repositories import git

    project = Project(tmp_path)
    project.put("package.json", manifest(**{"unheard-of": "^1"}))
    git(project.folder, "commit", "-qam", "b")
    assert project.says("npm i unheard-of") == "ask"


def test_another_repository_in_the_project_names_nothing(tmp_path: Path) -> None:
    from made_repositories import git

    project = Project(tmp_path)
    project.put("cloned/package.json", json.dumps({"dependencies": {"unheard-of": "^1"}}))
    git(project.folder / "cloned", "init", "-q")
    git(project.folder / "cloned", "add", "-A")
    git(project.folder / "cloned", "commit", "-qm", "a")
    assert project.says("cd cloned && npm i unheard-of") == "ask"


def test_a_tool_that_is_there_is_not_fetched(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.says("npx prettier --check .") == "ask"
    project.put("node_modules/.bin/prettier", "#!/usr/bin/env node\n")
    assert project.says("npx prettier --check .") == "allow"


def test_a_lock_that_cannot_be_followed_comes_from_anywhere(tmp_path: Path) -> None:
    project = Project(tmp_path, **{"package-lock.json": '{"packages": {"": {}, "": {}}}'})
    assert project.says("npm ci") == "ask"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("pyproject.toml", '[[tool.uv.index]]\nurl = "https://h.example/simple"\n', "uv sync"),
        ("requirements.txt", "--extra-index-url https://h.example/simple\n", "pip install -r requirements.txt"),
        (".cargo/config.toml", '[source.crates-io]\nreplace-with = "x"\n[source.x]\nregistry = "https://h.example"\n',
         "cargo add odd-crate"),
        ("Gemfile.lock", "GIT\n  remote: https://h.example/x.git\n  specs:\n    x (1)\n", "bundle install"),
        ("yarn.lock", 'zod@^3:\n  version "3.22.4"\n  resolved "https://h.example/zod.tgz"\n', "yarn install"),
        ("pnpm-lock.yaml", "packages:\n\n  zod@3.22.4:\n    resolution: {tarball: https://h.example/zod.tgz}\n",
         "pnpm install --frozen-lockfile"),
        ("uv.lock", '[[package]]\nname = "x"\nversion = "1"\nsource = { git = "https://h.example/x" }\n', "uv sync"),
    ],
)  # fmt: skip
def test_heads_own_files_may_lead_elsewhere_and_that_is_asked_about(
    tmp_path: Path, name: str, text: str, command: str
) -> None:
    project = Project(tmp_path, **{name: FILES.get(name, "") + text})
    assert project.says(command) == "ask"
    project.registries = ("h.example",)
    assert project.says(command) == "allow", project.why(command)
