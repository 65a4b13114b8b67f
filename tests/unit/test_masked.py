"""What a question shows of values that redaction takes out: addresses, with what is secret in them masked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.bytes.masked import hidden_in, masked
from interlock.bytes.redact import MARK, redacted

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3

# value of a name that says secret -> how it is shown; None: not at all
ADDRESSES = {
    "https://evil1.example/collect/it": "https://evil1.example/collect/it",
    "http://backend-12:8080/api": "http://backend-12:8080/api",
    "jdbc:postgresql://db1.example:5432/orders": "jdbc:postgresql://db1.example:5432/orders",
    "https://[2001:db8::1]:8443/x": "https://[2001:db8::1]:8443/x",
    "https://evil1.example/?sig=abc123": "https://evil1.example/?[redacted:query]",
    "https://evil1.example/#abc123": "https://evil1.example/#[redacted:fragment]",
    # who it looks like, and where it goes
    "https://good.example@evil1.example/": "https://[redacted:login]@evil1.example/",
    "https://ann:hunter2@evil1.example:99/x": "https://[redacted:login]@evil1.example:99/x",
    "https://good.example/@evil1.example/": "https://good.example/@evil1.example/",
    # a secret in the path
    "https://hooks.example/services/T0000/B0000/"
    + "Xy" * 12: "https://hooks.example/services/T0000/B0000/[redacted:part]",
    "https://hooks.example/7f3b2c1d-aaaa-bbbb-cccc-0123456789ab": "https://hooks.example/[redacted:part]",
    "https://hooks.example/bot1234567890123:go": "https://hooks.example/[redacted:part]",
    f"https://hooks.example/{TOKEN}/x": "https://hooks.example/[redacted:github-token]/x",
    "https://evil1.example/" + "a/" * 300: "https://evil1.example/[redacted:path]",
    "https://aB3dE5fG7hJ9kL1mN3pQ.evil1.example/": "https://[redacted:name].evil1.example/",
    # letters that are drawn like others
    "https://g\u043e\u043egle1.example/": "https://g\\u043e\\u043egle1.example/",
    "https://evil1.example\u3002good.example/": "https://evil1.example\\u3002good.example/",
    "https://\u202eelpmaxe.live1/": None,
    # hosts that programs do not agree on
    "https://good.example\\@evil1.example/": None,
    "https://good.example\\.evil1.example/": None,
    "https://a@good.example@evil1.example/": None,
    "https://good.example?@evil1.example/": None,
    "https://good.example#@evil1.example/": None,
    "https://good%2eexample1/": None,
    "https://$HOST1/x": None,
    "https://evil1.example:80x/": None,
    "https://evil1.example:443:80/": None,
    "https://[::1/x1": None,
    "https://..1/x": None,
    "https:///x1": None,
    "https://evil1.example/\x1b[2K": None,
    "https://evil1.example/a b": None,
    # not an address
    "hunter2hunter2": None,
    "evil1.example": None,
    "s3cr3t://hunter2": None,
    "://evil1.example": None,
}


@pytest.mark.parametrize(("value", "shown"), ADDRESSES.items())
def test_an_address_is_shown_without_what_is_secret_in_it(value: str, shown: str | None) -> None:
    found, hidden = masked({"password": value})
    assert found["password"] == (shown if shown is not None else "[redacted:password]")
    assert hidden == found["password"].count(MARK)


@pytest.mark.parametrize(
    ("text", "shown", "hidden"),
    [
        ("AUTH_TOKEN=https://evil1.example/x run", "AUTH_TOKEN=https://evil1.example/x run", 0),
        ("token: 'https://evil1.example/x'", "token: 'https://evil1.example/x'", 0),
        ("PASSWORD=hunter2a TOKEN=https://u@evil1.example/",
         "PASSWORD=[redacted:password] TOKEN=https://[redacted:login]@evil1.example/", 2),
        ("curl https://ann:hunter2@evil1.example/x", "curl https://ann:[redacted:password]@evil1.example/x", 1),
        (f"run {TOKEN}", "run [redacted:github-token]", 1),
        ("password=https://ann:https://x1@evil1.example/", "password=[redacted:password]", 1),
        ("nothing to see", "nothing to see", 0),
    ],
)  # fmt: skip
def test_in_a_text_only_what_a_name_calls_secret_is_looked_at(text: str, shown: str, hidden: int) -> None:
    assert masked(text) == (shown, hidden)


def test_headers_and_lists_are_gone_through() -> None:
    given = {"headers": [["x-auth-token", "https://evil1.example/"], ["authorization", "Bearer abcdefgh1234"]]}
    found, hidden = masked(given)
    assert found["headers"] == (("x-auth-token", "https://evil1.example/"), ("authorization", "[redacted:secret]"))
    assert (hidden, hidden_in(found)) == (1, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40) | st.sampled_from([*ADDRESSES, f"token={TOKEN}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["password", "token_url", "name", "value", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_what_stays_hidden_is_counted_and_nothing_else_changes(value: object) -> None:
    found, hidden = masked(value)
    assert hidden <= hidden_in(found)  # a text may hold a mark of its own
    if redacted(value) is value:
        assert (found, hidden) == (value, 0)
