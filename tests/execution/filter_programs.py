"""Programs for awk, sed and jq, made by chance: something that has an effect, and around it what may hide it.

Around a payload stand strings, expressions, comments and brackets that are open or closed, so that whether the payload
is code or text depends on how the program is split into tokens. Most are refused; the rest is what matters.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["programs"]

_AWK_PAYLOADS = (
    'system("touch m")', 'print "x" > "w"', 'print "x" >> "w"', 'print("x") > "w"', 'print "x" | "touch m"',
    '"touch m" | getline', '"touch m" | getline l', 'getline l < "other"; print l', 'print ENVIRON["API_TOKEN"]',
    'printf "%s", "x" > "w"', 'print > "w"', 'print 1, 2 > "w"', 'print (1)(2) > "w"', 'print (1 > "w")',
    'while ((getline l < "other") > 0) print l', 'system ("touch m")', 'x = system("touch m")', 'print 1 > "w" ".x"',
    "for (k in ENVIRON) print ENVIRON[k]", 'f = "w"; print 1 > f', 'ARGV[1] = "other"',
    'x["w"]; for (k in x) print 1 > k', 'print a[1 > "w"]', 'print 1 ? 2 > "w" : 3', 'c = "touch m"; c | getline',
    'print "x" |& "touch m"', 'print 1 >"w"; x > "v"',
)  # fmt: skip
_AWK_AROUND = (
    "/", '"', "[", "]", "\\", "#", "\n", ";", "(", ")", "x", "1", "x++", "++x", "--", "$1", ",", "~", "!", " ", "{",
    "}", '"a"', "/a/", '/"/', "/[/]/", '/["]/', "/]/", "/[^/]*/", "/[]/]/", "/\\//", '"\\""', '"/"', "x /", "/ 2",
    "x = ", "if (1) ", "if (1)\n", "else ", "print ", "print 1 ", "length", "length / 2", "length() /", "getline",
    "getline / 2", "in ", "return ", "$", "$NF", "1e1", "1.5", "a[1]", "a[/x/]", "x \\\n", "\\\n/", '# "\n', "#/\n",
    "&& ", "|| ", "? ", ": ", "? 1 :", "=", "/= 2", "/=/", "(x)", "(x) / ", "for (;;) break; ", "do x; while (0) ",
    "while (0) ", "func", "BEGIN", "NR / 2", "x--", "-", "+", "%", "^", "'", "_", "é", '"é"', "\t", "(1) /a/",
    "/[\\/]/", "/[^\\/]+/", "/[\\]/", "/[\\]]/", "/[\\]/]/", "/[\\\\]/", "/[\\\\/]/", "/[\\[]/", "/[\\[/]/", "/[a\\/",
    '/[\\/"]/', '/[\\"]/', "/[\\t/]/", "/[^\\/]/]/", "/[\\/[:alpha:]]/", "/[[:\\/]/", "/\\[\\/]/", "/[]\\/]/",
)  # fmt: skip
_AWK_FRAMES = (
    "BEGIN{%s}", "{%s}", "%s", "%s{print}", "END{%s}", "function f(a){%s}BEGIN{f(1)}", "BEGIN{if(1){%s}}", "/a/{%s}",
    "BEGIN{%s\n}",
)  # fmt: skip
_SED_PAYLOADS = (
    "e touch m", "1e touch m", "w w", "s/o/x/w w", "s/.*/touch m/e", "r other", "R other", "W w", "e",
    "s/one/touch m/;e", "$!{e touch m\n}", "/a/e touch m", "1,2w w", "s,o,x,gw w", "s/o/x/gew w", "1!w w", "0,/x/w w",
    "1~2e touch m",
)  # fmt: skip
_SED_AROUND = (
    ";", "\n", "}", "{", "p", "p;", "d\n", "s/[/]/x/;", "s/a/b/", "s/a/b/g;", "y/[/]/;", "y/[/x/;", "s/[/x/;", "]",
    "[", "\\", "/", "a text\n", "a text\\\n", "a text\\\\\n", "a\\\n", "i\\\ntext\n", "c x", ":a\n", ":a ", ":a;",
    "b a;", "b\n", "ba ", "ta\n", "ta}", "#", "# x\n", "1", "$!", "/a/", "/[/]/", "\\,a,", "\\,[,],", "s,[,],x,",
    "n;", "=", "l 5;", "q5;", "N", "s/\\//x/;", "s/[\\]/x/;", "s/[]/]/x/;", "s/[^]/]/x/;", "s/[[:alpha:]/]/x/;",
    "s/a/[/;", "y/a/\\n/;", "s/a/\\\n/;", "s/a\nb/;", "1,", "2", " ", "\t", "!", "I", "M", "/a/I", "0~2", "v\n", "z;",
    "F;", "x;", "s/a/b/3", "s/a/b/I;", "s|a|b|;", "é", "s/é/[/;", "s*[*]*x*;", "sxaxbx;", "s a b ;", ",+1", ",~2",
)  # fmt: skip
_JQ_PAYLOADS = (
    "env", "$ENV", "$ENV.API_TOKEN", 'env["API_TOKEN"]', "env|keys,env[]", "$ ENV", "{$ENV}", '"\\(env)"',
    '@json "\\($ENV)"', 'import "other" as $o; $o', 'import "other" as $o; .', 'include "module"; made', "[env]",
    "{a: env}", "{(env|keys[0]): 1}", '"a" as $x | env', 'import "module" as m; m::made',
)  # fmt: skip
_JQ_AROUND = (
    ".", "|", ",", ".env", "{env: 1}", "{env}", '"', '"env"', '"\\(', ")", "(", "[", "]", "{", "}", "#", "# x\n",
    "# x\\\n", '# "\n', "\n", " ", ".a?", "//", "1", "and ", "as $x |", "if . then ", " else ", " end",
    "reduce .[]? as $x (0; ", "def f: ", ";", ":", '."env"', '"\\""', '"\\\\"', "@sh ", "..", "try ", ".[0, ", ".[1:",
    "?", "$x", "$__loc__", "{a: 1, ", "{env, ", '{"a":', "null ", "-", "\\", "empty, ", "select(.) |",
)  # fmt: skip
_JQ_FRAMES = (
    "%s", "[%s]", "(%s)", "{a: (%s)}", '"\\(%s)"', "def f: %s; f", ". as $x | %s", "{a: 1, b: %s}", "%s | .",
    "[.[0, %s : 2]?]",
)  # fmt: skip
_PARTS = {
    "awk": (_AWK_PAYLOADS, _AWK_AROUND, _AWK_FRAMES, ("; ", "\n", " ", "", ";")),
    "sed": (_SED_PAYLOADS, _SED_AROUND, ("%s", "%s\n", "1{%s\n}", "/o/{%s}", "p;%s"), (";", "\n", "", " ")),
    "jq": (_JQ_PAYLOADS, _JQ_AROUND, _JQ_FRAMES, (" ", "", " | ", ", ", "\n")),
}


def programs(language: str, count: int, seed: int = 0) -> Iterator[str]:
    payloads, around, frames, joints = _PARTS[language]
    chance = random.Random(f"{language}{seed}")
    few = (0, 0, 0, 1) if language == "jq" else (0, 1, 1, 2, 2, 3)  # the grammar of jq refuses nearly everything
    for _ in range(count):
        before = [chance.choice(around) for _ in range(chance.choice(few))]
        after = [chance.choice(around) for _ in range(chance.choice((0, *few[:-1])))]
        payload = [chance.choice(payloads)] if chance.random() < 0.95 else []
        if chance.random() < 0.15:
            payload.append(chance.choice(payloads))
        joint = chance.choice(joints)
        yield chance.choice(frames) % joint.join(["".join(before), *payload, "".join(after)])
