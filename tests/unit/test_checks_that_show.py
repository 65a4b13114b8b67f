"""Linters and formatters print lines of what they are given: of a secret, that is reading it. Their dry runs do too."""

from __future__ import annotations

from verdicts import allowed, verdict

SHOWS = """
ruff check ~/.netrc
ruff format --diff ~/.netrc
black --diff ~/.netrc
isort --diff ~/.netrc
pylint ~/.netrc
mypy --pretty ~/.netrc
pyright ~/.netrc
flake8 ~/.netrc
bandit ~/.netrc
codespell .env
typos .env
typos ~
shellcheck ~/.ssh/id_ed25519
shfmt -d ~/.netrc
clang-format ~/.netrc
yamllint ~/.kube/config
hadolint .env
gofmt -d ~/.netrc
rustfmt --check ~/.netrc
rubocop .env
phpcs .env
sqlfluff lint .env
npx prettier ~/.docker/config.json
npx eslint ~/.npmrc
stylelint .env
biome check .env
deno lint .env
textlint ~/.netrc
semgrep --config auto ~/.aws
repomix ~/.ssh
exiftool ~/.netrc
codespell -w ~/other-project
flake8 --config=/tmp/f.cfg
flake8 --append-config /tmp/f.cfg src
"""

EVERYDAY = """
ruff check .
ruff check --fix src tests
ruff check -
ruff format --diff src
black --check src
black --diff app.py
isort --check src
pylint src
mypy --strict src
pyright
flake8 src
flake8 --config setup.cfg src
codespell docs README.md
codespell -w docs
typos
typos README.md
shellcheck scripts/*.sh
shellcheck .env.example
shfmt -d scripts
clang-format -i src/a.c
yamllint .github/workflows/ci.yml
hadolint Dockerfile
gofmt -l .
cargo fmt --check
rubocop app
phpcs src
npx prettier --check .
npx prettier --write src/a.ts
npx eslint src --fix
npx stylelint 'src/**/*.css'
npx biome check src
prettier --check .claude/settings.json
ruff check ~/project/a.py
ruff check /tmp/x.py
"""


def test_a_secret_that_is_looked_through_is_read() -> None:
    assert allowed(SHOWS) == []


def test_code_of_the_project_stays_free() -> None:
    assert allowed(EVERYDAY) == EVERYDAY.split("\n")[1:-1]


def test_it_is_asked_about_as_printing_it_is() -> None:
    for place in ("~/.netrc", ".env", "~/.ssh/id_ed25519", "~/.claude/settings.json", "~/.ssh/id_ed25519.pub"):
        assert verdict(f"ruff check {place}") == verdict(f"cat {place}"), place
