"""Names that say what a variable holds: a key, a token, a password, or something that anybody may see.

A name is judged word by word (`AWS_SECRET_ACCESS_KEY`), never by the letters in it: `TOKENIZERS_PARALLELISM` and
`PWD` name no secret. A value is a secret by itself only if it has the shape of a token that some service hands out.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ...bytes.redact import redact_target, secrets_in
else:
    redact_target = lazy(globals(), "...bytes.redact", "redact_target")
    secrets_in = lazy(globals(), "...bytes.redact", "secrets_in")

__all__ = [
    "asks_for_secrets",
    "holds_token",
    "hunted",
    "is_ordinary",
    "is_plain",
    "names_secret",
    "sends_secret",
    "shows_all",
    "unquoted",
]

# A word that makes a name one of a secret, wherever it stands in it.
_SECRET = frozenset(
    "PASSWORD PASSWD PASSPHRASE PASSCODE SECRET SECRETS TOKEN APIKEY CREDENTIAL CREDENTIALS BEARER PGPASS APITOKEN "
    "ACCESSKEY PRIVATEKEY AUTHTOKEN PAT".split()
)
# The same, at the end and after another word: `DB_PASS`, `OPENAI_KEY`; and what makes a key an ordinary one.
_AT_THE_END = frozenset(("KEY", "PASS", "PWD", "PW", "AUTH"))
_PLAIN_KEYS = frozenset(
    "PRIMARY PUBLIC FOREIGN SORT CACHE PARTITION HASH INDEX PUB GROUP OBJECT MAP DICT HOT LOOKUP UNIQUE OLD NEXT KEY "
    "COMPOSITE SITE".split()
)
# The same, grown onto the word before: `PGPASSWORD`, `SSHPASS`.
_GROWN = ("PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "APIKEY", "AUTHTOKEN", "ACCESSTOKEN", "SSHPASS")
# What is about a secret, and not the secret: where it lies, what it is called, how long it lives.
_ABOUT = frozenset(
    "FILE PATH DIR NAME TYPE URL URI ID STDIN HOST LENGTH SIZE COUNT TTL EXPIRY EXPIRES LIMIT BUDGET ENDPOINT ISSUER "
    "AUDIENCE ALGORITHM HEADER PREFIX FIELD PARALLELISM ENABLED REQUIRED VERSION".split()
)
# A last word with which a setting is nobody's secret.
_ORDINARY = frozenset(
    "REGION PORT ENV ENVIRONMENT DEBUG LEVEL MODE TIMEOUT VERSION LOCALE LANG LANGUAGE TZ TIMEZONE ENABLED DISABLED "
    "NAME WORKERS THREADS RETRIES FORMAT VERBOSE STAGE BRANCH TAG PLATFORM ARCH THEME".split()
)


def _words(name: str) -> list[str]:
    return [word for word in name.upper().replace("-", "_").replace(".", "_").split("_") if word]


def names_secret(name: str) -> bool:
    """True if a variable of this name holds something that opens a door."""
    words = _words(name)
    if not words or words[-1] in _ABOUT:
        return False
    if not _SECRET.isdisjoint(words) or any(word.endswith(_GROWN) for word in words):
        return True
    return len(words) > 1 and words[-1] in _AT_THE_END and words[-2] not in _PLAIN_KEYS


def is_ordinary(name: str) -> bool:
    """True if a setting of this name is plainly no secret: `AWS_DEFAULT_REGION`, `LOG_LEVEL`."""
    words = _words(name)
    return bool(words) and words[-1] in _ORDINARY and _SECRET.isdisjoint(words)


def asks_for_secrets(pattern: str) -> bool:
    """True if a pattern for lines of an environment picks the secret ones out: `KEY`, `-i 'token|secret'`."""
    text = pattern.replace("\\|", "|").replace("(", "|").replace(")", "|").replace("\\b", "")
    words = [word.strip(" ^$.*\\\"'=:-[]+?") for word in text.split("|")]
    return any(names_secret(word) or word.upper() in _PICKS or _begins(word.upper()) for word in words)


def _begins(word: str) -> bool:
    return len(word) > 3 and any(known.startswith(word) for known in _SECRET)


_PICKS = frozenset(
    ("KEY", "KEYS", "PASS", "AUTH", "PWD_", "API", "API_KEY", "_KEY", "SECRET_", "CRED", "CREDS", "TOKENS")
)


def holds_token(text: str) -> bool:
    """True if the text is, or holds, a token in the shape that a service gives to its own."""
    if len(text) < 20:
        return False
    return redact_target(text) != text and "://" not in text


# What stands for a password in examples and on a developer's own machine, letters only.
_STANDS_FOR = frozenset(
    "password passwd pass pwd pw secret mysecret example changeme changeit postgres postgresql mysql mariadb mongo "
    "mongodb redis rabbitmq minio minioadmin root admin user username guest test testing tester dev develop "
    "development local localhost demo dummy fake default token apikey key foo bar baz foobar abc none null redacted "
    "placeholder dbpassword dbpass secretpassword supersecret yoursecret mysecretpassword letmein".split()
)
_YOURS = ("your", "my", "the", "some", "db", "example", "test")


def sends_secret(text: str, *, named: bool = True) -> bool:
    """True if a text that leaves this machine holds what would be redacted from it, however often it was encoded.

    A password in an address is none if it only stands for one: `postgres://user:password@localhost`, `:${PASSWORD}@`.
    `named`: what looks random counts where a name beside it says secret.
    """
    for _ in range(4):
        plain = unquoted(text.replace("+", " "))
        for start, end, what in secrets_in(text, named=named and plain == text):  # codes alone make a text look random
            if what != "password" or text[end : end + 1] != "@" or not _stands_for_one(text, start, end):
                return True
        if plain == text:
            return False
        text = plain
    return True  # whoever encodes it so often hides it


def _stands_for_one(text: str, start: int, end: int) -> bool:
    """Whether what stands in an address before its `@` is no password, but an example of one or a port."""
    value = text[start:end]
    if value[:1] in "$<{[%*(" or "..." in value or "\u2026" in value:
        return True
    port, slash, _ = value.partition("/")
    if slash and port.isdigit():
        return True  # `http://localhost:3000/@vite/client`
    user = text[max(text.rfind("/", 0, start - 1) + 1, 0) : start - 1]
    letters = "".join([char for char in value.lower() if char.isalpha()])
    if value == user or letters.strip("x") == "":
        return value == user or not any(char.isdigit() for char in value)
    if letters != value.lower().strip("0123456789_-!.").replace("_", "").replace("-", ""):
        return False
    return letters in _STANDS_FOR or any(letters.removeprefix(word) in _STANDS_FOR for word in _YOURS)


# What is searched for by those who look for what opens doors, letters and digits only.
_PLAINLY = frozenset(
    "password passwords passwd pwd secret secrets credential credentials apikey privatekey accesskey secretkey "
    "clientsecret bearer authorization awssecretaccesskey awsaccesskeyid beginrsaprivatekey beginopensshprivatekey "
    "beginprivatekey akia ghp sk xoxb token authtoken".split()
)
_HUNTED = _PLAINLY | frozenset(
    "apikeys awssecret secretaccesskey gho githubpat glpat xoxp sklive sktest skant aiza accesstoken githubtoken "
    "npmtoken dbpassword passphrase".split()
)
# What does not count alone: each of them is a common word of code.
_COMMON = frozenset(("token", "pwd", "authtoken", "sk"))


def hunted(pattern: str) -> bool:
    """True if a pattern asks for secrets: one of its alternatives is such a word, and not only a common one.

    `api[_-]?key`, `password *=`, `BEGIN .* PRIVATE KEY`, `AKIA[0-9A-Z]{16}`: what is around the word does not count.
    """
    if "-----begin" in pattern.lower():
        return True
    found = {_letters(part) for part in _alternatives(pattern)}
    return not found.isdisjoint(_HUNTED - _COMMON) or any(
        word.startswith("begin") and word.endswith("privatekey") for word in found
    )


def is_plain(pattern: str) -> bool:
    """True if such a word is an alternative by itself, and no more elaborate pattern: `password|api_key`."""
    words = [word.replace("\\b", "").strip(" ^$.*\\\"'=:-[]+?") for word in _alternatives(pattern)]
    plain = {word.replace("_", "").replace(" ", "").replace(".", "") for word in words}
    return not plain.isdisjoint(_PLAINLY - _COMMON)


def shows_all(pattern: str) -> bool:
    """True if a pattern matches about every line: `.`, `.*`, `=`, an empty one."""
    return not _letters(pattern) and len(pattern) < 12


def _alternatives(pattern: str) -> list[str]:
    text = pattern.lower().replace("\\|", "|").replace("(?i)", "").replace("(", "|").replace(")", "|")
    return text.split("|")


def _letters(pattern: str) -> str:
    """The letters that a pattern asks for, without classes, escapes, counts and what stands between words."""
    kept: list[str] = []
    until = ""
    escaped = False
    for char in pattern.lower():
        if escaped:
            escaped = False
            if char.isalnum():
                continue  # `\\s`, `\\b`
        elif char == "\\":
            escaped = True
            continue
        if until:
            until = "" if char == until else until
        elif char in "[{":
            until = "]" if char == "[" else "}"
        elif char.isalnum():
            kept.append(char)
    return "".join(kept)


_HEX = frozenset("0123456789abcdefABCDEF")


def unquoted(text: str) -> str:
    first, *rest = text.split("%")
    made = [first]
    for piece in rest:
        code = piece[:2]
        made.append(chr(int(code, 16)) + piece[2:] if len(code) == 2 and _HEX.issuperset(code) else "%" + piece)
    return "".join(made)
