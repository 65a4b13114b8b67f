"""Files that hold secrets by what they are called, wherever they lie: keys, keystores, credentials, settings.

Two sorts. Some are secret by their name alone: a keystore, a password safe. Others are usually secret, and their
content decides where it can be looked at (`Facts.plain`): a `prod.tfvars` that only says how many machines there are is
ordinary reading. Names are judged by the rows and, for files of data, by the words in them: `client_secret_42.json`.

Examples and templates are meant to be shared, and what lies among a project's tests was made for them.
"""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING
from .paths import folded, in_project
from .place_table import PlaceTable, loosened

if TYPE_CHECKING:
    from ...model.facts import Facts

__all__ = [
    "ALWAYS",
    "FILES",
    "JUDGED",
    "MAYBE",
    "USUAL_SECRETS",
    "is_secret_file",
    "is_shared",
    "looks_like_key",
    "may_be_secret_file",
    "searches_for_secret",
    "sort_of",
]

# Secret by the name. pattern -> what it holds
FILES = {
    "id_rsa": "SSH keys",
    "id_dsa": "SSH keys",
    "id_ecdsa": "SSH keys",
    "id_ecdsa_sk": "SSH keys",
    "id_ed25519": "SSH keys",
    "id_ed25519_sk": "SSH keys",
    "id_xmss": "SSH keys",
    "*.ppk": "SSH keys",
    "identity.age": "encryption keys",
    "secring.gpg": "GnuPG keys",
    "secring.skr": "GnuPG keys",
    "otr.private_key": "messages",
    "privkey.pem": "private keys",
    "*.pvk": "private keys",
    "*.jks": "keystores",
    "*.keystore": "keystores",
    "*.jceks": "keystores",
    "*.bcfks": "keystores",
    "*.p12": "keystores",
    "*.pfx": "keystores",
    "*.pkcs12": "keystores",
    "*.mobileprovision": "signing profiles",
    "*.kdbx": "passwords",
    "*.kdb": "passwords",
    "*.psafe3": "passwords",
    "*.agilekeychain": "passwords",
    "*.opvault": "passwords",
    "*.1pif": "passwords",
    "*.1pux": "passwords",
    "*.enpassdb": "passwords",
    "*.keychain": "keyrings",
    "*.keychain-db": "keyrings",
    "*.kwallet": "keyrings",
    "*.bek": "disk encryption keys",
    "*.keytab": "Kerberos keys",
    "krb5cc_*": "Kerberos tickets",
    "*.ovpn": "VPN keys",
    "*.tblk": "VPN keys",
    "wallet.dat": "wallets",
    "*.wallet": "wallets",
    ".htpasswd": "passwords",
    "htpasswd": "passwords",
    "proftpdpasswd": "passwords",
    ".vault_pass": "vault passwords",
    ".vault-pass": "vault passwords",
    ".vaultpass": "vault passwords",
    "vault_pass": "vault passwords",
    "vault-pass": "vault passwords",
    "vault_pass.txt": "vault passwords",
    "vault-pass.txt": "vault passwords",
    ".vault_pass.txt": "vault passwords",
    "master.key": "application keys",
    "secret_token.rb": "application keys",
    "wp-config.php": "database passwords and salts",
    "localsettings.php": "database passwords",
    "settings.local.php": "database passwords",
    "config.inc.php": "database passwords",
    "local.settings.json": "connection strings",
    "filezilla.xml": "passwords",
    "sitemanager.xml": "passwords",
    "recentservers.xml": "passwords",
    "sftp-config.json": "passwords",
    ".vscode/sftp.json": "passwords",
    ".ftpconfig": "passwords",
    ".remote-sync.json": "passwords",
    "robomongo.json": "passwords",
    ".dbeaver/credentials-config.json": "passwords",
    ".idea/datasources.local.xml": "passwords",
    ".dev.vars": "environment secrets",
    ".secrets": "environment secrets",
    "terraform.tfstate": "what was built, with its passwords",
    "terraform.tfstate.backup": "what was built, with its passwords",
    "*.tfstate": "what was built, with its passwords",
    "*.publishsettings": "deployment passwords",
    "*.pubxml.user": "deployment passwords",
    "*.cscfg": "cloud settings with keys",
    "service-account.json": "Google Cloud credentials",
    "service_account.json": "Google Cloud credentials",
}

