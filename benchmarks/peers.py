"""Other guards beside Interlock: the same events on stdin, in the same run; how long each takes, and what it says.

    python benchmarks/peers.py [--install] [--rounds 20] [--cases 60] [--only NAME …] [--json]

Each guard lives in an environment of its own in the development cache and has a home folder of its own, where its own
installer has wired it; the command is read from there. One that cannot be installed is told with the reason. Latency is
taken in turns, beside `/bin/true` and a bare Python. Verdicts come from one pass over an even sample of our own packs.
The result goes to docs/peers.json and between the markers of docs/benchmarks.md, which says what it does not show.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.page import PAGE, machine, put_between, table_of
from benchmarks.result import Figure, timed

from interlock.evals.shipped import names, path_of

ROOT = Path(__file__).parents[1]
GUARD = ROOT / "src" / "interlock" / "hook" / "guard.py"
DATA = ROOT / "docs" / "peers.json"
CACHE = Path(os.environ.get("INTERLOCK_DEV_CACHE") or Path.home() / ".cache/interlock-dev") / "peers"
PATIENCE = 60  # seconds for one call
ALLOW, ASK, DENY, BROKEN = "allow", "ask", "deny", "no answer"
LATENCY = ("git status", "ls -la", "npm test 2>&1 | tail -5", "rm -rf ~/")


class Peer(NamedTuple):
    """
    name     as people call it, with the version that is pinned
    install  commands that put it into {here}; {python312} is a newer interpreter
    wire     commands that its home needs once, with HOME set to it: its own installer
    command  how a host calls it; empty: as its installer has written it into the settings of Claude Code
    note     what else runs while it is measured, and how it is called
    """

    name: str
    install: tuple[str, ...]
    wire: tuple[str, ...] = ()
    command: str = ""
    note: str = ""


PEERS = (
    Peer(
        "cc-safety-net 2.4.5",
        ("npm install --silent --prefix {here} cc-safety-net@2.4.5",),
        command="{here}/node_modules/.bin/cc-safety-net hook --claude-code",
        note="called by its file, without npx",
    ),
    Peer("nah 0.11.0", ("{python} -m venv {here}", "{here}/bin/pip install -q nah==0.11.0"), ("nah install claude",)),
    Peer(
        "hol-guard 3.57.0",
        ("{python} -m venv {here}", "{here}/bin/pip install -q hol-guard==3.57.0"),
        ("hol-guard install claude-code",),
        note="with the service that it starts",
    ),
    Peer(
        "vectimus 0.22.2",
        ("{python312} -m venv {here}", "{here}/bin/pip install -q vectimus==0.22.2"),
        ("vectimus init",),
        note="with the service that it starts",
    ),
)


class Case(NamedTuple):
    id: str
    command: str
    dangerous: bool
    pack: str


def packs() -> list[Path]:
    """The packs that ship with Interlock; of their cases, those with one command and nothing else are taken."""
    return [Path(path_of(name)) for name in names()]


def cases(most: int) -> list[Case]:
    """An even sample of all commands that are expected to be allowed, and as many that are not to be."""
    found: dict[bool, list[Case]] = {False: [], True: []}
    for file in packs():
        for row in yaml.safe_load(file.read_text(encoding="utf-8")) or []:
            if {"id", "command", "expect"} <= row.keys() <= {"id", "command", "expect", "why", "technique"}:
                if row["expect"] in ("allow", "deny", "not_allow", "ask"):
                    dangerous = row["expect"] != "allow"
                    found[dangerous].append(Case(row["id"], row["command"], dangerous, file.stem))
    return [
        rows[at * len(rows) // min(most, len(rows))] for rows in found.values() for at in range(min(most, len(rows)))
    ]


class Guard:
    """A guard that is ready to be called."""

    def __init__(self, name: str, command: list[str], home: Path, here: Path, note: str = "") -> None:
        self.name, self.command, self.home, self.here, self.note = name, command, home, here, note
        self.project = home / "project"
        (self.project / ".git").mkdir(parents=True, exist_ok=True)

    def environment(self) -> dict[str, str]:
        path = f"{self.here / 'bin'}:{os.environ.get('PATH', os.defpath)}"
        return {"PATH": path, "HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project), "LANG": "C.UTF-8"}

    def event(self, command: str, number: int, session: str) -> bytes:
        told = {"session_id": session, "transcript_path": "", "cwd": str(self.project), "permission_mode": "default"}
        told |= {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": f"toolu_{number:08}"}
        return json.dumps({**told, "tool_input": {"command": command, "description": "a step"}}).encode()

    def call(self, command: str, number: int, session: str) -> tuple[float, str]:
        """Milliseconds, and the verdict as Claude Code would take it."""
        event, began = self.event(command, number, session), time.perf_counter()
        try:
            done = subprocess.run(
                self.command,
                input=event,
                capture_output=True,
                env=self.environment(),
                cwd=self.project,
                timeout=PATIENCE,
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError):
            return (time.perf_counter() - began) * 1e3, BROKEN
        return (time.perf_counter() - began) * 1e3, verdict_of(done.returncode, done.stdout)


def verdict_of(code: int, said: bytes) -> str:
    """What a host takes it for: exit code 2 blocks, another failure does not, and silence allows."""
    if code == 2:
        return DENY
    if code != 0:
        return BROKEN
    try:
        told = json.loads(said or b"{}")
    except ValueError:
        return ALLOW
    inner = told.get("hookSpecificOutput") or {}
    word = inner.get("permissionDecision") or told.get("decision") or told.get("permissionDecision") or ALLOW
    return (
        {"approve": ALLOW, "block": DENY}.get(word, word) if word in (ALLOW, ASK, DENY, "approve", "block") else ALLOW
    )


def run(words: str, *, here: Path, home: Path, timeout: int = 900) -> str:
    """What went wrong, in a line; empty where nothing did."""
    command = shlex.split(words.format(here=here, python=sys.executable, python312=newer_python()))
    environment = {**os.environ, "HOME": str(home), "PATH": f"{here / 'bin'}:{os.environ['PATH']}"}
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    try:
        done = subprocess.run(
            [program, *command[1:]],
            env=environment,
            cwd=home / "project" if (home / "project").is_dir() else home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{words.split(maxsplit=1)[0]}`: {type(error).__name__}"
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip() and "WARNING: Location" not in line]
    return "" if done.returncode == 0 else f"`{words}` ended with {done.returncode}: {' '.join(lines[-2:])[:200]}"


def wired(home: Path, event: str) -> list[list[str]]:
    """The commands that its installer has written into the settings of Claude Code: for Bash, or for another event."""
    found = []
    for file in (home / ".claude/settings.json", home / "project/.claude/settings.json"):
        hooks = json.loads(file.read_text(encoding="utf-8")).get("hooks", {}) if file.is_file() else {}
        for row in hooks.get(event, ()):
            if event == "PreToolUse" and row.get("matcher", "") not in ("", "*", ".*") and "Bash" not in row["matcher"]:
                continue
            for hook in row["hooks"]:
                words = [hook["command"], *hook["args"]] if "args" in hook else ["/bin/sh", "-c", hook["command"]]
                found.append(words)
    return found


def newer_python() -> str:
    """An interpreter of 3.12 or later that runs; the name of one where there is none."""
    places = [shutil.which("python3.12"), shutil.which("python3.13")]
    places += [str(path) for path in sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python3"))]
    for path in filter(None, places):
        if subprocess.run([path, "-c", "pass"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return path
    return "python3.12"


def ready(peer: Peer, homes: Path, *, install: bool) -> Guard | str:
    """The guard, or why it cannot be measured."""
    here = CACHE / peer.name.replace(" ", "-")
    if not (here / ".ready").exists():
        if not install:
            return "not installed: make peers"
        here.mkdir(parents=True, exist_ok=True)
        for words in peer.install:
            if wrong := run(words, here=here, home=here):
                return wrong
        (here / ".ready").touch()
    home = homes / peer.name.split()[0]
    (home / ".claude").mkdir(parents=True)
    (home / ".claude/settings.json").write_text("{}\n", encoding="utf-8")
    (home / "project/.git").mkdir(parents=True)
    for words in peer.wire:
        if wrong := run(words, here=here, home=home, timeout=120):
            return wrong
    fixed = shlex.split(peer.command.format(here=here))
    command = fixed or next(iter(wired(home, "PreToolUse")), [])
    if not command:
        return "its installer wrote no hook for Bash"
    guard = Guard(peer.name, command, home, here, peer.note)
    told = {"session_id": "bench", "transcript_path": "", "cwd": str(guard.project), "source": "startup"}
    event = json.dumps({**told, "hook_event_name": "SessionStart"}).encode()
    for hook in wired(home, "SessionStart")[:1]:  # some start a service of their own then
        environment = guard.environment()
        subprocess.run(hook, input=event, capture_output=True, env=environment, timeout=PATIENCE, check=False)
    return guard


def ended_in(folder: str) -> None:
    """Ends what the guards have left running: processes whose home or words lie in a folder that nobody else has."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            if folder.encode() in told and int(entry.name) != os.getpid():
                os.kill(int(entry.name), signal.SIGTERM)
        except OSError:
            continue


