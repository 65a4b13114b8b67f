"""Commands: lists, pipelines, compound commands, redirections, assignments."""

from __future__ import annotations

import pytest

from interlock.reading.shell import dump
from shell_reading import clear, first, kinds, reasons, simples


def simple(*words: str) -> list[object]:
    return ["Simple", [], [["Word", [["Lit", w, False]]] for w in words], []]


def test_a_typical_command() -> None:
    assert first("cd app && npm test | tail -20") == [
        "AndOr",
        [
            simple("cd", "app"),
            ["Pipeline", [simple("npm", "test"), simple("tail", "-20")], [False, False], False, False],
        ],
        ["&&"],
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b", ["Simple", "Simple"]),
        ("a\nb\n\n", ["Simple", "Simple"]),
        ("a & b", ["Background", "Simple", "Simple"]),
        ("a && b || c", ["AndOr", "Simple", "Simple", "Simple"]),
        ("a &&\n\n b", ["AndOr", "Simple", "Simple"]),
        ("a | # c\n b", ["Pipeline", "Simple", "Simple"]),
        ("a |& b", ["Pipeline", "Simple", "Simple"]),
        ("a &\\\n& b", ["AndOr", "Simple", "Simple"]),
        ("a |\\\n| b", ["AndOr", "Simple", "Simple"]),
        ("a |\\\n b", ["Pipeline", "Simple", "Simple"]),
        ("i\\\nf a; then b; fi", ["If", "Branch", "Simple", "Simple"]),
        ("! a", ["Pipeline", "Simple"]),
        ("! ! a", ["Simple"]),
        ("time a", ["Pipeline", "Simple"]),
        ("time -p -- a | b", ["Pipeline", "Simple", "Simple"]),
        ("a | time b", ["Pipeline", "Simple", "Simple"]),
        ("! (a)", ["Pipeline", "Subshell", "Simple"]),
        ("{ a; }", ["Group", "Simple"]),
        ("{ a\n}", ["Group", "Simple"]),
        ("(a;b)", ["Subshell", "Simple", "Simple"]),
        ("{ (a) }", ["Group", "Subshell", "Simple"]),
        (
            "if a; then b; elif c; then d; else e; fi",
            ["If", "Branch", "Simple", "Simple", "Branch", "Simple", "Simple", "Simple"],
        ),
        ("if (a) then b; fi", ["If", "Branch", "Subshell", "Simple", "Simple"]),
        ("while a; do b; done", ["While", "Simple", "Simple"]),
        ("until a\ndo b\ndone", ["While", "Simple", "Simple"]),
        ("for x in a b; do c; done", ["For", "Simple"]),
        ("for x; do c; done", ["For", "Simple"]),
        ("for x do c; done", ["For", "Simple"]),
        ("for x\nin a\ndo c; done", ["For", "Simple"]),
        ("for x in a; { c; }", ["For", "Simple"]),
        ("for ((;;)); do c; done", ["ForArith", "Simple"]),
        ("for ((i=0;i<3;i++)) { c; }", ["ForArith", "Simple"]),
        ("select x in a; do c; done", ["For", "Simple"]),
        (
            "case x in a) b;; c|d) e;& (f) ;;& *) g; esac",
            ["Case", "CaseItem", "Simple", "CaseItem", "Simple", "CaseItem", "CaseItem", "Simple"],
        ),
        ("case x in esac", ["Case"]),
        ("case in in in) a;; esac", ["Case", "CaseItem", "Simple"]),
        ("case if in then) a;; esac", ["Case", "CaseItem", "Simple"]),
        (
            "echo $(case x in (a) b;; c) d;; esac)",
            ["Simple", "CmdSub", "Case", "CaseItem", "Simple", "CaseItem", "Simple"],
        ),
        ("f() { a; }", ["FunctionDef", "Group", "Simple"]),
        ("f () (a)", ["FunctionDef", "Subshell", "Simple"]),
        ("function f { a; }", ["FunctionDef", "Group", "Simple"]),
        ("function f()\n{ a; } > x", ["FunctionDef", "Group", "Simple", "Redirect"]),
        ("f() [[ a ]]", ["FunctionDef", "Cond", "Test"]),
        ("coproc a b", ["Coproc", "Simple"]),
        ("coproc N { a; }", ["Coproc", "Group", "Simple"]),
        ("coproc { a; }", ["Coproc", "Group", "Simple"]),
        ("if a; then b; fi | c", ["Pipeline", "If", "Branch", "Simple", "Simple", "Simple"]),
        ("{ a; } > x 2>&1", ["Group", "Simple", "Redirect", "Redirect"]),
        ("while a; do b; done < x", ["While", "Simple", "Simple", "Redirect"]),
        ("echo } {", ["Simple"]),
        ("}x", ["Simple"]),
        ("{a", ["Simple"]),
    ],
)
def test_structure(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


def test_names_and_flags() -> None:
    assert first("coproc N { a; }")[1] == "N"  # type: ignore[index]
    assert first("! time a")[3:] == [True, True]  # type: ignore[index]
    assert first("a |& b")[2] == [True, False]  # type: ignore[index]
    assert first("until a; do b; done")[3] is True  # type: ignore[index]
    assert first("select x in a; do b; done")[4] is True  # type: ignore[index]
    assert first("for x; do b; done")[2] is None  # type: ignore[index]
    assert [item[3] for item in first("case x in a) ;; b) ;& c) ;;& d) esac")[2]] == [";;", ";&", ";;&", ""]  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        ";",
        "&",
        "a;;b",
        "a & ; b",
        "; a",
        "a ; ; b",
        "a &| b",
        "| a",
        "a |",
        "a &&",
        "&& a",
        "}",
        "{ a }",
        "{ }",
        "( )",
        "()",
        "(a",
        "a)",
        "{ a; }; }",
        "(a) b",
        "{ a; } b",
        "(a) > x b",
        "then",
        "do",
        "done",
        "fi",
        "esac",
        "in",
        "]]",
        "a && then",
        "if a; then b",
        "if ; then a; fi",
        "if a; then fi",
        "if { a; } > x then b; fi",
        "if a; then b; fi c",
        "while do a; done",
        "until a; do done",
        "for",
        "for x",
        "for x in a & do b; done",
        "for 1a in b; do c; done",
        "for x\n; do b; done",
        "for ((a;b)); do c; done",
        "for ((a;b;c;d)); do e; done",
        "select ((;;)); do a; done",
        "case",
        "case a in b",
        "case a in b\n) c;; esac",
        "case a in b) c && ;; esac",
        "case x in @(a|b)) c;; esac",
        "function",
        "function f",
        "function f a",
        "f() a",
        "f() ; { a; }",
        "if() { a; }",
        "a=b f() { c; }",
        "> x f() { a; }",
        "a | ! b",
        "! | a",
        "time | a",
        "coproc",
        "coproc ! a",
        "> x (a)",
        "a=b (c)",
        "a (b)",
        "echo !(a)",
        "ls @(a|b)",
        "a <",
        "a >",
        "> 2>x",
        "&>(x)",
        "a <<<",
        ">#f",
        "[[ a",
        "[[ ]]",
        "[[ a b ]]",
        "[[ -f ]]",
        "[[ a && ]]",
        "[[ 2> a ]]",
        "[[ a == ]]",
        "[[ a -a b ]]",
        "[[ a\n]]",
        "[[ a = (b) ]]",
        "[[ a ]] b",
        "[[ a =~ a;b ]]",
        "((1)) b",
        "(( 1 )",
        "a=(1;2)",
        "a=(1|2)",
        "a=(1 >x)",
        "a=( (1) )",
        "a= (1)",
        "echo a=(1)",
        "command declare a=(1)",
        "'declare' a=(1)",
        "declare > f a=(1)",
        "echo 'a",
        'echo "a',
        "echo `a",
        "echo $(a",
        "echo ${a",
        "echo $((1+2)",
        "foo[ bar",
    ],
)
def test_what_bash_refuses_is_opaque(text: str) -> None:
    assert len(reasons(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a=(1)b",
        "a[1]=(1)",
        "a[1]",
        "ls[a b]",
        "eval a=(1)",
        "'f'() { a; }",
        "coproc time ls",
        "echo \\",
        "echo $(time a)",
        "echo $(coproc a)",
        "echo $(a=(x\\;y))",
        "echo <((a) ; b)",
        "function f (a)",
        "!(a)",
        "{fd[1]}>x a",
        "time # c",
        "time time a",
        "{fd[$x]}>x a",
        "coproc { a=(if); }",
        "cat <<E | [[ a ]]\nE\n",
    ],
)
def test_what_bash_takes_but_reads_oddly_is_opaque(text: str) -> None:
    assert len(reasons(text)) == 1


