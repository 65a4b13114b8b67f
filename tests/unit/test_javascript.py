"""JavaScript that only shows something, told from all other."""

from __future__ import annotations

import pytest

from interlock.reading.javascript import shown_files


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("require('./a.json')", ["./a.json"]),
        ('console.log(require("../a.json").b["c"][0], "d")', ["../a.json"]),
        ("const a = require('./a.json'), 1", None),
        ("const a = require('./a.json')\nvar b = a.c; console.log(b + 1)", ["./a.json"]),
        ("JSON.stringify(require('/x/a.json'), null, 2)", ["/x/a.json"]),
        ("process.versions.v8", []),
        ("", []),
    ],
)
def test_what_is_shown_comes_from_these_files(code: str, files: list[str] | None) -> None:
    assert shown_files(code) == files


@pytest.mark.parametrize(
    "code",
    [
        "require('./a')",
        "require('./a.js')",
        "require('a.json')",
        "require(`./a.json`)",
        "require('./' + 'a.json')",
        "require('./a.json').b()",
        "require('./a.json')['b']('c')",
        "const a = require('./a.json').b\n('c')",
        "const a = require('./a.json').b\n['c']",
        "const require = console",
        "let console = 1; console.log(2)",
        "a",
        "a = 1",
        "process.exit()",
        "process.env",
        "process['env']",
        "console.log",
        "console.table(1)",
        "Object.assign(1, 2)",
        "'a\\nb'",
        "'a",
        "1 - 1",
        "() => 1",
        "import('./a.json')",
        "console.log(1",
        "// a",
    ],
)
def test_anything_else_is_not_read(code: str) -> None:
    assert shown_files(code) is None
