"""Images are packages: what HEAD's files name runs free, any other is one question, and some are asked each time."""

from __future__ import annotations

import json

import pytest

from machine import Machine
from made_repositories import git

FILES = {
    "compose.yaml": "services:\n  cache:\n    image: redis:7\n    ports: [6379:6379]\n    volumes: [./data:/data]\n",
    "Dockerfile": "FROM python:3.12-slim\nCOPY . /app\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    container: node:20\n",
    ".devcontainer/devcontainer.json": '{"image": "mcr.microsoft.com/devcontainers/go:1"}\n',
    "src/app.py": "print(1)\n",
}


@pytest.fixture
def project(machine: Machine) -> Machine:
    for name, text in FILES.items():
        path = machine.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(machine.project, "init", "-q")
    git(machine.project, "add", "-A")
    git(machine.project, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "first")
    return machine


def answered(machine: Machine, *commands: str, answer: str = "approve") -> list[str]:
    """The verdicts of commands in one session, as if each had run."""
    calls = [{"tool": "Bash", "input": {"command": command}} for command in commands]
    text = "".join(
        json.dumps({"cwd": str(machine.project), "session": "s1", "outcome": "ran", **call}) + "\n" for call in calls
    )
    run = machine.run("decide", "--jsonl", "--answer", answer, stdin=text)
    assert (run.code, run.err) == (0, "")
    return [line["verdict"] for line in run.lines]


@pytest.mark.parametrize(
    "command",
    [
        "docker run -d --rm --name cache -p 6379:6379 redis:7",
        "docker run redis:7",
        "docker run --rm docker.io/library/redis:7 redis-cli ping",
        "podman run --rm -v $PWD:/w -w /w python:3.12-slim python -m compileall src",
        "nerdctl run --rm -v ./src:/src:ro node:20 ls /src",
        'docker run --rm --mount type=bind,source="$PWD/data",target=/data redis:7',
        "docker run --rm -e POSTGRES_PASSWORD=dev -v data:/data redis:7",
        "docker create --name cache redis:7",
        "docker pull redis:7",
        "podman pull python:3.12-slim",
        "docker compose up -d",
        "docker-compose up -d cache",
        "podman-compose up -d",
        "docker compose pull",
        "docker compose run --rm cache redis-cli ping",
        "docker run --rm --network none --read-only redis:7 true",
        "docker run --rm mcr.microsoft.com/devcontainers/go:1 go version",
        "act -j test",
        "act -P ubuntu-latest=node:20",
        "devcontainer up --workspace-folder .",
        "devcontainer exec --workspace-folder . ls",
        "docker compose config",
    ],
)
def test_what_the_project_names_is_free(project: Machine, command: str) -> None:
    assert answered(project, command) == ["allow"]


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm acme/linter",
        "docker run --rm redis:8",
        "docker run --rm redis",
        "docker run --rm other/redis:7",
        "docker run --rm r.example/library/redis:7",
        "podman run -v $PWD:/w acme/linter",
        "nerdctl create -v $PWD:/w acme/linter",
        "docker container run acme/linter",
        "docker pull acme/linter",
        "act -P ubuntu-latest=acme/runner",
        "devcontainer up --workspace-folder . --dotfiles-repository https://github.com/acme/dots",
    ],
)
def test_any_other_is_one_question(project: Machine, command: str) -> None:
    assert answered(project, command, command) == ["ask", "allow"]


