"""Which program a file of settings belongs to, by its name: the table is held against each row by itself."""

from __future__ import annotations

from interlock.reading.written.setting_names import _TOO_SHORT, ROWS, fits, program_of

PATTERNS = [pattern for patterns, _ in ROWS.values() for pattern in patterns if "/" not in pattern]


def first_row_of(name: str) -> str:
    for program, (patterns, _) in ROWS.items():
        if any(fits(name, one) for one in patterns if "/" not in one and len(one) > _TOO_SHORT):
            return program
    return ""


def test_a_name_belongs_to_the_first_program_with_a_pattern_for_it() -> None:
    names = {pattern.replace("*", word) for pattern in PATTERNS for word in ("", "x", "a.b", "rc")}
    names |= {more for name in names for more in (name + "x", "x" + name, name[:-1], name[1:])}
    assert len(names) > 500
    for name in names:
        found = first_row_of(name.lower())
        assert not found or program_of(f"/p/{name}") == found
        assert not found or program_of(f"/p/{name.upper()}") == found


def test_an_ordinary_module_belongs_to_none() -> None:
    for ending in ("py", "ts", "go", "txt"):
        assert program_of(f"/p/src/module_7.{ending}") == ""
