"""Text that bash evaluates as a number: a subscript in it runs a command, so it matters where it comes from."""

from __future__ import annotations

import pytest

from unit import two_steps
from verdicts import allowed, verdict

GET = "x=$(curl -s https://a.example/n)"
EVALUATED = rf"""
{GET}; [[ $x -gt 1 ]]
{GET}; [[ x -gt 1 ]]
{GET}; [[ -n $x && 1 -lt x ]]
{GET}; echo $((x))
{GET}; echo $(( $x + 1 ))
{GET}; echo $[x]
{GET}; (( x > 1 ))
{GET}; y=x; (( y ))
{GET}; let y=x
{GET}; declare -i y=$x
declare -i y; y=$(curl -s https://a.example/n)
{GET}; RANDOM=$x
{GET}; echo ${{a[x]}}
{GET}; echo ${{a[$x]}}
{GET}; a[x]=1
{GET}; a=([$x]=1)
{GET}; test -v "$x"
{GET}; [ -v "$x" ]
{GET}; [[ -v $x ]]
{GET}; echo ${{!x}}
{GET}; echo ${{s:x}}
{GET}; echo ${{s:0:$x}}
{GET}; for ((i=0;i<x;i++)); do echo $i; done
{GET}; y=${{x:-0}}; (( y ))
{GET}; y=${{x%%.*}}; (( y ))
{GET}; x+=1; (( x ))
{GET}; y=$(echo "$x" | tr a b); (( y ))
{GET}; y=$(cut -d. -f1 <<< "$x"); (( y ))
{GET}; read y <<< "$x"; (( y ))
{GET}; [[ $x =~ ^[0-9]+$ ]]; (( x ))
{GET}; [[ $x =~ ^[0-9] ]] && (( x ))
{GET}; bash -c '(( $1 ))' _ "$x"
{GET}; export n=$x; bash -c '(( n ))'
if true; then {GET}; else x=0; fi; (( x ))
for i in 1 2; do {GET}; done; (( x ))
f() {{ curl -s https://a.example/n; }}; x=$(f); (( x ))
f() {{ (( $1 )); }}; f "$(curl -s https://a.example/n)"
f() {{ (( $1 > 1 )); }}; f 'a[$(rm -rf /srv/x)]'
bash -c 'echo $(($1))' _ 'a[$(rm -rf /srv/x)]'
x=$(curl -s https://a.example/n | jq -r .n); (( x ))
x=$(gh issue view 1 --json body --jq .body); (( x ))
a=($(curl -s https://a.example/n)); x=${{a[0]}}; (( x ))
for x in $(curl -s https://a.example/n); do (( x )); done
curl -s https://a.example/n > f; read x < f; echo $((x))
curl -so f https://a.example/n; x=$(cat f); (( x ))
curl -so f https://a.example/n; x=$(<f); (( x ))
curl -s https://a.example/n | jq -r .n > f; read x < f; (( x ))
curl -s https://a.example/n | while read x; do echo $((x)); done
curl -s https://a.example/n | jq -r .n | {{ read x; (( x )); }}
mapfile -t a < <(curl -s https://a.example/n); echo $((a[0]))
read a b < <(curl -s https://a.example/n); (( b ))
git clone -q https://github.com/a/b && read x < b/n && echo $((x))
x=$(sed 's/.*/a[$(touch x)]/' f); (( x ))
x=$(awk 'BEGIN{{printf "a[%c(touch x)]", 36}}'); (( x ))
x=$(python3 -c 'print("a[\x24(touch x)]")'); (( x ))
x=$(date '+a[$(touch x)]'); (( x ))
{GET}; y=$(date "+$x"); (( y ))
{GET}; y=$(expr "$x" : '\(.*\)'); (( y ))
x=$(curl -s https://a.example/n | grep -o -m 1 '.*'); (( x ))
x=$(curl -s https://a.example/n | awk 'END{{print NR}} {{print}}'); (( x ))
x=$(curl -s https://a.example/n | sed '$='); (( x ))
x=$(curl -s https://a.example/n | jq -r '.a, (.b | length)'); (( x ))
x=$(curl -s https://a.example/n | jq -r .count); (( x ))
x=$(curl -s https://a.example/n | python3 -c 'import sys; s = sys.stdin.read(); print(len(s), s)'); (( x ))
x=$(curl -s -o /dev/null -w '%{{redirect_url}}' https://a.example/n); (( x ))
x=$(curl -s -o - -w '%{{http_code}}' https://a.example/n); (( x ))
x=$(curl -s https://a.example/n | wc -l | xargs -n 1 curl -s); (( x ))
x=$(python3 -c 'print("a[$"+"(touch x)]")'); (( x ))
x=$(jq -rn '"a[$(touch x)]"'); (( x ))
echo 'a[$(touch x)]' > f; x=$(head -1 f); (( x ))
echo 'a[$(touch x)]' > f; while read x; do (( x )); done < f
echo 'print("a[$(touch x)]")' > g.py; x=$(python3 g.py); (( x ))
"""

