"""Plans: what is planned is never refused, and what is not planned is never lost among what is."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chance import FEWER
from interlock.decide import decide
from interlock.layers.plan import plan as plan_layer
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Run, Session
from interlock.model.verdict import Verdict
from interlock.plan.match import line_of
from interlock.plan.model import Plan
from interlock.plan.parse import compile_plan
from interlock.policy.model import Policy
from interlock.policy.plan import Enforcement, Matching, Planned
from interlock.value import FrozenMap

FACTS = Facts(root="/repo", home="/home/user")

SIMPLE = (
    "./sim run --rate 1",
    "python run.py --seed 7",
    "/opt/bench/tool --all",
    "make -C engine",
    "A=1 B='x y' ./sim",
    "git status",
    "bash scripts/prepare.sh a b",
    "find . -name '*.o' -exec strip {} +",
    "ls out | xargs -n 1 wc -l",
    "cat <<'EOF' | python -\nprint('rm -rf /')\nEOF",
    "cat > cfg.yaml <<EOF\nrate: $RATE\nEOF",
    "$SIM --fast",
    'eval "$STEPS"',
    "sort < in.txt > out.txt 2>/dev/null",
    "perf record -g ./sim",
    "source env.sh",
    "sudo ./sim --priority",
    "docker run --rm img ./sim",
    "ssh lab './sim run'",
    "if ! ./ready; then ./warm-up; fi",
    "diff <(./sim a) <(./sim b)",
    "echo done",
    "ls 'unclosed",
)
WRAPPINGS = (
    "{}",
    "timeout 60 {}",
    "env -i PATH=/bin {}",
    "nohup {} > log 2>&1 &",
    "time {}",
    "( cd sub && {} )",
    "for s in 1 2 3; do {}; done",
    "f() {{ {}; }}; f",
    "x=$({})",
    "while read -r n; do {}; done < list",
    "[ -f ready ] && {} || exit 1",
    "set -euo pipefail\n{}\n",
    "# a note\n{} # another",
    "trap 'echo end' EXIT; {}",
)
JOINS = ("; ", " && ", " || ", " | ", "\n", " & ")

wrapped = st.builds(lambda text, inside: text.format(inside), st.sampled_from(WRAPPINGS), st.sampled_from(SIMPLE))
lines = st.lists(wrapped, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from(JOINS).map(lambda join: join.join(parts))
)
plans = st.lists(lines, min_size=1, max_size=4)


def compiled(texts: list[str]) -> Plan:
    return compile_plan({"arms": [{"arm_id": "a", "conditions": [{"cmd": text} for text in texts]}]}, FACTS)


def refused(command: str, plan: Plan, match: Matching = Matching.PROGRAM) -> tuple[str, ...]:
    """The unplanned programs, as the layer in strict says them too."""
    planned = Planned(enforcement=Enforcement.STRICT, file="plan", match=match, marker="# nous: ad-hoc")
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/repo", session="s")
    line = line_of(call, FACTS, plan, planned)
    assert line is not None
    reading = Reading(call="", projection="", line=line)
    policy, session = Policy(planned=planned), Session(id="s", run=Run())
    decision = decide(call, reading, policy, session, (), (plan_layer,))
    assert (decision.verdict is Verdict.DENY) is bool(line.unplanned)
    return line.unplanned


@settings(max_examples=FEWER)
@given(plans, st.sampled_from(Matching.members))
def test_no_planned_command_is_refused(texts: list[str], match: Matching) -> None:
    plan = compiled(texts)
    for text in texts:
        assert refused(text, plan, match) == ()
        assert refused(f"\n  {text}\n", plan, match) == ()


@settings(max_examples=FEWER)
@given(plans, st.sampled_from(("; ", " && ", " || ", "\n")))
def test_planned_lines_may_be_joined(texts: list[str], join: str) -> None:
    """Not because the whole line stands in the plan, but because each of its programs does."""
    plan = compiled(texts)
    assume(all(program.name for step in plan.steps for program in step.programs))
    for one, other in zip(texts, reversed(texts), strict=True):
        joinable = "<<" not in one and "#" not in one and not one.rstrip().endswith("&")
        if joinable and "f()" not in other:  # a function that is defined in two ways is not followed
            assert refused(one.strip() + join + other, plan) == ()


HIDING = (
    "evil x",
    "./evil x",
    "/usr/local/lib/evil",
    "timeout 5 evil",
    "bash -c 'evil'",
    "sh -c \"bash -c 'evil'\"",
    "env A=1 nice -n 5 evil",
    "echo $(evil)",
    "echo `evil`",
    "cat <(evil)",
    "ls | xargs evil",
    "find . -exec evil {} \\;",
    "X=evil; $X now",
    "eval evil",
    "exec evil",
    "command evil",
    "bash <<< evil",
    "bash <<'E'\nevil\nE",
    "f() { evil; }; f",
    "true && { evil; }",
    "echo evil | sh",
    "nohup evil &",
    "trap evil EXIT",
    "bash evil",
    "source ./evil",
    "[ $(evil) ]",
    './sim "$(evil)"',
    "coproc evil",
    "python -c 'import os; os.system(\"evil\")'",
)


@settings(max_examples=FEWER)
@given(plans, st.sampled_from(HIDING), st.sampled_from(("; ", " && ", "\n", " | ")), st.booleans())
def test_every_program_of_a_line_must_be_planned(texts: list[str], hidden: str, join: str, first: bool) -> None:
    """All of the line but `evil` is planned, and what cannot be named counts as not planned."""
    plan = compiled(texts)
    text = texts[0]
    assume("<<" not in text and "'unclosed" not in text and "#" not in text and not text.rstrip().endswith("&"))
    command = hidden + ("\n" if "<<'E'" in hidden else join) + text if first else text.strip() + join + hidden
    assume(all(program.name for program in plan.steps[0].programs))
    assert refused(command, plan), command