def own(homes: Path, *, service: bool) -> Guard:
    home = homes / ("interlock-service" if service else "interlock")
    home.mkdir(parents=True)
    words = [sys.executable, "-I", "-S", str(GUARD), "claude-code", "--home", str(home)]
    if not service:
        return Guard("Interlock", words, home, home, "no service, which is the default")
    switch = [sys.executable, "-m", "interlock.cli", "--home", str(home), "resident", "on"]
    subprocess.run(switch, stdout=subprocess.DEVNULL, check=True)
    return Guard("Interlock, resident on", words, home, home, "with the service that it starts")


def latency(guards: list[Guard], rounds: int) -> list[Figure]:
    """By guard and command, all in turns; the first two rounds are for warming up."""
    true = Guard("/bin/true", [shutil.which("true") or "/bin/true"], guards[0].home, guards[0].here)
    bare = Guard("python -I -S -c pass", [sys.executable, "-I", "-S", "-c", "pass"], guards[0].home, guards[0].here)
    everyone = [true, bare, *guards]
    times: dict[str, list[float]] = {guard.name: [] for guard in everyone}
    for number in range(rounds + 2):
        for command in LATENCY:
            for guard in everyone:
                took, _ = guard.call(command, number, "latency")
                if number >= 2:
                    times[guard.name].append(took)
    base = timed("", times[bare.name], "ms").value
    return [
        timed(
            guard.name,
            times[guard.name],
            "ms",
            note=f"{timed('', times[guard.name], 'ms').value / base:.1f} × bare Python"
            + (guard.note and f"; {guard.note}"),
        )
        for guard in everyone
    ]


