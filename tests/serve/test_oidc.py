"""Sign-in with an account of a provider: who gets in, as what, and every way that must not work."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from interlock.model.errors import InputError
from interlock.serve import oidc_provider
from interlock.serve.app import app_for
from interlock.serve.callers import csrf_of
from interlock.serve.people import people_in
from interlock.serve.run import api_for
from interlock.serve.settings import Oidc, Settings, settings_from
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.tokens import every_token
from interlock.value import FrozenMap
from serving import Serving
from sign_in_provider import CLIENT, SECRET, SignIns, rsa_key, sign_ins

PEOPLE = FrozenMap({"ann@example.com": "ann:approver", "root@example.com": "root:admin", "u-9": "nine:approver"})


@pytest.fixture
def provider() -> Iterator[SignIns]:
    with sign_ins() as found:
        yield found


def table(provider: SignIns, folder: Path, **changes: Any) -> Oidc:
    (folder / "secret").write_text(SECRET + "\n")
    given = {"issuer": provider.url, "client": CLIENT, "secret": str(folder / "secret"), "people": PEOPLE}
    return Oidc(**{**given, **changes})


@pytest.fixture
def service(tmp_path: Path, provider: SignIns) -> Iterator[Serving]:
    with Serving(tmp_path, settings={"oidc": table(provider, tmp_path)}) as found:
        yield found


def browser(service: Serving) -> httpx.Client:
    client = httpx.Client(base_url=service.url, timeout=20)
    service.clients[f"browser {len(service.clients)}"] = client  # closed with the service
    return client


def sent_back(client: httpx.Client) -> str:
    """Begins a sign-in, and goes as far as the address that the provider sends the browser back to."""
    begun = client.get("/sign-in/oidc")
    assert begun.status_code == 303, begun.text
    return httpx.get(begun.headers["location"]).headers["location"]


def signed_in(service: Serving) -> tuple[httpx.Client, httpx.Response]:
    client = browser(service)
    return client, client.get(sent_back(client))


def tokens(service: Serving) -> list[Any]:
    ledger = Ledger(service.folders.ledger)
    found = [token for token in every_token(ledger) if token.by == "oidc"]
    ledger.close()
    return found


def assert_refused(service: Serving, answer: httpx.Response, *statuses: int) -> None:
    """It opened nothing: no cookie of the page, and no token."""
    assert answer.status_code in (statuses or (400, 403))
    assert answer.headers["content-type"].startswith("text/plain")
    assert not [cookie for cookie in answer.headers.get_list("set-cookie") if cookie.startswith("interlock=")]
    assert tokens(service) == []


def test_a_person_signs_in_and_gets_a_token_of_their_role(service: Serving) -> None:
    client, answer = signed_in(service)
    assert answer.status_code == 200
    assert 'content="0;url=/"' in answer.text
    (cookie,) = [found for found in answer.headers.get_list("set-cookie") if found.startswith("interlock=")]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Max-Age=28800" in cookie
    (token,) = tokens(service)
    assert (token.person, token.role) == ("ann", "approver")
    assert token.expires - token.created == 8 * 3_600_000
    assert client.get("/v1/approvals").status_code == 200
    assert client.post("/v1/approvals/ap_x", json={"answer": "approve"}).status_code == 401  # a cookie only looks
    assert "interlock-oidc" not in client.cookies


def test_who_signs_out_leaves_no_token_behind(service: Serving) -> None:
    """The one that the sign-in made is in that browser alone; one that a person brought along stays good."""
    client, _ = signed_in(service)
    cookie = client.cookies["interlock"]
    (token,) = tokens(service)
    assert client.post("/sign-out", data={"csrf": csrf_of(cookie)}).status_code == 303
    with closing(Ledger(service.folders.ledger)) as ledger:
        (ended,) = [found for found in every_token(ledger) if found.id == token.id]
    assert (ended.revoked, ended.by) == (True, f"ann with token {token.id}")
    assert httpx.get(f"{service.url}/v1/approvals", cookies={"interlock": cookie}).status_code == 401
    own = service.token("ann", "approver")
    with httpx.Client(base_url=service.url, cookies={"interlock": own}) as person:
        assert person.post("/sign-out", data={"csrf": csrf_of(own)}).status_code == 303
    assert httpx.get(f"{service.url}/v1/approvals", cookies={"interlock": own}).status_code == 200


def test_an_admin_is_one(service: Serving, provider: SignIns) -> None:
    provider.account = {"email": "root@example.com", "email_verified": True}
    signed_in(service)
    assert [token.role for token in tokens(service)] == ["admin"]


@pytest.mark.slow
def test_es256_and_new_keys(service: Serving, provider: SignIns) -> None:
    provider.signs = ("ec-1", "ES256")
    assert signed_in(service)[1].status_code == 200
    asked = provider.key_requests
    assert signed_in(service)[1].status_code == 200
    assert provider.key_requests == asked  # keys are kept
    provider.keys = {"rsa-2": rsa_key("other"), "ec-2": ECKey.generate_key("P-256")}
    for signs in (("rsa-2", "RS256"), ("ec-2", "ES256"), ("rsa-2", "PS256")):
        provider.signs = signs
        assert signed_in(service)[1].status_code == 200
    assert provider.key_requests == asked + 1


def test_the_cookies_are_secure_where_people_come_over_tls(tmp_path: Path, provider: SignIns) -> None:
    settings = {"oidc": table(provider, tmp_path), "url": "https://guard.example"}
    with Serving(tmp_path, settings=settings) as service:
        begun = browser(service).get("/sign-in/oidc", headers={"host": "guard.example"})
        cookie = begun.headers["set-cookie"]
        assert cookie.startswith("__Host-interlock-oidc=")
        assert "Secure" in cookie
        assert "SameSite=lax" in cookie
        assert "redirect_uri=https%3A%2F%2Fguard.example%2Fsign-in%2Foidc%2Fback" in begun.headers["location"]


# --- the browser --------------------------------------------------------------------------------------------------


def test_an_answer_without_the_browser_that_asked_opens_nothing(service: Serving, provider: SignIns) -> None:
    back = sent_back(browser(service))
    assert_refused(service, browser(service).get(back))
    other = browser(service)
    sent_back(other)
    assert_refused(service, other.get(back))
    assert provider.exchanges == 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", ["", "&state=x", "drop", "wrong"])
def test_a_state_that_is_missing_wrong_or_there_twice(service: Serving, change: str) -> None:
    client = browser(service)
    back = sent_back(client)
    url, _, query = back.partition("?")
    pairs = dict(pair.split("=") for pair in query.split("&"))
    if change == "drop":
        back = f"{url}?code={pairs['code']}"
    elif change == "wrong":
        back = f"{url}?code={pairs['code']}&state={'A' * 43}"
    elif change == "":
        back = f"{url}?code={pairs['code']}&state="
    else:
        back += change
    assert_refused(service, client.get(back))


def test_an_answer_counts_once(service: Serving, provider: SignIns) -> None:
    client = browser(service)
    back = sent_back(client)
    kept = dict(client.cookies)
    assert client.get(back).status_code == 200
    assert provider.exchanges == 1
    again = httpx.get(back, cookies=kept)
    assert again.status_code == 400
    assert provider.exchanges == 1
    assert len(tokens(service)) == 1


def test_a_code_that_was_used_opens_nothing(service: Serving) -> None:
    first = browser(service)
    used = sent_back(first)
    code = httpx.URL(used).params["code"]
    assert first.get(used).status_code == 200
    second = browser(service)
    back = httpx.URL(sent_back(second)).copy_set_param("code", code)
    answer = second.get(str(back))
    assert answer.status_code == 403
    assert len(tokens(service)) == 1


def test_a_code_of_another_browser_opens_nothing(service: Serving) -> None:
    """The code is bound to whoever began: the provider compares the verifier."""
    code = httpx.URL(sent_back(browser(service))).params["code"]
    victim = browser(service)
    back = httpx.URL(sent_back(victim)).copy_set_param("code", code)
    assert_refused(service, victim.get(str(back)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", ["?next=https://evil.example", "?redirect_uri=https://evil.example", "?url=//evil"])
def test_no_link_chooses_where_people_land(service: Serving, path: str) -> None:
    client = browser(service)
    begun = client.get(f"/sign-in/oidc{path}")
    assert "evil" not in begun.headers["location"]
    back = httpx.get(begun.headers["location"]).headers["location"]
    answer = client.get(f"{back}&{path[1:]}")
    assert answer.status_code == 200
    assert "evil" not in answer.text
    assert "location" not in answer.headers


# --- the id token -------------------------------------------------------------------------------------------------


def _b64(data: Any) -> str:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _none(provider: SignIns, claims: dict[str, Any]) -> str:
    return f"{_b64({'alg': 'none'})}.{_b64(claims)}."


def _shared(provider: SignIns, claims: dict[str, Any]) -> str:
    """HS256 with the public key as the secret."""
    key = provider.keys["rsa-1"].as_pem(private=False)
    text = f"{_b64({'alg': 'HS256', 'kid': 'rsa-1'})}.{_b64(claims)}"
    return f"{text}.{_b64(hmac.new(key, text.encode(), hashlib.sha256).digest())}"


def _own_key(provider: SignIns, claims: dict[str, Any]) -> str:
    mine = rsa_key("other")
    header = {"alg": "RS256", "kid": "rsa-1", "jwk": mine.as_dict(private=False)}
    return jwt.encode(header, claims, mine, algorithms=["RS256"])


def _unknown_key(provider: SignIns, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "rsa-9"}, claims, rsa_key("other"), algorithms=["RS256"])


def _changed(provider: SignIns, claims: dict[str, Any]) -> str:
    head, _, sign = provider.signed(claims).split(".")
    return f"{head}.{_b64({**claims, 'email': 'root@example.com'})}.{sign}"


def _critical(provider: SignIns, claims: dict[str, Any]) -> str:
    _, body, sign = provider.signed(claims).split(".")
    return f"{_b64({'alg': 'RS256', 'kid': 'rsa-1', 'crit': ['exp']})}.{body}.{sign}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "forged",
    [
        _none,
        _shared,
        _own_key,
        _unknown_key,
        _changed,
        _critical,
        lambda _p, _c: "junk",
        lambda _p, _c: "a.b.c",
        lambda _p, c: _b64(c),
        lambda p, c: p.signed(c)[:-4] + "AAAA",
        lambda _p, _c: ".." + "é",
    ],
)
def test_a_token_that_the_provider_did_not_sign(
    service: Serving, provider: SignIns, forged: Callable[[SignIns, dict[str, Any]], str]
) -> None:
    provider.token = lambda claims: forged(provider, claims)
    assert_refused(service, signed_in(service)[1])


NOW = time.time
WRONG_CLAIMS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "nonce": lambda c: {**c, "nonce": "another"},
    "no nonce": lambda c: {name: value for name, value in c.items() if name != "nonce"},
    "issuer": lambda c: {**c, "iss": "https://evil.example"},
    "issuer with a slash": lambda c: {**c, "iss": c["iss"] + "/"},
    "audience": lambda c: {**c, "aud": "another"},
    "audiences": lambda c: {**c, "aud": ["another"]},
    "two audiences": lambda c: {**c, "aud": [CLIENT, "another"]},
    "made for another": lambda c: {**c, "azp": "another"},
    "no audience": lambda c: {name: value for name, value in c.items() if name != "aud"},
    "expired": lambda c: {**c, "exp": int(NOW()) - 120},
    "never expires": lambda c: {name: value for name, value in c.items() if name != "exp"},
    "expires at no number": lambda c: {**c, "exp": float("nan")},
    "expires beyond all numbers": lambda c: {**c, "exp": 10**400},
    "expires as text": lambda c: {**c, "exp": "9999999999"},
    "old": lambda c: {**c, "iat": int(NOW()) - 4000},
    "of the future": lambda c: {**c, "iat": int(NOW()) + 4000},
    "not yet": lambda c: {**c, "nbf": int(NOW()) + 4000},
    "nobody": lambda c: {**c, "sub": ""},
    "unverified": lambda c: {**c, "email_verified": False},
    "not said to be verified": lambda c: {name: value for name, value in c.items() if name != "email_verified"},
    "no address": lambda c: {name: value for name, value in c.items() if name != "email"},
    "addresses": lambda c: {**c, "email": ["ann@example.com"]},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("wrong", WRONG_CLAIMS)
def test_a_token_that_is_not_for_this(service: Serving, provider: SignIns, wrong: str) -> None:
    provider.claims = WRONG_CLAIMS[wrong]
    assert_refused(service, signed_in(service)[1])


def test_two_audiences_count_where_it_was_made_for_us(service: Serving, provider: SignIns) -> None:
    provider.claims = lambda claims: {**claims, "aud": [CLIENT, "another"], "azp": CLIENT}
    assert signed_in(service)[1].status_code == 200


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "email", ["eve@example.com", "ann@example.com.evil.example", "ſann@example.com", "ann@eKample.com"]
)
def test_whoever_is_not_named_is_told_so(service: Serving, provider: SignIns, email: str) -> None:
    provider.account = {"email": email, "email_verified": True}
    _, answer = signed_in(service)
    assert_refused(service, answer, 403)
    assert "may not sign in here" in answer.text


def test_another_claim_can_name_people(tmp_path: Path, provider: SignIns) -> None:
    provider.account = {"oid": "u-9"}
    with Serving(tmp_path, settings={"oidc": table(provider, tmp_path, claim="oid")}) as service:
        assert signed_in(service)[1].status_code == 200
        assert [token.person for token in tokens(service)] == ["nine"]


# --- the provider -------------------------------------------------------------------------------------------------


def test_an_answer_of_another_issuer(service: Serving, provider: SignIns) -> None:
    provider.answered = lambda answer: {**answer, "iss": "https://evil.example"}
    assert_refused(service, signed_in(service)[1])
    assert provider.exchanges == 0


def test_a_provider_that_names_itself_has_to(service: Serving, provider: SignIns) -> None:
    provider.described = lambda said: {**said, "authorization_response_iss_parameter_supported": True}
    assert_refused(service, signed_in(service)[1])
    provider.answered = lambda answer: {**answer, "iss": provider.url}
    assert signed_in(service)[1].status_code == 200


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": "http://evil.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": 7},
        {"jwks_uri": "https://u:p@evil.example/"},
    ],
)
def test_a_description_that_points_elsewhere(service: Serving, provider: SignIns, change: dict[str, Any]) -> None:
    provider.described = lambda said: {**said, **change}
    assert_refused(service, browser(service).get("/sign-in/oidc"), 503)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/jwks"])
def test_a_provider_that_redirects_is_not_followed(service: Serving, provider: SignIns, path: str) -> None:
    provider.redirects = {path}
    client = browser(service)
    answer = client.get("/sign-in/oidc")
    if answer.status_code == 303:
        answer = client.get(httpx.get(answer.headers["location"]).headers["location"])
    assert_refused(service, answer, 503)


@pytest.mark.slow
def test_a_provider_that_hangs_ends_the_sign_in_and_nothing_else(
    service: Serving, provider: SignIns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc_provider, "_SECONDS", 1.0)
    client = browser(service)
    back = sent_back(client)
    provider.hangs = {"/token"}
    began = time.monotonic()
    answer = client.get(back)
    assert time.monotonic() - began < 5
    assert_refused(service, answer, 503)
    assert "sign in with a token" in answer.text
    assert httpx.get(f"{service.url}/healthz").status_code == 200


def test_a_provider_that_refuses_is_told_without_its_words(service: Serving, provider: SignIns) -> None:
    said = "<script>alert(1)</script>"
    provider.answered = lambda answer: {"state": answer["state"], "error": "x", "error_description": said}
    _, answer = signed_in(service)
    assert_refused(service, answer, 403)
    assert "script" not in answer.text


def test_guessing_is_slowed_down(service: Serving) -> None:
    client = browser(service)
    answers = [client.get("/sign-in/oidc/back?state=x&code=y").status_code for _ in range(70)]
    assert answers[0] == 400
    assert answers[-1] == 429


# --- the settings -------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"issuer": "http://login.example"}, "must begin with https://"),
        ({"issuer": "https://u:p@login.example"}, "must begin with https://"),
        ({"issuer": "https://login.example?x=1"}, "nothing behind"),
        ({"secret": "/nowhere"}, "holds no secret"),
        ({"people": FrozenMap({"a@b.example": "ann"})}, "must be `NAME:ROLE`"),
        ({"people": FrozenMap({"a@b.example": "ann:agent"})}, "agents do not sign in"),
        ({"people": FrozenMap({"a@b.example": "ann:boss"})}, "no role of a person"),
        ({"people": FrozenMap({"a@b.example": "ann:admin", "A@b.example": "eve:admin"})}, "is there twice"),
    ],
)
def test_what_is_wrong_stops_the_service_from_starting(
    tmp_path: Path, provider: SignIns, changes: dict[str, Any], says: str
) -> None:
    settings = Settings(oidc=table(provider, tmp_path, **changes))
    api = api_for(folders_for(str(tmp_path)), settings)
    with pytest.raises(InputError, match=says):
        app_for(api)


def test_the_table_of_the_file() -> None:
    text = '[oidc]\nissuer = "https://login.example"\nclient = "c"\n[oidc.people]\n"ann@example.com" = "ann:approver"\n'
    found = settings_from(text, "serve.toml", {}).oidc
    assert found is not None
    assert people_in(found.people, "")["ann@example.com"].role == "approver"
    with pytest.raises(InputError, match="`people` must be a table of texts"):
        settings_from(text.replace('"ann:approver"', "1"), "serve.toml", {})
