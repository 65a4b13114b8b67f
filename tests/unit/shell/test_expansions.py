"""Expansions: parameters, substitutions wherever they can hide, arithmetic."""

from __future__ import annotations

import pytest

from interlock.reading.shell import parse
from interlock.reading.shell.syntax import Param
from interlock.reading.shell.walk import nodes
from shell_reading import kinds, parts, reasons, simples

HIDING_PLACES = [
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    'echo "`rm x`"',
    "echo ${a:-$(rm x)}",
    'echo "${a:-$(rm x)}"',
    "echo ${a:-`rm x`}",
    "echo ${a[$(rm x)]}",
    "echo ${a:$(rm x):1}",
    "echo ${a/$(rm x)/b}",
    "echo ${a/b/$(rm x)}",
    "echo ${a#$(rm x)}",
    'echo "${a:+"$(rm x)"}"',
    "echo $((1 + $(rm x)))",
    "echo $((a[$(rm x)]))",
    "echo $[1 + $(rm x)]",
    "echo {a,$(rm x)}",
    "echo a=$(rm x)",
    "echo <(rm x)",
    "echo >(rm x)",
    "echo a<(rm x)",
    "echo > $(rm x)",
    "echo 2>&$(rm x)",
    "echo <<< $(rm x)",
    'echo <<< "$(rm x)"',
    "echo <<E\n$(rm x)\nE",
    "echo <<E\n`rm x`\nE",
    "echo <<E\n${a:-$(rm x)}\nE",
    "echo <<E\n$((1 + $(rm x)))\nE",
    'echo "$(echo "$(echo "$(rm x)")")"',
    "echo `echo \\`rm x\\``",
]


@pytest.mark.parametrize("text", HIDING_PLACES)
def test_a_substitution_is_found_wherever_it_hides(text: str) -> None:
    assert ["rm", "x"] in simples(text)


@pytest.mark.parametrize(
    "text",
    [
        "a=$(rm x)",
        "a=($(rm x))",
        "a[$(rm x)]=1",
        "a=([$(rm x)]=1)",
        "declare a=$(rm x)",
        "export a=($(rm x))",
        "[[ $(rm x) ]]",
        "[[ a == $(rm x) ]]",
        "[[ -f $(rm x) ]]",
        "[[ a =~ $(rm x) ]]",
        "(( $(rm x) ))",
        "for i in $(rm x); do :; done",
        "for ((i=$(rm x);;)); do :; done",
        "select i in $(rm x); do :; done",
        "case $(rm x) in a) ;; esac",
        "case a in $(rm x)) ;; esac",
        "f() { $(rm x); }",
        "{ :; } > $(rm x)",
        "coproc rm x",
        "time rm x",
        "! rm x",
        "a=b rm x",
        "rm x &",
        "if rm x; then :; fi",
        "while :; do rm x; done",
        "(rm x)",
        "$(rm x)",
    ],
)
def test_a_command_is_found_in_every_construct(text: str) -> None:
    assert any(command[-2:] == ["rm", "x"] for command in simples(text))


@pytest.mark.parametrize(
    "text",
    [
        "echo '$(rm x)'",
        "echo \\$\\(rm x\\)",
        'echo "\\$(rm x)"',
        "echo <<'E'\n$(rm x)\nE",
        "echo $'$(rm x)'",
        "# $(rm x)",
    ],
)
def test_quoted_substitutions_are_text(text: str) -> None:
    assert "CmdSub" not in kinds(text)


def test_dollar_parens_that_are_a_subshell() -> None:
    assert kinds("echo $((a); (b))") == ["Simple", "CmdSub", "Subshell", "Simple", "Subshell", "Simple"]
    assert kinds("echo $( (a) )") == ["Simple", "CmdSub", "Subshell", "Simple"]
    assert kinds("echo $((a) | b)") == ["Simple", "CmdSub", "Pipeline", "Subshell", "Simple", "Simple"]
    assert kinds("echo $(((1+2)*3))") == ["Simple", "ArithSub"]


