"""Variables that make a program run other code, or find it elsewhere. One row each.

code       the value is a command line that some program will run
library    the value names code that is loaded into every program
libraries  the value says where such code is looked for first
search     the value says where a language looks for modules
options    the value holds options that can load code
path       the value says where programs are looked for
settings   the value names a file whose settings can run programs; a person's own is ordinary
objects    the value says where git takes commits from, which then cannot be looked at before they are brought
toolchain  the value names a toolchain; a folder is one that anybody can have put there
file       the value names a file that programs write to: a trace, a profile, the keys of a connection
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..paths import within
from ..secret_words import holds_token
from ..shell_changes import on_variable
from .words import NUL, Arg

if TYPE_CHECKING:
    from .state import Shell

__all__ = ["VARIABLES", "hand_over"]

VARIABLES = {
    "PATH": "path",
    "LD_PRELOAD": "library",
    "LD_LIBRARY_PATH": "libraries",
    "LD_AUDIT": "library",
    "DYLD_INSERT_LIBRARIES": "library",
    "DYLD_LIBRARY_PATH": "libraries",
    "BASH_ENV": "script",
    "ENV": "script",
    "PROMPT_COMMAND": "code",
    "PS4": "code",
    "PYTHONSTARTUP": "script",
    "PYTHONHOME": "library",
    "PYTHONPATH": "search",
    "NODE_PATH": "search",
    "RUBYLIB": "search",
    "PERL5OPT": "options",
    "PERL5LIB": "library",
    "RUBYOPT": "options",
    "NODE_OPTIONS": "options",
    "JAVA_TOOL_OPTIONS": "options",
    "GIT_SSH_COMMAND": "code",
    "GIT_SSH": "code",
    "GIT_PROXY_COMMAND": "code",
    "GIT_EXTERNAL_DIFF": "code",
    "GIT_PAGER": "code",
    "GIT_EDITOR": "code",
    "GIT_SEQUENCE_EDITOR": "code",
    "GIT_ASKPASS": "code",
    "GIT_EXEC_PATH": "library",
    "GIT_TEMPLATE_DIR": "library",
    "GIT_CONFIG_COUNT": "options",
    "GIT_CONFIG_GLOBAL": "options",
    "GIT_CONFIG_SYSTEM": "options",
    "GIT_CONFIG_PARAMETERS": "options",
    "SSH_ASKPASS": "code",
    "SUDO_ASKPASS": "code",
    "PAGER": "code",
    "MANPAGER": "code",
    "BAT_PAGER": "code",
    "SYSTEMD_PAGER": "code",
    "EDITOR": "code",
    "VISUAL": "code",
    "LESSOPEN": "code",
    "LESSCLOSE": "code",
    "BROWSER": "code",
    "RUSTC_WRAPPER": "code",
    "CARGO_BUILD_RUSTC_WRAPPER": "code",
    "RUSTC": "code",
    "AUTOM4TE": "code",
    "NPM_CONFIG_SCRIPT_SHELL": "code",
    "npm_config_script_shell": "code",
    "JDK_JAVA_OPTIONS": "options",
    "_JAVA_OPTIONS": "options",
    "MAVEN_OPTS": "options",
    "GRADLE_OPTS": "options",
    "TAR_OPTIONS": "options",
    "GREP_OPTIONS": "",
    "MAKEFLAGS": "options",
    "GNUMAKEFLAGS": "options",
    "MFLAGS": "options",
    "MAKEFILES": "library",
    "BUNDLE_GEMFILE": "search",
    "ANSIBLE_CONFIG": "settings",
    "AWS_CONFIG_FILE": "settings",
    "DOCKER_CONFIG": "settings",
    "KUBECONFIG": "settings",
    "PIP_CONFIG_FILE": "settings",
    "TF_CLI_CONFIG_FILE": "settings",
    "XDG_CONFIG_HOME": "options",
    "ACK_PAGER": "code",
    "ACK_PAGER_COLOR": "code",
    "ACK_OPTIONS": "options",
    "ACKRC": "settings",
    "RIPGREP_CONFIG_PATH": "settings",
    "BAT_CONFIG_PATH": "settings",
    "BAT_CONFIG_DIR": "settings",
    "BAT_OPTS": "options",
    "DELTA_PAGER": "code",
    "SYSTEMD_EDITOR": "code",
    "AWS_PAGER": "code",
    "GH_PAGER": "code",
    "GH_EDITOR": "code",
    "GH_BROWSER": "code",
    "GLAB_PAGER": "code",
    "KUBE_EDITOR": "code",
    "KUBECTL_EXTERNAL_DIFF": "code",
    "FCEDIT": "code",
    "HGEDITOR": "code",
    "SVN_EDITOR": "code",
    "SVN_SSH": "code",
    "CVS_RSH": "code",
    "RSYNC_RSH": "code",
    "RSYNC_CONNECT_PROG": "code",
    "SSH_SK_HELPER": "code",
    "LESSEDIT": "code",
    "LESSKEY": "settings",
    "LESSKEYIN": "settings",
    "LESSKEY_SYSTEM": "settings",
    "MANOPT": "options",
    "ZIPOPT": "options",
    "UNZIP": "options",
    "UNZIPOPT": "options",
    "ZIPINFO": "options",
    "RUSTC_WORKSPACE_WRAPPER": "code",
    "RUSTDOC": "code",
    "CARGO_BUILD_RUSTC": "code",
    "CARGO_BUILD_RUSTDOC": "code",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER": "code",
    "RUSTUP_TOOLCHAIN": "toolchain",
    "GOTOOLCHAIN": "toolchain",
    "GOCACHEPROG": "code",
    "GOROOT": "settings",
    "GOTOOLDIR": "settings",
    "GOENV": "settings",
    "GOBIN": "file",
    "GCCGO": "code",
    "PKG_CONFIG": "code",
    "AR": "code",
    "COMPOSER_HOME": "settings",
    "PHPRC": "settings",
    "PHP_INI_SCAN_DIR": "settings",
    "PERLDB_OPTS": "options",
    "PERL5DB": "code",
    "PYTHONBREAKPOINT": "options",
    "PYTHONUSERBASE": "library",
    "PYTEST_PLUGINS": "options",
    "PYTEST_ADDOPTS": "pytest",
    "CARGO_HOME": "settings",
    "RUSTUP_HOME": "settings",
    "GRADLE_USER_HOME": "settings",
    "JULIA_LOAD_PATH": "search",
    "LUA_PATH": "options",
    "LUA_CPATH": "options",
    "LUA_INIT": "code",
    "R_PROFILE": "settings",
    "R_PROFILE_USER": "settings",
    "R_ENVIRON": "settings",
    "TCLLIBPATH": "search",
    "OPENSSL_CONF": "settings",
    "OPENSSL_MODULES": "library",
    "OPENSSL_ENGINES": "library",
    "GCONV_PATH": "library",
    "GIO_EXTRA_MODULES": "library",
    "QT_PLUGIN_PATH": "libraries",
    "VIMINIT": "code.other",
    "EXINIT": "code.other",
    "GVIMINIT": "code.other",
    "EMACSLOADPATH": "library",
    "SCREENRC": "settings",
    "TMUX_CONF": "settings",
    "SBT_OPTS": "options",
    "ANT_OPTS": "options",
    "ANT_ARGS": "options",
    "JAVA_OPTS": "options",
    "MAVEN_ARGS": "options",
    "JAVA_HOME": "settings",
    "GIT_INDEX_FILE": "file",
    "GIT_OBJECT_DIRECTORY": "objects",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "objects",
    "COMPOSE_FILE": "read",
    "COMPOSE_ENV_FILES": "read",
    "GIT_SSH_VARIANT": "",
    "BASH_LOADABLES_PATH": "library",
    "WGETRC": "options",
    "CURL_HOME": "options",
    **dict.fromkeys(
        "GIT_TRACE GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_BARE GIT_TRACE_CURL GIT_TRACE_FSMONITOR "
        "GIT_TRACE_PACKET GIT_TRACE_PACKFILE GIT_TRACE_PACK_ACCESS GIT_TRACE_PERFORMANCE GIT_TRACE_REFS "
        "GIT_TRACE_SETUP GIT_TRACE_SHALLOW GIT_REDIRECT_STDOUT GIT_REDIRECT_STDERR "
        "SSLKEYLOGFILE NODE_REDIRECT_WARNINGS NODE_V8_COVERAGE NODE_COMPILE_CACHE LLVM_PROFILE_FILE GCOV_PREFIX "
        "GOCOVERDIR COVERAGE_FILE MALLOC_TRACE LD_DEBUG_OUTPUT KRB5_TRACE PYTHONPYCACHEPREFIX CARGO_TARGET_DIR "
        "PIP_LOG PIP_REPORT".split(),
        "file",
    ),
}

# Values that only choose a well-known viewer or switch it off.
_PLAIN = frozenset(
    ("", "cat", "less", "more", "true", ":", "vi", "vim", "nano", "emacs", "ed", "/bin/cat", "/bin/true", "/dev/null")
)
_PLAIN_OPTIONS = (
    "--max-old-space-size=",
    "--max_old_space_size=",
    "--no-warnings",
    "--no-deprecation",
    "--openssl-legacy-provider",
    "--trace-warnings",
    "--enable-source-maps",
    "-Xmx",
    "-Xms",
)
# Options that load something, write a file, or send; each may be shortened.
_PYTEST_LOADS = (
    *("-p", "-c", "-o", "--rootd", "--override", "--confc", "--config", "--import-m", "@", "--junit", "--log-fi"),
    *(
        "--basete",
        "--debug",
        "--paste",
        "--cov-rep",
        "--cov-conf",
        "--html",
        "--json-report-f",
        "--result",
        "--report-l",
    ),
    *("--tx", "--rsyncdir", "--doctest", "--pdbcls", "--ds"),
)
_SYSTEM = ("/usr/", "/bin", "/sbin", "/opt/", "/snap/")


def hand_over(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Judges a variable that programs will see."""
    on_variable(name, value, shell, span)
    if len(value.text) > 19 and holds_token(value.text):
        _plain_token(name, shell, span)
    kind = VARIABLES.get(name)
    if kind is None:
        kind = _of_a_family(name)
    if not kind:
        return
    if kind == "path":
        _search_path(value, shell, span)
    elif kind == "function":
        shell.unclear(f"`{name}` makes a shell that is started take a name for a function", span)
    elif kind == "settings":
        _settings_from(name, value, shell, span)
    elif kind == "file":
        _written_to(value, shell)
    elif kind == "read":
        _taken_from(value, shell)
    elif kind == "code":
        _code(name, value, shell, span)
    elif kind == "options":
        words = value.text.split()
        if not value.known or not all(
            word.startswith(_PLAIN_OPTIONS) or (word[:2] == "-j" and word[2:].isdigit()) or word == "-j"
            for word in words
        ):
            if value.text not in ("/dev/null", "0"):
                shell.unclear(f"`{name}` can make programs load other code", span)
    elif kind == "toolchain":
        if "/" in value.text or value.unknown:
            shell.unclear(f"`{name}` names a folder with another toolchain", span)
    elif kind == "pytest":
        if not value.known or any(word.startswith(_PYTEST_LOADS) for word in value.text.split()):
            shell.unclear(f"`{name}` can make programs load other code", span)
    elif kind == "objects":
        shell.unclear(f"`{name}` makes git take commits from elsewhere; their content was not read", span)
    elif kind == "code.other":
        shell.unclear(f"`{name}` is a command of an editor", span)
    elif kind == "search":
        _search_for_code(name, value, shell, span)
    elif kind == "libraries":
        # the old value may follow; an empty part is the working folder
        if not all(folder == NUL or _of_system(folder) for folder in value.text.split(":")):
            shell.unclear(f"`{name}` makes programs load other code", span)
    elif value.text:
        shell.unclear(f"`{name}` makes programs load other code", span)