@pytest.mark.parametrize(
    "command",
    [
        "docker run --privileged redis:7",
        "docker run --pid=host redis:7",
        "docker run --net host redis:7",
        "podman run --ipc host redis:7",
        "nerdctl run --uts=host redis:7",
        "podman run --userns=host redis:7",
        "docker run --device /dev/sda redis:7",
        "docker run --cap-add SYS_ADMIN redis:7",
        "docker run -v /var/run/docker.sock:/var/run/docker.sock redis:7",
        "docker run -v ~:/h redis:7",
        "docker run -v ~:/h:ro redis:7",
        "docker run -v ~/.ssh:/k:ro redis:7",
        "docker run -v /:/h redis:7",
        "docker run --mount type=bind,source=/,target=/h redis:7",
        "docker run --mount 'type=volume,dst=/h,volume-opt=type=none,volume-opt=o=bind,volume-opt=device=/' redis:7",
        'docker run --mount \'"TYPE=bind","source=/",target=/h\' redis:7',
        "docker run -e STRIPE_SECRET_KEY redis:7",
        "docker run -e KEY=$STRIPE_SECRET_KEY redis:7",
        "docker run --env-file .env redis:7",
        "podman run --env-host redis:7 env",
        "docker compose run -e STRIPE_SECRET_KEY cache env",
        "docker exec -e GITHUB_TOKEN cache env",
        "act -s GITHUB_TOKEN",
        "act --privileged",
        "devcontainer up --mount type=bind,source=/,target=/h",
        "devcontainer up --remote-env GITHUB_TOKEN=$GITHUB_TOKEN",
        "kubectl run x --image=redis:7",
        "docker run --rm --replace --name cache redis:7",
    ],
)
def test_what_opens_the_machine_is_asked_each_time(project: Machine, command: str) -> None:
    assert answered(project, command, command) == ["ask", "ask"]


def test_a_yes_covers_the_image_with_the_same_mounts_or_less(project: Machine) -> None:
    verdicts = answered(
        project,
        'docker run --rm -v "$PWD":/src acme/linter',
        'docker run --rm -v "$PWD":/src --name again acme/linter /src',
        'docker run --rm -v "$PWD":/src:ro acme/linter',
        'docker run --rm -v "$PWD"/src:/src acme/linter',
        "docker run --rm acme/linter",
        'docker run --rm -v "$PWD":/src acme/linter:2',
        'docker run --rm -v "$PWD":/src acme/other',
        'docker run --rm -v "$PWD":/src -v /opt/tools:/t:ro acme/linter',
        'docker run -d -v "$PWD":/src acme/linter',
    )
    assert verdicts == ["ask", "allow", "allow", "allow", "allow", "ask", "ask", "ask", "ask"]


def test_a_yes_to_read_is_none_to_write(project: Machine) -> None:
    verdicts = answered(project, "docker run -v ./src:/s:ro acme/linter", "docker run -v ./src:/s acme/linter")
    assert verdicts == ["ask", "ask"]


def test_the_question_names_the_image_and_the_mounts(project: Machine) -> None:
    line = json.dumps({"tool": "Bash", "input": {"command": "docker run -v $PWD/src:/s acme/linter"}})
    shown = project.run("decide", stdin=line).json["reasons"][0]["text"]
    assert shown == (
        f"Run the image `acme/linter` with `{project.project}/src`: no file of the last commit names that image."
    )


def test_the_working_tree_names_nothing(project: Machine) -> None:
    (project.project / "deploy").mkdir()
    (project.project / "deploy" / "Dockerfile").write_text("FROM acme/linter\n")
    assert answered(project, "docker run --rm acme/linter") == ["ask"]


def test_services_that_were_changed_are_asked_about(project: Machine) -> None:
    path = project.project / "compose.yaml"
    path.write_text(FILES["compose.yaml"] + "  other:\n    image: acme/other\n")
    assert answered(project, "docker compose up -d") == ["ask"]
    path.write_text(FILES["compose.yaml"] + "    privileged: true\n")
    assert answered(project, "docker compose up -d", "docker compose up -d") == ["ask", "ask"]
    path.write_text(FILES["compose.yaml"])
    assert answered(project, "docker compose up -d") == ["allow"]


def test_a_recipe_of_the_session_brings_its_images(project: Machine) -> None:
    made = ["printf 'FROM %s\\nRUN ls\\n' > Dockerfile && docker build -t app .", "docker build -t app ."]
    assert answered(project, made[0].replace("%s", "acme/base"), made[1]) == ["ask", "allow"]
    assert answered(project, made[0].replace("%s", "redis:7"), made[1]) == ["allow", "allow"]


def test_variables_put_into_the_services_are_secrets(project: Machine) -> None:
    path = project.project / "compose.yaml"
    path.write_text("services:\n  cache:\n    image: redis:7\n    env_file: .env\n")
    assert answered(project, "docker compose config", "docker compose config --services") == ["ask", "allow"]
