"""`serve.toml`: what it takes, and what keeps the service from starting."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import InputError
from interlock.serve.settings import Settings, is_loopback, settings_from

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = [
    (path.name, block)
    for path in sorted(DOCS.rglob("*.md"))
    for block in path.read_text().split("```")[1::2]
    if block.lstrip().startswith("# serve.toml")
]


@pytest.mark.parametrize(("page", "text"), BLOCKS, ids=[page for page, _ in BLOCKS])
def test_what_the_docs_show_is_taken(page: str, text: str) -> None:
    assert isinstance(settings_from(text, page, {}), Settings)


def test_an_empty_file_listens_on_this_machine_alone() -> None:
    found = settings_from("", "serve.toml", {})
    assert (found.host, found.port, found.secure, found.address) == ("127.0.0.1", 8786, False, "http://127.0.0.1:8786")


def test_options_count_more_than_the_file() -> None:
    assert settings_from("port = 1\nrate = 5", "serve.toml", {"port": 2, "rate": None}) == Settings(port=2, rate=5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prot = 1", "`prot` is no setting"),
        ("port = '1'", "`port` must be a whole number"),
        ("verbose = 1", "`verbose` must be a true or false"),
        ("port = 70000", "is no port"),
        ("cert = 'a'", "both a certificate and its key"),
        ("url = 'guard.example'", "must begin with"),
        ("rate = 0", "at least 1"),
        ("port = ", "serve.toml"),
        ("[oidc]\nissuer = 1", "must be a text"),
        ("[slack]\nchannel = 'c'", "Slack needs"),
        ("[[webhooks]]\nurl = 'x'\nsecret = 's'\nwhat = 'y'", "no field what"),
    ],
)
def test_a_mistake_is_named(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        settings_from(text, "serve.toml", {})


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.5", "guard.example", "127.evil.example", "localhost.evil"]
)
def test_it_does_not_start_in_the_open(host: str) -> None:
    with pytest.raises(InputError, match="there is no TLS"):
        settings_from(f"host = '{host}'", "serve.toml", {})
    assert settings_from(f"host = '{host}'\ninsecure = true", "serve.toml", {}).host == host
    assert settings_from(f"host = '{host}'\ncert = 'c'\nkey = 'k'", "serve.toml", {}).secure


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1"])
def test_this_machine_is_told_by_its_address(host: str) -> None:
    assert is_loopback(host)
