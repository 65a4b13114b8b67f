"""What secrets look like and where they stand: the tables that `redact` works from.

A token is known by its beginning, the characters that follow and how many there must be; one row a
family, with the name that stands in its place. Positions are names and options after which a value is
secret whatever it looks like.
"""

from __future__ import annotations

__all__ = ["HEADERS", "NAMES", "OPTIONS", "TOKENS", "WORD"]

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = _UPPER.lower()
_DIGITS = "0123456789"
_ALNUM = frozenset(_UPPER + _LOWER + _DIGITS)
WORD = _ALNUM | frozenset("_-")
_CAPITALS = frozenset(_UPPER + _DIGITS)
_HEX = frozenset(_DIGITS + "abcdefABCDEF")
_DOTTED = WORD | frozenset(".=")
_BASE64 = WORD | frozenset("+/=.")

# name, what follows the beginning, at least how much of it, the beginnings
_FAMILIES: tuple[tuple[str, frozenset[str], int, str], ...] = (
    ("aws-key", _CAPITALS, 16, "AKIA ASIA ABIA ACCA AROA AIDA"),
    ("github-token", WORD, 20, "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_"),
    ("gitlab-token", _DOTTED, 16, "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- glffct-"),
    ("slack-token", WORD, 10, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe.xoxp- xoxc- xoxd- xapp-"),
    ("slack-webhook", _BASE64, 8, "hooks.slack.com/services/ hooks.slack.com/workflows/"),
    ("discord-webhook", _BASE64, 8, "discord.com/api/webhooks/ discordapp.com/api/webhooks/"),
    ("stripe-key", WORD, 10, "sk_live_ sk_test_ rk_live_ rk_test_ whsec_"),
    ("npm-token", _ALNUM, 30, "npm_"),
    ("pypi-token", WORD, 20, "pypi-AgEI pypi-AgEN"),
    ("anthropic-key", WORD, 16, "sk-ant-"),
    ("openai-key", WORD, 16, "sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1-"),
    ("google-key", WORD, 30, "AIza"),
    ("google-token", _DOTTED, 16, "ya29. GOCSPX-"),
    ("huggingface-token", _ALNUM, 24, "hf_ api_org_"),
    ("model-key", WORD, 20, "gsk_ xai- nvapi- pplx- r8_ tgp_v1_ fw_"),
    ("digitalocean-token", _HEX, 32, "dop_v1_ doo_v1_ dor_v1_"),
    ("sendgrid-key", _DOTTED, 30, "SG."),
    ("mailgun-key", _HEX, 32, "key-"),
    ("brevo-key", WORD, 32, "xkeysib- xsmtpsib-"),
    ("shopify-token", _HEX, 32, "shpat_ shpca_ shppa_ shpss_"),
    ("square-token", WORD, 20, "sq0atp- sq0csp- sq0idp-"),
    ("docker-token", WORD, 20, "dckr_pat_ dckr_oat_"),
    ("tailscale-key", WORD, 12, "tskey-"),
    ("linear-key", _ALNUM, 30, "lin_api_ lin_oauth_"),
    ("figma-token", WORD, 30, "figd_ figdr_"),
    ("notion-token", _ALNUM, 36, "ntn_ secret_"),
    ("planetscale-token", _DOTTED, 24, "pscale_tkn_ pscale_pw_ pscale_oauth_"),
    ("databricks-token", _HEX, 32, "dapi"),
    ("vault-token", _DOTTED, 20, "hvs. hvb. hvr."),
    ("age-key", _CAPITALS, 40, "AGE-SECRET-KEY-1"),
    ("rubygems-key", _HEX, 40, "rubygems_"),
    ("atlassian-token", _DOTTED, 40, "ATATT3 ATCTT3 ATBB"),
    ("newrelic-key", WORD, 24, "NRAK- NRII- NRJS-"),
    ("dynatrace-token", _DOTTED, 40, "dt0c01. dt0s01."),
    ("sentry-token", _BASE64, 32, "sntrys_ sntryu_"),
    ("grafana-token", _BASE64, 28, "glsa_ glc_"),
    ("postman-key", WORD, 40, "PMAK-"),
    ("contentful-token", WORD, 30, "CFPAT-"),
    ("twilio-key", _HEX, 32, "SK"),
    ("posthog-key", _ALNUM, 32, "phx_"),
    ("supabase-key", _HEX, 32, "sbp_"),
    ("paypal-token", frozenset(WORD | {"$"}), 24, "access_token$production$ access_token$sandbox$"),
    ("alibaba-key", _ALNUM, 16, "LTAI"),
    ("tencent-key", _ALNUM, 32, "AKID"),
    ("heroku-key", WORD, 36, "HRKU-"),
    ("doppler-token", _DOTTED, 24, "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit."),
    ("pulumi-token", _HEX, 36, "pul-"),
    ("cloudflare-token", WORD, 30, "v1.0-"),
    ("readme-key", _ALNUM, 40, "rdme_"),
    ("buildkite-token", _ALNUM, 36, "bkua_ bkat_"),
    ("fly-token", _BASE64, 30, "fo1_ fm1r_ fm2_"),
    ("flutterwave-key", WORD, 24, "FLWSECK_ FLWSECK-"),
    ("jwt", _DOTTED, 30, "eyJ"),
)
# beginning -> name, characters, how many at least; a longer beginning stands before its own beginning
TOKENS: dict[str, tuple[str, frozenset[str], int]] = {
    start: (name, characters, least) for name, characters, least, starts in _FAMILIES for start in starts.split()
}

# A name that holds one of these words, in whatever case, names a secret where a value follows it.
NAMES = (
    "password passwd passphrase passcode pwd secret token apikey api_key api-key accesskey access_key access-key "
    "privatekey private_key private-key signing_key signing-key encryption_key encryption-key master_key master-key "
    "account_key accountkey account-key auth_key auth-key authkey credential bearer client_key session_key webhook_key "
    "connectionstring connection_string pgpass dsn"
).split()

# Headers whose whole value is secret, whatever scheme it begins with.
HEADERS = (
    "authorization proxy-authorization x-api-key api-key x-auth-token x-access-token private-token job-token "
    "x-vault-token x-amz-security-token x-goog-api-key x-gitlab-token x-csrf-token x-shopify-access-token "
    "dd-api-key dd-application-key x-figma-token ocp-apim-subscription-key cookie set-cookie"
).split()

# program -> option -> how its value holds the secret: `whole`, or after a character
OPTIONS: dict[str, dict[str, str]] = {
    **{
        key: {"-p": "attached"}
        for key in ("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump")
    },
    "7z": {"-p": "attached"},
    "7za": {"-p": "attached"},
    "sshpass": {"-p": "whole"},
    "redis-cli": {"-a": "whole", "--pass": "whole"},
    **{key: {"-w": "whole"} for key in ("ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami")},
    **{key: {"-P": "whole"} for key in ("zip", "unzip", "sqlcmd", "bcp")},
    **{key: {"-p": "login"} for key in ("docker", "podman", "nerdctl", "helm", "oc", "az", "buildah", "skopeo")},
    **{key: {"-p": "whole"} for key in ("mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport")},
    **{key: {"-U": "%"} for key in ("smbclient", "rpcclient", "net")},
    "curl": {"-u": ":", "--user": ":", "-U": ":", "--proxy-user": ":", "-b": "whole", "--cookie": "whole"},
    "http": {"-a": ":", "--auth": ":"},
    "https": {"-a": ":", "--auth": ":"},
    "openssl": {"-passin": "whole", "-passout": "whole", "-pass": "whole", "-k": "whole", "-K": "whole"},
    "htpasswd": {"-b": "last"},
}