# Usually secret: what is in the file decides, where it can be looked at.
JUDGED = {
    "*.tfvars": "values of a deployment",
    "*.tfvars.json": "values of a deployment",
    ".npmrc": "registry tokens",
    "*.key": "private keys",
    "*key.pem": "private keys",
    "*.p8": "private keys",
    "*.keypair": "private keys",
    "*_rsa": "SSH keys",
    "*_dsa": "SSH keys",
    "*_ecdsa": "SSH keys",
    "*_ed25519": "SSH keys",
    "local_settings.py": "application keys",
    "settings_local.py": "application keys",
    "rootkey.csv": "AWS credentials",
    "accesskeys.csv": "AWS credentials",
    "parameters.yml": "database passwords",
    "parameters.yaml": "database passwords",
    "auth.json": "registry tokens",
    "token": "tokens",
    ".token": "tokens",
    "token.txt": "tokens",
    "token.json": "tokens",
    "token.pickle": "tokens",
    ".pgpass.conf": "passwords",
    "pgpass.conf": "passwords",
    "key4.db": "browser data",
    "kubeconfig": "Kubernetes credentials",
    "kubeconfig.yaml": "Kubernetes credentials",
    "kubeconfig.yml": "Kubernetes credentials",
    "*.kubeconfig": "Kubernetes credentials",
}

# Words that make a file of data one of secrets: `db-credentials.json`, `client_secret_42.json`.
_WORDS = (
    "secrets", "secret", "credentials", "credential", "passwords", "password", "passwd", "passphrase", "apikeys",
    "apikey", "privatekey", "accesskeys", "accesskey", "serviceaccount", "accesstoken", "authtoken", "refreshtoken",
    "bearertoken", "firebaseadminsdk", "oauthtoken", "masterkey",
)  # fmt: skip
# And the words beside them with which it stays one. Any other makes it about secrets: `password-reset.yaml`.
_BESIDE = tuple(
    sorted(
        "production prod staging stage development dev local live private internal app application db database api "
        "user users client my admin root main config configuration settings server google gcp gcloud aws azure github "
        "gitlab stripe firebase slack smtp mail email redis postgres postgresql mysql mongo k8s kube kubernetes docker "
        "oauth auth login service account key keys env environment global shared web backend frontend tls ssl ssh cert "
        "json file values data store backup old new copy infra terraform helm vault ansible ci cd bot".split(),
        key=len,
        reverse=True,
    )
)
# In somebody's own settings these mean it too; in a project they are design tokens and pages of a site.
_WORDS_AT_HOME = frozenset("token tokens creds cookie cookies oauth auth keyring wallet".split())
_FOLDERS = frozenset(("secrets", ".secrets", "credentials", ".credentials", "private-keys", "private_keys"))
_DATA = frozenset(
    ("", "json", "yml", "yaml", "toml", "ini", "cfg", "conf", "config", "properties", "txt", "csv", "xml", "env",
     "plist", "db", "sqlite", "sqlite3", "dat", "pickle", "pkl", "jsonl", "bak", "old", "rc", "pem", "asc",
     "gpg", "b64", "tsv", "dump")
)  # fmt: skip
# A word of a name that says the file is meant to be shared, or holds nothing: templates, encrypted ones, schemas.
_SHARED = frozenset(
    "example examples sample samples template templates tmpl tpl dist defaults dummy fake mock mocks schema "
    "sealed encrypted enc sops stub placeholder baseline public pub trust truststore cacerts debug".split()
)
# Folders of a project in which keys and passwords were made for its tests.
_FIXTURES = frozenset(
    "test tests testing testdata test-data test_data fixtures fixture __fixtures__ __tests__ __mocks__ mocks spec "
    "specs e2e example examples sample samples demo demos docs doc testutil testutils testcerts".split()
)
# Names of code, pages and pictures: nobody looks into these for a private key.
_NO_KEYS = frozenset(
    "py pyi js mjs cjs ts tsx jsx go rs java kt kts rb php c h cc cpp hpp cs swift scala clj ex exs erl hs ml lua pl r "
    "sh bash zsh fish ps1 sql html htm css scss sass less vue svelte md mdx rst adoc tex json jsonc json5 yml yaml "
    "toml xml svg lock sum mod csv tsv ipynb png jpg jpeg gif webp ico pdf zip gz tgz xz bz2 tar whl jar woff woff2 "
    "ttf otf mp3 mp4 wav mov proto graphql gradle tf hcl cmake make mk dockerfile patch diff map snap parquet".split()
)

ALWAYS = PlaceTable(FILES, {})
MAYBE = PlaceTable(JUDGED, {})


def sort_of(parts: list[str]) -> str:
    """`always`, `judged` or nothing, for the folders of a folded path."""
    name = parts[-1]
    if ALWAYS.find(parts) is not None:
        return "" if is_shared(name) else "always"
    if MAYBE.find(parts) is not None or _says_so(parts):
        return "" if is_shared(name) else "judged"
    return ""


