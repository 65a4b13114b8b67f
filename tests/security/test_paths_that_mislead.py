"""Spellings of a path, and links on its way: no trick makes a write to the guard's files an allow."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, heed_permissions, made, new_machine

ZERO_WIDTH = "\u200c"

# How the path is spelled -> what a Write to it is. `{home}` and `{project}` are filled in.
SPELLINGS = {
    "plain": ("{home}/.claude/settings.json", DENY),
    "dots": ("{project}/src/../../home/.claude/settings.json", DENY),
    "dots beyond the root": ("/../../../..{home}/.claude/settings.json", DENY),
    "dots from the folder": ("../home/.claude/settings.json", DENY),
    "single dots": ("{home}/./.claude/././settings.json", DENY),
    "doubled slashes": ("//{home}//.claude///settings.json", DENY),
    "slash at the end": ("{home}/.claude/settings.json/", DENY),
    "dot at the end": ("{home}/.claude/settings.json/.", DENY),
    "through a file that is none": ("{home}/.claude/x/../settings.json", DENY),
    "tilde": ("~/.claude/settings.json", DENY),
    "tilde and dots": ("~/x/../.claude/settings.json", DENY),
    "case": ("{home}/.CLAUDE/Settings.JSON", DENY),
    "case in the project": (".Claude/SETTINGS.local.json", DENY),
    "long s": ("{home}/.claude/\u017fettings.json", DENY),
    "zero width": (f"{{home}}/.cla{ZERO_WIDTH}ude/settings.json", DENY),
    "soft hyphen": ("{home}/.claude/set\u00adtings.json", DENY),
    "byte-order mark": ("{home}/.claude/\ufeffsettings.json", DENY),
    "word joiner": ("{home}/.interlock\u2060/policy.toml", DENY),
    "another user's home": ("~root/.claude/settings.json", ASK),
    "nobody's home": ("~nobody-here/x", ASK),
    "line feed": ("{project}/a\nb", ASK),
    "carriage return": ("{home}/.claude/settings.json\r", ASK),
    "escape": ("{project}/\x1b[2Ka", ASK),
    "null": ("{project}/a.txt\x00{home}/.claude/settings.json", ASK),
    "delete": ("{project}/a\x7f", ASK),
    "5000 characters": ("{project}/" + "x" * 5000, ASK),
    "5000 characters of dots": ("{project}/" + "./" * 2500 + "a", ASK),
    "a name that is too long": ("{project}/" + "x" * 300, ASK),
    "empty": ("", ASK),
    "the root of a process": ("/proc/self/root{home}/.claude/settings.json", ASK),
    "the root of another process": ("/proc/1/root{home}/.claude/settings.json", ASK),
    "the folder of a process": ("/proc/self/cwd/a.txt", ASK),
    "a thread's root": ("/proc/thread-self/root{home}/x", ASK),
    "an open file": ("/dev/fd/1", ASK),
    "stdout": ("/dev/stdout", ASK),
    "a process, spelled with two slashes": ("//proc/self/cwd/a.txt", ASK),
    "a process, spelled with a dot": ("/./proc/self/cwd/a.txt", ASK),
    "a process, spelled with dots": ("/tmp/../proc/self/cwd/a.txt", ASK),
    "a number": (7, ASK),
    "nothing": (None, ASK),
    "a list": (["{project}/a.txt"], ASK),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_a_spelling_never_hides_where_a_write_goes(case: str, machine: Machine) -> None:
    given, expected = SPELLINGS[case]
    made(machine.home / ".claude")
    path = given.format(home=machine.home, project=machine.project) if isinstance(given, str) else given
    ran = machine.call("Write", file_path=path)
    assert ran.taken == expected, ran


def _to(target: str) -> Callable[[Path], None]:
    return lambda link: link.symlink_to(target)


def _chain(link: Path) -> None:
    for n in range(30):
        (link.parent / f"chain{n}").symlink_to(f"chain{n + 1}")
    (link.parent / "chain30").symlink_to("../home/.claude")
    link.symlink_to("chain0")


# What stands at `{project}/link` -> what is written -> what a Write to it is
LINKS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "to the settings": (_to("../home/.claude/settings.json"), "link", DENY),
    "to the folder of settings": (_to("../home/.claude"), "link/settings.json", DENY),
    "to settings that are not there yet": (_to("../home/.claude/settings.local.json"), "link", DENY),
    "to the home": (_to("../home"), "link/.claude/settings.json", DENY),
    "to the home, by other names": (_to("../home/.claude/hooks"), "link/../settings.json", DENY),
    "with dots after it": (_to("../home/.claude/hooks"), "{project}/link/../settings.json", DENY),
    "with dots before it": (_to("../home/.claude"), "src/../link/settings.json", DENY),
    "to the root": (_to("/"), "link{home}/.claude/settings.json", DENY),
    "a chain of thirty": (_chain, "link/settings.json", DENY),
    "to the guard's state": (_to("../home/.local/state/interlock"), "link/receipts.jsonl", DENY),
    "in a ring": (_to("link"), "link", ASK),
    "in a ring, and below it": (_to("link"), "link/a.txt", ASK),
    "in a ring of two": (lambda link: (_to("other")(link), _to("link")(link.parent / "other"))[0], "link/a", ASK),
    "to a process": (_to("/proc/self/cwd"), "link/a.txt", ASK),
    "to the root of a process": (_to("/proc/self/root"), "link{home}/elsewhere.txt", ASK),
    "to an open file": (_to("/dev/fd/3"), "link", ASK),
    "to a place outside": (_to("/usr/share/doc"), "link/a.txt", ASK),
    "to a place inside": (_to("src"), "link/a.txt", ALLOW),
    "a name that is not UTF-8": (lambda link: os.symlink(b"\xff", os.fsencode(link)), "link/a.txt", ASK),
}


@pytest.mark.parametrize("case", LINKS)
def test_a_link_never_hides_where_a_write_goes(case: str, machine: Machine) -> None:
    make, written, expected = LINKS[case]
    for folder in (machine.home / ".claude/hooks", machine.project / "src"):
        made(folder)
    make(machine.project / "link")
    ran = machine.call("Write", file_path=written.format(home=machine.home, project=machine.project))
    assert ran.taken == expected, ran


def test_dots_after_a_link_below_the_home_are_followed(tmp_path: Path) -> None:
    machine = new_machine(tmp_path, project=made(tmp_path / "home/project"))
    made(machine.home / ".claude/hooks")
    (machine.project / "link").symlink_to("../.claude/hooks")
    assert machine.call("Write", file_path="~/project/link/../settings.json").taken == DENY


def test_a_folder_that_may_not_be_searched_is_asked_about(machine: Machine) -> None:
    closed = made(machine.project / "closed")
    (closed / "link").symlink_to("../../home/.claude")
    closed.chmod(0)
    event = machine.event("Write", {"file_path": str(closed / "link/settings.json"), "content": ""})
    by_name = machine.run(event, before=heed_permissions)
    event["tool_input"]["file_path"] = str(closed / "link/anything.json")
    unknown = machine.run(event, before=heed_permissions)
    closed.chmod(0o700)
    assert (by_name.taken, unknown.taken) == (ASK, ASK)


@pytest.mark.skipif(sys.platform != "linux", reason="needs localedef and a file system that keeps any bytes")
def test_the_locale_does_not_change_which_link_is_followed(machine: Machine, tmp_path: Path) -> None:
    """A process that takes names for Latin-1 would look for another file than the host writes."""
    import subprocess

    made(machine.home / ".claude")
    (machine.project / "über").symlink_to("../home/.claude")
    locales = made(tmp_path / "locales")
    done = subprocess.run(
        ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(locales / "en_US.ISO-8859-1")],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("no locale can be made here")
    latin = {"LOCPATH": str(locales), "LC_ALL": "en_US.ISO-8859-1"}
    encoding = subprocess.run(
        [machine.python, "-I", "-S", "-c", "import sys; print(sys.getfilesystemencoding())"],
        env={**os.environ, **latin},
        capture_output=True,
        text=True,
        check=True,
    )
    assert encoding.stdout.strip() == "iso8859-1"
    event = machine.event("Write", {"file_path": str(machine.project / "über/settings.json"), "content": ""})
    assert machine.run(event, environment=latin).taken == DENY


@pytest.mark.parametrize("tool", ["WRITE", "Write ", " Write", "Wr\u200bite", "Bash\n", "mcp__x__Read"])
def test_a_tool_that_only_looks_like_a_known_one_is_unknown(tool: str, machine: Machine) -> None:
    assert machine.run(machine.event(tool, machine.sample("Write"))).taken == ASK


@pytest.mark.parametrize(
    "command", ["\x00", "echo hi > ~/.claude/settings.json", "$X", "eval $Y", "ls; rm -rf ~", "a 'b"]
)
def test_no_shell_command_is_allowed_unread(command: str, machine: Machine) -> None:
    assert machine.call("Bash", command=command).taken in (ASK, DENY)


@pytest.mark.parametrize(
    "arguments", [{}, {"command": None}, {"command": []}, {"command": ["ls", 1]}, {"command": {"file_path": "x"}}]
)
def test_a_shell_call_without_a_command_is_not_allowed(arguments: dict[str, object], machine: Machine) -> None:
    assert machine.run(machine.event("Bash", arguments)).taken in (ASK, DENY)