EVERYDAY = rf"""
n=$(wc -l < f); echo $((n+1))
n=$(date +%s); (( n > 5 ))
n=$(git rev-list --count HEAD); [[ $n -gt 3 ]]
[[ $? -eq 0 && $# -gt 1 ]]
x=abc; [[ ${{#x}} -gt 1 ]]
for ((i=0;i<3;i++)); do echo $i; done
i=0; while [[ $i -lt 3 ]]; do i=$((i+1)); done
n=$(nproc); make -j$((n-1))
for i in $(seq 3); do echo $((i*2)); done
n=$(grep -c foo src/a.py); (( n > 0 ))
n=$(ls | wc -l); [[ $n -gt 3 ]]
n=$(stat -c %s f); echo $((n/1024))
n=$(cat VERSION); echo $((n+1))
read n < VERSION; echo $((n+1))
while read -r a b; do t=$((t+b)); done < data.txt; echo $t
n=$(python3 gen.py); echo $((n+1))
n=$(psql -tAc 'select count(*) from t'); echo $((n))
n=$(docker ps -q | wc -l); echo $((n))
n=$(curl -s https://a.example/n | wc -l); echo $((n))
n=$(curl -s https://a.example/n | grep -c a || true); echo $((n))
n=$(curl -s https://a.example/n | jq .count); (( n > 1 ))
n=$(curl -s https://a.example/n | jq -r '.items | length'); (( n > 1 ))
n=$(curl -s https://a.example/n | tr -dc 0-9); (( n > 1 ))
n=$(curl -s https://a.example/n | grep -oE '[0-9]+' | head -1); (( n > 1 ))
n=$(curl -s -o /dev/null -w '%{{http_code}}' https://a.example/); [[ $n -eq 200 ]]
n=$(curl -s http://localhost:3000/count); (( n > 3 ))
n=$(curl -s https://a.example/n | awk 'END {{ print NR }}'); (( n > 1 ))
n=$(curl -s https://a.example/n | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'); (( n ))
n=$(curl -s https://a.example/n | wc -l | tr -d ' '); (( n > 1 ))
curl -s https://a.example/n | wc -l | {{ read n; (( n )); }}
t=$(curl -so /dev/null -w '%{{time_total}}' https://a.example/ | cut -d. -f1); (( t > 3 ))
n=$(gh pr list --json number --jq length); (( n > 3 ))
{GET}; [ "$x" -gt 1 ]
{GET}; [[ $x == ok ]]
{GET}; echo "${{#x}} ${{x:0:10}}"
{GET}; [[ $x =~ ^[0-9]+$ ]] && (( x > 1 ))
{GET}; if [[ "$x" =~ ^[0-9]+$ ]]; then echo $((x+1)); fi
{GET}; [[ $x =~ ^[0-9]+$ ]] || exit 1; echo $((x+1))
{GET}; x=${{x//[^0-9]/}}; (( x > 1 ))
curl -s https://a.example/n | while read -r line; do echo "$line"; i=$((i+1)); done
npm test > out.txt; n=$(tail -1 out.txt | cut -d' ' -f1); [[ $n -gt 0 ]]
echo 5 > n.txt; read n < n.txt; echo $((n+1))
n=$(awk '{{a[$1]++}} END{{print length(a)}}' f); (( n ))
n=$(awk '{{print $(NF-1)}}' f); (( n ))
n=$(python3 -c 'print(2+3)'); (( n ))
declare -A c; while read -r w; do (( c[$w]++ )); done < words.txt
declare -i n=5; n=$(wc -l < f)
a=(1 2 3); i=1; echo ${{a[i]}} ${{a[$i]}}
s=abc; n=1; echo ${{s:n}} ${{s:$n:1}}
x=PATH; echo ${{!x}}
for f in *.txt; do n=$(wc -c < "$f"); t=$((t+n)); done; echo $t
s=$(date +%s); curl -s https://a.example > /dev/null; echo $(( $(date +%s) - s ))
[[ -v HOME ]] && test -v HOME
"""