def redirects(text: str) -> list[tuple[str, str, str]]:
    command = clear(text).commands[0]
    return [(r.fd, r.op, text[r.target.span[0] : r.target.span[1]]) for r in command.redirects]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "expected", "words"),
    [
        ("a > f", [("", ">", "f")], ["a"]),
        ("a>f", [("", ">", "f")], ["a"]),
        ("a >&2", [("", ">&", "2")], ["a"]),
        ("a 2>&1", [("2", ">&", "1")], ["a"]),
        ("a 2 >&1", [("", ">&", "1")], ["a", "2"]),
        ("a a2>f", [("", ">", "f")], ["a", "a2"]),
        ("a &>f", [("", "&>", "f")], ["a"]),
        ("a &>> f", [("", "&>>", "f")], ["a"]),
        ("a >& f", [("", ">&", "f")], ["a"]),
        ("a 2>&-", [("2", ">&", "-")], ["a"]),
        ("a <> f >| g", [("", "<>", "f"), ("", ">|", "g")], ["a"]),
        ("a {fd}> f", [("{fd}", ">", "f")], ["a"]),
        ("a {1}> f", [("", ">", "f")], ["a", "{1}"]),
        ("a 2\\\n>f", [("2", ">", "f")], ["a"]),
        ("a >\\\n> f", [("", ">>", "f")], ["a"]),
        ("> f a", [("", ">", "f")], ["a"]),
        ("a > f b", [("", ">", "f")], ["a", "b"]),
        ("a <<< 'x y'", [("", "<<<", "'x y'")], ["a"]),
        ("a > >(b)", [("", ">", ">(b)")], ["a"]),
        ("a 2>(b)", [], ["a", "2>(b)"]),
        ("> f", [("", ">", "f")], []),
    ],
)
def test_redirections(text: str, expected: list[tuple[str, str, str]], words: list[str]) -> None:
    command = clear(text).commands[0]
    assert [text[w.span[0] : w.span[1]] for w in command.words] == words  # type: ignore[union-attr]
    assert redirects(text) == expected