def test_double_parens_that_are_a_subshell() -> None:
    assert kinds("((a); (b))") == ["Subshell", "Subshell", "Simple", "Subshell", "Simple"]
    assert kinds("((x<<2))") == ["Arith"]
    assert kinds("(( (a) + (b) ))") == ["Arith"]
    assert len(reasons("((a)\nb)")) == 1


def test_arithmetic_keeps_its_text() -> None:
    assert parts("$((x<<2))") == [["ArithSub", [["Lit", "x<<2", False]]]]
    assert parts("$[1+1]") == [["ArithSub", [["Lit", "1+1", False]]]]


def word(text: str, quoted: bool = False) -> list[object]:
    return ["Word", [["Lit", text, quoted]]]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("$x", ["x", None, "", None, None, False, False]),
        ("${x}", ["x", None, "", None, None, False, False]),
        ("$1", ["1", None, "", None, None, False, False]),
        ("${10}", ["10", None, "", None, None, False, False]),
        ("$@", ["@", None, "", None, None, False, False]),
        ("${#x}", ["x", None, "", None, None, True, False]),
        ("${#}", ["#", None, "", None, None, False, False]),
        ("${##}", ["#", None, "", None, None, True, False]),
        ("${#:-x}", ["#", None, ":-", word("x"), None, False, False]),
        ("${!x}", ["x", None, "", None, None, False, True]),
        ("${!x*}", ["x", None, "!*", None, None, False, True]),
        ("${!x@}", ["x", None, "!@", None, None, False, True]),
        ("${!x[@]}", ["x", word("@"), "", None, None, False, True]),
        ("${x[1]}", ["x", word("1"), "", None, None, False, False]),
        ("${x:-a b}", ["x", None, ":-", word("a b"), None, False, False]),
        ("${x-a}", ["x", None, "-", word("a"), None, False, False]),
        ("${x:=a}", ["x", None, ":=", word("a"), None, False, False]),
        ("${x:?a}", ["x", None, ":?", word("a"), None, False, False]),
        ("${x:+a}", ["x", None, ":+", word("a"), None, False, False]),
        ("${x#a}", ["x", None, "#", word("a"), None, False, False]),
        ("${x##a}", ["x", None, "##", word("a"), None, False, False]),
        ("${x%a}", ["x", None, "%", word("a"), None, False, False]),
        ("${x%%a}", ["x", None, "%%", word("a"), None, False, False]),
        ("${x/a/b}", ["x", None, "/", word("a"), word("b"), False, False]),
        ("${x//a}", ["x", None, "//", word("a"), None, False, False]),
        ("${x/#a/b}", ["x", None, "/#", word("a"), word("b"), False, False]),
        ("${x/%a/b}", ["x", None, "/%", word("a"), word("b"), False, False]),
        ("${x^}", ["x", None, "^", ["Word", []], None, False, False]),
        ("${x^^}", ["x", None, "^^", ["Word", []], None, False, False]),
        ("${x,,a}", ["x", None, ",,", word("a"), None, False, False]),
        ("${x:1}", ["x", None, ":", word("1"), None, False, False]),
        ("${x:1:2}", ["x", None, ":", word("1"), word("2"), False, False]),
        ("${x: -1}", ["x", None, ":", word(" -1"), None, False, False]),
        ("${x@Q}", ["x", None, "@Q", None, None, False, False]),
        ("${x:-'}'}", ["x", None, ":-", word("}", True), None, False, False]),
        ("${x:-\\}}", ["x", None, ":-", word("}", True), None, False, False]),
    ],
)
def test_parameters(text: str, fields: list[object]) -> None:
    assert parts(text) == [["Param", *fields]]


def test_a_quoted_brace_does_not_end_a_parameter() -> None:
    assert parts('${x:-"a}b"}') == [
        [
            "Param",
            "x",
            None,
            ":-",
            ["Word", [["DoubleQuoted", [["Lit", "a}b", True]], False]]],
            None,
            False,
            False,
        ]
    ]


def test_single_quotes_in_a_quoted_parameter_are_text_or_quoting_depending_on_the_operator() -> None:
    assert parts("\"${x:-'a'}\"") == [
        ["DoubleQuoted", [["Param", "x", None, ":-", word("'a'", True), None, False, False]], False]
    ]
    assert parts("\"${x#'a'}\"") == [
        ["DoubleQuoted", [["Param", "x", None, "#", word("a", True), None, False, False]], False]
    ]


