"""A sign-in provider on a real socket: it signs everybody in at once, and can be told to misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

__all__ = ["CLIENT", "SECRET", "SignIns", "rsa_key", "sign_ins"]

CLIENT, SECRET = "interlock page", "s3cret+of/ours"


@cache
def rsa_key(_name: str) -> RSAKey:
    """Slow to make, so one for all tests that ask by the same name."""
    return RSAKey.generate_key(2048)


class SignIns:
    """What the provider knows and has seen. The functions change what it says."""

    def __init__(self) -> None:
        self.url = ""
        self.account: dict[str, Any] = {"email": "Ann@example.com", "email_verified": True}
        self.keys: dict[str, Any] = {"rsa-1": rsa_key("first"), "ec-1": ECKey.generate_key("P-256")}
        self.signs = ("rsa-1", "RS256")
        self.codes: dict[str, dict[str, str]] = {}
        self.used: list[str] = []
        self.exchanges = 0
        self.key_requests = 0
        self.claims: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
        self.token: Callable[[dict[str, Any]], str] | None = None
        self.described: Callable[[dict[str, Any]], dict[str, Any]] = lambda said: said
        self.answered: Callable[[dict[str, str]], dict[str, str]] = lambda answer: answer
        self.asks = False  # a page with a link, on which somebody has to click
        self.redirects: set[str] = set()
        self.hangs: set[str] = set()
        self.ended = threading.Event()

    def public(self) -> dict[str, Any]:
        keys = [{**key.as_dict(private=False), "kid": name, "use": "sig"} for name, key in self.keys.items()]
        return {"keys": [{name: value for name, value in key.items() if name != "alg"} for key in keys]}

    def signed(self, claims: dict[str, Any]) -> str:
        name, algorithm = self.signs
        return jwt.encode({"alg": algorithm, "kid": name}, claims, self.keys[name], algorithms=[algorithm])

    def made_claims(self, asked: dict[str, str]) -> dict[str, Any]:
        now = int(time.time())
        return self.claims(
            {
                "iss": self.url,
                "sub": "u-1",
                "aud": CLIENT,
                "exp": now + 300,
                "iat": now,
                "nonce": asked["nonce"],
                **self.account,
            }
        )

    # --- what is asked of it -----------------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        return self.described(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/jwks",
                "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            }
        )

    def authorize(self, asked: dict[str, str]) -> str:
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        answer = self.answered({"code": code, "state": asked["state"]})
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict[str, str], basic: str) -> tuple[int, dict[str, Any]]:
        self.exchanges += 1
        given = base64.b64decode(basic.removeprefix("Basic ")).decode() if basic else ""
        if [unquote(part) for part in given.split(":")] != [CLIENT, SECRET]:
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        claims = self.made_claims(asked)
        token = self.signed(claims) if self.token is None else self.token(claims)
        return 200, {"access_token": "unused", "token_type": "Bearer", "id_token": token}


@contextmanager
def sign_ins() -> Iterator[SignIns]:
    provider = SignIns()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def _odd(self, path: str) -> bool:
            if path in provider.hangs:
                provider.ended.wait(30)
                return True
            if path in provider.redirects:
                provider.redirects.discard(path)
                self.send_response(302)
                self.send_header("Location", self.path)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return True
            return False

        def _json(self, status: int, data: Any) -> None:
            raw = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if self._odd(parts.path):
                return
            if parts.path == "/.well-known/openid-configuration":
                self._json(200, provider.describe())
            elif parts.path == "/jwks":
                provider.key_requests += 1
                self._json(200, provider.public())
            elif parts.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                back = provider.authorize(asked)
                raw = f'<a href="{escape(back)}">sign in</a>'.encode() if provider.asks else b""
                self.send_response(200 if provider.asks else 302)
                self.send_header("Content-Type", "text/html")
                self.send_header("Location", back)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            else:
                self._json(404, {})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self._odd(urlsplit(self.path).path):
                return
            form = {name: values[0] for name, values in parse_qs(raw).items()}
            self._json(*provider.exchange(form, self.headers.get("Authorization", "")))

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    server = Server(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield provider
    finally:
        provider.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
