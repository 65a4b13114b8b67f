"""A daemon or builder of containers on another machine gets the project, and runs what it is told there."""

from __future__ import annotations

from verdicts import allowed

ELSEWHERE = """
docker -H tcp://build.example:2375 build .
docker --host=ssh://me@build.example build .
docker -c prod build .
docker --context prod build .
docker --context prod buildx build .
docker --context prod image build .
docker --context prod compose build
docker buildx build --builder prod .
docker buildx --builder prod build .
docker --config /tmp/other build .
podman --remote --url tcp://build.example:8080 build .
podman --connection prod build .
DOCKER_HOST=tcp://build.example:2375 docker build .
DOCKER_CONTEXT=prod docker build .
CONTAINER_HOST=ssh://me@build.example podman build .
CONTAINER_CONNECTION=prod podman build .
export BUILDX_BUILDER=prod; docker build .
docker context create prod --docker host=tcp://build.example:2375
docker context create prod --docker host=ssh://me@build.example,skip-tls-verify=true
docker context update default --docker host=tcp://build.example:2375
docker context use prod
docker buildx create --driver remote tcp://build.example:1234
docker buildx create --name k --driver kubernetes
docker buildx create --append --name k ssh://me@build.example
docker buildx use prod
"""

HERE = """
docker build .
docker build -t app --build-arg VERSION=1 .
docker -H unix:///var/run/docker.sock build .
docker -H tcp://localhost:2375 build .
docker --context default build .
docker --context desktop-linux ps
docker -c orbstack images
docker compose build
docker buildx build --builder default .
docker buildx create --use
docker buildx create --name multi --driver docker-container --bootstrap
docker buildx use default
docker buildx ls
docker context ls
docker context use default
docker context create rootless --docker host=unix:///run/user/1000/docker.sock
podman build -t app .
podman --connection podman-machine-default build .
DOCKER_HOST=unix:///var/run/docker.sock docker build .
DOCKER_CONTEXT=default docker build .
DOCKER_BUILDKIT=1 docker build .
"""


def test_another_machine_is_asked_about() -> None:
    assert allowed(ELSEWHERE) == []


def test_the_daemon_of_this_machine_stays_free() -> None:
    assert allowed(HERE) == HERE.split("\n")[1:-1]
