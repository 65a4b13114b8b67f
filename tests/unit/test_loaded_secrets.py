"""Secrets that a program opens by itself: `.env` before it runs a command, `~/.netrc` where no file is named."""

from __future__ import annotations

import pytest

from interlock.testing import assert_allows, assert_asks
from task_files import read_in_project

SHOWS = [
    "env",
    "printenv",
    "printenv STRIPE_ACCOUNT",
    "sh -c env",
    "sh -c 'printenv | sort'",
    "python3 -c 'import os; print(os.environ)'",
]
LOADERS = ["pipenv run", "foreman run", "honcho run", "dotenv run", "dotenv run --", "dotenv-cli --", "env-cmd"]
ASK = [
    *[f"{loader} {shows}" for loader in LOADERS for shows in SHOWS],
    "dotenv -f .env.prod run env",
    "dotenv-cli -e .env.prod -- printenv",
    "env-cmd -f .env.prod printenv",
    "foreman run -e .env.prod env",
    "npx dotenv-cli -- printenv",
    "railway run env",
    "dotenv list",
    "dotenv get STRIPE_KEY",
    "docker compose config --environment",
    "python3 -m netrc",
    "curl -n -v https://x.dev",
    "curl -nv https://x.dev",
    "curl --netrc-optional --trace-ascii - https://x.dev",
    "python3 -c \"import requests; print(requests.utils.get_netrc_auth('https://github.com'))\"",
    "python3 -c 'import netrc; print(netrc.netrc().hosts)'",
    "python3 -c \"from decouple import config; print(config('STRIPE_SECRET_KEY'))\"",
    "python3 -c 'import environ; environ.Env.read_env(); import os; print(os.environ)'",
    "python3 -c \"import environ; e = environ.Env(); e.read_env(); print(e('SECRET_KEY'))\"",
    "python3 -c 'from dotenv import dotenv_values; print(dotenv_values())'",
]
FREE = [
    *[f"{loader} pytest -q" for loader in LOADERS],
    *[f"{loader} ls" for loader in LOADERS],
    "dotenv -e .env.test -- npm test",
    "dotenv-cli -e .env.test -- jest",
    "pipenv run python app.py",
    "railway run npm test",
    "foreman start",
    "foreman start -f Procfile.dev",
    "poetry run env",
    "uv run env",
    "env",
    "printenv PATH",
    "docker compose config",
    "docker compose config --services",
    "docker compose config -q",
    "curl -n https://x.dev/api",
    "curl -v https://x.dev/api",
    "python3 -c \"from decouple import config; print(config('DEBUG'))\"",
    "python3 -c \"import environ; print(environ.Env()('DEBUG'))\"",
]


@pytest.mark.parametrize("command", ASK)
def test_what_is_loaded_and_shown_is_read(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize("command", FREE)
def test_what_is_loaded_and_not_shown_is_free(command: str) -> None:
    assert_allows(command)


@pytest.mark.parametrize("loader", LOADERS)
def test_a_file_that_is_not_there_is_not_read(loader: str) -> None:
    there = read_in_project(f"{loader} env", {})
    gone = read_in_project(f"{loader} env", {}, absent=("/repo/.env",))
    assert any("secret" in action.tags for action in there.actions)
    assert not any("secret" in action.tags for action in gone.actions)
