"""Commands of a host that does not tell which shell runs them, nor whether the agent can type into what runs."""

from __future__ import annotations

import pytest

from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.read import read_call
from interlock.value import FrozenMap

FACTS = Facts(root="/p", home="/home/u")


def doubts(command: str, host: str = "codex") -> list[str]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p", host=host)
    return [part.reason for part in read_call(call, FACTS).opaque if part.kind != "path"]


@pytest.mark.parametrize(
    ("command", "odd"),
    [
        ("ls $'\\'; rm -rf b\n#\\''", "$'…'"),
        ("((rm -rf b))", "((…))"),
        ("[[ -f a && reboot ]]", "[[…]]"),
        ("function f {\nls\n}", "function"),
        ("TRAPEXIT() { ls; }; ls", "a function"),
        ("coproc cat", "coproc"),
        ("declare x=a; ls $x", "declare"),
        ("x=a; x+=b; ls", "x+="),
    ],
)
def test_what_shells_take_differently_is_not_believed(command: str, odd: str) -> None:
    why = f"which shell runs it is not told, and others take {odd} for something else than bash does"
    assert f"{why} (`bash -c` would settle it)" in doubts(command)
    assert not [doubt for doubt in doubts(command, host="claude-code") if "which shell" in doubt]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la | head -5 &>/dev/null",
        'for f in *.py; do wc -l "$f"; done',
        "[ -f a ] && cat a",
        "cat <<'EOF' > a\n(( x )) [[ y ]] $'z'\nEOF",
        "bash -c '[[ -f a ]] && ls'",
        "set -euo pipefail; git status && git diff",
        "diff <(ls) <(ls b)",
        "git commit -am 'a message'",
        "git diff | git apply -R",
        "patch -p1 < a.patch",
        "git apply a.patch",
        "git add .",
    ],
)
def test_what_every_shell_takes_alike_is_read_as_ever(command: str) -> None:
    assert doubts(command) == doubts(command, host="claude-code") == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("vim a", "vim"),
        ("/usr/bin/less a", "less"),
        ("env X=1 man ls", "man"),
        ("sh -c 'vi a'", "vi"),
        ("git add -p", "git add"),
        ("git -C . add -Ap", "git add"),
        ("git -c a.b=c --no-pager add --patc", "git add"),
        ("git commit -em x", "git commit"),
        ("git merge -m x --edit a", "git merge"),
        ("git rebase --edit-todo", "git rebase"),
        ("git branch --edit-description", "git branch"),
        ("git difftool", "git difftool"),
        ("node inspect a.js", "node"),
        ("pytest --pdb", "pytest"),
    ],
)
def test_a_program_that_does_what_is_typed_is_not_read(command: str, name: str) -> None:
    assert f"`{name}` does what is typed into it, which no hook sees" in doubts(command)
    assert f"`{name}` does what is typed into it, which no hook sees" not in doubts(command, host="")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("git commit", "git commit"),
        ("git commit --amend", "git commit"),
        ("git --git-dir .git commit -v", "git commit"),
        ("git merge a", "git merge"),
        ("git pull", "git pull"),
        ("git revert HEAD", "git revert"),
        ("git tag -a v1", "git tag"),
        ("git notes add", "git notes"),
        ("git rebase --continue", "git rebase"),
        ("GIT_EDITOR=vi git rebase --continue", "git rebase"),
    ],
)
def test_a_command_that_may_open_an_editor_is_not_read(command: str, name: str) -> None:
    settles = "`GIT_EDITOR=true` before it" if "--continue" in command else "`--no-edit` or a message"
    told = f"`{name}` may open an editor, and what is typed there no hook sees ({settles} would settle it)"
    assert told in doubts(command)
    assert told not in doubts(command, host="")


@pytest.mark.parametrize(
    "command",
    [
        "git commit --amend --no-edit",
        "git -C a commit -am x",
        "git merge --no-edit a",
        "git merge --ff-only a",
        "git merge --abort",
        "git pull --rebase",
        "git tag v1",
        "git tag -am x v1",
        "git tag -l",
        "git notes show",
        "GIT_EDITOR=true git rebase --continue",
        "git branch -a",
        "node a.js",
    ],
)
def test_a_command_that_opens_no_editor_is_read_as_ever(command: str) -> None:
    assert doubts(command) == doubts(command, host="claude-code")


@pytest.mark.parametrize("name", ["patch", "git apply", "git am", "git -C . apply"])
def test_a_patch_that_is_typed_is_not_read(name: str) -> None:
    told = f"`{name.replace(' -C .', '')}` takes patches that are typed, which no hook sees"
    assert told in doubts(name)
    assert told in doubts(f"cd a && {name} --verbose")
    assert told not in doubts(f"{name} a.patch")


def test_words_of_a_command_are_not_read_where_none_are_told() -> None:
    call = Call(tool="Bash", input=FrozenMap({"command": ("vim", "a")}), cwd="/p", host="codex")
    assert read_call(call, FACTS).opaque
