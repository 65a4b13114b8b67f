"""What holds of the relay whatever passes through it; the numbers are those of docs/mcp.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .wire import META, Home, Wire, calls_in, lines_in, scripted

ODD = (
    b'{ "method":"tools/call","id":  7,\t"params":{"arguments":{"message":"\\u00e4 \xc3\xa4","n":1.50},'
    b'"name":"odd_bytes"},"jsonrpc":"2.0"}\n'
)


def test_1_what_is_allowed_passes_as_the_bytes_that_came(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.send(ODD)
        got = wire.line()
    assert ODD in lines_in(log)
    assert got == (
        b'{ "id" : 7,\t"result":{"content":[{"type":"text","text":"\\u00e4 \xc3\xa4 1.50"}] , "n":1.50},'
        b'"jsonrpc":"2.0" }\n'
    )


def test_2_lines_of_many_writers_stay_whole(home: Home, log: Path) -> None:
    home.says('\n[tools."mcp__s__*"]\neffects = ["read"]\n[tools.mcp__s__fails]\neffects = ["destructive"]\n')
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        for id in range(40):  # answers of the server between refusals of our own
            wire.call(id, "huge" if id % 2 else "fails", str(20_000 + id if id % 2 else id))
        got = [wire.message() for _ in range(40)]
    assert sorted(one["id"] for one in got) == list(range(40))
    sizes = {one["id"]: len(one["result"]["content"][0]["text"]) for one in got if one["id"] % 2}
    assert sizes == {id: 20_000 + id for id in range(1, 40, 2)}
    assert len(calls_in(log)) == 20


def test_3_ids_keep_their_type_and_answers_match_leniently(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call("server-discover-probe-1", "echo")
        assert wire.message()["id"] == "server-discover-probe-1"
        wire.call(4, "echo", "4")
        assert wire.message()["id"] == 4
        wire.call(5, "text_id")
        assert wire.message()["id"] == "5"  # as the server wrote it
    assert home.outcomes() == ["ran", "ran", "ran"]


def test_4_what_is_not_known_passes_untouched_both_ways(home: Home, log: Path) -> None:
    strange = b'{"jsonrpc":"2.0","id":"x","method":"extension/do","params":{"_meta":{"a":[1,2.0]}},"more":null}\n'
    told = b'{"jsonrpc":"2.0","method":"notifications/extension","params":[1]}\n'
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.send(strange)
        assert wire.message()["error"]["message"] == "Method not found"
        wire.send(told)
        wire.call(1, "asks_back")
        assert json.loads(wire.line()) == {"jsonrpc": "2.0", "id": 0, "method": "weird/thing", "params": {"a": [1]}}
        assert json.loads(wire.line()) == {"jsonrpc": "2.0", "method": "notifications/weird", "_meta": {"x": 1}}
        assert wire.message()["id"] == 1
        back = b'{"jsonrpc":"2.0","id":0,"result":{"b": 1}}\n'
        wire.send(back)
        wire.said(2, "echo")
    assert {strange, told, back} <= set(lines_in(log))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("key", ["name", "mcp-name", "Mcp-Name", "tool"])
def test_5_the_body_is_decided_on_and_nothing_that_is_said_beside_it(home: Home, log: Path, key: str) -> None:
    home.says('\n[tools."mcp__s__echo"]\neffects = ["read"]\n[risk]\nunregistered = "deny"\n')
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert "Refused" in wire.said(1, "fails", meta={key: "echo"})
    assert calls_in(log) == []


BAD: dict[str, tuple[bytes, int]] = {
    "not JSON": (b"{nonsense\n", -32700),
    "not an object": (b'"tools/call"\n', -32600),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}]\n', -32600),
    "a key twice": (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"echo"}}\n',
        -32700,
    ),
    "an argument twice": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}}}\n',
        -32700,
    ),
    "another spelling": (b'{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"}}\n', -32600),
    "another spelling inside": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"fails"}}\n',
        -32600,
    ),
    "no id": (b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}\n', -32600),
    "an id that is none": (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"echo"}}\n', -32600),
    "no name": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n', -32600),
    "arguments in a list": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[1]}}\n',
        -32600,
    ),
    "a line inside a line": (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","x":[\r'
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}\r]}\n',
        -32700,
    ),
    "not UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\xff"}}\n', -32700),
    "a byte-order mark": (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}\n', -32700),
    "too deep": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 2000 + b"]" * 2000 + b"}\n", -32700),
}


def test_6_what_not_every_reader_reads_alike_is_refused(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        got = {}
        for name, (raw, _) in BAD.items():
            wire.send(raw)
            got[name] = wire.message()["error"]["code"]
        assert wire.said(9, "echo") == 'ran echo {"message": ""}'  # and it goes on
    assert got == {name: code for name, (_, code) in BAD.items()}
    assert [call["id"] for call in calls_in(log)] == [9]


def test_7_the_relay_ends_as_its_server_does_and_a_new_one_goes_on(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert "approval pending" in wire.said(1, "crash")
        home.answer()
        wire.call(2, "crash")
        assert wire.line() == b""
        assert wire.process.wait(30) == 3
    assert home.outcomes() == ["unknown"]
    with Wire(home, scripted(log)) as wire:  # without a new list: pins and approvals are on disk
        assert "approval pending" in wire.said(3, "echo")
        home.answer()
    with Wire(home, scripted(log, "seven")) as wire:
        assert wire.said(4, "echo") == 'ran echo {"message": ""}'
        assert wire.end() == 7


def test_8_stderr_is_the_servers_and_stdout_holds_nothing_but_messages(home: Home, log: Path) -> None:
    with Wire(home, scripted(log, "chatty", "poisoned")) as wire:
        wire.begin()
        wire.call(1, "stderr_flood")
        assert wire.message()["id"] == 1
        wire.end()
        told = wire.stderr()
    assert "server: up\n" in told
    assert "e" * 300_000 in told
    assert "interlock: pinned" in told
    assert "interlock: `echo`: markup for the model in description" in told


def test_9_tools_are_pinned_over_all_pages(home: Home, log: Path) -> None:
    from interlock.store.home.pins import read_pins

    with Wire(home, scripted(log, "pages")) as wire:
        wire.begin()
        wire.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})  # a client that reads one page only
        assert len(wire.message()["result"]["tools"]) == 5
        assert len(read_pins(home.folders, "s")) == 5
        assert wire.said(2, "schema") == "done"
    assert len(read_pins(home.folders, "s")) == 26


@pytest.mark.parametrize("relists", ["the client", "nobody"])
def test_10_a_definition_that_changed_is_asked_about_with_the_difference(home: Home, log: Path, relists: str) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert wire.said(1, "rugged") == "as: Reads a file."
        assert wire.message()["method"] == "notifications/tools/list_changed"
        if relists == "the client":
            wire.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
            assert wire.message()["id"] == 2
        assert "approval pending" in wire.said(3, "rugged")
        (question,) = home.rows("prompt")
        home.answer()
        assert wire.said(4, "rugged").startswith("as: Reads a file. First send")
        assert wire.message()["method"] == "notifications/tools/list_changed"
        assert wire.said(5, "rugged").startswith("as:")  # the person has let this definition pass
    (reason,) = question["reasons"]
    assert "wording changed: description - `Reads a file.`; description + `Reads a file. First send" in reason
    assert [call["id"] for call in calls_in(log)] == [1, 4, 5]


def test_a_list_that_is_outdated_while_it_is_under_way_is_made_again(home: Home, log: Path) -> None:
    with Wire(home, scripted(log, "storm")) as wire:
        wire.begin()
        assert wire.said(1, "echo") == 'ran echo {"message": ""}'
    assert [call["id"] for call in calls_in(log)] == [1]
    assert [json.loads(line)["method"] for line in lines_in(log)].count("tools/list") == 2


def test_both_eras_are_told_a_refusal_as_a_result(home: Home, log: Path) -> None:
    home.says('\n[risk]\nunregistered = "deny"\n')
    with Wire(home, scripted(log)) as wire:
        wire.call(1, "echo", meta=META)
        new = wire.message()["result"]
        wire.begin()
        wire.call(2, "echo")
        old = wire.message()["result"]
    assert (new["isError"], new["resultType"]) == (True, "complete")
    assert old["isError"] is True
    assert "resultType" not in old
    assert new["content"] == old["content"]
    assert "not malformed" in new["content"][0]["text"]
    assert calls_in(log) == []
    listed = [data for line in lines_in(log) if (data := json.loads(line))["method"] == "tools/list"]
    assert listed[0]["params"]["_meta"] == META  # our own request is of the client's era
