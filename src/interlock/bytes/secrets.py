"""What secrets look like and where they stand: the tables that `redact` works from.

A token is known by its beginning, the characters that follow and how many there must be; one row a
family, with the name that stands in its place. Positions are names and options after which a value is
secret whatever it looks like.
"""

from __future__ import annotations

__all__ = ["ENDINGS", "FOLLOWED", "HEADERS", "NAMES", "OPTIONS", "RANDOM", "STDIN", "TOKENS", "WORD"]

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
    ("gitlab-token", _DOTTED, 16, "GR1348941 gloas-"),
    ("aws-session-token", _BASE64, 40, "IQoJb3JpZ2luX2Vj FwoGZXIvYXdzE FQoGZXIvYXdzE"),
    ("aws-key", _BASE64, 60, "ABSK"),
    ("google-token", WORD, 30, "1//0"),
    ("clojars-token", _HEX, 40, "CLOJARS_"),
    ("artifactory-key", _ALNUM, 60, "AKCp"),
    ("model-key", WORD, 24, "lsv2_pt_ lsv2_sk_ pcsk_ tvly- wandb_v1_ sk-lf- pk-lf-"),
    ("square-token", WORD, 50, "EAAA EAAl"),
    ("facebook-token", _ALNUM, 60, "EAAC EAAB EAAG EAAD"),
    ("twitter-token", frozenset(_ALNUM | {"%"}), 60, "AAAAAAAAAAAAAAAAAAAAA"),
    ("dropbox-token", WORD, 100, "sl."),
    ("supabase-key", WORD, 24, "sb_secret_"),
    ("neon-key", _ALNUM, 40, "napi_"),
    ("netlify-token", _ALNUM, 30, "nfp_ nfc_ nfo_ nfb_ nfu_"),
    ("vercel-token", _ALNUM, 24, "vcp_ vci_ vca_ vcr_ vck_"),
    ("circleci-token", WORD, 40, "CCIPAT_ CCIPRJ_"),
    ("sonarqube-token", _HEX, 40, "sqp_ squ_ sqa_"),
    ("1password-token", WORD, 100, "ops_eyJ"),
    ("yandex-key", WORD, 34, "AQVN"),
    ("mapbox-token", _DOTTED, 40, "sk.eyJ"),
    ("typeform-token", WORD, 40, "tfp_"),
    ("shippo-token", _HEX, 32, "shippo_live_ shippo_test_"),
    ("duffel-token", WORD, 40, "duffel_live_ duffel_test_"),
    ("easypost-key", _ALNUM, 50, "EZAK EZTK"),
    ("prefect-key", _ALNUM, 32, "pnu_ pnb_"),
    ("scalingo-token", WORD, 44, "tk-us-"),
    ("firebase-key", WORD, 100, "APA91b"),
    ("interlock-token", WORD, 24, "ilt_"),
)
# Beginnings that words have too: what follows must also have small and capital letters, or digits enough.
RANDOM: dict[str, tuple[str, frozenset[str], int]] = {
    "pat": ("airtable-token", _DOTTED, 70),
    "cio": ("crates-token", _ALNUM, 32),
    "oy2": ("nuget-key", frozenset(_LOWER + _DIGITS), 40),
    "fc-": ("firecrawl-key", _HEX, 32),
    "re_": ("resend-key", WORD, 30),
    "rnd_": ("render-key", _ALNUM, 24),
    "ico-": ("infracost-key", _ALNUM, 32),
    "sdk-": ("launchdarkly-key", WORD, 36),
    "api-": ("launchdarkly-key", WORD, 36),
    "mob-": ("launchdarkly-key", WORD, 36),
    "sk-": ("openai-key", WORD, 17),
    "ATBB": ("bitbucket-token", _ALNUM, 24),
    "sntrys_": ("sentry-token", _BASE64, 32),
}
# beginning -> name, characters, how many at least; a longer beginning stands before its own beginning
TOKENS: dict[str, tuple[str, frozenset[str], int]] = {
    start: (name, characters, least) for name, characters, least, starts in _FAMILIES for start in starts.split()
}

# A name that holds one of these words, in whatever case, names a secret where a value follows it.
NAMES = (
    "password passwd passphrase passcode pwd secret token apikey api_key api-key accesskey access_key access-key "
    "privatekey private_key private-key signing_key signing-key encryption_key encryption-key master_key master-key "
    "account_key accountkey account-key auth_key auth-key authkey credential bearer client_key session_key webhook_key "
    "connectionstring connection_string pgpass dsn x-amz-signature"
).split()
# A name that is one of these, or ends with one after a `_` or a `-`, does so too.
ENDINGS = "pass psk storepass keypass become_pass ssh_pass sharedaccesskey".split()

# Headers whose whole value is secret, whatever scheme it begins with.
HEADERS = (
    "authorization proxy-authorization x-api-key api-key x-auth-token x-access-token private-token job-token "
    "x-vault-token x-amz-security-token x-goog-api-key x-gitlab-token x-csrf-token x-shopify-access-token "
    "dd-api-key dd-application-key x-figma-token ocp-apim-subscription-key cookie set-cookie"
).split()

# What is written to the standard input of these is secret: after `<<<`, or by the `echo` before the pipe.
STDIN = (
    *("--password-stdin", "--with-token", "--api-key-stdin", "--token-stdin", "chpasswd", "pass insert", "secret put"),
    *("secret set", "sudo -s", "sudo --stdin", "auth login", "vault login", "cryptsetup"),
)
# The first word after these that is no option is secret; for those with a `$`, the last word of the command.
FOLLOWED = (
    *("vault login", "cargo login", "rclone obscure", "convertto-securestring", "identified by", "user password"),
    *("wpa_passphrase$", "poetry config pypi-token$", "poetry config http-basic$"),
)

# program -> option -> how its value holds the secret: `whole`, or after a character; behind a `|` a word that it takes
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
    **{key: {"-p": "whole|login"} for key in ("docker", "podman", "nerdctl", "helm", "buildah", "skopeo")},
    "oc": {"-p": "whole|login", "--from-literal": "=|secret"},
    "kubectl": {"--from-literal": "=|secret"},
    "az": {"-p": "whole|login", "--value": "whole|secret"},
    "aws": {"--value": "whole|put-parameter"},
    "gh": {"--body": "whole|secret", "-b": "whole|secret"},
    "twine": {"-p": "whole"},
    "ssh-keygen": {"-N": "whole", "-P": "whole"},
    "security": {"-w": "whole", "-p": "whole"},
    **{key: {"-p": "whole"} for key in ("useradd", "usermod", "rdesktop", "evil-winrm")},
    **{key: {"/p:": "attached", "/pass:": "attached"} for key in ("xfreerdp", "xfreerdp3", "wlfreerdp", "cmdkey")},
    **{key: {"": "/"} for key in ("sqlplus", "sqlldr", "expdp", "impdp")},
    **{key: {"-p": "whole"} for key in ("mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport")},
    **{key: {"-U": "%"} for key in ("smbclient", "rpcclient", "net")},
    "curl": {"-u": ":", "--user": ":", "-U": ":", "--proxy-user": ":", "-b": "whole", "--cookie": "whole"},
    "http": {"-a": ":", "--auth": ":"},
    "https": {"-a": ":", "--auth": ":"},
    "openssl": {"-passin": "whole", "-passout": "whole", "-pass": "whole", "-k": "whole", "-K": "whole"},
    "htpasswd": {"-b": "last"},
}
