"""Tasks of nox, invoke, fabric and doit that a session wrote: what they start counts as if it had been typed."""

from __future__ import annotations

import pytest

from unit.two_steps import Steps, verdict

HOME = "/home/user/Documents"
NOX = "import nox\n\n@nox.session\ndef tests(session):\n"
INVOKE = "from invoke import task\n\n@task\ndef build(c, path='build'):\n"

ACTS: list[Steps] = [
    ({"noxfile.py": f"{NOX}    session.run('rm', '-rf', '{HOME}', external=True)\n"}, "nox"),
    ({"noxfile.py": f"{NOX}    words = ['rm', '-rf', '{HOME}']\n    session.run(*words)\n"}, "nox -s tests"),
    ({"noxfile.py": f"{NOX}    session.run(*session.posargs)\n"}, f"nox -- rm -rf {HOME}"),
    (
        {
            "noxfile.py": "from nox import session, Session\n\n@session(python=['3.11', '3.12'])\n"
            f"def tests(s: Session) -> None:\n    s.run_always('sh', '-c', 'rm -rf {HOME}')\n"
        },
        "nox -s tests-3.11",
    ),
    ({"tasks.py": f"{INVOKE}    c.run('rm -rf {HOME}', pty=True)\n"}, "invoke build"),
    ({"tasks.py": f"{INVOKE}    with c.cd('docs'):\n        c.sudo('rm -rf {HOME}')\n"}, "inv build"),
    ({"tasks.py": f"{INVOKE}    c.run(f'rm -rf {{path}}')\n"}, f"inv build --path={HOME}"),
    (
        {"tasks.py": f"import invoke\n\n@invoke.task(help={{}})\ndef build(c):\n    c.run(f'rm -rf {HOME}')\n"},
        "inv build",
    ),
    ({"tasks.py": f"{INVOKE}    c.run('rm -rf {HOME}')\n\n@task(pre=[build])\ndef all(c):\n    pass\n"}, "inv all"),
    ({"fabfile.py": f"from fabric import task\n\n@task\ndef build(c):\n    c.local('rm -rf {HOME}')\n"}, "fab build"),
    ({"dodo.py": f"def task_build():\n    return {{'actions': ['rm -rf {HOME}']}}\n"}, "doit"),
    (
        {"dodo.py": f"def task_build():\n    yield {{'name': 'a', 'actions': [['rm', '-rf', '{HOME}']]}}\n"},
        "doit build",
    ),
    (
        {
            "dodo.py": "from doit.action import CmdAction\n\ndef task_build():\n"
            f"    return {{'actions': [CmdAction('rm -rf {HOME}')]}}\n"
        },
        "doit",
    ),
]
ORDINARY: list[Steps] = [
    (
        {"noxfile.py": f"{NOX}    session.install('-e', '.[test]')\n    session.run('pytest', *session.posargs)\n"},
        "nox",
    ),
    ({"noxfile.py": f"{NOX}    session.run('pytest', *(session.posargs or ['tests']))\n"}, "nox -s tests -- -k foo"),
    (
        {
            "noxfile.py": f"{NOX}    session.run('ruff', 'check', '.', env={{'A': '1'}})\n\n@nox.session\n"
            "def release(session):\n    session.run('twine', 'upload', 'dist/*')\n"
        },
        "nox -s tests",
    ),
    ({"tasks.py": f"{INVOKE}    c.run(f'rm -rf {{path}}')\n"}, "inv build"),
    ({"tasks.py": f"{INVOKE}    c.run('pytest -q' + (' -v' if path else ''))\n"}, "inv build"),
    (
        {"tasks.py": f"{INVOKE}    c.run('make a')\n\n@task\ndef ship(c):\n    c.run('kubectl apply -f .')\n"},
        "inv build",
    ),
    ({"dodo.py": "def task_test():\n    return {'actions': ['pytest -q', ['mypy', 'src']], 'verbosity': 2}\n"}, "doit"),
    ({"tests/test_a.py": "def test_a():\n    assert {'actions': ['rm -rf ~']}\n"}, "pytest"),
]


@pytest.mark.parametrize(("written", "command"), ACTS)
def test_what_a_task_starts_counts(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) != "allow"


@pytest.mark.parametrize(("written", "command"), ORDINARY)
def test_an_ordinary_task_is_free(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) == "allow"
