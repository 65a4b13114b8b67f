"""Blocks of bats, in every way in which they begin."""

from __future__ import annotations

import pytest

from unit.two_steps import verdict

WIPES = "rm -rf ~/Documents"

ACTS = [
    f'@test "x" {{ {WIPES}; }}\n',
    f"@test 'x' {{ {WIPES}; }}\n",
    f"@test plain {{ {WIPES}; }}\n",
    f'@test "a {{b}}" {{ if run false; then {WIPES}; fi; }}\n',
    f'@test "x" {{ run {WIPES}; }}\n',
    f'@test "x" {{ true; run -0 {WIPES}; }}\n',
    f'setup() {{ {WIPES}; }}\n@test "x" {{\n  true\n}}\n',
    f'setup()\n{{\n  {WIPES}\n}}\n@test "x" {{\n  true\n}}\n',
    f'function teardown_file {{ {WIPES}; }}\n@test "x" {{\n  true\n}}\n',
    f"wipes() {{ # @test\n  {WIPES}\n}}\n",
    f"wipes() {{ {WIPES}; }}\n@test 'a' {{ run wipes; assert_success; }}\n",
    f'@test "x" {{\n  assert_success; {WIPES}\n}}\n',
    f'@test "x" {{\n  assert_output "a; run b"\n  {WIPES}\n}}\n',
    f'@test "x" {{\n  load helper || {WIPES}\n}}\n',
    '@test "x" { rm -rf "$BATS_TEST_TMPDIR/../../../home/user/Documents"; }\n',
]
ORDINARY = [
    '@test "x" { [ 1 -eq 1 ]; }\n@test "y" { run ./build.sh; assert_success; rm -rf "$BATS_TEST_TMPDIR/x"; }\n',
    'setup() { load helper; TMP="$(mktemp -d)"; }\nteardown() { rm -rf "$TMP"; }\n'
    '@test "x" {\n  run ls\n  [ "$status" -eq 0 ]\n  assert_output "a; run b"\n}\n',
    "adds() { # @test\n  [ $((1+1)) -eq 2 ]\n}\n",
    'setup_file() { cp -r "$BATS_TEST_DIRNAME/fixtures" "$BATS_FILE_TMPDIR"; }\n@test "x" { ls; }\n',
]


@pytest.mark.parametrize("text", ACTS)
def test_a_block_is_read_wherever_its_body_stands(text: str) -> None:
    assert verdict({"tests/a.bats": text}, "bats tests") != "allow"


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_block_is_free(text: str) -> None:
    assert verdict({"tests/a.bats": text}, "bats tests") == "allow"
