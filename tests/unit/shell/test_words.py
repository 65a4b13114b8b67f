"""Words: quoting, joining, comments, tildes, braces."""

from __future__ import annotations

import pytest

from interlock.reading.shell import dump
from shell_reading import arguments, clear, parts, reasons, simples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls", [["ls"]]),
        ("  ls\t-la  ", [["ls", "-la"]]),
        ("echo a#b #c", [["echo", "a#b"]]),
        ("echo a;#c", [["echo", "a"]]),
        ("echo '#' \\# \"#\" $#", [["echo", "'#'", "\\#", '"#"', "$#"]]),
        ("# only a comment", []),
        ("", []),
        (" \t\n\n", []),
        ("echo if then { } ! [[ ]] do", [["echo", "if", "then", "{", "}", "!", "[[", "]]", "do"]]),
        ("echo a=b c=d", [["echo", "a=b", "c=d"]]),
        ("echo\u00a0x y\u2003z", [["echo\u00a0x", "y\u2003z"]]),
        ("'a b'c\"d e\"\\ f g", [["'a b'c\"d e\"\\ f", "g"]]),
        ("echo a\\\n b", [["echo", "a", "b"]]),
        ("echo a\\\nb c", [["echo", "a\\\nb", "c"]]),
        ("ec\\\nho a", [["ec\\\nho", "a"]]),
        ("e\\\n\\\n\\\ncho a\\\nb", [["e\\\n\\\n\\\ncho", "a\\\nb"]]),
        ("echo !x !", [["echo", "!x", "!"]]),
        ("echo a[1 2]=3", [["echo", "a[1", "2]=3"]]),
    ],
)
def test_words_end_where_bash_ends_them(text: str, expected: list[list[str]]) -> None:
    assert simples(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("abc", [["Lit", "abc", False]]),
        ("'a$b'", [["Lit", "a$b", True]]),
        ("''", [["Lit", "", True]]),
        ('""', [["DoubleQuoted", [], False]]),
        ('"a b"', [["DoubleQuoted", [["Lit", "a b", True]], False]]),
        ('"a\\"b\\$c\\d"', [["DoubleQuoted", [["Lit", 'a"b$c\\d', True]], False]]),
        ('"a\\\nb"', [["DoubleQuoted", [["Lit", "ab", True]], False]]),
        ('$"hi"', [["DoubleQuoted", [["Lit", "hi", True]], True]]),
        ("a\\ b", [["Lit", "a", False], ["Lit", " ", True], ["Lit", "b", False]]),
        ("$'a\\n\\t\\x41\\101\\u00e9\\'b'", [["Lit", "a\n\tAAé'b", True]]),
        ("a$", [["Lit", "a", False], ["Lit", "$", False]]),
        ('"a$"', [["DoubleQuoted", [["Lit", "a$", True]], False]]),
        ('"it\'s"', [["DoubleQuoted", [["Lit", "it's", True]], False]]),
        ("*.py", [["Lit", "*.py", False]]),
        ("a\\\nb", [["Lit", "ab", False]]),
    ],
)
def test_quoting(word: str, expected: object) -> None:
    assert parts(word) == expected


@pytest.mark.parametrize("word", ["$'\\xff'", "$'\\0'", "$'\\q'", "$'\\ud800'", "$'\\x'", "$'a"])
def test_escapes_that_are_no_character_are_not_guessed(word: str) -> None:
    assert len(reasons("echo " + word)) == 1


def tilde(user: str) -> list[str]:
    return ["Tilde", user]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("~", [tilde("")]),
        ("~/x", [tilde(""), ["Lit", "/x", False]]),
        ("~root/x", [tilde("root"), ["Lit", "/x", False]]),
        ("~+", [tilde("+")]),
        ("~:x", [tilde(""), ["Lit", ":x", False]]),
        ("a~", [["Lit", "a~", False]]),
        ("\\~/x", [["Lit", "~", True], ["Lit", "/x", False]]),
        ('~"/x"', [["Lit", "~", False], ["DoubleQuoted", [["Lit", "/x", True]], False]]),
        ("k=~/x:~u", [["Lit", "k=", False], tilde(""), ["Lit", "/x:", False], tilde("u")]),
        ("--k=~/x", [["Lit", "--k=~/x", False]]),
    ],
)
def test_tildes_where_bash_expands_them(word: str, expected: object) -> None:
    assert parts(word) == expected


def test_tildes_in_assignments() -> None:
    assert dump(clear("P=~/a:~u/b:c~ ls").commands[0].assigns[0].value.parts) == [  # type: ignore[union-attr]
        tilde(""),
        ["Lit", "/a:", False],
        tilde("u"),
        ["Lit", "/b:c~", False],
    ]


def brace(*alternatives: list[object]) -> list[object]:
    return ["Brace", [["Word", a] for a in alternatives], None]


def lit(text: str) -> list[object]:
    return ["Lit", text, False]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("{a,b}", [brace([lit("a")], [lit("b")])]),
        ("x{a,}y", [lit("x"), brace([lit("a")], []), lit("y")]),
        ("{a,{b,c}}", [brace([lit("a")], [brace([lit("b")], [lit("c")])])]),
        ("{1..5}", [["Brace", [], ["1", "5", ""]]]),
        ("{a..e..2}", [["Brace", [], ["a", "e", "2"]]]),
        ("{-1..+3}", [["Brace", [], ["-1", "+3", ""]]]),
        ("{a}b,c}", [brace([lit("a}b")], [lit("c")])]),
        ("{{a,b}", [lit("{"), brace([lit("a")], [lit("b")])]),
        ("{~/a,b}", [brace([tilde(""), lit("/a")], [lit("b")])]),
        ("{}", [lit("{}")]),
        ("{a}", [lit("{a}")]),
        ("{a,b", [lit("{a,b")]),
        ("{1..a}", [lit("{1..a}")]),
        ("{a..}", [lit("{a..}")]),
        ("{1..$x}", [lit("{1.."), ["Param", "x", None, "", None, None, False, False], lit("}")]),
        ("{a\\,b}", [lit("{a"), ["Lit", ",", True], lit("b}")]),
        ("{'a,b'}", [lit("{"), ["Lit", "a,b", True], lit("}")]),
    ],
)
def test_braces_only_where_bash_expands_them(word: str, expected: object) -> None:
    assert parts(word) == expected


@pytest.mark.parametrize("word", ['{"a,b"..c}', "{{a,b}..c}", "~{a,b}", "{x,y}=~/z", "x={~/a,b}", "{~,a}b"])
def test_braces_that_change_meaning_after_expansion_are_opaque(word: str) -> None:
    assert len(reasons("echo " + word)) == 1


def test_braces_stay_literal_in_assignments_and_declarations() -> None:
    assert "Brace" not in str(dump(clear("a={1,2} ls")))
    assert "Brace" not in str(dump(clear("export a={1,2}")))
    assert "Brace" in str(dump(clear("env a={1,2}")))


def test_spans_are_code_points_of_the_text() -> None:
    text = "echo 日本 'é' x"
    assert [text[w.span[0] : w.span[1]] for w in arguments(text)] == ["日本", "'é'", "x"]
