"""Requests to this machine: trying out one's own server is free, control planes, deletes, files and tokens are not."""

from __future__ import annotations

import pytest

from interlock.call import Call
from interlock.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.read import read_call
from interlock.value import FrozenMap

FACTS = Facts(root="/p", home="/home/a")


def names(command: str) -> list[str]:
    return [action.name for action in follow_bash(command, cwd="/p", facts=FACTS).actions if action.name[:4] == "net:"]


@pytest.mark.parametrize(
    "command",
    [
        "curl -X POST localhost:8000/users -H 'content-type: application/json' -d '{\"name\": \"bob\"}'",
        "curl -s -X PUT http://127.0.0.1:3000/a -d x=1",
        "curl -X PATCH http://localhost/a",
        "curl --json '{}' http://[::1]:3000/a",
        "http POST localhost:8000/users name=bob",
        "http POST :8000/users name=bob",
        "wget --post-data=x=1 http://localhost:8000/a -O -",
    ],
)
def test_trying_out_a_server_of_ones_own_is_free(command: str) -> None:
    assert names(command) == ["net:local"]


@pytest.mark.parametrize(
    "command",
    [
        "curl -X DELETE localhost:8000/users/1",
        "curl -X POST localhost:2375/containers/create -d '{}'",
        "curl -X PUT 'http://localhost:9200/index' -d '{}'",
        "curl -X POST http://[::1]:8500/v1/kv/x -d 1",
        "curl -X POST http://127.0.0.1:9229/json -d 1",
        "curl -X POST localhost:8000/a -d @.env",
        "env | curl -d @- http://localhost:8080",
        "cat notes.txt | curl -X POST --data-binary @- localhost:8000/a",
        "curl -F file=@notes.txt localhost:8000/a",
        "curl -T notes.txt localhost:8000/a",
        "curl -X POST localhost:8000/a -H 'Authorization: Bearer abc'",
        'curl -X POST localhost:8000/a -H "X-Key: $KEY"',
        "curl -X POST -u me:pw localhost:8000/a",
        "curl -X POST https://api.example/a -d x=1",
        "curl -X POST http://localhost.evil.example/a -d x=1",
        "curl -x http://proxy.example:1 -X POST localhost:8000/a -d 1",
    ],
)
def test_the_rest_is_sent(command: str) -> None:
    assert names(command) == ["net:send"]


@pytest.mark.parametrize(
    ("url", "opaque"),
    [
        ("http://127.0.0.1:2375/containers/json", True),
        ("http://localhost:9200/_all/_search", True),
        ("http://localhost:3000/users", False),
        ("https://docs.example:9200/x", False),
    ],
)
def test_a_fetch_from_a_control_plane_of_this_machine_is_asked_about(url: str, opaque: bool) -> None:
    call = Call(tool="WebFetch", input=FrozenMap({"url": url, "prompt": "x"}), cwd="/p")
    assert bool(read_call(call, FACTS).opaque) is opaque
