"""Inline code that only computes or shows, told from all other, in each language that has a table."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from interlock.reading.inline import Shown, only_computes
from unit.inline_cases import COMPUTES, OTHER


@pytest.mark.parametrize(("language", "code"), [(name, code) for name, codes in COMPUTES.items() for code in codes])
def test_code_that_only_computes_is_told(language: str, code: str) -> None:
    assert only_computes(language, code) is not None


@pytest.mark.parametrize(("language", "code"), [(name, code) for name, codes in OTHER.items() for code in codes])
def test_anything_else_is_not_read(language: str, code: str) -> None:
    assert only_computes(language, code) is None


@pytest.mark.parametrize(
    ("language", "code", "shown"),
    [
        ("node", "1", Shown()),
        ("node", "require('./a.json').b", Shown(loaded=("./a.json",))),
        ("node", "require('fs').readFileSync('a')", Shown(places=(("read", "a"),))),
        ("node", "import fs from 'node:fs'; fs.readdirSync('a')", Shown(places=(("list", "a"),))),
        ("node", "fetch('http://localhost:1')", Shown(places=(("fetch", "http://localhost:1"),))),
        ("ruby", 'puts File.read("a"), Dir.glob("b/*")', Shown(places=(("read", "a"), ("list", "b/*")))),
        ("php", "echo file_get_contents('a');", Shown(places=(("read", "a"),))),
        ("Rscript", "readLines('a')", Shown(places=(("read", "a"),))),
    ],
)
def test_what_is_looked_at_is_told(language: str, code: str, shown: Shown) -> None:
    assert only_computes(language, code) == shown


@pytest.mark.parametrize(
    ("code", "computes"),
    [
        ("puts Shipment.maximum(:weight)", True),
        ("puts User.where(admin: true).order(:name).limit(3).pluck(:email)", True),
        ("p Order.find(3).attributes", True),
        ("User.delete_all", False),
        ("User.first.update(admin: true)", False),
        ("User.where(id: 1).each { |u| u.destroy }", False),
        ("puts Rails.application.credentials.key", False),
        ("Kernel.system(1)", False),
        ("IO.select(1)", False),
        ("User.send(:system, 1)", False),
    ],
)
def test_records_of_the_project_are_looked_at_and_not_changed(code: str, computes: bool) -> None:
    assert (only_computes("ruby", code, records=True) is not None) is computes
    assert only_computes("ruby", code) is None


RUN = {
    "node": ["node", "--input-type=commonjs", "-e"],
    "perl": ["perl", "-e"],
    "ruby": ["ruby", "-e"],
    "php": ["php", "-r"],
}


@pytest.mark.parametrize("language", RUN)
def test_what_is_taken_leaves_nothing_behind(language: str, tmp_path: Path) -> None:
    """Held against the real interpreter, where there is one: quotes and brackets hide nothing that runs."""
    if shutil.which(language) is None:
        pytest.skip(f"no {language} here")
    touch = {
        "node": "require('child_process').execSync('touch made')",
        "perl": "system('touch made')",
        "ruby": "system('touch made')",
        "php": "system('touch made');",
    }[language]
    assert only_computes(language, touch) is None
    subprocess.run([*RUN[language], touch], cwd=tmp_path, check=True, capture_output=True)
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    (tmp_path / "made").unlink()
    for code in ("'", '"', "/", "`", "#{", "${", "}", "(", ")"):
        for text in (
            f"{code}{touch}",
            f"1 {code} {touch} {code}",
            f'"{code}"; {touch}',
            f"'{code}'; {touch}; '{code}'",
        ):
            if only_computes(language, text) is not None:
                subprocess.run([*RUN[language], text], cwd=tmp_path, check=False, capture_output=True, timeout=20)
                assert list(tmp_path.iterdir()) == [], text


SERVES = [
    "require('http').createServer((q, r) => r.end('hello')).listen(8080)",
    "const http = require('node:http'); const port = process.env.PORT || 4000; const s = "
    "http.createServer((req, res) => { res.writeHead(200, {'Content-Type': 'text/plain'}); res.end(req.url) }); "
    "s.listen(port, () => console.log(port))",
    "const http = require('http'); http.createServer(function (q, r) { r.end('x') })"
    ".listen(Number(process.env.PORT) || 1, '127.0.0.1', () => console.log('up'))",
    "console.log(process.env.NODE_ENV === 'test')",
]
DOES_MORE = [
    "const p = '.claude/x'; require('http').createServer((q, r) => r.end('x')).listen(p)",
    "let p = 1; p = q; require('http').createServer((q, r) => r.end('x')).listen(p)",
    "const a = 'x'; const p = a; require('http').createServer((q, r) => r.end('x')).listen(p)",
    "const f = p => require('http').createServer((q, r) => r.end('x')).listen(p); f('x')",
    "require('http').createServer((q, r) => r.end('x')).listen('a' || 1)",
    "const p = 1; [x].map(p => require('http').createServer((q, r) => r.end('x')).listen(p))",
    "const p = 1; [x].map((p) => require('http').createServer((q, r) => r.end('x')).listen(p))",
    "require('http').createServer(handler).listen(1)",
    "require('http').createServer((q, r) => eval(q.url)).listen(1)",
    "require('http').createServer((q, r) => r.end(require('fs').readFileSync(q.url))).listen(1)",
    "require('http').createServer((q, r) => r.end('x')).listen('/tmp/s')",
    "require('http').createServer((q, r) => r.end('x')).listen({path: '/tmp/s'})",
    "require('http').createServer((q, r) => r.end('x')).listen(1, other)",
    "require('http').createServer((q, r) => r.end('x')).listen()",
    "require('net').createServer(s => s.end()).listen(1)",
    "console.log(process.env)",
    "console.log(process.env.AWS_SECRET_ACCESS_KEY)",
    "console.log(process.env[name])",
    "console.log(process.env?.PORT)",
    "process.env.NODE_ENV = 'x'",
    "const {env} = process; console.log(env.PORT)",
    "Object.keys(process.env)",
]


@pytest.mark.parametrize("code", SERVES)
def test_a_server_with_handlers_that_compute_computes(code: str) -> None:
    assert only_computes("node", code) is not None


@pytest.mark.parametrize("code", DOES_MORE)
def test_a_server_that_does_more_is_not_read(code: str) -> None:
    assert only_computes("node", code) is None
