"""What is worked out of a substitution is what sed and perl make of it, whatever script and text they are given."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chance import FEWER
from interlock.reading.core.substitutions import perl_change, perl_is_plain, sed_change

SED, PERL = shutil.which("sed"), shutil.which("perl")

LETTERS = st.sampled_from("aab.b *[]^$/\\|()+?{}&1n\"'`#;dgs,-")
PIECES = st.text(LETTERS, max_size=6)
MARKS = st.sampled_from("/|#,:@")
ADDRESSES = st.one_of(
    st.just(""),
    st.sampled_from(["1", "2", "$", "2,3", "3,1", "0"]),
    st.builds(lambda text: f"/{text}/", PIECES),
)
COMMANDS = st.one_of(
    st.builds(
        lambda where, mark, old, new, flags: f"{where}s{mark}{old}{mark}{new}{mark}{flags}",
        ADDRESSES,
        MARKS,
        PIECES,
        PIECES,
        st.sampled_from(["", "g", "gg", "p", "2", "i"]),
    ),
    st.builds(lambda where: where + "d", ADDRESSES),
)
SCRIPTS = st.lists(COMMANDS, min_size=1, max_size=3).map("; ".join)
TEXTS = st.lists(st.text(st.sampled_from("ab.*[]^$/\\|()+? &1n"), max_size=8), max_size=4).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "\n".join([*lines, ""])])
)


def _run(words: list[str], text: str) -> str | None:
    """What the program prints, or None if it refuses the script."""
    ran = subprocess.run(words, input=text.encode(), capture_output=True, check=False)
    return None if ran.returncode else ran.stdout.decode()


@pytest.mark.skipif(SED is None, reason="there is no sed")
@settings(max_examples=FEWER)
@given(SCRIPTS, TEXTS, st.booleans())
def test_a_change_that_is_worked_out_is_the_one_that_sed_makes(script: str, text: str, extended: bool) -> None:
    change = sed_change([script], extended=extended)
    if change is None:
        return
    made = _run([str(SED), *(["-E"] if extended else []), script], text)
    if made is not None:  # a script that sed refuses changes nothing
        assert change(text) == made


@pytest.mark.skipif(PERL is None, reason="there is no perl")
@settings(max_examples=FEWER)
@given(MARKS, PIECES, PIECES, st.sampled_from(["", "g", "i", "e"]), TEXTS)
def test_a_change_that_is_worked_out_is_the_one_that_perl_makes(
    mark: str, old: str, new: str, flags: str, text: str
) -> None:
    code = f"s{mark}{old}{mark}{new}{mark}{flags}"
    change = perl_change(code)
    if change is None:
        return
    assert perl_is_plain(code)
    made = _run([str(PERL), "-pe", code], text)
    if made is not None:
        assert change(text) == made


@pytest.mark.parametrize(
    ("script", "before", "after"),
    [
        (
            "s/localhost:5000/localhost:5001/g",
            "a localhost:5000 b localhost:5000\n",
            "a localhost:5001 b localhost:5001\n",
        ),
        ("s|http://a:80|http://b:81|", "u = 'http://a:80'\n", "u = 'http://b:81'\n"),
        ("2s/a/b/", "a\na\n", "a\nb\n"),
        ("/debug/d; s/x/y/", "debug\nx", "y"),
        ("s/np.array(x)/np.asarray(x)/", "v = np.array(x)\n", "v = np.asarray(x)\n"),
        ("s/^a$/b/;$d", "a\naa\na\n", "b\naa\n"),
        (r"s/a\/b/c\/d/", "a/b\n", "c/d\n"),
    ],
)
def test_plain_scripts_are_worked_out(script: str, before: str, after: str) -> None:
    change = sed_change([script], extended=False)
    assert change is not None
    assert change(before) == after


@pytest.mark.parametrize(
    "script",
    [
        "s/a*/b/",
        "s/[ab]/c/",
        r"s/\(a\)/\1/",
        "s/a/&b/",
        "s/a/b/e",
        "s/a/b/w x",
        "1e ls",
        "r x",
        "s//b/",
        "y/a/b/",
        "a\\b",
    ],
)
def test_scripts_that_are_not_certain_are_not_worked_out(script: str) -> None:
    assert sed_change([script], extended=False) is None


@pytest.mark.parametrize("text", ["a\r\n", "éa\n", "a\0b"])
def test_texts_that_tools_take_differently_are_not_worked_out(text: str) -> None:
    change = sed_change(["s/a/b/"], extended=False)
    assert change is not None
    assert change(text) is None


@pytest.mark.parametrize(
    ("script", "text", "made"),
    [
        ("s/a/b/", "é a\n", "é b\n"),
        ("s/port=50/port=51/g", "print('日本 →')\nport=50\n", "print('日本 →')\nport=51\n"),
        ("s/v1\\.0/v2/", "v1.0 ✓\n", "v2 ✓\n"),
        ("/old/d", "é\nold é\nnew\n", "é\nnew\n"),
        ("s/a.c/b/", "é abc\n", None),
        ("s/\\\\./b/", "é a\n", None),
        ("s/é/e/", "é a\n", None),
        ("s/port/x/", "éport\n", None),
    ],
)
def test_letters_of_several_bytes_stay_whole_where_no_pattern_can_meet_them(
    script: str, text: str, made: str | None
) -> None:
    change = sed_change([script], extended=False)
    assert (None if change is None else change(text)) == made
