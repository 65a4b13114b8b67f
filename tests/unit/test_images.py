"""Images are packages: what HEAD's files name is the project's, and any other is a question."""

from __future__ import annotations

import pytest

from interlock.reading.reach.image_lists import images_in, is_image_file, is_named, plain_image

DIGEST = "sha256:" + "a1" * 32


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("redis", "docker.io/library/redis:latest"),
        ("redis:7", "docker.io/library/redis:7"),
        ("docker.io/redis:7", "docker.io/library/redis:7"),
        ("index.docker.io/library/redis:7", "docker.io/library/redis:7"),
        ("docker://redis:7", "docker.io/library/redis:7"),
        ("acme/api", "docker.io/acme/api:latest"),
        ("localhost:5000/api", "localhost:5000/api:latest"),
        ("localhost/api:dev", "localhost/api:dev"),
        (f"ghcr.io/acme/api@{DIGEST}", f"ghcr.io/acme/api@{DIGEST}"),
        ("docker-archive:/tmp/x.tar", ""),
        ("$IMAGE", ""),
        ("", ""),
        ("-x", ""),
    ],
)
def test_one_image_has_one_plain_name(text: str, plain: str) -> None:
    assert plain_image(text) == plain


def test_a_tag_and_a_digest_name_one_image_each() -> None:
    names = [plain_image(f"redis:7@{DIGEST}"), plain_image("postgres:16")]
    for image in (f"redis:7@{DIGEST}", "redis:7", f"redis@{DIGEST}", "docker.io/library/postgres:16"):
        assert is_named(image, names)
    for image in ("redis", "redis:8", f"redis@{DIGEST.replace('a', 'b')}", "postgres", "evil/postgres:16", "", "$X"):
        assert not is_named(image, names)


RECIPE = """\
# FROM commented/out
ARG PYTHON=3.12
FROM python:${PYTHON} AS build
FROM --platform=linux/amd64 build AS later
COPY --from=build /a /b
COPY --chown=1 --from=ghcr.io/acme/uv:0.4 /uv /bin/uv
FROM debian:bookworm-slim
FROM $UNKNOWN
FROM scratch
"""
SERVICES = """\
services:
  cache:
    image: "redis:7"   # not the newest
  db: {image: 'postgres:16', environment: {POSTGRES_PASSWORD: dev}}
  own:
    image: ${REGISTRY}/own:1
  # image: commented/out
"""
WORKFLOW = """\
jobs:
  test:
    container: node:20
    services:
      db:
        image: mysql:8
    steps:
      - name: Lint
        uses: docker://hadolint/hadolint:v2
"""
PIPELINE = """\
image:
  name: ruby:3.3
test:
  services:
    - postgres:15
    - redis:6 # cache
  script: make
"""


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("Dockerfile", RECIPE, ["python:3.12", "ghcr.io/acme/uv:0.4", "debian:bookworm-slim"]),
        ("deploy/Dockerfile.worker", "from alpine:3\n", ["alpine:3"]),
        ("compose.yaml", SERVICES, ["redis:7", "postgres:16"]),
        ("docker-compose.dev.yml", SERVICES, ["redis:7", "postgres:16"]),
        (".github/workflows/ci.yml", WORKFLOW, ["node:20", "mysql:8", "hadolint/hadolint:v2"]),
        (".gitlab-ci.yml", PIPELINE, ["ruby:3.3", "postgres:15", "redis:6"]),
        (".devcontainer/devcontainer.json", '{"image": "mcr.microsoft.com/devcontainers/go:1"}',
         ["mcr.microsoft.com/devcontainers/go:1"]),
        ("compose.yaml", "image: a\0b", []),
        ("values.yaml", SERVICES, []),
        ("README.md", "image: redis:7", []),
    ],
)  # fmt: skip
def test_files_name_images(path: str, text: str, names: list[str]) -> None:
    assert sorted(images_in(path, text)) == sorted(map(plain_image, names))
    assert is_image_file(path) is (path not in ("values.yaml", "README.md"))
