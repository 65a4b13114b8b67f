"""Servers: one in front, or one that the same line ends, is not left running; the others share one key."""

from __future__ import annotations

import pytest

from interlock.approve.grant import covers
from interlock.approve.keys import key_of_action, remembered
from interlock.decision import Finding
from interlock.effects import Effect
from interlock.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.state import Found
from interlock.verdict import Verdict


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
        "curl -s https://x.example -o f && npm start &",
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
