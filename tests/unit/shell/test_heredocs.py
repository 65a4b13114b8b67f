"""Here-documents: where they end and what is alive in them."""

from __future__ import annotations

import pytest

from interlock.reading.shell import dump, parse
from interlock.reading.shell.syntax import HereDoc
from interlock.reading.shell.walk import nodes
from shell_reading import clear, reasons, simples


def documents(text: str) -> list[HereDoc]:
    return [node for node in nodes(parse(text)) if isinstance(node, HereDoc)]


def body(text: str) -> object:
    (document,) = documents(text)
    return dump(document.parts)


def test_a_plain_body() -> None:
    (document,) = documents("cat <<E\nhello\nworld\nE\nls")
    assert dump(document) == ["HereDoc", "E", False, False, [["Lit", "hello\nworld\n", True]], True]
    assert simples("cat <<E\nhello\nE\nls") == [["cat", "<<E"], ["ls"]]


@pytest.mark.parametrize("mark", ["'E'", '"E"', "\\E", "E''", "'E' ", '"E"; #'])
def test_any_quoting_of_the_delimiter_makes_the_body_literal(mark: str) -> None:
    assert body(f"cat <<{mark}\n$(rm x) `rm x` \\$\nE\n") == [["Lit", "$(rm x) `rm x` \\$\n", True]]


@pytest.mark.parametrize("mark", ["E'O'F", 'E"O"F', "'E'OF", "E\\OF"])
def test_a_delimiter_quoted_in_part(mark: str) -> None:
    assert body(f"cat <<{mark}\n$(rm x)\nEOF\n") == [["Lit", "$(rm x)\n", True]]


def test_tabs_are_stripped_from_body_and_delimiter() -> None:
    text = "cat <<-E\n\t\ta $x\n\tb\n\t\tE\nls"
    assert body(text) == [
        ["Lit", "a ", True],
        ["Param", "x", None, "", None, None, False, False],
        ["Lit", "\nb\n", True],
    ]
    param = next(node for node in nodes(clear(text)) if type(node).__name__ == "Param")
    assert text[param.span[0] : param.span[1]] == "$x"


def test_several_on_one_line() -> None:
    text = "a <<X; b <<'Y' | c\n$(rm x)\nX\n$(no)\nY\nd"
    assert simples(text) == [["a", "<<X"], ["rm", "x"], ["b", "<<'Y'"], ["c"], ["d"]]


def test_in_the_middle_of_a_line() -> None:
    assert simples("cat <<E > f && rm x\nbody\nE\n") == [["cat", "<<E", "> f"], ["rm", "x"]]
    assert simples("cat <<E | (\nbody\nE\nrm x)") == [["cat", "<<E"], ["rm", "x"]]


def test_in_a_substitution() -> None:
    text = 'git commit -m "$(cat <<\'E\'\nit\'s "done" (really\nE\n)" && rm x'
    assert simples(text)[-1] == ["rm", "x"]


def test_in_a_function() -> None:
    assert simples("f() {\ncat <<E\n$(rm x)\nE\n}") == [["cat", "<<E"], ["rm", "x"]]


def test_quotes_in_a_body_are_text_but_those_in_a_substitution_are_not() -> None:
    assert simples('cat <<E\nit\'s "$(rm "x y")\nE\n')[1] == ["rm", '"x y"']


def test_a_line_that_only_starts_with_the_delimiter_goes_on() -> None:
    assert body("cat <<E\nE x\n E\nEE\nE\n") == [["Lit", "E x\n E\nEE\n", True]]


def test_lines_are_joined_before_the_delimiter_is_looked_for() -> None:
    assert body("cat <<E\na \\\nE\nE\n") == [["Lit", "a E\n", True]]
    assert body("cat <<'E'\na \\\nE\n") == [["Lit", "a \\\n", True]]
    assert len(reasons("cat <<EOF\nEO\\\nF\nrm x\nEOF\n")) == 1


def test_without_an_end_it_reaches_to_the_end_of_the_text() -> None:
    (document,) = documents("cat <<E\na\n")
    assert (document.terminated, dump(document.parts)) == (False, [["Lit", "a\n", True]])
    (document,) = documents("cat <<E")
    assert (document.terminated, document.parts) == (False, [])
    (document,) = documents("cat <<E\na\nE")
    assert document.terminated


def test_an_empty_delimiter_ends_at_an_empty_line() -> None:
    assert simples("cat <<''\na\n\nrm x") == [["cat", "<<''"], ["rm", "x"]]


def test_trouble_in_a_body_stays_in_it() -> None:
    text = "cat <<E\n$(a\nE\nrm x"
    assert reasons(text) == ["a substitution is not closed"]
    assert [type(c).__name__ for c in parse(text).commands] == ["Simple", "Simple"]


@pytest.mark.parametrize(
    "text",
    [
        "echo $(cat <<E\nEach (x)\nE\n)",  # inside $(…) bash ends it at `E…)`
        "echo $(cat <<E)",
        "cat <<$x\na\n$x\n",
        "cat <<E 'a\nb'\nc\nE\n",
        "cat <<E $(a\nb)\nc\nE\n",
    ],
)
def test_doubtful_ends_are_opaque(text: str) -> None:
    assert len(reasons(text)) == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cat a >\n", []),
        ("cat a >>  \nls", ["ls"]),
        ("make; cat a 2>\nls", ["ls"]),
        ("cat <<'X' >\nmake\nX\nls", ["ls"]),
        ("cat <<X >\n$(make)\nX\nls", ["ls"]),
        ("ls\ncat <\nmake", ["ls", "make"]),
        ("if ls; then make >\nls", ["ls"]),
    ],
)
def test_a_line_that_ends_where_a_target_is_needed_is_left_out_and_the_next_ones_are_read(
    text: str, left: list[str]
) -> None:
    assert reasons(text) == []
    assert [words[0] for words in simples(text)] == left


@pytest.mark.parametrize(
    "text", ["cat a >", "cat a > # b\nls", "ls $(cat a >\n)", "cat <<X $(a >\n)\nX", "{ cat a >\n}"]
)
def test_a_target_that_may_still_come_is_not_taken_to_be_missing(text: str) -> None:
    assert len(reasons(text)) == 1
