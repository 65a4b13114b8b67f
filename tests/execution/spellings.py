"""Ways to write the words of one command: quoting, splitting, variables, substitutions, encodings."""

from __future__ import annotations

import re
from base64 import b64encode
from random import Random

from execution.technique import Spelling, ansi, double, hexed, octal, single

__all__ = ["SPELLINGS", "form", "quoted"]

_TOOLS = re.compile(r"\b(base64|xxd|rev|sed|cut|dash)\b")


def quoted(word: str, rng: Random) -> str:
    """The word in one of the quotings of bash; each of them leaves the word as it is."""
    cut = rng.randint(0, len(word))
    head, tail = word[:cut], word[cut:]
    forms = (
        single(word),
        double(word),
        ansi(word),
        f"{single(head)}{double(tail)}",
        f"{head}''{tail}",
        f'{head}""{tail}',
        f"{head}{ansi(tail)}",
        "".join("\\" + char for char in word),
        f'{head}$""{tail}',
        f"{head}\\\n{tail}",
        f"$'{hexed(word)}'",
        f"$'{octal(head)}'{tail}",
        "$'" + "".join(f"\\u{ord(char):04x}" for char in word) + "'",
    )
    return rng.choice(forms) if word else "''"


def _rot(text: str) -> str:
    return "".join(chr((ord(char) - 97 + 13) % 26 + 97) if "a" <= char <= "z" else char for char in text)


def _b64(text: str) -> str:
    return b64encode(text.encode()).decode()


def form(name: str, before: str, command: str, *, folds: bool = True) -> Spelling:
    """A row: `N` is the name of the program, `A` the other words, `L` all of them; see `_fill` for the rest."""

    def spell(words: list[str], rng: Random) -> tuple[str, str]:
        return _fill(before, words), _fill(command, words)

    return Spelling(name, folds, tuple(_TOOLS.findall(before + command)), spell)


def _fill(text: str, words: list[str]) -> str:
    name = words[0]
    half = len(name) // 2
    marks = {
        "⟨N⟩": name,
        "⟨A⟩": " ".join(words[1:]),
        "⟨L⟩": " ".join(words),
        "⟨comma⟩": ",".join(words),
        "⟨head⟩": name[:half],
        "⟨tail⟩": name[half:],
        "⟨last⟩": name[-1],
        "⟨init⟩": name[:-1],
        "⟨upper⟩": name.upper(),
        "⟨len⟩": str(len(name)),
        "⟨hex⟩": hexed(name),
        "⟨oct⟩": octal(name),
        "⟨zero⟩": "".join(f"\\0{byte:03o}" for byte in name.encode()),
        "⟨plain⟩": name.encode().hex(),
        "⟨b64⟩": _b64(name),
        "⟨b64 L⟩": _b64(" ".join(words)),
        "⟨rev⟩": name[::-1],
        "⟨rot⟩": _rot(name),
        "⟨each⟩": " ".join(name),
        "⟨lines⟩": "\n".join(words),
        "⟨set⟩": "; ".join(f"a[{i}]={word}" for i, word in enumerate(words)),
        "⟨refs⟩": " ".join(f'"${{a[{i}]}}"' for i in range(len(words))),
        "⟨numbers⟩": " ".join(f"${i + 1}" for i in range(len(words))),
        "⟨S⟩": str(len(words) - 1),
    }
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text


