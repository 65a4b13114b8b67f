"""Files of variables that a session wrote, and the programs that take them."""

from __future__ import annotations

import pytest

from unit.two_steps import Steps, verdict

LOADS = "PORT=3000\nLD_PRELOAD=./x.so\n"
PLAIN = (
    "# settings\nDATABASE_URL=postgres://localhost/app\nPORT=3000\nNODE_ENV=test\nLOG_LEVEL='debug'\n"
    "NODE_OPTIONS=--max-old-space-size=4096\n"
)

TAKE = [
    "set -a; . ./x.env; npm test",
    "set -a && source x.env && set +a && npm test",
    "set -ea; . ./x.env; npm test",
    "set -o allexport; source x.env; set +o allexport; npm test",
    "node --env-file=x.env server.js",
    "node --env-file x.env server.js",
    "node --env-file-if-exists=x.env server.js",
    "uv run --env-file x.env pytest",
    "bun --env-file=x.env run dev",
    "dotenv -f x.env run -- npm test",
]
BY_ITSELF = [
    "dotenv run -- npm test",
    "foreman start",
    "honcho start",
    "pipenv run pytest",
    "bun test",
]


@pytest.mark.parametrize("command", TAKE)
def test_a_file_that_is_named_counts_as_if_its_variables_were_exported(command: str) -> None:
    assert verdict({"x.env": LOADS}, command) != "allow"
    assert verdict({"x.env": PLAIN}, command) == "allow"
    assert verdict({"y.txt": ""}, command, {"x.env": PLAIN}) == "allow"


@pytest.mark.parametrize("command", BY_ITSELF)
def test_a_file_that_is_taken_by_its_name_counts_too(command: str) -> None:
    assert verdict({".env": LOADS}, command) != "allow"
    assert verdict({".env": PLAIN}, command) == "allow"


OTHERS: list[Steps] = [
    ({"x.env": "NODE_OPTIONS='--require ./x.js'\n", "x.js": "console.log(1)\n"}, "node --env-file=x.env server.js"),
    ({"x.env": "export NODE_OPTIONS=--import=./x.mjs\n", "x.mjs": "1\n"}, "node --env-file=x.env server.js"),
    ({"x.env": "NODE_OPTIONS='--require ./x.js'\n", "x.js": "console.log(1)\n"}, "set -a; . ./x.env; node server.js"),
    ({"x.env": "PATH=./bin:$PATH\n", "bin/node": "#!/bin/sh\nls\n"}, "set -a; . ./x.env; npm test"),
    ({"x.env": "PYTHONSTARTUP=./x.py\n", "x.py": "print(1)\n"}, "set -a; . ./x.env; python3 manage.py check"),
    ({"x.env": "DOCKER_HOST=tcp://host.example:2375\n"}, "docker compose --env-file x.env ps"),
]


@pytest.mark.parametrize(("written", "command"), OTHERS)
def test_other_variables_that_load_or_lead_elsewhere(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) != "allow"


def test_variables_of_a_container_are_not_those_of_the_engine() -> None:
    run = "docker run --rm --env-file x.env app"
    assert verdict({"x.env": LOADS}, run) == verdict({"x.env": PLAIN}, run)


def test_what_was_set_before_allexport_or_after_it_is_the_shells_own() -> None:
    assert verdict({"a.txt": ""}, "LD_PRELOAD=./x.so; set -a; B=1; set +a; npm test") == "allow"
    assert verdict({"a.txt": ""}, "set -a; B=1; set +a; LD_PRELOAD=./x.so; npm test") == "allow"
    assert verdict({"a.txt": ""}, "set -a; LD_PRELOAD=./x.so; npm test") != "allow"
