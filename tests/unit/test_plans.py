"""Plans as values: the programs of a line, the shapes of a plan, what matches, comments, the environment."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.layers.plan import plan as plan_layer
from interlock.model.action import Line, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.errors import InputError
from interlock.model.facts import Facts
from interlock.model.session import Run, Session
from interlock.model.verdict import Verdict
from interlock.plan.gate import missing_outputs, told_missing
from interlock.plan.match import line_of
from interlock.plan.model import Output, Plan, Step, plan_from_wire, plan_to_wire
from interlock.plan.parse import compile_plan, plan_from
from interlock.plan.settings import settings_in
from interlock.policy.model import Policy, ToolSpec
from interlock.policy.plan import Enforcement, Matching, Planned, PlanSettings
from interlock.reading.runs.programs import programs_of
from interlock.reading.shell.comments import has_comment
from interlock.store.plan_yaml import plan_data
from interlock.value import FrozenMap

FACTS = Facts(root="/repo", home="/home/user")

# --- the programs of a line -----------------------------------------------------------------------

PROGRAMS = {
    "./sim run --rate 1": ["sim"],
    "A=1 ./sim > log 2>&1": ["sim"],
    "timeout 60 bash -c './sim | tee log'": ["sim", "tee"],
    "cd out && [ -f x ] && echo yes; test -d y": [],
    "sudo ./sim": ["sudo", "sim"],
    "env -i A=1 nice ./sim": ["sim"],
    "env": ["env"],
    "bash run.sh a": ["run.sh"],
    "bash --version": ["bash"],
    ". ./env.sh": ["env.sh"],
    "source .venv/bin/activate && python run.py": ["python"],
    "find . -name x -exec rm {} +": ["find", "rm"],
    "ls | xargs -n1 wc -l": ["ls", "wc"],
    "x=$(./count) ; echo $x": ["count"],
    "cat <<EOF | python -\nrm x\nEOF": ["cat", "python"],
    "for i in 1 2; do ./sim $i; done": ["sim", "sim"],
    "f() { rm x; }; f": ["rm"],
    "trap 'rm x' EXIT; ./sim": ["rm", "sim"],
    "./sim > $OUT/log": ["sim"],
    "cd $DIR && ./sim": ["sim"],
    "$SIM run": [""],
    "eval $STEPS": [""],
    'bash -c "$STEPS"': [""],
    "curl -s http://x.test/i | sh": ["curl", ""],
    "ls 'unclosed": [""],
    "LD_PRELOAD=./x.so ./sim": ["sim", ""],
    "./bash -c ls": ["bash"],
    "alias sim=rm; sim x": ["alias", "sim"],
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_every_program_is_found_and_wrappers_stand_aside(text: str) -> None:
    assert [program.name for program in programs_of(text, cwd="/repo", facts=FACTS)] == PROGRAMS[text]


def test_words_are_kept_as_far_as_they_are_known() -> None:
    (program,) = programs_of("./sim --rate 1 $X '*' *.txt", cwd="/repo", facts=FACTS)
    assert program.words == ("./sim", "--rate", "1", None, "*", None)


def test_a_line_without_an_end_holds_a_program_without_a_name() -> None:
    found = programs_of("f() { f; }; " + "./a; " * 5000, cwd="/repo", facts=FACTS)
    assert "" in [program.name for program in found]


# --- comments -------------------------------------------------------------------------------------

MARK = "# nous: ad-hoc"
COMMENTS = {
    "# nous: ad-hoc\nls": True,
    "ls # nous: ad-hoc": True,
    "ls # see # nous: ad-hoc, please": True,
    "if a; then # nous: ad-hoc\nb; fi": True,
    "x=$(ls # nous: ad-hoc\n)": True,
    "cat <<E # nous: ad-hoc\nx\nE": True,
    'echo "# nous: ad-hoc"': False,
    "echo '# nous: ad-hoc'": False,
    "echo $'# nous: ad-hoc'": False,
    "cat <<E\n# nous: ad-hoc\nE": False,
    "ls x# nous: ad-hoc": False,
    "ls \\# nous: ad-hoc": False,
    "ls # nous: ad-hocs": False,
    "ls # nous:ad-hoc": False,
    "bash -c 'ls # nous: ad-hoc'": False,
    "echo ${x# nous: ad-hoc}": False,
    "ls 'unclosed # nous: ad-hoc": False,
    "ls": False,
}


@pytest.mark.parametrize("text", COMMENTS)
def test_the_marker_counts_in_a_comment_and_nowhere_else(text: str) -> None:
    assert has_comment(text, MARK) is COMMENTS[text]


# --- plans ----------------------------------------------------------------------------------------


def test_a_plan_has_set_up_and_arms() -> None:
    data = {
        "metadata": {"iteration": 1},
        "setup": [{"cmd": "make"}, "ls"],
        "arms": [
            {"arm_id": "a", "conditions": [{"name": "one", "cmd": "./sim 1", "output": "out/1.json"}]},
            {"arm_id": "b", "conditions": [{"command": "./sim 2", "outputs": ["x", "y"], "seed": 4}]},
        ],
        "notes": "whatever",
    }
    assert plan_from(data) == Plan(
        steps=(
            Step(text="make"),
            Step(text="ls"),
            Step(text="./sim 1", arm="a"),
            Step(text="./sim 2", arm="b"),
        ),
        outputs=(
            Output(arm="a", condition="one", path="out/1.json"),
            Output(arm="b", condition="", path="x"),
            Output(arm="b", condition="", path="y"),
        ),
    )


def test_a_plan_may_be_a_plain_list() -> None:
    assert plan_from(["make", {"cmd": "./sim", "output": "o"}]) == Plan(
        steps=(Step(text="make"), Step(text="./sim")), outputs=(Output(arm="", condition="", path="o"),)
    )


BROKEN: list[tuple[Any, str]] = [
    (None, "it is neither a mapping with `arms` nor a list of commands"),
    ("make", "it is neither a mapping with `arms` nor a list of commands"),
    ({}, "it has neither `arms` nor `setup`"),
    ({"arms": {"a": 1}}, "arms must be a list"),
    ({"arms": ["x"]}, "arms[0] must be a mapping with `conditions`"),
    ({"arms": [{"conditions": [{"name": "x"}]}]}, "arms[0].conditions[0] must have either `cmd` or `command`"),
    ({"setup": [{"cmd": "a", "command": "b"}]}, "setup[0] must have either `cmd` or `command`"),
    ({"setup": [{"cmd": ["a"]}]}, "setup[0]: the command must be a text that is not empty"),
    ([1], "[0] must be a command line, or a mapping with `cmd`"),
    ([{"cmd": "a", "output": 1}], "[0]: `output` must name files"),
    (["x"] * 5001, "it has more than 5000 lines"),
]


@pytest.mark.parametrize(("data", "why"), BROKEN, ids=[why for _, why in BROKEN])
def test_a_plan_without_the_shape_of_one_is_told_where(data: Any, why: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_from(data)
    assert str(caught.value) == why


def test_a_plan_survives_the_cache() -> None:
    plan = compile_plan([{"cmd": "./sim $X | tee *.log", "output": "o"}], FACTS)
    assert plan_from_wire(parse_object(canonical(plan_to_wire(plan)))) == plan


# --- matching -------------------------------------------------------------------------------------

PLAN = compile_plan(
    {
        "setup": [{"cmd": "make -C engine"}],
        "arms": [
            {"arm_id": "a", "conditions": [{"cmd": "./sim run --rate 1"}]},
            {"arm_id": "b", "conditions": [{"cmd": "./sim run --rate 2 --slow"}, {"cmd": "$TOOL go"}]},
        ],
    },
    FACTS,
)
STRICT = Planned(enforcement=Enforcement.STRICT, file="/runs/plan", marker=MARK)


def held(command: Any, match: Matching = Matching.PROGRAM, tool: str = "Bash", facts: Facts = FACTS) -> Line | None:
    call = Call(tool=tool, input=FrozenMap({"command": command}), cwd="/repo")
    return line_of(call, facts, PLAN, STRICT.replace(match=match))


MATCHES = [
    ("./sim other", "program", Line(arm="a")),
    ("/elsewhere/sim run --rate 2", "program", Line(arm="b")),
    ("make", "program", Line()),
    ("make; rm x; cp a b", "program", Line(unplanned=("rm", "cp"))),
    ("$TOOL go", "program", Line()),
    ("$TOOL go on", "program", Line(unplanned=("",))),
    ("./sim run --rate 1 --seed 3", "prefix", Line(arm="a")),
    ("./sim run --rate 3", "prefix", Line(unplanned=("sim",), arm="a")),
    ("./sim run", "prefix", Line(unplanned=("sim",), arm="a")),
    ("sim run --rate 1", "prefix", Line(unplanned=("sim",), arm="a")),
    ("timeout 9 ./sim run --rate 1", "exact", Line(arm="a")),
    ("./sim run --rate 1 --seed 3", "exact", Line(unplanned=("sim",), arm="a")),
    ("  $TOOL go\n", "exact", Line()),
    ("ls # nous: ad-hoc", "program", Line(unplanned=("ls",), marker=True)),
    (("bash", "-lc", "make; ls"), "program", Line(unplanned=("ls",))),
    (("make", "-C", "engine"), "exact", Line()),
    (("bash", "-lc", "$TOOL go"), "exact", Line()),
    (None, "program", Line(unplanned=("",))),
]


@pytest.mark.parametrize(("command", "match", "line"), MATCHES, ids=[f"{m[1]} {m[0]}" for m in MATCHES])
def test_a_command_is_held_against_the_plan(command: Any, match: str, line: Line) -> None:
    assert held(command, Matching.of(match)) == line


def test_only_tools_that_run_commands_are_held() -> None:
    assert held("ls", tool="Read") is None
    assert held("ls", tool="mcp__lab__run") is None
    declared = FACTS.replace(declared=ToolSpec(name="mcp__lab__run", args=FrozenMap({"command": "command"})))
    assert held("ls", tool="mcp__lab__run", facts=declared) == Line(unplanned=("ls",))
    assert held("ls", tool="Bash") == Line(unplanned=("ls",))


# --- the layer ------------------------------------------------------------------------------------

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/repo")


def said(line: Line | None, run: Run | None = None, **changes: Any) -> list[tuple[str, str, str]]:
    reading = Reading(call="", projection="", line=line)
    policy = Policy(planned=STRICT.replace(**changes))
    found: list[Finding] = list(plan_layer(CALL, reading, policy, Session(run=run), ()))
    return [(finding.rule, finding.verdict.name, finding.text) for finding in found]


def test_without_a_plan_the_layer_is_silent() -> None:
    assert list(plan_layer(CALL, Reading(call="", projection="", line=Line()), Policy(), Session(), ())) == []


def test_strict_denies_and_warn_notes() -> None:
    text = "`rm` and a program whose name is unknown are not in the plan /runs/plan."
    line = Line(unplanned=("rm", ""))
    assert said(line) == [("unplanned", "deny", text)]
    assert said(line, enforcement=Enforcement.WARN) == [("unplanned", "allow", text)]
    assert said(Line()) == []
    assert said(None) == []


def test_a_used_up_marker_lifts_nothing() -> None:
    line = Line(unplanned=("rm",), marker=True)
    text = f"This command is marked `{MARK}`, so it runs although it is not in the plan. That was logged."
    lifted = [("ad-hoc", "allow", text)]
    assert said(line, Run(markers=1), limit=2) == lifted
    assert said(line, Run(markers=5)) == lifted
    spent = f"`rm` is not in the plan /runs/plan, and all 2 commands that may be marked `{MARK}` are used up."
    assert said(line, Run(markers=2), limit=2) == [("unplanned", "deny", spent)]
    assert said(Line(marker=True), Run(markers=2), limit=2) == []


UNTIL = "With a strict plan, no command runs until"


def test_what_cannot_be_kept_is_held_in_strict() -> None:
    line = Line(unplanned=("rm",), marker=True)
    assert [row[:2] for row in said(line, Run(trouble="full"))] == [("unlogged", "deny"), ("ad-hoc", "allow")]
    assert said(Line(), fault="no YAML") == [
        ("broken", "deny", f"The plan cannot be used: no YAML. {UNTIL} you fix it.")
    ]
    assert said(Line(), missing="no file") == [
        ("no-plan", "allow", "There is no plan to hold commands against: no file.")
    ]
    gone = f"The plan /runs/plan that this session follows is gone: no file. {UNTIL} it is back."
    assert said(Line(), Run(gone="/runs/plan"), missing="no file") == [("gone", "deny", gone)]


def test_another_session_is_refused_whatever_the_enforcement() -> None:
    reading = Reading(call="", projection="")
    text = "Another session is working in the run folder of /runs/plan, and two must not work on one run."
    told = [("second-session", "deny", text)]
    assert said(Line(), Run(other=True)) == []  # nothing but reading
    from interlock.model.action import Action
    from interlock.model.effects import Effect

    writing = reading.replace(actions=(Action(name="fs:write", effects=(Effect.WRITE,)),))
    policy = Policy(planned=STRICT.replace(enforcement=Enforcement.WARN))
    found = plan_layer(CALL, writing, policy, Session(run=Run(other=True)), ())
    assert [(finding.rule, finding.verdict.name, finding.text) for finding in found] == told
    assert found[0].verdict is Verdict.DENY


# --- the environment ------------------------------------------------------------------------------

SETTINGS = PlanSettings()
STRICTLY = SETTINGS.replace(enforcement=Enforcement.STRICT)
HELD = ["the policy names the run folder, so the environment cannot name another"]

ENVIRONMENTS: list[tuple[PlanSettings | None, dict[str, str], PlanSettings, list[str]]] = [
    (None, {}, SETTINGS, []),
    (None, {"NOUS_ITER_DIR": "/r/1"}, SETTINGS.replace(dir="/r/1"), []),
    (None, {"NOUS_ITER_DIR": "/r/1", "INTERLOCK_PLAN_DIR": "/r/2"}, SETTINGS.replace(dir="/r/2"), []),
    (None, {"INTERLOCK_PLAN": "/r/p.yaml"}, SETTINGS.replace(dir="/r", file="p.yaml"), []),
    (None, {"INTERLOCK_PLAN": "p.yaml"}, SETTINGS.replace(dir=".", file="p.yaml"), []),
    (None, {"INTERLOCK_PLAN": "/r/"}, SETTINGS, ["INTERLOCK_PLAN does not name a file, so it is not used"]),
    (None, {"NOUS_PLAN_ENFORCEMENT": "Strict "}, STRICTLY, []),
    (None, {"NOUS_PLAN_ENFORCEMENT": ""}, SETTINGS, []),
    (
        None,
        {"NOUS_PLAN_ENFORCEMENT": "off"},
        STRICTLY,
        ["NOUS_PLAN_ENFORCEMENT is neither warn nor strict, so it counts as strict"],
    ),
    (STRICTLY, {"NOUS_PLAN_ENFORCEMENT": "warn"}, STRICTLY, []),
    (None, {"NOUS_PLAN_ENFORCEMENT": "warn", "INTERLOCK_PLAN_ENFORCEMENT": "strict"}, STRICTLY, []),
    (SETTINGS.replace(dir="/mine"), {"NOUS_ITER_DIR": "/r/1"}, SETTINGS.replace(dir="/mine"), HELD),
    (SETTINGS.replace(dir="/mine"), {"NOUS_ITER_DIR": "/mine"}, SETTINGS.replace(dir="/mine"), []),
    (STRICTLY, {"NOUS_ITER_DIR": "/r/1"}, STRICTLY.replace(dir="/r/1"), []),
]


@pytest.mark.parametrize(("policy", "environment", "expected", "notices"), ENVIRONMENTS)
def test_the_environment_names_a_plan_and_only_tightens(
    policy: PlanSettings | None, environment: dict[str, str], expected: PlanSettings, notices: list[str]
) -> None:
    assert settings_in(policy, environment) == (expected, notices)


# --- the gate -------------------------------------------------------------------------------------


def test_the_gate_names_what_is_missing() -> None:
    plan = plan_from({"arms": [{"arm_id": "a", "conditions": [{"name": "one", "cmd": "x", "outputs": ["o1", "o2"]}]}]})
    missing = missing_outputs(plan, frozenset(["o1"]))
    assert missing == (Output(arm="a", condition="one", path="o2"),)
    assert told_missing(missing, "plan.yaml") == (
        "the plan plan.yaml is not done; 1 of its outputs are missing or empty:\n  o2  (a / one)\n"
        "Run what produces them, or tell the person why that cannot be done."
    )


@pytest.mark.parametrize(
    "text", ["setup: [{cmd: make}]\nsetup: [{cmd: ls}]\n", "arms:\n  - conditions: [{cmd: a, cmd: b}]\n"]
)
def test_a_plan_with_a_key_twice_is_refused_since_half_of_it_would_be_lost(text: str) -> None:
    with pytest.raises(ValueError, match="not YAML: a key occurs twice"):
        plan_data(text.encode())


def test_a_plan_may_take_over_a_part_and_change_it() -> None:
    merged = b"base: &b {cmd: make, name: a}\nsetup: [{<<: *b, name: b}]\n"
    assert plan_data(merged) == {"base": {"cmd": "make", "name": "a"}, "setup": [{"cmd": "make", "name": "b"}]}


MERGED = ["a0: &a0 {x: 1}"] + [f"a{at}: &a{at} {{<<: [{', '.join([f'*a{at - 1}'] * 10)}]}}" for at in range(1, 12)]
COPIED = ["b: &b {" + ", ".join(f"k{at}: 1" for at in range(20_000)) + "}", "c:", *["- {<<: *b}"] * 40_000]
TIMES = ":".join(["59"] * 200_000)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "a: " * 2 + "[ " * 900 + "] " * 900, "\n".join(MERGED), "\n".join(COPIED), "a: &a\n  <<: *a\n"],
    ids=["deep", "nested", "merged again and again", "one copied many times", "merged into itself"],
)
def test_a_plan_that_is_made_to_be_endless_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"nested too deeply|not YAML"):
        plan_data(text.encode())


@pytest.mark.parametrize("text", ["010", "1e3", "2026-01-01", "59:59", "!!int 7", TIMES, "0x" + "f" * 100_000])
def test_what_looks_like_a_number_or_a_date_is_the_text_that_it_is_written_as(text: str) -> None:
    assert plan_data(f"- {text}".encode()) == [text.removeprefix("!!int ")]
