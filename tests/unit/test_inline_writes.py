"""Inline code that writes a file which it names: a write like any other, wherever the rest only computes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from interlock.reading.inline import Shown, only_computes
from verdicts import verdict

WRITES = [
    ("node", "require('fs').writeFileSync('a.txt', 'b')", "a.txt"),
    ("node", "import * as fs from 'fs'; fs.writeFileSync('a','b')", "a"),
    ("node", "import {writeFileSync} from 'node:fs'; writeFileSync('a', String(1 + 1))", "a"),
    ("node", "const fs = require('fs'); fs.appendFileSync('log.md', `${new Date().toISOString()} done`)", "log.md"),
    ("node", "const fs = require('fs'); const f = 'src/a.ts'; fs.writeFileSync(f, [1, 2].join('\\n'))", "src/a.ts"),
    ("node", "const fs = require('fs')\nconst f = 'a'\nfs.writeFileSync(f, '')\nconsole.log(f)", "a"),
    ("ruby", "File.write('a.txt', [1, 2].join(','))", "a.txt"),
    ("php", "file_put_contents('a.json', json_encode(['a' => 1], JSON_PRETTY_PRINT));", "a.json"),
    ("php", "file_put_contents('a.log', date('c') . PHP_EOL, FILE_APPEND);", "a.log"),
]


@pytest.mark.parametrize(("language", "code", "path"), WRITES)
def test_what_is_written_is_told(language: str, code: str, path: str) -> None:
    assert only_computes(language, code) == Shown(places=(("write", path),))


def test_a_file_of_data_that_is_changed_is_read_and_written() -> None:
    code = "const p = require('./package.json'); delete p.main; p.version = '1.2.3'; "
    code += "require('fs').writeFileSync('package.json', JSON.stringify(p, null, 2) + '\\n')"
    assert only_computes("node", code) == Shown(places=(("write", "package.json"),), loaded=("./package.json",))
    assert verdict(f'node -e "{code}"') == "allow"


def test_a_folder_is_made() -> None:
    made = Shown(places=(("folder", "a"),))
    assert only_computes("node", "require('fs').mkdirSync('a', {recursive: true})") == made
    assert only_computes("ruby", "Dir.mkdir('a')") == made
    assert only_computes("php", "mkdir('a', 0755, true);") == made


NOT_PLAIN = [
    ("node", "require('fs').writeFileSync('a' + 'b', '')"),
    ("node", "require('fs').writeFileSync(`${x}`, '')"),
    ("node", "require('fs').writeFileSync('\\x61', '')"),
    ("node", "const w = require('fs').writeFileSync; w('a', '')"),
    ("node", "const {writeFileSync: w} = require('fs'); w('a', '')"),
    ("node", "['.bashrc'].forEach(require('fs').writeFileSync)"),
    ("node", "const fs = require('fs'); ['a'].forEach(fs.writeFileSync)"),
    ("node", "require('fs')['writeFileSync']('a', '')"),
    ("node", "require('fs').writeFileSync('a', '', () => eval('1'))"),
    ("node", "require('fs').writeFileSync('a', {toString: () => 1})"),
    ("node", "require('fs').writeFile('a', '', console.log)"),
    # a constant whose name may mean something else
    ("node", "const fs = require('fs'); const f = 'a'; ['.bashrc'].forEach(f => fs.writeFileSync(f, ''))"),
    ("node", "const fs = require('fs'); const f = 'a'; ['.bashrc'].forEach((f) => fs.writeFileSync(f, ''))"),
    ("node", "const fs = require('fs'); const f = 'a'; [['x']].forEach(([f]) => fs.writeFileSync(f, ''))"),
    ("node", "const fs = require('fs'); const f = 'a'; { const f = 'b'; fs.writeFileSync(f, '') }"),
    ("node", "const fs = require('fs'); const f = 'a' + 'b'; fs.writeFileSync(f, '')"),
    ("node", "const fs = require('fs'); let f = 'a'; fs.writeFileSync(f, '')"),
    ("node", "const fs = require('fs'); const f = 'a'\n+ '/../../x'; fs.writeFileSync(f, '')"),
    ("node", "const fs = require('fs'); const f = 'a'\n.replace('a', 'b'); fs.writeFileSync(f, '')"),
    ("node", "const fs = require('fs'); for (const f of ['a']) fs.writeFileSync(f, '')"),
    ("node", "const fs = require('fs'); fs.readdirSync(f)"),
    ("node", "const fs = require('fs'); const f = `${'/etc'}/x`; fs.writeFileSync(f, '')"),
    ("node", "const fs = require('fs'); const f = 'a' || 'b'; fs.writeFileSync(f, '')"),
    ("node", "require('fs').writeFileSync(...['a', 'b'])"),
    ("node", "require('fs').writeFileSync('a'.replace('a', '/etc/x'), 'b')"),
    ("ruby", "x = 'b'; File.write(\"a#{x}\", '')"),
    ("ruby", "File.write(\"#{'/etc'}/x\", '')"),
    # what is written comes from elsewhere
    ("node", "const fs = require('fs'); fs.writeFileSync('a', fs.readFileSync(0))"),
    ("node", "process.stdin.on('data', c => require('fs').appendFileSync('a', c))"),
    ("node", "fetch('http://x.example/a').then(r => r.text()).then(t => require('fs').writeFileSync('a', t))"),
    ("ruby", "File.write('a', STDIN.read)"),
    ("ruby", "File.write('a', $stdin.read)"),
    ("php", "file_put_contents('a', file_get_contents('php://stdin'));"),
    ("php", "file_put_contents('a', stream_get_contents(STDIN));"),
    ("php", "file_put_contents('zlib:a', 'x');"),
    ("php", "file_put_contents('compress.zlib://a', 'x');"),
    ("php", "file_put_contents($f, 'x');"),
    ("php", "array_map('file_put_contents', ['a'], ['b']);"),
    ("ruby", "File.write(x, 'a')"),
    ("ruby", "File.write 'a', 'b'"),
    ("ruby", "%w[a].each(&File.method(:write))"),
]


@pytest.mark.parametrize(("language", "code"), NOT_PLAIN)
def test_any_other_write_is_not_read(language: str, code: str) -> None:
    assert only_computes(language, code) is None


@pytest.mark.parametrize(
    "path",
    [
        "/etc/motd",
        "../other/a",
        "/home/someone/.bashrc",
        ".git/hooks/pre-commit",
        ".claude/settings.json",
    ],
)
def test_where_it_is_written_counts_as_everywhere(path: str) -> None:
    assert verdict(f"""node -e "require('fs').writeFileSync('{path}', 'x')\"""") != "allow"
    assert verdict(f"""ruby -e "File.write('{path}', 'x')\"""") != "allow"
    assert verdict(f"""php -r "file_put_contents('{path}', 'x');\"""") != "allow"