# Families of variables whose middle names a target or a number.
_FAMILIES = (
    ("GIT_CONFIG_KEY_", "", "options"),
    ("GIT_CONFIG_VALUE_", "", "options"),
    ("CARGO_TARGET_", "_LINKER", "code"),
    ("CARGO_TARGET_", "_RUNNER", "code"),
    ("CARGO_TARGET_", "_RUSTFLAGS", "options"),
    ("CARGO_ALIAS_", "", "options"),
    ("BASH_FUNC_", "", "function"),
)


def _of_a_family(name: str) -> str | None:
    return next((kind for start, end, kind in _FAMILIES if name.startswith(start) and name.endswith(end)), None)


def _settings_from(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Settings that anybody can have put there: in a temporary folder, or by this very session."""
    from ..commands.places import has_written

    for path in value.text.split(":"):
        settled = path if path.startswith("/") else f"{(shell.folders or ('',))[0]}/{path}"
        if within(shell.found.facts.temp, settled) or has_written(settled, shell):
            shell.unclear(f"`{name}` makes programs take settings from `{path}`".replace(NUL, "…"), span)
            return


def _written_to(value: Arg, shell: Shell) -> None:
    """A truth value or the number of a stream writes to what is open; anything else is a file or a folder."""
    if value.known and (value.text.lower() in _STREAMS or value.text.isdigit() or value.text.startswith("af_unix:")):
        return
    from ..commands.acts import on_path

    on_path("write", value, shell)


def _taken_from(value: Arg, shell: Shell) -> None:
    from ..commands.acts import on_path

    for path in (value.text,) if value.unknown else value.text.replace(",", ":").split(":"):
        if path:
            on_path("read", Arg(path, value.span, value.glob, value.origin), shell)


_STREAMS = frozenset(("", "0", "1", "2", "true", "false", "yes", "no", "on", "off", "/dev/null", "/dev/stderr"))


def _plain_token(name: str, shell: Shell, span: tuple[int, int]) -> None:
    """A token in plain text on a command line: whoever lists processes or reads a history has it too."""
    from ...effects import Effect
    from ..commands.acts import emit

    emit(shell, span, name="sys:token", effects=(Effect.READ,), tags=("secret",), target={"variable": name})


def _code(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if value.known and value.text.strip() in _PLAIN:
        return
    from ..wrappers import run_code

    if value.known:
        run_code("code.sh", value, shell, span)
    else:
        shell.unclear(f"`{name}` is an unknown command", span)


def _search_path(value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Folders that come before the old PATH can stand in for any program."""
    for folder in value.text.split(":"):
        if folder in (NUL, "") and folder == NUL:
            return  # the old value: what follows it does not shadow
        if folder.startswith(_SYSTEM):
            continue
        home = shell.found.facts.home
        if folder.startswith(home + "/") and NUL not in folder and _dot_folder(folder[len(home) + 1 :]):
            continue
        shell.path_changed = f"programs are looked for in `{folder or '.'}` first".replace(NUL, "…")
        return


def _search_for_code(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Folders of the project are its own code; from anywhere else, code is loaded that is not known."""
    for folder in value.text.split(":"):
        if name == "PYTHONPATH" and _starts_with_own(folder, shell):
            shell.unclear("Python runs a file of this session before anything else", span)
            return
        if folder in ("", NUL) or (not folder.startswith(("/", "~", NUL)) and ".." not in folder):
            continue
        if _of_system(folder):
            continue
        if NUL in folder or not (folder + "/").startswith(shell.found.facts.root + "/"):
            shell.unclear(f"`{name}` makes programs load code from outside the project", span)
            return


def _starts_with_own(folder: str, shell: Shell) -> bool:
    """`sitecustomize.py`, which every Python runs that finds it."""
    written = shell.found.facts.written
    if not written and not shell.files:
        return False
    here = folder if folder[:1] == "/" else f"{(shell.folders or ('/',))[0]}/{folder}"
    here = here.replace("/./", "/").rstrip("/").removesuffix("/.")
    return any(f"{here}/{name}" in paths for name in _FIRST for paths in (written, shell.files))


_FIRST = ("sitecustomize.py", "usercustomize.py", "sitecustomize/__init__.py", "usercustomize/__init__.py")

# Where a system keeps code that programs load. Nobody writes there without being asked about.
_LIBRARIES = (
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/usr/lib/",
    "/usr/lib32/",
    "/usr/lib64/",
    "/usr/local/",
    "/usr/share/",
    "/opt/",
)


def _of_system(folder: str) -> bool:
    return (folder + "/").startswith(_LIBRARIES) and NUL not in folder and ".." not in folder


def _dot_folder(below: str) -> bool:
    """Where language tools put programs: ~/.cargo/bin, ~/.local/bin, ~/go/bin …"""
    return below.startswith((".", "go/", "bin", "miniconda", "anaconda"))