def _says_so(parts: list[str]) -> bool:
    """By words: `client_secret_42.json`, `~/.config/tool/token`, `secrets/db.txt`."""
    name = parts[-1]
    stem, dot, ending = name.rpartition(".")
    if (ending if dot and stem else "") not in _DATA:
        return False
    if len(parts) > 1 and parts[-2] in _FOLDERS and (dot or len(parts) > 3):
        return True
    compact = name.replace("-", "").replace("_", "").replace(".", "").replace(" ", "")
    if not (dot and stem) and not name.startswith("."):
        # Without an ending it may well be a folder or a program.
        return compact in _BARE and _in_own_settings(parts)
    if any(word in compact for word in _WORDS) and "site-packages" not in parts and "node_modules" not in parts:
        return _in_own_settings(parts) or _says_nothing_else(stem if dot and stem else name)
    words = name.replace("-", ".").replace("_", ".").split(".")
    return _in_own_settings(parts) and not _WORDS_AT_HOME.isdisjoint(words)


def _says_nothing_else(stem: str) -> bool:
    """Whether a name has no word that makes it about secrets: those of secrets, those beside them, and numbers."""
    compact = stem.replace("-", "").replace("_", "").replace(".", "")
    if compact.endswith(_LAST) or "serviceaccount" in compact or "firebaseadminsdk" in compact:
        return True  # `acme-prod-secrets.yml`: what stands before says whose
    left = "".join([char if char.isalpha() else " " for char in stem])
    for word in (*_WORDS, *_BESIDE):
        if word in left:
            left = left.replace(word, " ")
    return all(len(rest) < 3 for rest in left.split())


_LAST = ("secrets", "credentials", "apikeys", "passwords")
_BARE = frozenset(("token", "tokens", "credentials", "credential", "secrets", "secret", "password", "passwd", "auth",
                   "accesstoken", "apikey", "cookies", "creds", "oauth"))  # fmt: skip


def _in_own_settings(parts: list[str]) -> bool:
    """In a hidden folder of a home: `/home/me/.config/tool/…`, `/root/.tool/…`."""
    at = 2 if parts[0] in ("home", "users") else 1
    if len(parts) < at + 2 or not parts[at].startswith(".") or (at == 1 and parts[0] != "root"):
        return False
    return parts[at] != ".cache" and _INSTALLED.isdisjoint(parts)


_INSTALLED = frozenset(("site-packages", "node_modules", "lib", "extensions", "plugins", "versions", "venvs"))


def is_shared(name: str) -> bool:
    """`secrets.example.json`, `debug.keystore`: meant to be seen."""
    if "pub" in name and name.endswith(("pubkey.pem", "publickey.pem", "public_key.pem", "public-key.pem")):
        return True
    words = name.replace("-", ".").replace("_", ".").split(".")
    return not _SHARED.isdisjoint(words)


def is_secret_file(path: str, parts: list[str], facts: Facts, known: bool) -> bool:
    """Whether the file is one of secrets, as far as its name and what is known of it tell.

    `known`: a row of the tables may fit the path.
    """
    if facts.keys and path in facts.keys:
        return not _made_for_tests(path, parts, facts)
    sort = sort_of(parts) if known or _says_so(parts) else ""
    if not sort or (sort == "judged" and path in facts.plain):
        return False
    return not _made_for_tests(path, parts, facts)


def may_be_secret_file(parts: list[str]) -> bool:
    """The same for a path of which some folders are patterns."""
    name = parts[-1]
    if is_shared(name):
        return False
    if len(loosened(name).rpartition(".")[0].replace("*", "").replace("?", "")) < 3:
        return name.endswith((*ALWAYS.ends, *MAYBE.ends))  # `*.jks` says so; `*.txt` says nothing of what is there
    return ALWAYS.may_find(parts) is not None or MAYBE.may_find(parts) is not None


# Names under which secrets lie in a project, for searches that could mean one of them.
USUAL_SECRETS = (".env", ".env.local", ".netrc", ".npmrc", ".git-credentials", "id_rsa", "id_ed25519")


def searches_for_secret(pattern: str) -> bool:
    """`find . -name '*env*'`: a search finds hidden names too, unlike a `*` of the shell."""
    spelt = len(loosened(pattern).replace("*", "").replace("?", ""))
    return spelt > 2 and any(matches(pattern, name) for name in USUAL_SECRETS)


def _made_for_tests(path: str, parts: list[str], facts: Facts) -> bool:
    """Made by this session, or lying among the project's tests."""
    if path in facts.created:
        return True
    if not in_project(facts.root, path):
        return False
    below = folded(path[len(facts.root) :]).split("/")[1:-1]
    return not _FIXTURES.isdisjoint(below)


def looks_like_key(name: str) -> bool:
    """Whether a file of this name is looked into for a private key: of an unknown kind, and no code."""
    stem, dot, ending = name.rpartition(".")
    return (ending.lower() if dot and stem else "") not in _NO_KEYS