_ROWS: tuple[tuple[str, str, str], ...] = (
    ("plain", "", "⟨L⟩"),
    ("split: continuation", "", "⟨head⟩\\\n⟨tail⟩ \\\n ⟨A⟩"),
    ("split: empty quotes", "", "⟨head⟩''⟨tail⟩ ⟨A⟩"),
    ("split: brace words", "", "{⟨comma⟩}"),
    ("split: brace suffix", "", "⟨init⟩{⟨last⟩,} ⟨A⟩"),
    ("split: nested braces", "", "{⟨init⟩{⟨last⟩,},x} ⟨A⟩"),
    ("split: $IFS between", "", "⟨N⟩$IFS''⟨A⟩"),
    ("split: ${IFS} between", "", "⟨N⟩${IFS}⟨A⟩"),
    ("split: blank in value", 'x=" ⟨A⟩"; ', "⟨N⟩$x"),
    ("split: blank at the end", 'x="⟨N⟩ "; ', "${x}⟨A⟩"),
    ("split: IFS changed", "IFS=,; x=⟨comma⟩; ", "$x"),
    ("split: IFS changed back", "x=⟨comma⟩; IFS=,; set -- $x; unset IFS; ", '"$@"'),
    ("split: IFS of several", "IFS=,:; x=⟨N⟩:'⟨A⟩'; ", "$x"),
    ("split: absent variable", "", "⟨head⟩${none}⟨tail⟩ ⟨A⟩"),
    ("split: absent parameter", "", "⟨head⟩$1⟨tail⟩ ⟨A⟩"),
    ("split: $@ in a word", "", "⟨head⟩$@⟨tail⟩ ⟨A⟩"),
    ("variable", "x=⟨N⟩; ", "$x ⟨A⟩"),
    ("variable: whole line", "x='⟨L⟩'; ", "$x"),
    ("variable: quoted name", "x=⟨N⟩; ", '"$x" ⟨A⟩'),
    ("variable: two halves", "x=⟨head⟩ y=⟨tail⟩; ", "$x$y ⟨A⟩"),
    ("variable: half", "x=⟨head⟩; ", "${x}⟨tail⟩ ⟨A⟩"),
    ("variable: appended", "x=⟨head⟩; x+=⟨tail⟩; ", "$x ⟨A⟩"),
    ("variable: declare appended", "x=⟨head⟩; declare x+=⟨tail⟩; ", "$x ⟨A⟩"),
    ("variable: export appended", "x=⟨head⟩; export x+=⟨tail⟩; ", "$x ⟨A⟩"),
    ("variable: of variable", "x=⟨N⟩; y=$x; ", "$y ⟨A⟩"),
    ("variable: declare", "declare x=⟨N⟩; ", "$x ⟨A⟩"),
    ("variable: export", "export x=⟨N⟩; ", "$x ⟨A⟩"),
    ("variable: readonly", "readonly x=⟨N⟩; ", "$x ⟨A⟩"),
    ("variable: lower case", "declare -l x=⟨upper⟩; ", "$x ⟨A⟩"),
    ("variable: printf -v", "printf -v x %s%s ⟨head⟩ ⟨tail⟩; ", "$x ⟨A⟩"),
    ("variable: read", "read -r x <<< ⟨N⟩; ", "$x ⟨A⟩"),
    ("variable: read with blanks", "read -r x <<< '  ⟨N⟩  '; ", '"$x" ⟨A⟩'),
    ("variable: read without -r", "read x <<< '⟨head⟩\\⟨tail⟩'; ", '"$x" ⟨A⟩'),
    ("variable: read an array", "read -ra a <<< '⟨L⟩'; ", '"${a[@]}"'),
    ("variable: read two", "read -r x y <<< '⟨L⟩'; ", "$x $y"),
    ("variable: read with IFS", "IFS=, read -ra a <<< ⟨comma⟩; ", '"${a[@]}"'),
    ("variable: read some characters", "read -rn ⟨len⟩ x <<< ⟨N⟩zz; ", '"$x" ⟨A⟩'),
    ("variable: mapfile", "mapfile -t a <<< '⟨lines⟩'; ", '"${a[@]}"'),
    ("variable: nameref", "y=⟨N⟩; declare -n x=y; ", "$x ⟨A⟩"),
    ("variable: indirect", "y=⟨N⟩ x=y; ", "${!x} ⟨A⟩"),
    ("variable: last argument", ": ⟨N⟩; ", "$_ ⟨A⟩"),
    ("variable: eval", "eval x=⟨N⟩; ", "$x ⟨A⟩"),
    ("variable: eval twice", "n=x; eval \"$n=⟨N⟩\"; ", "$x ⟨A⟩"),
    ("variable: loop", "for x in ⟨N⟩; do :; done; ", "$x ⟨A⟩"),
    ("variable: loop of pieces", "x=; for c in ⟨each⟩; do x=$x$c; done; ", "$x ⟨A⟩"),
    ("parameter: #", "x=zz⟨N⟩; ", "${x#zz} ⟨A⟩"),
    ("parameter: ##", "x=a/b/⟨N⟩; ", "${x##*/} ⟨A⟩"),
    ("parameter: %", "x=⟨N⟩.txt; ", "${x%.txt} ⟨A⟩"),
    ("parameter: %%", "x=⟨N⟩.a.b; ", "${x%%.*} ⟨A⟩"),
    ("parameter: # ?", "x=z⟨N⟩; ", "${x#?} ⟨A⟩"),
    ("parameter: % class", "x=⟨N⟩7; ", "${x%[0-9]} ⟨A⟩"),
    ("parameter: /", "x=⟨head⟩Z⟨tail⟩; ", "${x/Z/} ⟨A⟩"),
    ("parameter: //", "x=Z⟨head⟩Z⟨tail⟩; ", "${x//Z} ⟨A⟩"),
    ("parameter: /#", "x=Z⟨N⟩; ", "${x/#Z} ⟨A⟩"),
    ("parameter: /%", "x=⟨N⟩Z; ", "${x/%Z/} ⟨A⟩"),
    ("parameter: // class", "x=Z⟨head⟩Y⟨tail⟩; ", "${x//[YZ]} ⟨A⟩"),
    ("parameter: ,,", "x=⟨upper⟩; ", "${x,,} ⟨A⟩"),
    ("parameter: @L", "x=⟨upper⟩; ", "${x@L} ⟨A⟩"),
    ("parameter: substring", "x=zz⟨N⟩zz; ", "${x:2:⟨len⟩} ⟨A⟩"),
    ("parameter: substring end", "x=zz⟨N⟩; ", "${x: -⟨len⟩} ⟨A⟩"),
    ("parameter: substring sum", "x=zz⟨N⟩; ", "${x:1+1} ⟨A⟩"),
    ("parameter: :-", "", "${none:-⟨N⟩} ⟨A⟩"),
    ("parameter: -", "unset x; ", "${x-⟨N⟩} ⟨A⟩"),
    ("parameter: :- of empty", "x=; ", "${x:-⟨N⟩} ⟨A⟩"),
    ("parameter: :- of unset", "x=ls; unset x; ", "${x:-⟨N⟩} ⟨A⟩"),
    ("parameter: :+", "x=1; ", "${x:+⟨N⟩} ⟨A⟩"),
    ("parameter: + of unset", "x=ls; unset x; ", "${x+ls} ⟨L⟩"),
    ("parameter: :=", ": ${x:=⟨N⟩}; ", "$x ⟨A⟩"),
    ("parameter: = of unset", "unset x; : ${x=⟨N⟩}; ", "$x ⟨A⟩"),
    ("parameter: words in :-", "", "${none:-⟨L⟩}"),
    ("parameter: nested", "x=z⟨N⟩; ", "${none:-${x#z}} ⟨A⟩"),
    ("parameter: @E", "x='⟨hex⟩'; ", "${x@E} ⟨A⟩"),
    ("array", "a=(⟨L⟩); ", '"${a[@]}"'),
    ("array: *", "a=(⟨L⟩); ", "${a[*]}"),
    ("array: elements", "⟨set⟩; ", "⟨refs⟩"),
    ("array: all of elements", "⟨set⟩; ", '"${a[@]}"'),
    ("array: appended", "a=(⟨N⟩); a+=(⟨A⟩); ", '"${a[@]}"'),
    ("array: first", "a=(⟨N⟩ zz); ", "$a ⟨A⟩"),
    ("array: slice", "a=(ls ⟨L⟩); ", '"${a[@]:1}"'),
    ("array: negative", "a=(ls ⟨N⟩); ", '"${a[-1]}" ⟨A⟩'),
    ("array: computed", "a=(ls ⟨N⟩); ", '"${a[2-1]}" ⟨A⟩'),
    ("array: subscripts", "a=([1]=⟨N⟩ [0]=ls); ", '"${a[1]}" ⟨A⟩'),
    ("array: associative", "declare -A m=([k]=⟨N⟩ [j]=ls); ", '"${m[k]}" ⟨A⟩'),
    ("array: associative element", "declare -A m; m[k]=⟨N⟩; ", '"${m[k]}" ⟨A⟩'),
    ("positional: set --", "set -- ⟨L⟩; ", '"$@"'),
    ("positional: set", "set ⟨L⟩; ", "$*"),
    ("positional: numbers", "set -- ⟨L⟩; ", "⟨numbers⟩"),
    ("positional: shift", "set -- ls ⟨L⟩; shift; ", '"$@"'),
    ("positional: slice", "set -- ls ⟨L⟩; ", '"${@:2}"'),
    ("positional: from the split", "x='⟨L⟩'; set -- $x; ", '"$@"'),
    ("positional: last", "set -- ls ⟨N⟩; ", '"${!#}" ⟨A⟩'),
    ("function: arguments", 'f() { "$@"; }; ', "f ⟨L⟩"),
    ("function: name", "f() { ⟨N⟩ \"$@\"; }; ", "f ⟨A⟩"),
    ("function: shadows", 'ls() { ⟨N⟩ "$@"; }; ', "ls ⟨A⟩"),
    ("function: local", "f() { local x=⟨N⟩; $x ⟨A⟩; }; ", "f"),
    ("function: prints", "f() { echo ⟨N⟩; }; ", "$(f) ⟨A⟩"),
    ("function: in a function", "f() { g() { ⟨L⟩; }; }; f; ", "g"),
    ("substitution", "", "$(echo ⟨N⟩) ⟨A⟩"),
    ("substitution: backticks", "", "`echo ⟨N⟩` ⟨A⟩"),
    ("substitution: quoted", "", '"$(echo ⟨N⟩)" ⟨A⟩'),
    ("substitution: nested", "", "$(echo $(echo ⟨N⟩)) ⟨A⟩"),
    ("substitution: nested backticks", "", "`echo \\`echo ⟨N⟩\\`` ⟨A⟩"),
    ("substitution: whole line", "", "$(echo ⟨L⟩)"),
    ("substitution: halves", "", "$(echo ⟨head⟩)$(echo ⟨tail⟩) ⟨A⟩"),
    ("substitution: printf", "", "$(printf %s%s ⟨head⟩ ⟨tail⟩) ⟨A⟩"),
    ("substitution: here-string", "", "$(cat <<< ⟨N⟩) ⟨A⟩"),
    ("substitution: here-document", "", "$(cat <<E\n⟨N⟩\nE\n) ⟨A⟩"),
    ("substitution: two commands", "", "$(:; echo ⟨head⟩⟨tail⟩) ⟨A⟩"),
    ("substitution: group", "", "$({ printf ⟨head⟩; printf ⟨tail⟩; }) ⟨A⟩"),
    ("substitution: if", "", "$(if true; then echo ⟨N⟩; fi) ⟨A⟩"),
    ("substitution: and", "", "$(true && echo ⟨N⟩) ⟨A⟩"),
    ("substitution: variable", "x=$(echo ⟨N⟩); ", "$x ⟨A⟩"),
    ("substitution: file", "echo ⟨N⟩ > f; ", "$(cat f) ⟨A⟩"),
    ("substitution: $(<file)", "echo ⟨N⟩ > f; ", "$(<f) ⟨A⟩"),
    ("substitution: command -v", "", "$(command -v ⟨N⟩) ⟨A⟩"),
    ("encoding: printf hex", "", "$(printf '⟨hex⟩') ⟨A⟩"),
    ("encoding: printf octal", "", "$(printf '⟨oct⟩') ⟨A⟩"),
    ("encoding: printf %b", "", "$(printf %b '⟨zero⟩') ⟨A⟩"),
    ("encoding: echo -e", "", "$(echo -e '⟨hex⟩') ⟨A⟩"),
    ("encoding: echo -e octal", "", "$(echo -e '⟨zero⟩') ⟨A⟩"),
    ("encoding: echo -e end", "", "$(echo -e '⟨N⟩\\c zz') ⟨A⟩"),
    ("encoding: printf precision", "", "$(printf %.⟨len⟩s ⟨N⟩zz) ⟨A⟩"),
    ("encoding: $'' hex", "", "$'⟨hex⟩' ⟨A⟩"),
    ("encoding: $'' octal", "", "$'⟨oct⟩' ⟨A⟩"),
    ("encoding: $'' value", "x=$'⟨hex⟩'; ", "$x ⟨A⟩"),
    ("encoding: base64", "", "$(echo ⟨b64⟩ | base64 -d) ⟨A⟩"),
    ("encoding: base64 --decode", "", "$(base64 --decode <<< '⟨b64 L⟩')"),
    ("encoding: base64 -di", "", "$(echo ⟨b64⟩ | base64 -di) ⟨A⟩"),
    ("encoding: base64 of a file", "echo ⟨b64⟩ > f; ", "$(echo bHM= | base64 -d f) ⟨A⟩"),
    ("encoding: rev", "", "$(rev <<< ⟨rev⟩) ⟨A⟩"),
    ("encoding: rev of a file", "echo ⟨rev⟩ > f; ", "$(echo sl | rev f) ⟨A⟩"),
    ("encoding: tr", "", "$(tr n-za-m a-z <<< ⟨rot⟩) ⟨A⟩"),
    ("encoding: tr brackets", "", "$(echo ⟨rot⟩ | tr '[n-za-m]' '[a-z]') ⟨A⟩"),
    ("encoding: tr -d", "", "$(echo ⟨head⟩Z⟨tail⟩ | tr -d Z) ⟨A⟩"),
    ("encoding: tr lower", "", "$(echo ⟨upper⟩ | tr '[:upper:]' '[:lower:]') ⟨A⟩"),
    ("encoding: tr A-Z", "", "$(echo ⟨upper⟩ | tr A-Z a-z) ⟨A⟩"),
    ("encoding: xxd", "", "$(xxd -r -p <<< ⟨plain⟩) ⟨A⟩"),
    ("encoding: xxd -ps", "", "$(echo ⟨plain⟩ | xxd -ps -r) ⟨A⟩"),
    ("encoding: xxd of a file", "echo ⟨plain⟩ > f; ", "$(echo 6c73 | xxd -r -p f) ⟨A⟩"),
    ("fed: read", "", "echo ⟨N⟩ | { read -r x; $x ⟨A⟩; }"),
    ("fed: while read", "", "echo ⟨N⟩ | while read -r x; do $x ⟨A⟩; done"),
    ("fed: xargs words", "", "echo ⟨A⟩ | xargs ⟨N⟩"),
    ("fed: xargs -n1", "", "echo ⟨A⟩ | xargs -n1 ⟨N⟩"),
    ("fed: xargs -I", "", "echo '⟨A⟩' | xargs -I{} ⟨N⟩ {}"),
    ("fed: xargs -I name", "", "echo ⟨N⟩ | xargs -I{} env {} ⟨A⟩"),
    ("fed: xargs -I code", "", "echo '⟨L⟩' | xargs -I{} sh -c '{}'"),
    ("fed: xargs sh", "", "echo ⟨A⟩ | xargs sh -c '⟨N⟩ \"$@\"' _"),
    ("fed: xargs -d", "", "echo -n ⟨comma⟩ | xargs -d, env"),
    ("fed: xargs quotes", "", "echo '\"⟨A⟩\"' | xargs ⟨N⟩"),
    ("fed: xargs env", "", "echo ⟨L⟩ | xargs env"),
    ("fed: xargs -a", "echo ⟨A⟩ > f; ", "xargs -a f ⟨N⟩"),
)  # fmt: skip
_HARD: tuple[tuple[str, str, str], ...] = (
    ("hard: cut", "", "$(echo zz⟨N⟩ | cut -c3-) ⟨A⟩"),
    ("hard: sed", "", "$(echo zz⟨N⟩ | sed s/zz//) ⟨A⟩"),
    ("hard: head", "", "$(echo ⟨N⟩zz | head -c ⟨len⟩) ⟨A⟩"),
    ("hard: sort", "", "$(printf '%s\\n' zz ⟨N⟩ | sort | head -n1) ⟨A⟩"),
    ("hard: printf of a number", "", '$(printf "\\\\$(printf %o 114)m") ⟨A⟩'),
    ("hard: ${x@P}", "x='⟨oct⟩'; ", "${x@P} ⟨A⟩"),
    ("hard: names of variables", "⟨N⟩=1; ", "${!⟨N⟩@} ⟨A⟩"),
    ("hard: glob", "> ⟨N⟩; ", "⟨init⟩? ⟨A⟩"),
)

SPELLINGS: tuple[Spelling, ...] = (
    Spelling("quoting", spell=lambda words, rng: ("", " ".join(quoted(word, rng) for word in words))),
    *(form(*row) for row in _ROWS),
    *(form(*row, folds=False) for row in _HARD),
)  # fmt: skip
