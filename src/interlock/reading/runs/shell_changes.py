"""What a shell is told for later: variables, aliases, functions and traps that change what the next command does.

Nothing happens when `HISTFILE=/dev/null` or `alias git=…` is read, and so no program's row speaks of it; what changes
is whether the rest leaves a trace, where it looks for things and which program a name stands for. One row each.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.variables import VARIABLES, spelt
from ..evaluate.words import NUL, Arg
from ..places.paths import within
from ..places.system_places import HERE, HERE_BY_NAME, host_in

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.acts import emit
    from ..machine.index import find_program
    from ..machine.nowhere import is_no_name, is_text
    from ..shell.syntax import Command, Word
    from ..shell.walk import nodes
else:
    emit = lazy(globals(), "..machine.acts", "emit")
    find_program = lazy(globals(), "..machine.index", "find_program")
    is_no_name = lazy(globals(), "..machine.nowhere", "is_no_name")
    is_text = lazy(globals(), "..machine.nowhere", "is_text")
    nodes = lazy(globals(), "..shell.walk", "nodes")

__all__ = [
    "KEPT",
    "added_settings",
    "aliased",
    "disguised",
    "on_test",
    "on_trap",
    "on_variable",
    "spelt_in_escapes",
    "spelt_in_numbers",
    "wraps",
]

# Why a text that is known is not what it looked like: it was decoded on the way.

# Variables of the shell itself: what they are set to counts, whether they are exported or not.
KEPT = frozenset(
    (
        "HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE", "BASH_XTRACEFD", "HOME", "INPUTRC",
        "PATH", "PROMPT_COMMAND", "BASH_ENV", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY",
        "GITHUB_STATE",
    )
)  # fmt: skip

_TRACE = "security"  # nothing of it is left to look at, or a check is switched off
_AWAY = "redirects"  # programs get their code, their answers or their settings from elsewhere


# variable -> the mark, and the values that are ordinary (None: none is; a text in front of which `*` stands: an ending)
_CHANGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "HISTFILE": (_TRACE, ("*_history",)),
    "HISTSIZE": (_TRACE, ("*000",)),
    "HISTFILESIZE": (_TRACE, ("*000",)),
    "HISTCONTROL": (_TRACE, ("ignoredups", "erasedups")),
    "HISTIGNORE": (_TRACE, ()),
    "BASH_XTRACEFD": (_TRACE, ("1", "2")),
    "NODE_TLS_REJECT_UNAUTHORIZED": (_TRACE, ("1",)),
    "PYTHONHTTPSVERIFY": (_TRACE, ("1",)),
    "GIT_SSL_NO_VERIFY": (_TRACE, ("0", "false", "")),
    "NPM_CONFIG_STRICT_SSL": (_TRACE, ("true",)),
    "GOINSECURE": (_TRACE, ()),
    "GONOSUMDB": (_TRACE, ()),
    "GONOSUMCHECK": (_TRACE, ()),
    "GOSUMDB": (_TRACE, ("sum.golang.org", "on")),
    "SSLKEYLOGFILE": (_TRACE, ()),
    "GOPROXY": (_AWAY, ("direct", "off", "https://proxy.golang.org", "https://proxy.golang.org,direct")),
    "PIP_INDEX_URL": (_AWAY, ("https://pypi.org/simple", "https://pypi.org/simple/")),
    "PIP_EXTRA_INDEX_URL": (_AWAY, ("https://pypi.org/simple", "*download.pytorch.org/whl/cpu")),
    **dict.fromkeys(("PIP_PYPI_URL", "PIP_REQUIREMENT", "PIP_CONSTRAINT"), (_AWAY, ())),
    "PIP_TRUSTED_HOST": (_TRACE, ("pypi.org", "files.pythonhosted.org")),
    "UV_INDEX_URL": (_AWAY, ("https://pypi.org/simple",)),
    "UV_DEFAULT_INDEX": (_AWAY, ("https://pypi.org/simple",)),
    "SCCACHE_ENDPOINT": (_AWAY, ()),
    "SCCACHE_REDIS": (_AWAY, ()),
    "SCCACHE_MEMCACHED": (_AWAY, ()),
    "DISTCC_HOSTS": (_AWAY, ()),
    "GIT_TRACE_REDACT": (_TRACE, ("1", "true", "")),
    "npm_config_prefix": (_AWAY, ()),
    "NPM_CONFIG_PREFIX": (_AWAY, ()),
    "OPENAI_BASE_URL": (_AWAY, ("https://api.openai.com/v1",)),
    "OPENAI_API_BASE": (_AWAY, ("https://api.openai.com/v1",)),
    "ANTHROPIC_BASE_URL": (_AWAY, ("https://api.anthropic.com",)),
    "GOOGLE_GEMINI_BASE_URL": (_AWAY, ()),
    "AZURE_OPENAI_ENDPOINT": (_AWAY, ()),
    "HF_ENDPOINT": (_AWAY, ("https://huggingface.co",)),
    "DOCKER_HOST": (_AWAY, ("*docker.sock",)),
    "CONTAINER_HOST": (_AWAY, ("*podman.sock",)),
    **dict.fromkeys(("DOCKER_CONTEXT", "CONTAINER_CONNECTION", "BUILDX_BUILDER"), (_AWAY, HERE_BY_NAME)),
    "GITHUB_ENV": (_AWAY, ()),
    "GITHUB_OUTPUT": (_AWAY, ()),
    "GITHUB_PATH": (_AWAY, ()),
    "GITHUB_STEP_SUMMARY": (_AWAY, ()),
    "GITHUB_STATE": (_AWAY, ()),
    "HOME": (_AWAY, ()),
    "INPUTRC": (_AWAY, ("/etc/inputrc",)),
    "TAPE": (_AWAY, ()),
    "http_proxy": (_AWAY, ()),
    "https_proxy": (_AWAY, ()),
    "HTTP_PROXY": (_AWAY, ()),
    "HTTPS_PROXY": (_AWAY, ()),
    "ALL_PROXY": (_AWAY, ()),
    "all_proxy": (_AWAY, ()),
    "RES_OPTIONS": (_AWAY, ()),
    "AWS_ENDPOINT_URL": (_AWAY, ()),
    "GH_HOST": (_AWAY, ("github.com",)),
    "GITLAB_HOST": (_AWAY, ("gitlab.com", "https://gitlab.com")),
    "TWINE_REPOSITORY_URL": (_AWAY, ("https://upload.pypi.org/legacy/", "https://test.pypi.org/legacy/")),
    "UV_PUBLISH_URL": (_AWAY, ("https://upload.pypi.org/legacy/", "https://test.pypi.org/legacy/")),
    "RUBYGEMS_HOST": (_AWAY, ("https://rubygems.org",)),
    "YARN_REGISTRY": (_AWAY, ("https://registry.yarnpkg.com",)),
    "YARN_NPM_REGISTRY_SERVER": (_AWAY, ("https://registry.yarnpkg.com", "https://registry.npmjs.org")),
    "npm_config_userconfig": (_AWAY, ()),
    "NPM_CONFIG_USERCONFIG": (_AWAY, ()),
    "HOSTALIASES": (_AWAY, ()),
    "CARGO_HTTP_PROXY": (_AWAY, ()),
    "CARGO_REGISTRIES_CRATES_IO_INDEX": (_AWAY, ()),
    "CARGO_SOURCE_CRATES_IO_REPLACE_WITH": (_AWAY, ()),
    "RUSTUP_DIST_SERVER": (_AWAY, ("https://static.rust-lang.org",)),
    "RUSTUP_UPDATE_ROOT": (_AWAY, ()),
    "GIT_ALLOW_PROTOCOL": (_TRACE, ("https", "https:ssh", "https:git:ssh")),
    "UV_INDEX": (_AWAY, ("https://pypi.org/simple",)),
    "UV_EXTRA_INDEX_URL": (_AWAY, ("https://pypi.org/simple",)),
    "UV_FIND_LINKS": (_AWAY, ()),
    "PIP_FIND_LINKS": (_AWAY, ()),
    "ELECTRON_MIRROR": (_AWAY, ()),
    "PUPPETEER_DOWNLOAD_BASE_URL": (_AWAY, ()),
    "PLAYWRIGHT_DOWNLOAD_HOST": (_AWAY, ()),
    "LOCALDOMAIN": (_AWAY, ()),
    "npm_config_strict_ssl": (_TRACE, ("true", "1")),
    "npm_config_proxy": (_AWAY, ()),
    "npm_config_http_proxy": (_AWAY, ()),
    "npm_config_https_proxy": (_AWAY, ()),
    "npm_config_disturl": (_AWAY, ("https://nodejs.org/dist",)),
    "PIP_PROXY": (_AWAY, ()),
    "UV_INSECURE_HOST": (_TRACE, HERE),
    "openout_any": (_TRACE, ("p", "r", "n")),
    "openin_any": (_TRACE, ("p", "r", "n")),
    "shell_escape": (_TRACE, ("f", "p", "n", "0")),
    "shell_escape_commands": (_TRACE, ()),
}
# Where packages, programs and answers come from. Only an address leads elsewhere: `CYPRESS_INSTALL_BINARY=0` does not.
_SOURCES = (
    ("npm_config_", "_mirror"), ("npm_config_", "_binary_host"), ("npm_config_", "_binary_site"),
    ("npm_config_", "_binary_host_mirror"), ("CARGO_REGISTRIES_", "_INDEX"), ("CARGO_REGISTRY_INDEX", ""),
    ("UV_", "_MIRROR"), ("UV_PYTHON_DOWNLOADS_JSON_URL", ""), ("UV_INSTALLER_", "_URL"), ("BUNDLE_MIRROR__", ""),
    ("COMPOSER_REPO_PACKAGIST", ""), ("HEX_MIRROR", ""), ("HEX_API_URL", ""), ("PIPENV_PYPI_MIRROR", ""),
    ("PDM_PYPI_URL", ""), ("PDM_", "_INDEX_URL"), ("POETRY_REPOSITORIES_", "_URL"), ("BAZELISK_BASE_URL", ""),
    ("MVNW_REPOURL", ""), ("SASS_BINARY_SITE", ""), ("CYPRESS_INSTALL_BINARY", ""), ("CYPRESS_DOWNLOAD_MIRROR", ""),
    ("DEBUGINFOD_URLS", ""), ("AWS_ENDPOINT_URL_", ""), ("CLOUDSDK_API_ENDPOINT_OVERRIDES_", ""),
    ("CONDA_CHANNEL", ""), ("RUBY_BUILD_MIRROR_URL", ""), ("N_NODE_MIRROR", ""), ("FNM_NODE_DIST_MIRROR", ""),
    ("NODEJS_ORG_MIRROR", ""), ("NODE_MIRROR", ""), ("ELECTRON_", "_MIRROR"),
)  # fmt: skip
_USUAL_SOURCES = (
    "https://repo.maven.apache.org/", "https://repo1.maven.org/", "https://pypi.org/", "https://registry.npmjs.org",
    "https://index.crates.io", "sparse+https://index.crates.io", "https://hex.pm", "https://repo.hex.pm",
    "https://nodejs.org/", "https://rubygems.org", "https://github.com/", "https://conda.anaconda.org",
)  # fmt: skip
# Whatever manager of packages of node it is for: `npm_config_registry`, `COREPACK_NPM_REGISTRY`.
_REGISTRIES = ("_config_registry", "_npm_registry", ":registry")
_OF_NODE = (_AWAY, ("https://registry.npmjs.org", "https://registry.npmjs.org/", "https://registry.yarnpkg.com"))
# The compilers and linkers of a build: a program from elsewhere, or a plug-in that is loaded into them.
_COMPILERS = frozenset(
    "CC CXX CPP LD AR AS FC HOSTCC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LD_PRELOAD GOFLAGS RUSTFLAGS RUSTDOCFLAGS "
    "CGO_CFLAGS CGO_CXXFLAGS CGO_LDFLAGS CARGO_BUILD_RUSTFLAGS CARGO_ENCODED_RUSTFLAGS".split()
)
_LOADS = (
    "-fplugin",
    "-fpass-plugin",
    "-wrapper",
    "-specs",
    "-B/",
    "-toolexec",
    "-insecure",
    "-Wl,--wrap",
    "-overlay",
    "-exec",
    "-vettool",
    "-modfile",
    "-Clinker",
    "linker=",
    "-extld",
    "-ldflags",
    "-Zcodegen-backend",
    "--specs",
    "-fuse-ld=/",
    "--ld-path",
    "-Wl,-plugin",
    "-Wl,--plugin",
    "-Wl,-dynamic-linker",
    "-Wl,--dynamic-linker",
    "-load",
    "-Xclang=-load",
    "@/",
    "--test-runtool",
    "--runtool",
    "--test-builder",
)


def on_variable(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A variable that later commands see."""
    if name in _COMPILERS or name.endswith("FLAGS"):
        words = value.text.replace("\x1f", " ").split()
        first = words[0] if words and not name.endswith("FLAGS") else ""
        ends = [word.partition("=")[2] for word in words]  # `link-arg=-fuse-ld=/x`
        places = (*shell.found.facts.temp, "/dev/shm/")  # noqa: S108 - compared with
        if any(word.startswith(_LOADS) for word in (*words, *ends)) or within(places, first):
            shell.unclear(f"`{name}` makes a build load unknown code", span)
        return
    if name == "PATH":
        first = value.text.partition(":")[0]
        if first in (".", "./", "") or within((*shell.found.facts.temp, "/dev/shm/"), first):  # noqa: S108
            _tell(shell, span, "shell:variable", _AWAY, name)
        return
    if name == "PROMPT_COMMAND" and value.text.strip():
        _tell(shell, span, "shell:variable", "persistence", name)
        return
    plain = spelt(name)
    row = _CHANGES.get(name) or _CHANGES.get(plain) or (_OF_NODE if plain.lower().endswith(_REGISTRIES) else None)
    if row is None:
        if "://" in value.text and not value.text.startswith(_USUAL_SOURCES) and host_in(value.text) not in HERE:
            if any(plain.startswith(start) and plain.endswith(end) for start, end in _SOURCES):
                _tell(shell, span, "shell:variable", _AWAY, name)
        return
    mark, ordinary = row
    text = value.text
    if text == "" and mark == _AWAY:
        return
    if any(text.endswith(one[1:]) if one.startswith("*") else text == one for one in ordinary):
        return
    if mark == _AWAY and host_in(text) in HERE:
        return
    if name == "HOME" and text == shell.found.facts.home:
        return
    _tell(shell, span, "shell:variable", mark, name)