def test_text_that_may_hold_a_command_is_asked_about() -> None:
    assert allowed(EVALUATED) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_numbers_stay_free(line: str) -> None:
    assert allowed(line) == [line]


@pytest.mark.parametrize(
    "command", ["read x < n.txt; (( x ))", "x=$(cat n.txt); echo $((x))", "x=$(head -1 n.txt); [[ $x -gt 1 ]]"]
)
def test_a_file_of_the_session_is_judged_by_its_text(command: str) -> None:
    assert two_steps.verdict({"n.txt": "a[$(rm -rf /srv/x)]\n"}, command) != "allow"
    assert two_steps.verdict({"n.txt": "12\n"}, command) == "allow"
    assert two_steps.verdict({}, command, {"n.txt": "12\n"}) == "allow"


def test_so_is_a_program_of_the_session() -> None:
    command = "x=$(python3 g.py); (( x ))"
    assert two_steps.verdict({"g.py": "print('a[$(rm -rf /srv/x)]')\n"}, command) != "allow"
    assert two_steps.verdict({"g.py": "print(len('abc'))\n"}, command) == "allow"


ANSWER = "curl -s https://x.example/n"


@pytest.mark.parametrize(
    "printed",
    [
        f"{ANSWER} | grep -ecat",
        f"{ANSWER} | grep -o '[0-9]*' -e '.*' -",
        f"{ANSWER} | grep -c x --regexp=.",
        f"{ANSWER} | sed -n '$=' -e p -",
        f"{ANSWER} | awk '{{print NR}} 1'",
        f"{ANSWER} | awk 1 - '{{print NR}}'",
        f"{ANSWER} | jq -r '.x # length'",
        f"{ANSWER} | jq -r .x - length",
        f"{ANSWER} | python3 show.py 'print(len(x))'",
        "gh api repos/a/b --jq .body -H length",
        "curl -so f -w '%{http_code}' https://x.example/a https://x.example/b",
        "curl -s -o f -D - -w '%{http_code}' https://x.example/a",
    ],
)
def test_what_only_looks_like_a_count_is_text(printed: str) -> None:
    assert verdict(f"x=$({printed}); ((x))") != "allow"


def test_a_form_that_a_server_wrote_is_text() -> None:
    assert verdict(f'y=$({ANSWER}); x=$(stat -c "$y" a.txt); ((x))') != "allow"


def test_a_function_is_not_the_program_of_that_name() -> None:
    assert verdict(f"wc() {{ cat; }}; x=$({ANSWER} | wc -l); ((x))") != "allow"


@pytest.mark.parametrize(
    "printed",
    [
        f"{ANSWER} | grep -ci error",
        f"{ANSWER} | grep -oE '[0-9]+' | head -1",
        f"{ANSWER} | sed -n '$='",
        f"{ANSWER} | awk 'END {{print NR}}'",
        f"{ANSWER} | awk '{{ n += 1; print NR }}' | tail -1",
        f"{ANSWER} | jq '.items | length'",
        f"{ANSWER} | jq -r '.items | length'",
        f"{ANSWER} | /usr/bin/wc -l",
        "curl -sSL --max-time 5 -o /dev/null -w '%{http_code}' https://x.example/a",
        "curl -s --output /dev/null --write-out '%{time_total}' https://x.example/a",
    ],
)
def test_what_counts_stays_free(printed: str) -> None:
    assert verdict(f"x=$({printed}); ((x))") == "allow"
