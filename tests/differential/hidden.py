"""Nothing that bash runs may be missing from our reading: checked by running bash.

Texts are put together at random from quotes, expansions and marker commands. Where our reading is complete and does
not hold a marker, bash runs the text in an empty folder without PATH; if the marker runs, we have missed it.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile

from differential.oracle import BASH
from interlock.reading.shell import parse, walk

__all__ = ["judge", "make"]

PIECES = [
    "$(RAN)", "$(RAN)", "`RAN`", "`RAN`", "\\`RAN\\`", "\\$(RAN)", "'", "'", "\"", "\"", "\\", "${x:-", "${x-",
    "${y#", "${y/", "${a[", "}", "]", "a[", "a=(", "$((", "((", "))", ")", "$[", "<(RAN)", "RAN", ";", "\n",
    " ", " ", "echo ", "[[ ", " ]]", " == ", " -eq ", "1", "x", "=", "<<E\n", "\nE\n", "<<'E'\n", "<<-E\n",
    "$'", "$\"", "\\'", "\\\"", "#", "{", ",", "case x in ", ";; esac", "*) ", "$(", "(", "|", "&&", "\\\n",
    "~", ":", "/", "@(", " =~ ", "if ", "; then ", "; fi", "for i in ", "; do ", "; done", "f() ", "declare ",
    "${a:", "\t", "E", "!", ">", "2>&1", "<<<", "${!", "@", "$", "`", "${", "-",
]  # fmt: skip
SETUP = "".join(f"RAN{k}() {{ echo RAN{k} >&9; echo 1; }};" for k in range(9)) + " y=abc; a=(1 2);\n"
FRAMES = [
    "{}", "echo {}", "echo \"{}\"", "echo ${{x:-{}}}", "echo \"${{x:-{}}}\"", "a[{}]=1", "echo $(({}))",
    "cat <<E\n{}\nE\n", "[[ {} ]]", "(({}))", "x={}", "echo ${{a[{}]}}", "case {} in *) ;; esac", "a=({})",
    "echo `{}`", "echo $({})", "a=([{}]=1)", "for i in {}; do :; done", "echo ${{y:{}}}", "[[ x =~ {} ]]",
    "echo ${{y/{}/}}", "echo \"${{y#{}}}\"", "declare z={}", "echo $[{}]", "echo > {}", "echo >& {}",
    "echo <<< {}", "{} x", "export z={}", "cat <<-E\n\t{}\n\tE\n", "[[ {} == x ]]", "! {}", "{{ {}; }}",
    "( {} )", "f() {{ {}; }}; f", "if {}; then :; fi", "echo {{a,{}}}", "time {}", "coproc {}", "x=\"{}\"",
    "echo $'{}'", "echo '{}'", "# {}\n:", "a[0]+={}", "for ((i={};i<1;i++)); do break; done",
]  # fmt: skip


def make(seed: int) -> str:
    rng = random.Random(seed)
    pieces = [rng.choice(PIECES) for _ in range(rng.randint(0, 6))]
    pieces.insert(rng.randint(0, len(pieces)), rng.choice([*PIECES[:6], "<(RAN)", ">(RAN)"]))
    inner = "".join(pieces)
    text = rng.choice(FRAMES).format(inner)
    if rng.random() < 0.2:
        text = rng.choice(FRAMES).format(text)
    pieces = text.split("RAN")  # each marker gets a number, so that one that is seen does not excuse another
    return "".join(piece + (f"RAN{min(k, 8)}" if k < len(pieces) - 1 else "") for k, piece in enumerate(pieces))


def judge(seed: int) -> tuple[str, str]:
    text = make(seed)
    if "RAN" not in text:
        return "no marker", text
    script = parse(text)
    if script.opaque:
        return "opaque", text
    seen: set[str] = set()
    for command in walk(script):
        if command.words:
            start, end = command.words[0].span
            name = text[start:end].replace("\\\n", "")
            seen.update(f"RAN{k}" for k in range(9) if f"RAN{k}" in name)
    if all(f"RAN{k}" in seen for k in range(9) if f"RAN{k}" in text):
        return "seen", text
    # A file name with a slash could lead out of the folder: then no file may be written at all.
    fence = "set -r\n" if "/" in text else ""
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        try:
            process = subprocess.Popen(
                [BASH or "bash", "--norc", "--noprofile", "-c", f"exec 9>&{write}\n" + SETUP + fence + text],
                cwd=folder,
                pass_fds=[write],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
            )
            try:
                process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        finally:
            os.close(write)
        os.set_blocking(read, False)
        try:
            output = os.read(read, 4000)
        except BlockingIOError:
            output = b""
        os.close(read)
    return ("not run" if set(output.decode().split()) <= seen else "MISSED"), text