@pytest.mark.parametrize(
    ("path", "runs"),
    [
        ("run.sh", "bash run.sh"),
        ("package.json", "npm test"),
        ("src/a.test.js", "npm test"),
        ("conftest.py", "pytest"),
        ("Makefile", "make"),
    ],
)
def test_what_was_written_is_not_run_unasked(path: str, runs: str) -> None:
    write = f"""node -e "require('fs').writeFileSync('{path}', [1, 2].join(','))\""""
    assert verdict(write) == "allow"
    assert verdict(f"{write} && {runs}") == "ask"


def test_data_that_is_missing_is_not_looked_for_where_the_code_wrote() -> None:
    """Node runs `a.json.js` where `a.json` is not there."""
    code = "require('fs').writeFileSync('a.json.js', 'x'); console.log(require('./a.json'))"
    assert verdict(f'node -e "{code}"') == "ask"


def test_more_code_behind_the_code_is_free_only_where_it_touches_nothing() -> None:
    assert verdict("node -p 1 -e 2") == "allow"
    for code in ("require('fs').writeFileSync('a', 'b')", "require('fs').readFileSync('.env')", "require('./a.json')"):
        assert verdict(f'node -p 1 -e "{code}"') == "ask"


@pytest.mark.parametrize(("language", "code", "path"), WRITES)
def test_the_interpreter_writes_what_was_told_and_nothing_else(
    language: str, code: str, path: str, tmp_path: Path
) -> None:
    if shutil.which(language) is None:
        pytest.skip(f"no {language} here")
    (tmp_path / "src").mkdir()
    starts = {"node": ["node", "-e"], "ruby": ["ruby", "-e"], "php": ["php", "-r"]}[language]
    if code.startswith("import"):
        starts = ["node", "--input-type=module", "-e"]
    subprocess.run([*starts, code], cwd=tmp_path, check=True, capture_output=True, timeout=30)
    assert [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()] == [path]