@pytest.mark.parametrize(
    "text",
    [
        'echo "${x#\'}"}',
        'echo "${x:-it\'s}"',
        "echo \"${x:-'$(rm x)'}\"",  # bash runs this: the quotes are text there
        "echo \"${x:-$'a'}\"",
        "echo $(( '$(rm x)' ))",
        "echo ${x y'}",
        "echo ${x.y$(rm x)}",
        "echo ${ rm x; }",
        "echo ${}",
        "echo ${x:}",
        "echo ${x@}",
        "echo ${x:-<(rm x)}",
        'echo "${x#<(rm x)}"',  # bash runs this one, too
        "echo $(( ${x:-)} ))",
        'echo "${x:-`echo \\"a\\"`}"',
    ],
)
def test_readings_on_which_quotes_disagree_are_opaque(text: str) -> None:
    assert len(reasons(text)) == 1


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("echo ${x y}", "("),
        ("echo ${f(x)}", "("),
        ("echo ${i + 1}", "("),
        ('echo "${row[0].name}"', "("),
        ('echo "${row[\\"a\\"].mean():.2f}"', "("),
        ("echo ${row.name}", "."),
    ],
)
def test_what_another_language_would_take_is_a_parameter_that_bash_refuses(text: str, op: str) -> None:
    assert reasons(text) == []
    assert [node.op for node in nodes(parse(text)) if isinstance(node, Param)] == [op]


@pytest.mark.parametrize(
    "text",
    [
        "a['$(rm x)']=1",
        "a=(['$(rm x)']=1)",
        "a=([\\$(rm x)]=1)",
        "echo ${a['$(rm x)']}",
        "echo \"${a['$(rm x)']}\"",
        "echo ${a:'$(rm x)'}",
        "echo $((a['$(rm x)']))",
        "(( '`rm x`' ))",
        "(( \\$(rm x) ))",
        'echo $(( "\\$(rm x)" ))',
        "echo $['$(rm x)']",
        "for ((i='$(rm x)';;)); do :; done",
        "echo $(( ${x:-'a[$(rm x)]'} ))",
        "echo >& '$(rm x)'",  # expanded twice, although it is no arithmetic
        "echo >&1\\`rm x\\`",
        "echo >& '<(rm x)'",
    ],
)
def test_quotes_do_not_hide_a_substitution_from_a_second_expansion(text: str) -> None:
    assert len(reasons(text)) == 1


def test_quoted_keys_without_expansions_are_read() -> None:
    assert simples("a['k 1']=v")[0] == ["a['k 1']=v"]
    assert parts('${a["k"]}')[0][0] == "Param"  # type: ignore[index]


def test_backticks_lose_one_level_of_backslashes() -> None:
    assert simples("echo `echo \\$x '\\\\'`")[1] == ["echo", "$x", "'\\\\'"]
    assert simples('echo "`rm \\"a b\\"`"')[1] == ["rm", '"a b\\"']
    assert simples("echo `echo \\`echo \\\\\\`rm x\\\\\\`\\``")[-1] == ["rm", "x"]


def test_trouble_inside_backticks_stays_inside() -> None:
    assert reasons("echo `a )` && rm x") == ["`)` is not expected here"]
    assert [type(c).__name__ for c in parse("echo `a )` && rm x").commands] == ["AndOr"]


def test_names_may_be_split_by_a_line_continuation() -> None:
    assert parts("$fo\\\no") == [["Param", "foo", None, "", None, None, False, False]]
    assert parts("${fo\\\no}") == [["Param", "foo", None, "", None, None, False, False]]
    assert simples("echo $\\\n(rm x)") == [["echo", "$\\\n(rm x)"], ["rm", "x"]]


def test_five_levels_of_quotes() -> None:
    text = 'echo "$(a "$(b \'$(no)\' "$(c "$(d "$(rm x)")")")")"'
    assert [command[0] for command in simples(text)] == ["echo", "a", "b", "c", "d", "rm"]
