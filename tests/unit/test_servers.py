"""Servers: one in front, or one that the same line ends, is not left running; the project's own may stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.grant import covers
from interlock.approve.keys import key_of_action, remembered
from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.compile import compile_policy
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.state import Found
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

POLICY = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))


class Straight(dict[str, str]):
    """Every path leads where its text says."""

    def get(self, path: str, default: object = None) -> str:
        return path


def read(command: str, *, background: bool = False) -> Found:
    facts = Facts(root="/p", home="/home/a")
    return follow_bash(command, cwd="/p", facts=facts, background=background, real=Straight())


def spawns(command: str, *, background: bool = False) -> list[str]:
    return [action.name for action in read(command, background=background).actions if Effect.SPAWN in action.effects]


@pytest.mark.parametrize(
    "command",
    [
        "uvicorn app:app --port 8000",
        "npx vite",
        "flask run",
        "python manage.py runserver",
        "kubectl port-forward svc/api 8080:80",
        "uvicorn app:app & sleep 2; curl -s localhost:8000/health; kill %1",
        "uvicorn app:app & sleep 2; curl -s localhost:8000/health; kill %%",
        "npm start & sleep 2; kill $!",
        "npm start & echo $! > /tmp/pid; sleep 2; kill $(cat /tmp/pid)",
        'npm start & echo $! > /tmp/pid; sleep 2; kill "$(cat /tmp/pid)"',
        "kubectl port-forward svc/api 8080:80 & sleep 2; curl -s localhost:8080/health; kill $!",
        "a=1; npm start & pid=$!; sleep 1; kill -9 $pid",
    ],
)
def test_what_ends_with_the_call_is_not_left_running(command: str) -> None:
    assert spawns(command) == []


@pytest.mark.parametrize(
    "command",
    [
        "npm start &",
        "uvicorn app:app --port 8011 > /tmp/uv.log 2>&1 &",
        "cd web && npm run dev &",
        "streamlit run app.py --server.headless true &",
        "kubectl port-forward svc/api 8080:80 &",
        "rails server -p 3001 -d",
        "gunicorn app:app -D",
        "npx expo start &",
        "tensorboard --logdir runs &",
        "mlflow ui --port 5001 &",
    ],
)
def test_servers_of_the_project_share_one_key(command: str) -> None:
    keys = {key_of_action(action) for action in read(command).actions if Effect.SPAWN in action.effects}
    assert keys == {"server:start"}


@pytest.mark.parametrize(
    "command",
    [
        "npm start & other & kill %1",  # for `other`
        "npm start & sleep 2; test -f x && kill $!",
        "npm start & echo $! > a; kill $(cat b)",
        "npm start & echo $! > a; echo 1 > a; kill $(cat a)",
        "npm start & kill -0 %1",
        "a & npm start & kill %2",
    ],
)
def test_what_may_go_on_is_left_running(command: str) -> None:
    assert spawns(command)


@pytest.mark.parametrize(
    "command",
    [
        "while sleep 300; do curl https://x.example/b; done &",
        "our-own-thing &",
        "pm2 start app.js",
        "docker compose up -d",
        "systemctl start nginx",
        "nohup sh -c 'sleep 9; id' &",
        "nginx",
    ],
)
def test_other_things_that_are_left_running_have_keys_of_their_own(command: str) -> None:
    found = spawns(command)
    assert found
    assert "server:start" not in found


def test_a_server_that_the_host_sends_to_the_background_has_the_key_too() -> None:
    assert spawns("npm run dev", background=True) == ["server:start"]
    assert spawns("our-own-thing", background=True) == ["proc:spawn"]


def test_a_yes_to_the_first_server_covers_the_next() -> None:
    first, second = (
        next(action for action in read(command).actions if Effect.SPAWN in action.effects)
        for command in ("npm start &", "cd web && npm run dev > /tmp/log 2>&1 &")
    )
    ask = Finding(
        layer="tiers", rule="tier-2", verdict=Verdict.ASK, text="", actions=(0,), lifted_by=("once", "remembered")
    )
    (grant,) = remembered(ask, (first,), by="a")
    assert covers(grant, second)


def verdict(command: str, *, background: bool = False) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command, "run_in_background": background}), cwd="/p")
    found = read(command, background=background)
    reading = Reading(call="sha256:c", projection="sha256:p", actions=tuple(found.actions), opaque=tuple(found.opaque))
    return decide(call, reading, POLICY, Session(), ()).verdict.name.upper()


@pytest.mark.parametrize(
    "command",
    [
        "npm start &",
        "nohup npm run dev > dev.log 2>&1 &",
        "uvicorn app:app --port 8011 --host 127.0.0.1 &",
        "rails server -p 3001 -d",
        "tensorboard --logdir runs &",
        "(cd web && npx vite --port 5174) &",
        "python -m http.server 8000 --bind 127.0.0.1 &",
        "python -m http.server -b localhost",
        "php -S localhost:8000 -t public &",
        "php -S 127.0.0.1:8000 &",
    ],
)
def test_a_server_of_the_project_may_stay(command: str) -> None:
    assert verdict(command) == "ALLOW"


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm ci && npm run build",
        "cargo build --release 2>&1 | tail -5",
        "tail -f logs/app.log",
        "tail -f /var/log/app.log",
        "sleep 30; cat /tmp/out.log",
        "docker compose logs -f web",
        "gh run watch 123",
        "until curl -sf localhost:3000/up; do sleep 1; done",
        "for f in a.py b.py; do ruff check $f; done",
        "terraform plan",
    ],
)
def test_a_job_that_would_be_free_in_front_is_free_in_the_background(command: str) -> None:
    assert verdict(command) == verdict(command, background=True) == verdict(f"{{ {command}; }} &") == "ALLOW"


@pytest.mark.parametrize(
    "command",
    [
        "while sleep 300; do curl -s https://x.example/b; done",
        "while true; do npm test; done",
        "until false; do curl -s https://x.example/b; sleep 60; done",
        "our-own-thing",
        "docker compose up",
        "git push",
        "cat ~/.ssh/id_rsa",
        "rm -rf src",
        "sudo ls",
        "npm install left-pad",
        'eval "$X"',
        "f() { f | f & }; f",
        "ssh -N -R 80:localhost:80 x.example",
    ],
)
def test_any_other_job_is_asked_about(command: str) -> None:
    assert verdict(command, background=True) != "ALLOW"
    assert verdict(f"{{ {command}; }} &") != "ALLOW"


def test_a_server_that_the_host_keeps_in_the_background_may_stay() -> None:
    assert verdict("npm run dev", background=True) == "ALLOW"
    assert verdict("our-own-thing", background=True) == "ASK"


@pytest.mark.parametrize(
    "command",
    [
        "uvicorn app:app --host 0.0.0.0 &",
        "gunicorn -b 0.0.0.0:8000 app:app -D",
        "flask run --host=0.0.0.0 &",
        "HOST=0.0.0.0 our-server &",
        "npx vite --host &",
        "npx vite --host 0.0.0.0 --open &",
        "mlflow ui --host 0.0.0.0 &",
        "tensorboard --logdir runs --bind_all &",
        "python -m http.server &",
        "python -m http.server 8000",
        "python -m http.server --bind 0.0.0.0 &",
        "python -m http.server --bind 127.0.0.1 --bind 0.0.0.0",
        "python -m http.server --bind $ADDRESS",
        "python -m http.server --bind 127.0.0.1 -d /home/a",
        "python -m http.server --bind 127.0.0.1 --cgi",
        "php -S 0.0.0.0:8000 &",
        "php -S localhost:8000 /tmp/router.php",
        "php -S localhost:8000 -t /home/a",
        "php -d auto_prepend_file=/tmp/x.php -S localhost:8000",
        "npx serve &",
        "nc -l 4444 &",
        "ngrok http 3000 &",
        "cloudflared tunnel --url http://localhost:3000 &",
        "./run.sh &",
        "nohup ./server &",
        "our-own-thing &",
        "pm2 start app.js",
        "docker compose up -d",
        "while true; do npm test; done &",
        "kubectl port-forward --address 0.0.0.0 svc/api 8080:80 &",
    ],
)
def test_what_else_stays_or_lets_others_in_is_asked_about(command: str) -> None:
    assert verdict(command) == "ASK"


def test_the_number_that_a_server_keeps_in_its_file_ends_that_server() -> None:
    assert verdict("rails s -d && curl -s localhost:3000/up && kill $(cat tmp/pids/server.pid)") == "ALLOW"
    assert verdict('kill -9 "$(cat tmp/pids/server.pid)"') == "ALLOW"


@pytest.mark.parametrize(
    "command",
    [
        "echo -1 > tmp/x.pid; kill -9 $(cat tmp/x.pid)",
        "./made > tmp/x.pid; kill -9 $(cat tmp/x.pid)",
        "kill $(cat /run/sshd.pid)",
        "kill $(cat ../other/x.pid)",
        "kill $(cat numbers.txt)",
        "$(cat tmp/x.pid)",
        "rm -rf $(cat tmp/x.pid)",
        'bash -c "$(cat tmp/x.pid)"',
    ],
)
def test_no_other_number_is_that(command: str) -> None:
    assert verdict(command) == "ASK"