def aliased(word: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """`alias git='…'`: another program under a known name; `alias ls='ls -l'` is the same one."""
    from ..shell import parse

    name, equals, value = word.text.partition("=")
    if equals and find_program(name) is not None and value.split()[:1] != [name]:
        _tell(shell, span, "shell:alias", _AWAY, name)
    if "<<" in value or value.endswith("\\") or parse(value).opaque:
        shell.unclear("an alias that is not whole changes how the lines behind it are read", span)
    if name in ("-g", "-s"):
        shell.unclear("an alias that stands for any word, or for how a name ends", span)
    if equals:
        _on_no_name(name, shell, span)


def _on_no_name(name: str, shell: Shell, span: tuple[int, int]) -> None:
    """INVARIANT: a name that no program has is never given to something. `notes.txt` is then taken to run nothing."""
    if is_no_name(name) or is_text(name) or name[-1:] == "/":
        shell.unclear(f"`{name}` is made the name of something that is run", span)


def wraps(name: str, body: Command, shell: Shell, span: tuple[int, int]) -> None:
    """`ssh() { …; command ssh "$@"; }`: a function that stands before the program whose name it has."""
    from ..shell.syntax import Simple

    _on_no_name(name, shell, span)
    for node in nodes(body):
        if (
            type(node) is Simple
            and len(node.words) > 1
            and [_plain(word) for word in node.words[:2]] == ["command", name]
        ):
            _tell(shell, span, "shell:function", _AWAY, name)
            return


def _plain(word: Word) -> str:
    from ..shell.syntax import Lit

    return "".join(part.text if type(part) is Lit else NUL for part in word.parts)


_ENDS = frozenset(("TERM", "SIGTERM", "15", "INT", "SIGINT", "2", "HUP", "SIGHUP", "1", "QUIT", "SIGQUIT", "3"))


def on_trap(code: Arg, signals: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """A shell that cannot be stopped, or that runs something before each of its commands."""
    names = {signal.text.upper() for signal in signals}
    if "DEBUG" in names and code.text.strip():
        _tell(shell, span, "shell:trap", "security", "DEBUG")
    if code.text == "" and not _ENDS.isdisjoint(names):
        _tell(shell, span, "shell:trap", "security", sorted(names & _ENDS)[0])


def on_test(before: int, shell: Shell, *, everything: bool = False) -> None:
    """What runs inside `[[ … ]]` or a subscript and does more than look is hidden there: no one writes it so."""
    actions = shell.found.actions
    for at in range(before, len(actions)):
        action = actions[at]
        if everything or any(effect in (Effect.WRITE, Effect.DESTRUCTIVE, Effect.SPAWN) for effect in action.effects):
            actions[at] = action.replace(tags=tuple(sorted({*action.tags, "disguised"})))


_ELSEWHERE = ("PROXY", "_BASE_URL", "API_BASE", "ENDPOINT", "REGISTRY", "INDEX_URL")


def added_settings(path: str, text: str, shell: Shell) -> None:
    """A plain setting at the end of `.env` shows nothing and loses nothing; one that leads elsewhere stays a matter."""
    if not path.rpartition("/")[2].startswith(".env"):
        return
    for line in text.split("\n"):
        name, equals, value = line.partition("=")
        tells = name.upper().endswith(_ELSEWHERE)
        if line.strip() and (not equals or not name.isidentifier() or "$" in value or "`" in value):
            return
        if tells or name in VARIABLES or name in _CHANGES or name in _COMPILERS:
            return
    actions = shell.found.actions
    for at, action in enumerate(actions):
        if action.name == "fs:write" and action.target.get("path") == path and "secret" in action.tags:
            actions[at] = action.replace(tags=tuple(mark for mark in action.tags if mark != "secret"))


def spelt_in_escapes(word: Word) -> bool:
    r"""`$'\143\165\162\154'`: a name in escapes, which takes more characters than it has."""
    from ..shell.syntax import Lit

    return any(
        type(part) is Lit and part.quoted and part.span[1] - part.span[0] > len(part.text) + 3 for part in word.parts
    )


def spelt_in_numbers(word: Word) -> bool:
    r"""`$'\u0072\u006d'` anywhere in a command: nobody writes plain letters so that they are to be read."""
    from ..shell.syntax import Lit

    return any(
        type(part) is Lit
        and part.quoted
        and len(part.text) > 1
        and part.text.isascii()
        and part.text.isalnum()
        and part.span[1] - part.span[0] - 3 >= 4 * len(part.text)
        for part in word.parts
    )


def disguised(shell: Shell, span: tuple[int, int], how: str) -> None:
    """The mark of something that is run and was written so that it cannot be seen."""
    emit(shell, span, name="exec:disguised", effects=(), tags=("disguised",), target={"how": how})


def _tell(shell: Shell, span: tuple[int, int], action: str, mark: str, name: str) -> None:
    emit(shell, span, name=action, effects=(), tags=(mark,), target={"name": name})