def test_assignments() -> None:
    assert dump(clear("a=1 b+=2 c[3]=4 d= cmd e=5").commands[0].assigns) == [  # type: ignore[union-attr]
        ["Assign", "a", None, "=", ["Word", [["Lit", "1", False]]]],
        ["Assign", "b", None, "+=", ["Word", [["Lit", "2", False]]]],
        ["Assign", "c", ["Word", [["Lit", "3", False]]], "=", ["Word", [["Lit", "4", False]]]],
        ["Assign", "d", None, "=", ["Word", []]],
    ]
    assert simples("a=b cmd") == [["a=b", "cmd"]]
    assert simples("cmd a=b") == [["cmd", "a=b"]]
    assert simples("1a=b") == [["1a=b"]]
    assert simples("]]x=1[[1+2") == [["]]x=1[[1+2"]]
    assert simples("é=b") == [["é=b"]]


def test_arrays() -> None:
    text = "a=(1 'b c' [k]=v # comment\n [x y]=z\n)"
    assert dump(clear(text).commands[0].assigns[0].value) == [  # type: ignore[union-attr]
        "ArrayLit",
        [
            ["ArrayItem", None, ["Word", [["Lit", "1", False]]]],
            ["ArrayItem", None, ["Word", [["Lit", "b c", True]]]],
            ["ArrayItem", ["Word", [["Lit", "k", False]]], ["Word", [["Lit", "v", False]]]],
            ["ArrayItem", ["Word", [["Lit", "x y", False]]], ["Word", [["Lit", "z", False]]]],
        ],
    ]


@pytest.mark.parametrize("command", ["declare -a", "typeset", "local", "export", "readonly"])
def test_declaring_commands_take_arrays(command: str) -> None:
    words = simples(f"{command} x=(1 2) y=3 z")[0]
    assert words[-3:] == ["x=(1 2)", "y=3", "z"]


def test_an_array_in_a_declaration_is_the_last_part_of_its_word() -> None:
    (command,) = clear("declare x=(1)").commands
    assert dump(command.words[1].parts)[0] == ["Lit", "x=", False]  # type: ignore[index, union-attr]
    assert dump(command.words[1].parts)[1][0] == "ArrayLit"  # type: ignore[index, union-attr]


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("[[ a ]]", ""),
        ("[[ -f a ]]", "-f"),
        ("[[ ! a ]]", "!"),
        ("[[ (a) ]]", "("),
        ("[[ a == b ]]", "=="),
        ("[[ a =~ (b|c)*$ ]]", "=~"),
        ("[[ a =~ b|c ]]", "=~"),
        ("[[ a =~ ^(a b) ]]", "=~"),
        ("[[ a < b ]]", "<"),
        ("[[ a<b ]]", "<"),
        ("[[ -f x && ! -d y ]]", "&&"),
        ("[[ a ||\n b && c ]]", "||"),
        ("[[ a == b\n]]", "=="),
        ("[[ a == @(b|c d) ]]", "=="),
        ("[[ !a ]]", ""),
        ("[[ if == then ]]", "=="),
        ("[[ a =\\\n= b ]]", "=="),
    ],
)
def test_conditions(text: str, op: str) -> None:
    assert first(text)[1][1] == op  # type: ignore[index]


def test_extended_patterns_in_conditions() -> None:
    assert first("[[ a == x@(b|c d) ]]")[1][2][1] == [  # type: ignore[index]
        "Word",
        [
            ["Lit", "x", False],
            ["ExtGlob", "@", [["Word", [["Lit", "b", False]]], ["Word", [["Lit", "c d", False]]]]],
        ],
    ]
