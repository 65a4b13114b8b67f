"""Secrets as they are found in the world, made up from what is publicly known of their forms.

Nothing here looks into the tables that redact: a form that they do not know has to show. Two kinds. A *token* tells by
itself what it is, wherever it stands. A *value* is any text, and tells by where it stands: an option, a name, a
header, a file's format. `cases()` puts each into arguments of tools, and says which characters must not be seen again.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

from secret_places import VALUES

__all__ = ["PLACES", "calls", "texts", "tokens"]

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
HEX, BASE32, URL = "0123456789abcdef", UPPER + "234567", ALNUM + "-_"
B64 = ALNUM + "+/"


class Dice:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def some(self, alphabet: str, length: int) -> str:
        """Random, and never without a digit and a letter, as real ones of this length never are."""
        text = [self.random.choice(alphabet) for _ in range(length)]
        at = self.random.sample(range(length), min(3, length))
        for place, kind in zip(at, (DIGITS, UPPER, LOWER), strict=False):
            fitting = [char for char in alphabet if char in kind]
            if fitting:
                text[place] = self.random.choice(fitting)
        return "".join(text)

    def uuid(self) -> str:
        return "-".join(self.some(HEX, n) for n in (8, 4, 4, 4, 12))

    def b64(self, size: int) -> str:
        return base64.b64encode(self.random.randbytes(size)).decode()


def _jwt(d: Dice) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = (
        base64.urlsafe_b64encode(b'{"sub":"1234567890","iat":15162390%d}' % d.random.randrange(99)).decode().rstrip("=")
    )
    return f"{head}.{body}.{d.some(URL, 43)}"


def _after(start: str, alphabet: str, length: int) -> Callable[[Dice], str]:
    return lambda dice: start + dice.some(alphabet, length)


def _telegram(d: Dice) -> str:
    return f"{d.random.randrange(10**8, 10**10)}:AA{d.some(URL, 33)}"


# Tokens that say by their form what they are: family -> how one is made.
TOKENS: dict[str, Callable[[Dice], str]] = {
    **{f"github {p}": _after(p, ALNUM, 36) for p in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")},
    "github fine-grained": lambda d: f"github_pat_{d.some(ALNUM, 22)}_{d.some(ALNUM, 59)}",
    **{
        f"gitlab {p}": _after(p, URL, 20)
        for p in ("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "GR1348941")
    },
    "gitlab oauth": lambda d: "gloas-" + d.some(HEX, 64),
    "gitlab ci": lambda d: f"glcbt-{d.some(HEX, 2)}_{d.some(URL, 20)}",
    "slack bot": lambda d: f"xoxb-{d.some(DIGITS, 12)}-{d.some(DIGITS, 13)}-{d.some(ALNUM, 24)}",
    "slack user": lambda d: f"xoxp-{d.some(DIGITS, 12)}-{d.some(DIGITS, 12)}-{d.some(DIGITS, 12)}-{d.some(HEX, 32)}",
    "slack rotating": lambda d: f"xoxe.xoxp-1-{d.some(ALNUM, 160)}",
    "slack app": lambda d: f"xapp-1-A{d.some(UPPER + DIGITS, 10)}-{d.some(DIGITS, 13)}-{d.some(HEX, 64)}",
    "slack webhook": lambda d: f"T{d.some(UPPER + DIGITS, 8)}/B{d.some(UPPER + DIGITS, 8)}/{d.some(ALNUM, 24)}",
    "stripe live": lambda d: "sk_live_" + d.some(ALNUM, 24),
    "stripe long": lambda d: "sk_live_51" + d.some(ALNUM, 97),
    "stripe test": lambda d: "sk_test_" + d.some(ALNUM, 24),
    "stripe restricted": lambda d: "rk_live_" + d.some(ALNUM, 24),
    "stripe webhook": lambda d: "whsec_" + d.some(ALNUM, 32),
    "aws key": lambda d: "AKIA" + d.some(BASE32, 16),
    "aws temporary key": lambda d: "ASIA" + d.some(BASE32, 16),
    "aws session": lambda d: "IQoJb3JpZ2luX2Vj" + d.b64(180).replace("=", ""),
    "aws session, older": lambda d: "FwoGZXIvYXdzE" + d.b64(180).replace("=", ""),
    "aws bedrock": lambda d: "ABSK" + d.b64(96),
    "google key": lambda d: "AIza" + d.some(URL, 35),
    "google oauth": lambda d: "ya29." + d.some(URL, 90),
    "google refresh": lambda d: "1//0" + d.some(URL, 95),
    "google client secret": lambda d: "GOCSPX-" + d.some(URL, 28),
    "azure client secret": lambda d: f"{d.some(ALNUM, 3)}8Q~{d.some(ALNUM + '_.~-', 33)}",
    "azure devops": lambda d: d.some(ALNUM, 76) + "AZDO" + d.some(ALNUM, 4),
    "npm": lambda d: "npm_" + d.some(ALNUM, 36),
    "pypi": lambda d: "pypi-AgEIcHlwaS5vcmc" + d.some(URL, 150),
    "pypi test": lambda d: "pypi-AgENdGVzdC5weXBpLm9yZw" + d.some(URL, 150),
    "rubygems": lambda d: "rubygems_" + d.some(HEX, 48),
    "crates": lambda d: "cio" + d.some(ALNUM, 32),
    "clojars": lambda d: "CLOJARS_" + d.some(HEX, 60),
    "nuget": lambda d: "oy2" + d.some(LOWER + "234567", 43),
    "docker": lambda d: "dckr_pat_" + d.some(URL, 27),
    "jfrog": lambda d: "AKCp8" + d.some(ALNUM, 68),
    "anthropic": lambda d: f"sk-ant-api03-{d.some(URL, 93)}AA",
    "anthropic oauth": lambda d: f"sk-ant-oat01-{d.some(URL, 93)}AA",
    "openai old": lambda d: f"sk-{d.some(ALNUM, 20)}T3BlbkFJ{d.some(ALNUM, 20)}",
    "openai project": lambda d: f"sk-proj-{d.some(URL, 74)}T3BlbkFJ{d.some(URL, 74)}",
    "openai service": lambda d: f"sk-svcacct-{d.some(URL, 74)}",
    "openrouter": lambda d: "sk-or-v1-" + d.some(HEX, 64),
    "deepseek": lambda d: "sk-" + d.some(HEX, 32),
    "xai": lambda d: "xai-" + d.some(ALNUM, 80),
    "groq": lambda d: "gsk_" + d.some(ALNUM, 52),
    "perplexity": lambda d: "pplx-" + d.some(ALNUM, 48),
    "huggingface": lambda d: "hf_" + d.some(ALNUM, 34),
    "replicate": lambda d: "r8_" + d.some(ALNUM, 37),
    "langsmith": lambda d: f"lsv2_pt_{d.some(HEX, 32)}_{d.some(HEX, 10)}",
    "langfuse": lambda d: "sk-lf-" + d.uuid(),
    "pinecone": lambda d: f"pcsk_{d.some(ALNUM, 6)}_{d.some(ALNUM, 63)}",
    "tavily": lambda d: "tvly-" + d.some(ALNUM, 32),
    "firecrawl": lambda d: "fc-" + d.some(HEX, 32),
    "wandb": lambda d: "wandb_v1_" + d.some(ALNUM + "_", 77),
    "nvidia": lambda d: "nvapi-" + d.some(URL, 64),
    "telegram": _telegram,
    "twilio key": lambda d: "SK" + d.some(HEX, 32),
    "sendgrid": lambda d: f"SG.{d.some(URL, 22)}.{d.some(URL, 43)}",
    "mailgun": lambda d: "key-" + d.some(HEX, 32),
    "mailchimp": lambda d: f"{d.some(HEX, 32)}-us{d.random.randrange(1, 22)}",
    "brevo": lambda d: f"xkeysib-{d.some(HEX, 64)}-{d.some(ALNUM, 16)}",
    "resend": lambda d: f"re_{d.some(ALNUM, 8)}_{d.some(ALNUM, 24)}",
    "jwt": _jwt,
    "discord bot": lambda d: f"MTA{d.some(ALNUM, 23)}.G{d.some(ALNUM, 5)}.{d.some(URL, 38)}",
    "discord webhook": lambda d: f"{d.some(DIGITS, 18)}/{d.some(URL, 68)}",
    "shopify": lambda d: "shpat_" + d.some(HEX, 32),
    "square": lambda d: "EAAA" + d.some(URL, 60),
    "square older": lambda d: "sq0csp-" + d.some(URL, 43),
    "facebook": lambda d: "EAACEdEose0cBA" + d.some(ALNUM, 120),
    "twitter": lambda d: "AAAAAAAAAAAAAAAAAAAAA" + d.some(ALNUM + "%", 90),
    "digitalocean": lambda d: "dop_v1_" + d.some(HEX, 64),
    "dropbox": lambda d: "sl." + d.some(URL, 135),
    "airtable": lambda d: f"pat{d.some(ALNUM, 14)}.{d.some(HEX, 64)}",
    "notion": lambda d: "ntn_" + d.some(ALNUM, 46),
    "notion older": lambda d: "secret_" + d.some(ALNUM, 43),
    "linear": lambda d: "lin_api_" + d.some(ALNUM, 40),
    "figma": lambda d: "figd_" + d.some(URL, 40),
    "atlassian": lambda d: "ATATT3xFfGF0" + d.some(URL + "=", 180),
    "bitbucket": lambda d: "ATBB" + d.some(ALNUM, 32),
    "asana": lambda d: f"2/{d.some(DIGITS, 16)}/{d.some(DIGITS, 16)}:{d.some(HEX, 32)}",
    "doppler": lambda d: "dp.pt." + d.some(ALNUM, 43),
    "vault": lambda d: "hvs." + d.some(URL, 90),
    "terraform cloud": lambda d: f"{d.some(ALNUM, 14)}.atlasv1.{d.some(URL, 67)}",
    "pulumi": lambda d: "pul-" + d.some(HEX, 40),
    "databricks": lambda d: "dapi" + d.some(HEX, 32),
    "grafana": lambda d: f"glsa_{d.some(ALNUM, 32)}_{d.some(HEX, 8)}",
    "grafana cloud": lambda d: "glc_" + d.b64(60),
    "new relic": lambda d: "NRAK-" + d.some(UPPER + DIGITS, 27),
    "sentry": lambda d: "sntrys_" + d.b64(90),
    "dynatrace": lambda d: f"dt0c01.{d.some(BASE32, 24)}.{d.some(BASE32, 64)}",
    "postman": lambda d: f"PMAK-{d.some(HEX, 24)}-{d.some(HEX, 34)}",
    "planetscale": lambda d: "pscale_tkn_" + d.some(URL, 43),
    "supabase": lambda d: "sbp_" + d.some(HEX, 40),
    "supabase secret": lambda d: "sb_secret_" + d.some(URL, 31),
    "neon": lambda d: "napi_" + d.some(LOWER + DIGITS, 64),
    "netlify": lambda d: "nfp_" + d.some(ALNUM, 36),
    "vercel": lambda d: "vcp_" + d.some(ALNUM, 56),
    "render": lambda d: "rnd_" + d.some(ALNUM, 28),
    "heroku": lambda d: "HRKU-AA" + d.some(URL, 58),
    "circleci": lambda d: f"CCIPAT_{d.some(ALNUM, 22)}_{d.some(HEX, 40)}",
    "buildkite": lambda d: "bkua_" + d.some(HEX, 40),
    "sonarqube": lambda d: "sqp_" + d.some(HEX, 40),
    "sonarqube user": lambda d: "squ_" + d.some(HEX, 40),
    "tailscale": lambda d: f"tskey-auth-{d.some(ALNUM, 16)}-{d.some(ALNUM, 32)}",
    "ngrok": lambda d: f"2{d.some(ALNUM, 26)}_{d.some(ALNUM, 21)}",
    "1password": lambda d: "ops_eyJ" + d.some(URL, 240),
    "age": lambda d: "AGE-SECRET-KEY-1" + d.some("023456789ACDEFGHJKLMNPQRSTUVWXYZ", 58),
    "alibaba": lambda d: "LTAI5t" + d.some(ALNUM, 18),
    "tencent": lambda d: "AKID" + d.some(ALNUM, 32),
    "yandex": lambda d: "AQVN" + d.some(URL, 36),
    "mapbox": lambda d: f"sk.eyJ1I{d.some(ALNUM, 60)}.{d.some(URL, 22)}",
    "typeform": lambda d: f"tfp_{d.some(URL, 44)}",
    "shippo": lambda d: "shippo_live_" + d.some(HEX, 40),
    "flutterwave": lambda d: f"FLWSECK_TEST-{d.some(HEX, 32)}-X",
    "duffel": lambda d: "duffel_live_" + d.some(URL, 43),
    "easypost": lambda d: "EZAK" + d.some(ALNUM, 54),
    "contentful": lambda d: "CFPAT-" + d.some(URL, 43),
    "launchdarkly": lambda d: "sdk-" + d.uuid(),
    "infracost": lambda d: "ico-" + d.some(ALNUM, 32),
    "prefect": lambda d: "pnu_" + d.some(LOWER + DIGITS, 36),
    "readme": lambda d: "rdme_" + d.some(LOWER + DIGITS, 70),
    "scalingo": lambda d: "tk-us-" + d.some(URL, 48),
    "firebase messaging": lambda d: f"AAAA{d.some(URL, 7)}:APA91b{d.some(URL, 134)}",
    "fly": lambda d: "FlyV1 fm2_" + d.b64(120),
    "paypal": lambda d: f"access_token$production${d.some(LOWER + DIGITS, 16)}${d.some(HEX, 32)}",
    "putty": lambda d: d.b64(48),
}
# How a token of a family has to stand for anyone to know it; others stand alone.
FRAMES = {
    "slack webhook": "https://hooks.slack.com/services/{}",
    "discord webhook": "https://discord.com/api/webhooks/{}",
    "putty": "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n{}\nPrivate-MAC: 00",
}

PEM_KINDS = ("RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY",
             "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "SSH2 ENCRYPTED PRIVATE KEY")  # fmt: skip


def tokens(seed: int = 1) -> Iterator[tuple[str, str, str]]:
    """Family, the text that stands in a call, and the characters that must not be seen."""
    dice = Dice(seed)
    for family, make in TOKENS.items():
        secret = make(dice)
        yield family, FRAMES.get(family, "{}").format(secret), secret
    for kind in PEM_KINDS:
        lines = [dice.b64(48) for _ in range(3)]
        for form, glue in (("pem", "\n"), ("pem in json", "\\n"), ("pem, windows", "\r\n")):
            text = glue.join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""])
            yield f"{form} {kind.lower()}", text, lines[1]


# Where a token may stand in a command or a text.
PLACES = (
    "echo {}",
    "curl -s https://api.example/v1?x=1 -d '{}'",
    "export THING='{}'; run it",
    'printf "%s\\n" "{}" | tee notes.txt',
    "python3 -c 'use(\"{}\")'",
    "x={}",
    "{}",
    "a line before\n{}\na line after",
    "git commit -m 'oops {} oops'",
    "cat > f <<EOF\n{}\nEOF",
    "https://api.example/hook?value={}&more=1",
    "(see {})",
    "[{}]",
    "value:{},other:1",
)
BASE64_PLACES = ("echo {} | base64 -d", "data: {}", '{{"blob": "{}"}}', "{}", "run --data={}")


def _value(dice: Dice) -> str:
    return dice.some(ALNUM, dice.random.randint(20, 32))


def texts(seed: int = 1) -> Iterator[tuple[str, str, str]]:
    """What it is, the text, the characters that must not be seen."""
    for number, (family, framed, secret) in enumerate(tokens(seed)):
        for step in range(4):
            place = PLACES[(number + step * 5) % len(PLACES)]
            yield f"{family} in {place!r}", place.replace("{}", framed), secret
        if family not in FRAMES:
            shown = base64.b64encode(f"{framed}\n".encode()).decode()
            place = BASE64_PLACES[number % len(BASE64_PLACES)]
            yield f"base64 of {family}", place.format(shown), shown[8:-8]
    dice = Dice(seed + 1)
    for place in VALUES:
        secret = _value(dice)
        encoded = base64.b64encode(f"me:{secret}".encode()).decode()
        yield place, place.format(secret, b=encoded), encoded[4:-4] if "{b}" in place else secret


def calls(seed: int = 1) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Tool, input, and the characters that must not be seen."""
    for number, (_, text, secret) in enumerate(texts(seed)):
        yield "Bash", {"command": text, "description": "something"}, secret
        form = number % 6
        if form == 0:
            yield "Write", {"file_path": "/srv/app/settings.py", "content": text}, secret
        elif form == 1:
            yield "Edit", {"file_path": "/srv/app/a.env", "old_string": "x", "new_string": text}, secret
        elif form == 2:
            yield (
                "mcp__http__request",
                {"url": "https://api.example/", "headers": {"X-Note": text}, "body": text},
                secret,
            )
        elif form == 3:
            yield "mcp__notes__add", {"items": [{"text": text}, text]}, secret
        elif form == 4:
            yield "WebFetch", {"url": "https://api.example/", "prompt": text}, secret
        else:
            yield "MultiEdit", {"file_path": "/srv/a", "edits": [{"old_string": text, "new_string": "x"}]}, secret
    dice = Dice(seed + 2)
    for name in NAMED_FIELDS:
        secret = _value(dice)
        yield "mcp__any__tool", {"args": {name: secret, "limit": 5}}, secret
    for header in HEADERS:
        secret = _value(dice)
        yield "mcp__http__request", {"url": "https://api.example/", "headers": {header: f"Bearer {secret}"}}, secret
        yield "mcp__http__request", {"url": "https://api.example/", "headers": [[header, secret]]}, secret
        yield "mcp__http__request", {"headers": [{"name": header, "value": secret}]}, secret


NAMED_FIELDS = (
    *("password", "passwd", "pwd", "passphrase", "secret", "token", "api_key", "apiKey", "apikey", "access_token"),
    *("accessToken", "refresh_token", "client_secret", "clientSecret", "private_key", "privateKey", "auth_token"),
    *("authorization", "Authorization", "bearer", "credentials", "credential", "session_token", "SECRET_ACCESS_KEY"),
    *("DB_PASSWORD", "x-api-key", "connection_string", "connectionString", "cookie", "pin_secret", "otp_secret"),
)  # fmt: skip
HEADERS = (
    "Authorization",
    "Proxy-Authorization",
    "X-Api-Key",
    "X-Auth-Token",
    "Cookie",
    "PRIVATE-TOKEN",
    "X-Vault-Token",
)