def verdicts(guards: list[Guard], rows: list[Case]) -> dict[str, dict[str, Counter[str]]]:
    found = {guard.name: {kind: Counter[str]() for kind in ("benign", "dangerous")} for guard in guards}
    for number, case in enumerate(rows):
        for guard in guards:
            # a session for each: some guards lock one in which the same is refused again and again
            _, verdict = guard.call(case.command, 1000 + number, f"case-{number}")
            found[guard.name]["dangerous" if case.dangerous else "benign"][verdict] += 1
    return found


def page_of(result: dict[str, Any]) -> str:
    about = result["machine"]
    lines = [
        f"Measured {result['at']} UTC in {result['seconds']} s: Interlock {about['interlock']}, Python "
        f"{about['python']}, {about['processor']} ({about['cores']} cores); load {result['load_before'][0]} before and "
        f"{result['load'][0]} after.",
        "",
        f"Latency over {len(LATENCY)} commands (`{'`, `'.join(LATENCY)}`), {result['rounds']} rounds in turns:",
        "",
        table_of([Figure(**row) for row in result["figures"]]),
        "",
        f"Verdicts on {result['benign']} commands that are expected to be allowed and {result['dangerous']} that are "
        f"not (an even sample of {', '.join(result['packs'])}):",
        "",
        "| | benign: allowed | asked | denied | dangerous: not allowed | asked | denied | no answer |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, of in result["verdicts"].items():
        benign, bad = Counter(of["benign"]), Counter(of["dangerous"])
        stopped = bad[ASK] + bad[DENY]
        lines.append(
            f"| {name} | {benign[ALLOW] / max(1, benign.total()):.0%} | {benign[ASK]} | {benign[DENY]} "
            f"| {stopped / max(1, bad.total()):.0%} | {bad[ASK]} | {bad[DENY]} | {benign[BROKEN] + bad[BROKEN]} |"
        )
    lines += ["", *(f"Not measured: {name}, because {why}." for name, why in result["missing"].items())]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="install what is not in the cache yet")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cases", type=int, default=60, help="so many of each kind")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="peers whose name begins like this")
    parser.add_argument("--json", action="store_true", help="print the result, and write no page")
    given = parser.parse_args()
    before, began = os.getloadavg(), time.time()
    rows = cases(given.cases)
    with tempfile.TemporaryDirectory(prefix="interlock-peers-", ignore_cleanup_errors=True) as folder:
        guards, missing = [own(Path(folder), service=False), own(Path(folder), service=True)], {}
        chosen = [peer for peer in PEERS if not given.only or peer.name.startswith(tuple(given.only))]
        for peer in chosen:
            print(f"{peer.name} …", file=sys.stderr, flush=True)
            found = ready(peer, Path(folder), install=given.install)
            if isinstance(found, Guard):
                guards.append(found)
            else:
                missing[peer.name] = found
        try:
            figures = latency(guards, given.rounds)
            said = verdicts(guards, rows)
        finally:
            ended_in(folder)
            time.sleep(1)
    result: dict[str, Any] = {
        "at": time.strftime("%Y-%m-%d %H:%M", time.gmtime(began)),
        "seconds": round(time.time() - began),
        "load_before": [round(load, 2) for load in before],
        "load": [round(load, 2) for load in os.getloadavg()],
        "machine": machine(),
        "rounds": given.rounds,
        "benign": sum(not case.dangerous for case in rows),
        "dangerous": sum(case.dangerous for case in rows),
        "packs": sorted({case.pack for case in rows}),
        "figures": [figure._asdict() for figure in figures],
        "verdicts": said,
        "missing": missing,
    }
    if given.json:
        print(json.dumps(result, indent=1, ensure_ascii=False))
        return 0
    DATA.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(put_between(PAGE.read_text(encoding="utf-8"), "peers", page_of(result)), encoding="utf-8")
    print(page_of(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
