"""Code and settings of the session that a server, a build or a link takes in, in a later call or in the same line."""

from __future__ import annotations

import pytest

from unit.two_steps import Steps, verdict
from verdicts import allowed

TAKEN_IN: list[Steps] = [
    ({"index.php": "<?php system($_GET['x']);"}, "php -S localhost:8000"),
    ({"public/index.php": "<?php system($_GET['x']);"}, "php -S localhost:8000 -t public"),
    ({"php.ini": "auto_prepend_file=/tmp/x.php\n"}, "php -c . x.php"),
    ({"conf/php.ini": "extension=/tmp/x.so\n"}, "php -c conf -r 'echo 1;'"),
    ({"subprojects/x.wrap": "[wrap-git]\nurl=https://files.example/x\nrevision=head\n"}, "meson setup b"),
    ({"subprojects/x.wrap": "[wrap-file]\nsource_url = https://files.example/x\n"}, "ninja -C b"),
]
NOT_TAKEN_IN: list[Steps] = [
    ({"index.php": "<?php echo 1;"}, "php -S localhost:8000"),
    ({}, "php -S localhost:8000 -t public"),
    ({"php.ini": "memory_limit=1G\n"}, "php -c . -r 'echo 1;'"),
    ({"subprojects/x.wrap": "[wrap-file]\ndirectory = x\n"}, "meson setup b"),
    ({"README.md": "https://files.example"}, "meson setup b"),
]
IN_ONE_LINE = """
cp /tmp/Cargo.toml Cargo.toml && cargo build
cp /tmp/go.work . && go build ./...
cp /tmp/x.wrap subprojects/ && meson setup b
cp /tmp/package-lock.json . && npm ci
printf '[dependencies]\\nx="1"\\n' > Cargo.toml && cargo build
echo '<?php system("id");' > index.php && php -S localhost:8000
echo 'auto_prepend_file=/tmp/x' > php.ini && php -c . -r 'echo 1;'
npm link /tmp/x
npm link ../x
yarn link /tmp/x
"""
EVERYDAY = """
npm link
npm link x
npm link ./packages/a
cargo update && cargo build
go mod tidy && go build ./...
uv lock && uv sync
terraform fmt && terraform plan
"""


@pytest.mark.parametrize(("written", "command"), TAKEN_IN)
def test_what_the_session_wrote_is_asked_about(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) != "allow"


@pytest.mark.parametrize(("written", "command"), NOT_TAKEN_IN)
def test_what_does_nothing_stays_free(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) == "allow"


def test_one_line_is_no_way_around() -> None:
    assert allowed(IN_ONE_LINE) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_everyday_lines_stay_free(line: str) -> None:
    assert allowed(line) == [line]
