"""`interlock audit verify --export`: the chain of an export, on a machine that has no ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from machine import Machine


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    machine = Machine(tmp_path / "there")
    for name in ("a", "b", "c", "d"):
        assert machine.decide("Read", "--record", file_path=name).code == 0
    return machine.run("audit", "export").out.encode().splitlines(keepends=True)


def verified(machine: Machine, lines: list[bytes]) -> tuple[int, str]:
    told = machine.run("audit", "verify", "--export", "-", stdin=b"".join(lines))
    return told.code, told.out.split(" with hash")[0].splitlines()[0] if told.out else told.err


def test_the_chain_of_an_export_is_followed(machine: Machine, lines: list[bytes]) -> None:
    assert verified(machine, lines) == (0, "whole: 5 rows, 1 to 5, the last")
    assert verified(machine, lines[2:]) == (0, "whole: 3 rows, 3 to 5, the last")
    assert verified(machine, [b"\xef\xbb\xbf" + lines[0], *lines[1:]]) == (0, "whole: 5 rows, 1 to 5, the last")
    assert verified(machine, [line.rstrip(b"\n") + b"\r\n" for line in lines])[0] == 0


def test_what_was_done_to_an_export_is_named(machine: Machine, lines: list[bytes]) -> None:
    edited = lines[2].replace(b'"allow"', b'"deny"', 1)
    assert verified(machine, [*lines[:2], edited, *lines[3:]]) == (
        2,
        "broken: edit at row 3: its content does not have its hash",
    )
    assert verified(machine, [*lines[:2], *lines[3:]]) == (2, "broken: deletion at row 3: it is missing")
    assert verified(machine, [lines[0], lines[2], lines[1], *lines[3:]])[0] == 2
    assert verified(machine, [*lines, lines[2]]) == (2, "broken: insertion at row 3: its number occurs twice")
    cut = verified(machine, [*lines[:-1], lines[-1][:30]])
    assert cut[0] == 2
    assert cut[1].startswith("broken: malformed at row 5: line 5 cannot be read: ")
    assert verified(machine, [*lines[:2], b"{}\n"])[1] == "broken: malformed at row 3: line 3 is not a row of a ledger"


def test_an_export_without_rows_is_none(machine: Machine) -> None:
    told = machine.run("audit", "verify", "--export", "-")
    assert (told.code, told.err) == (64, "interlock: there are no rows in `-`\n")
    told = machine.run("audit", "verify", "--export", "/nowhere")
    assert told.code != 0
    assert "could not be read" in told.err
