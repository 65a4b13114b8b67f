"""The shield's seat in a settings file: in front of all others, and out again as if it had never been there."""

from __future__ import annotations

import json
import re

import pytest

from interlock.install.seat import FULL, MANAGED, MODULE, PLAIN, entries_in, files_of, seated, unseated
from interlock.model.errors import InputError
from interlock.store.home.shield import seat_text

NAME = "interlock-0123456789abcdef"
ENTRY = f"{NAME}@skills-dir"
SETTINGS = {
    "nothing": "{}\n",
    "others": '{\n  "model": "x"\n}\n',
    "a list": '{\n  "prependPlugins": ["a@b", "c@d"],\n  "model": "x"\n}\n',
    "a list on lines": '{\n\t"prependPlugins": [\n\t\t"a@b",\n\t\t"c@d"\n\t]\n}',
    "one line": '{"prependPlugins":["a@b"]}',
    "windows": '{\r\n  "prependPlugins": [\r\n    "a@b"\r\n  ]\r\n}\r\n',
}


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_the_seat_is_first_and_leaves_no_trace(text: str) -> None:
    before = entries_in(json.loads(text))
    then = seated(text, ENTRY)
    assert entries_in(json.loads(then)) == [ENTRY, *before]
    assert seated(then, ENTRY) == then
    if before or text != "{}\n":
        assert unseated(then) == text
    assert json.loads(unseated(then)) == json.loads(text)


def test_an_older_seat_of_ours_gives_way_to_the_new_one() -> None:
    text = seated('{"prependPlugins":["a@b"]}', "interlock-ffffffffffffffff@skills-dir")
    assert entries_in(json.loads(seated(text, ENTRY))) == [ENTRY, "a@b"]


def test_what_is_no_list_is_left_alone() -> None:
    with pytest.raises(InputError):
        seated('{"prependPlugins": "a@b"}', ENTRY)


def test_the_folders_of_admitted_plug_ins_are_written_into_the_module() -> None:
    text = files_of(NAME, seat_text(), FULL, ["/h/b", '/h/"a'])[MODULE]
    assert 'new Set(["/h/\\"a", "/h/b"])' in text


def test_the_plain_form_only_refuses_plug_ins() -> None:
    full, plain = (files_of(NAME, seat_text(), form)[MODULE] for form in (FULL, PLAIN))
    assert "next.to(" in full
    assert "next.to(" not in plain
    assert re.findall(r"^  on\('(.*?)'", plain, re.M) == ["plugin.register"]
    assert plain.endswith("\n}\n")


def test_only_the_administrator_s_form_goes_on_to_plug_ins_behind_it() -> None:
    full, managed = (files_of(NAME, seat_text(), form)[MODULE] for form in (FULL, MANAGED))
    assert "'append')" not in full
    assert "'builtin')" not in managed
    assert full.count("next.to(") == managed.count("next.to(")


def test_every_handler_says_what_happens_if_it_fails() -> None:
    text = seat_text()
    assert len(re.findall(r"^  on\('", text, re.M)) == len(re.findall(r"\}?\)\.catch\(", text)) == 5
