"""Constructs of bash nested at random, to be compared with shfmt and `bash -n`."""

from __future__ import annotations

import random

__all__ = ["make"]

WORDS = [
    "ls", "cat", "rm", "-rf", "x", "y.txt", "/tmp/a", "--opt=1", "a=b", "if", "then", "do", "done", "esac",
    "in", "}", "{", "fi", "foo#bar", "2", "{}", "]", "[[", "!", "é", "日本", "*.py", "a[1]", "~", "~/x", "~u:/y",
    "time",
]  # fmt: skip
NAMES = ["a", "b", "x", "foo", "_y", "P1", "HOME"]


class Maker:
    """Writes a random command; `depth` bounds the nesting, `docs` collects here-documents until the
    line ends."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.docs: list[str] = []

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def newline(self) -> str:
        bodies = "".join(self.docs)
        self.docs = []
        return "\n" + bodies

    def separator(self) -> str:
        if self.docs:
            return self.newline()
        return self.rng.choice(["; ", " ;", "\n", "; ", "\n", " & ", " # c'\"(\n"])

    def blank(self) -> str:
        return self.rng.choices([" ", "  ", "\t", " \\\n", "\\\n "], [20, 3, 1, 1, 1])[0]

    def many(self, depth: int, top: int = 3) -> str:
        out = []
        for _ in range(self.rng.randint(1, top)):
            out.append(self.andor(depth))
            out.append(self.separator())
        return "".join(out)

    def inside(self, depth: int) -> str:
        """A script for a substitution: documents that it opens end inside it."""
        outer, self.docs = self.docs, []
        rng = self.rng
        text = rng.choice(["", " "]) + self.andor(depth)
        for _ in range(rng.choice([0, 0, 1])):
            text += self.separator() + self.andor(depth)
        if self.docs:
            text += self.newline()
        self.docs = outer
        if outer and "\n" in text:
            return " ls"
        return text

    def andor(self, depth: int) -> str:
        text = self.pipeline(depth)
        while self.rng.random() < 0.25:
            joiner = self.rng.choice([" && ", " || ", "&&", "||"])
            if not self.docs and self.rng.random() < 0.1:
                joiner = self.rng.choice([" &&\n", " &&\\\n ", " || # c\n", "||\n"])
            text += joiner + self.pipeline(depth)
        return text

    def pipeline(self, depth: int) -> str:
        text = self.rng.choices(["", "! ", "time ", "time -p "], [30, 2, 1, 1])[0] + self.command(depth)
        while self.rng.random() < 0.2:
            joiner = self.rng.choice([" | ", "|", " |& "])
            if not self.docs and self.rng.random() < 0.1:
                joiner = " |\n"
            text += joiner + self.command(depth)
        return text

    def command(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.6:
            return self.simple(depth)
        d = depth - 1
        kind = rng.randrange(15)
        redirect = (" " + self.redirect(d)) if rng.random() < 0.15 else ""
        if kind == 0:
            return "( " + self.many(d, 2).rstrip(" ") + ")" + redirect
        if kind == 1:
            return "(" + self.andor(d) + ")" + redirect
        if kind == 2:
            return "{ " + self.many(d, 2) + "}" + redirect
        if kind == 3:
            text = f"if {self.many(d, 1)}then {self.many(d, 2)}"
            if rng.random() < 0.3:
                text += f"elif {self.many(d, 1)}then {self.many(d, 1)}"
            if rng.random() < 0.4:
                text += f"else {self.many(d, 1)}"
            return text + "fi" + redirect
        if kind == 4:
            words = " ".join(self.word(d) for _ in range(rng.randint(0, 3)))
            head = rng.choice(
                [
                    f"for {rng.choice(NAMES)} in {words}; do",
                    f"for {rng.choice(NAMES)}; do",
                    f"for {rng.choice(NAMES)} do",
                    f"select {rng.choice(NAMES)} in {words}; do",
                ]
            )
            return f"{head} {self.many(d, 2)}done{redirect}"
        if kind == 5:
            return f"for (({rng.choice(['', 'i=0'])};i<{self.arith(d)}; i++)); do {self.many(d, 1)}done{redirect}"
        if kind == 6:
            return f"{rng.choice(['while', 'until'])} {self.many(d, 1)}do {self.many(d, 2)}done{redirect}"
        if kind == 7:
            items = ""
            for _ in range(rng.randint(0, 3)):
                pattern = rng.choice(["a", "*", "[a-z]*", '"x y"', "'$('", self.word(d), "a|b", "a | b"])
                if pattern.startswith("esac"):
                    pattern = "z"
                body = rng.choice(["", " " + self.andor(d)])
                end = ";;" if self.docs else rng.choice([";;", ";;", " ;;", ";&", ";;&", "\n;;"])
                start = rng.choice(["", "("])
                items += f"{start}{pattern}){body} {end}"
                items += self.newline() if self.docs else rng.choice([" ", "\n"])
            return f"case {self.word(d)} in {items}esac{redirect}"
        if kind == 8:
            return f"[[ {self.test(d)} ]]{redirect}"
        if kind == 9:
            return f"(( {self.arith(d)} )){redirect}"
        if kind == 10:
            return rng.choice(
                [
                    f"f() {{ {self.many(d, 2)}}}",
                    f"function g {{ {self.many(d, 1)}}}",
                    f"function g () ( {self.andor(d)} )",
                    f"h-1 ()\n{{ {self.andor(d)}; }}" if not self.docs else f"k() {{ {self.andor(d)}; }}",
                ]
            )
        if kind == 11:
            return rng.choice([f"coproc {{ {self.andor(d)}; }}", f"coproc NAME {{ {self.andor(d)}; }}", "coproc ls"])
        if kind == 12:
            name = rng.choice(["declare", "local", "export", "readonly", "typeset"])
            option = rng.choice(["", "-a ", "-x "])
            return f"{name} {option}{rng.choice(NAMES)}={rng.choice([self.array(d), self.word(d), ''])}"
        if kind == 13:
            return (
                f"(({rng.choice(['echo a', 'ls'])}); {self.andor(d)})"
                if rng.random() < 0.1
                else f"( ({self.andor(d)}) )"
            )
        return self.simple(d)

    def array(self, depth: int) -> str:
        items = [self.rng.choice(["", "[k]=", "[1+1]="]) + self.word(depth) for _ in range(self.rng.randint(0, 3))]
        return "(" + " ".join(items) + ")"

    def simple(self, depth: int) -> str:
        rng = self.rng
        out = []
        if rng.random() < 0.15:
            out.append(rng.choice(NAMES) + rng.choice(["=", "+="]) + rng.choice([self.word(depth), ""]))
        elif rng.random() < 0.05:  # shfmt takes arrays only where no command follows
            value = rng.choice(["[1]=", "[$x]+=", "[a b]="]) + self.word(depth)
            return rng.choice(NAMES) + rng.choice([value, "=" + self.array(depth), "+=" + self.array(depth)])
        out.append(rng.choice(["ls", "echo", "rm", "git", "cat", "/bin/x", "'a b'", '"$x"', "echo", "a-b", "let-x"]))
        for _ in range(rng.randint(0, 4)):
            out.append(self.redirect(depth) if rng.random() < 0.18 else self.word(depth))
        return self.blank().join(out) if rng.random() < 0.9 else " ".join(out)

    def redirect(self, depth: int) -> str:
        rng = self.rng
        if rng.random() < 0.2:
            return self.heredoc(depth)
        fd = rng.choice(["", "", "2", "1", "{fd}", "10"])
        op = rng.choice([">", ">>", "<", "<>", ">|", ">&", "<&", "<<<"])
        if rng.random() < 0.2:
            fd, op = "", rng.choice(["&>", "&>>"])
        target = rng.choice(["f", "1", "/dev/null", "-", '"$x"']) if rng.random() < 0.7 else self.word(depth)
        if op in (">&", "<&") and target.startswith("-"):
            target = "-"
        return fd + op + rng.choice(["", " "]) + (target if not target.startswith("(") else "f")

    def heredoc(self, depth: int) -> str:
        rng = self.rng
        op = rng.choice(["<<", "<<-"])
        mark = rng.choice(["E", "EOF", "'E F'", '"X"', "\\Y", "'EOF'", "END_1"])
        bare = mark.replace("'", "").replace('"', "").replace("\\", "")
        quoted = bare != mark
        outer, self.docs = self.docs, []
        lines = []
        for _ in range(rng.randint(0, 3)):
            line = rng.choice(["plain", "it's", 'say "hi', "a $( b", "\tTab", "x \\\\", "# no", "", "$x ${y:-z}"])
            if not quoted:
                line = rng.choice(
                    [
                        "plain text",
                        "it's $x",
                        'a "b',
                        "\\$(no)",
                        f"$({self.inside(depth - 1)})" if depth > 0 else "c",
                        "`ls a`",
                        "$((1+2))",
                        "\tt",
                        "",
                        f"${{x:-{rng.choice(['a', '$y'])}}}",
                    ]
                )
            lines.append(line)
        self.docs = outer
        tab = rng.choice(["", "\t", "\t\t"]) if op == "<<-" else ""
        self.docs.append("".join(tab + line + "\n" for line in lines) + tab + bare + "\n")
        return op + rng.choice(["", " "]) + mark

    def word(self, depth: int) -> str:
        rng = self.rng
        text = "".join(self.part(depth) for _ in range(rng.choices([1, 2, 3], [8, 3, 1])[0]))
        return text if not text.startswith("#") else "x" + text

    def part(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.5:
            return rng.choice(
                [
                    rng.choice(WORDS),
                    rng.choice(WORDS),
                    "'a $( \" b'",
                    '"a b"',
                    "\\;",
                    "\\ ",
                    "$x",
                    "${y}",
                    "$'a\\n\\''",
                    "$1",
                    "$@",
                    "$",
                    "{a,b}",
                    "{1..3}",
                    "a{b,c{d,e}}",
                    "''",
                    '""',
                    "\\#",
                    "a\\\nb",
                ]
            )
        d = depth - 1
        kind = rng.randrange(12)
        if kind == 0:
            return f"$({self.inside(d)})" if rng.random() < 0.8 else f"$( ({self.inside(d)}) )"
        if kind == 1:
            return (
                '"'
                + "".join(
                    rng.choice(
                        [
                            "a ",
                            "$x",
                            "'",
                            f"$({self.inside(d)})",
                            '\\"',
                            "\\$",
                            "${x}",
                            "(",
                            f"${{x:-{rng.choice(['a b', '$y', chr(34) + 'q' + chr(34)])}}}",
                            '`ls \\"a b\\"`',
                            "\\\n",
                            "#",
                        ]
                    )
                    for _ in range(rng.randint(0, 4))
                )
                + '"'
            )
        if kind == 2:
            return (
                "`"
                + rng.choice(["ls", "echo a b", "echo \\`pwd\\`", "cat 'x y'", "a \\$x | b", "echo \\\\\\`a\\\\\\`"])
                + "`"
            )
        if kind == 3:
            return f"$(({self.arith(d)}))"
        if kind == 4:
            return f"{rng.choice(['<', '>'])}({self.inside(d)})"
        if kind == 5:
            op = rng.choice([":-", "-", ":=", ":?", ":+", "#", "##", "%", "%%", "^^", ",,", "/", "//", "/#"])
            return f"${{{rng.choice(NAMES)}{op}{self.operand(d)}}}"
        if kind == 6:
            return rng.choice(
                [
                    "${#x}",
                    "${!x}",
                    "${x[@]}",
                    "${x[$i]}",
                    "${#a[*]}",
                    "${!a@}",
                    "${x:1:2}",
                    "${x: -1}",
                    "${x@Q}",
                    "${a[1]:-z}",
                    "${!a[@]}",
                    "${#}",
                    "${x/a/b}",
                    "${@:2}",
                    "${*}",
                    "${x^}",
                ]
            )
        if kind == 7:
            return f"{{a,{self.word(d)},c}}"
        if kind == 8:
            return f"$[1+{rng.choice(['1', '$x'])}]"
        if kind == 9:
            return '$"t $x"'
        return self.part(d)

    def operand(self, depth: int) -> str:
        rng = self.rng
        return rng.choice(
            [
                "a",
                "a b",
                "'}'",
                '"}"',
                "\\}",
                "$y",
                "*",
                "~",
                f"$({self.inside(depth)})" if depth > 0 else "q",
                "",
                '"a $x b"',
                "${z:-w}",
            ]
        )

    def arith(self, depth: int) -> str:
        rng = self.rng
        return rng.choice(
            [
                "1",
                "x+1",
                "x<<2",
                "(1+2)*3",
                "a[1]",
                "$x",
                "${#y}",
                f"$({self.inside(depth)})" if depth > 0 else "5",
                "x ? 1 : 2",
                "`ls`",
                "x=3,y++",
                "$((1+1))",
                "!x",
                "~x",
                "x&y|z",
            ]
        )

    def test(self, depth: int) -> str:
        rng = self.rng
        kind = rng.randrange(9)
        if depth > 0 and kind == 0:
            return f"{self.test(depth - 1)} {rng.choice(['&&', '||'])} {self.test(depth - 1)}"
        if kind == 1:
            return f"! {self.test(depth - 1)}" if depth > 0 else "! x"
        if kind == 2:
            return f"( {self.test(depth - 1)} )" if depth > 0 else "(x)"
        if kind == 3:
            pattern = rng.choice(["(b|c)*$", "a|b", "^[a-z]+$", "$x", "a.b", "(a b)", "^(a|(b c))$"])
            return f"{self.word(depth)} =~ {pattern}"
        if kind == 4:
            return f"{rng.choice(['-f', '-d', '-z', '-n', '-v'])} {self.word(depth)}"
        if kind == 5:
            return f"{self.word(depth)} {rng.choice(['<', '>', '-eq', '-nt', '='])} {self.word(depth)}"
        if kind == 6:
            return f"$x == {rng.choice(['@(a|b)', 'a*', '!(x)', '*.+(a|b c)', '[a-z]'])}"
        return f"{self.word(depth)} {rng.choice(['==', '!='])} {self.word(depth)}"


def make(seed: int) -> str:
    rng = random.Random(seed)
    maker = Maker(rng)
    text = maker.many(rng.randint(0, 4), 2)
    if maker.docs:
        text += maker.newline()
    return text
