"""Hosts that everybody uses, and those that only a private network knows.

The reading asks whether a long random part of an address is ordinary at a host, the flow layer whether a host is worth
a question after a secret was read.
"""

from __future__ import annotations

__all__ = ["is_known_host", "is_own_network", "is_private"]

# Hosts whose addresses hold long random parts, and to which nobody but their owners listens.
_KNOWN = (
    "amazonaws.com", "on.aws", "cloudfront.net", "awsapps.com", "azure.com", "azurewebsites.net", "windows.net",
    "azureedge.net", "microsoft.com", "visualstudio.com", "live.com", "google.com", "googleapis.com",
    "googleusercontent.com", "gstatic.com", "youtube.com", "youtu.be", "run.app", "appspot.com", "web.app",
    "firebaseapp.com", "github.com", "github.io", "githubusercontent.com", "githubassets.com", "ghcr.io",
    "gitlab.com", "gitlab.io", "bitbucket.org", "npmjs.org", "npmjs.com", "yarnpkg.com", "jsdelivr.net",
    "unpkg.com", "esm.sh", "pypi.org", "pythonhosted.org", "python.org", "crates.io", "docs.rs", "rust-lang.org",
    "golang.org", "go.dev", "rubygems.org", "packagist.org", "nuget.org", "maven.org", "apache.org", "docker.io",
    "docker.com", "quay.io", "huggingface.co", "hf.co", "kaggle.com", "anaconda.org", "conda.io", "ubuntu.com",
    "debian.org", "fedoraproject.org", "archlinux.org", "alpinelinux.org", "nixos.org", "brew.sh", "kernel.org",
    "mozilla.org", "mozilla.net", "apple.com", "figma.com", "notion.so", "atlassian.net", "atlassian.com",
    "slack.com", "linear.app", "dropbox.com", "box.com", "wikipedia.org", "wikimedia.org", "stackoverflow.com",
    "stackexchange.com", "reddit.com", "medium.com", "dev.to", "vercel.app", "vercel.com", "netlify.app",
    "netlify.com", "pages.dev", "workers.dev", "cloudflare.com", "fly.dev", "onrender.com", "herokuapp.com",
    "readthedocs.io", "gitbook.io", "arxiv.org", "openai.com", "anthropic.com", "claude.ai", "dweb.link", "ipfs.io",
    "archive.org", "sentry.io", "datadoghq.com", "stripe.com", "shopify.com", "terraform.io", "hashicorp.com",
    "kubernetes.io", "k8s.io", "gradle.org", "jetbrains.com", "w3.org", "ietf.org", "mdn.dev", "react.dev",
    "nodejs.org", "deno.land", "jsr.io", "bun.sh", "postgresql.org", "mysql.com", "sqlite.org", "mongodb.com",
    "redis.io", "nginx.org", "djangoproject.com", "palletsprojects.com", "fastapi.tiangolo.com", "pydantic.dev",
    "astral.sh", "spring.io", "oracle.com", "java.net", "scala-lang.org", "elixir-lang.org", "hex.pm", "hexdocs.pm",
    "php.net", "laravel.com", "rubyonrails.org", "vuejs.org", "angular.dev", "angular.io", "svelte.dev",
    "nextjs.org", "tailwindcss.com", "typescriptlang.org", "eslint.org", "prettier.io", "vitejs.dev", "vite.dev",
    "webpack.js.org", "playwright.dev", "cypress.io", "jestjs.io", "vitest.dev", "grafana.com", "prometheus.io",
)  # fmt: skip
# Names that only a private network knows.
_PRIVATE = (".internal", ".corp", ".intranet", ".intra", ".lan", ".cluster.local", ".home.arpa", ".private")


def is_known_host(host: str) -> bool:
    """A registry, a documentation site, a big service: nobody gets to see what is asked of it but its owner."""
    return host.endswith(_KNOWN) and (host in _KNOWN or host.endswith(tuple(["." + name for name in _KNOWN])))


def is_own_network(host: str) -> bool:
    """This machine, or one that only a private network knows."""
    return ("." not in host and ":" not in host) or host.startswith("127.") or host == "::1" or is_private(host)


def is_private(text: str) -> bool:
    """`db.acme.internal`, `10.0.3.7`, `postgres://app@db.corp/x`: a machine that only insiders know."""
    for word in text.replace("/", " ").replace(":", " ").replace("@", " ").replace(",", " ").split():
        lower = word.lower().rstrip(".")
        if lower.endswith(_PRIVATE) and len(lower) > 6:
            return True
        numbers = lower.split(".")
        if len(numbers) == 4 and all(number.isdigit() for number in numbers):
            first, second = int(numbers[0]), int(numbers[1])
            if first == 10 or (first, second) == (192, 168) or (first == 172 and 16 <= second < 32):
                return True
    return False
