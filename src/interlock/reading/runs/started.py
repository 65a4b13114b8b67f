"""A value that is a program, which a tool starts: `--python-executable X`, `-DCMAKE_CXX_COMPILER=X`, `CC=X`.

Interpreters and compilers by their name or version, and those of a virtual environment or of the system, are what such
options are for. Anything else is run, and is read as if it had been called: a script of the project by the rules for
those, a program that nobody knows as one.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, lazy
from ..evaluate.origins import LOOKED_UP
from ..evaluate.words import NUL, Arg
from ..machine.places import has_written
from ..places.paths import Unsettled, is_own_tree, settle

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from .projects import own_tool
else:
    own_tool = lazy(globals(), ".projects", "own_tool")

__all__ = ["CALLED", "is_usual", "start", "start_given"]

# Variables that name a program which builds call, in the environment and as words of `make` and `configure`.
CALLED = frozenset(
    (
        "CC CXX CPP CXXCPP LD AS NM RANLIB STRIP OBJCOPY OBJDUMP OBJC OBJCXX FC F77 F90 HOSTCC HOSTCXX HOSTLD CUDACXX "
        "CUDAHOSTCXX NVCC HIPCXX ISPC RC SWIFTC LEX FLEX YACC BISON RUSTFMT PYTHON PYTHON3 PYTHON_EXECUTABLE RUBY PERL "
        "NODE JAVA JAVAC GO GOFMT MAKE AWK SED INSTALL LIBTOOL CC_FOR_BUILD CXX_FOR_BUILD CC_FOR_TARGET "
        "CMAKE_MAKE_PROGRAM CMAKE_C_COMPILER CMAKE_CXX_COMPILER CARGO DOXYGEN SPHINXBUILD"
    ).split()
)

_USUAL = re.compile(
    r"(?:[a-z0-9_]+-)*(?:c?python|pypy|graalpy|node|deno|bun|ruby|perl|php|java|javac|lua|luajit|gcc|g\+\+|clang|clang\+\+"
    r"|clang-cl|cc|c\+\+|c99|cl|cpp|icc|icpc|icx|icpx|nvcc|nvc|nvc\+\+|hipcc|tcc|emcc|em\+\+|zig|gfortran|flang|ifort|ifx"
    r"|ld|ld64|lld|ld\.lld|ld\.gold|ld\.bfd|gold|mold|lld-link|link|ar|ranlib|nm|as|strip|objcopy|objdump|gcov|llvm-cov"
    r"|rustc|rustfmt|ninja|samu|make|gmake|mingw32-make|ccache|sccache|distcc|icecc|swiftc|go|gofmt|bash|sh|zsh|dash|fish"
    r"|xelatex|pdflatex|lualatex|latexmk|tectonic|weasyprint|wkhtmltopdf|typst|prince|pagedjs-cli|context|pdfroff"
    r"|flex|lex|bison|yacc|byacc|pkg-config|pkgconf|awk|gawk|mawk|sed|gsed|install|ginstall|libtool|glibtool|clang-tidy"
    r"|cppcheck|iwyu|include-what-you-use|cpplint|valgrind|qemu-[a-z0-9_]+|wine|less|more|most|cat|vim?|nvim|nano|emacs"
    r"|code|chromium|google-chrome|firefox|git|cargo|doxygen|sphinx-build)(?:[-.]?[0-9][0-9a-z.]*)?(?:\.exe)?"
)
_MERGES = frozenset(
    (
        "vimdiff nvimdiff meld kdiff3 difft difftastic delta diffoscope opendiff bcompare p4merge smerge icdiff "
        "colordiff diff tkdiff xxdiff ediff"
    ).split()
)
_VERSION = re.compile(
    r"(?:py|cpython|pypy|graalpy|cp|pp)?[-@]?[<>=~^!]*[0-9][\w.,*<>=~^!+-]*|[a-z]+@[\w.<>=-]+|system|auto|default"
)
_SYSTEM = (
    *("/bin/", "/sbin/", "/usr/", "/opt/", "/Library/", "/Applications/", "/nix/store/", "/snap/"),
    "/home/linuxbrew/.linuxbrew/",
)
_ENVIRONMENTS = (".venv", "venv", "env", ".virtualenv", "virtualenv")
_SCRIPTS = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".zsh", ".ps1", ".bat")


def is_usual(name: str) -> bool:
    """An interpreter, a compiler or another tool that such an option is for, by its name or its version."""
    if name in _MERGES or (name.startswith((":", "internal:")) and "/" not in name):
        return True
    return _USUAL.fullmatch(name) is not None or _VERSION.fullmatch(name) is not None


def start(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Reads the program, or the command line, as if it had been called."""

    text = arg.text.strip()
    if not text:
        return
    if NUL not in text and (arg.origin == LOOKED_UP or not set("*?[").intersection(text)):
        arg = Arg(text, arg.span)  # `$(which python3)`
    if arg.text == NUL and arg.origin == LOOKED_UP:
        return  # `X=$(which python3)`: a program of the search path
    if arg.unknown or arg.glob:
        shell.unclear(f"which program runs depends on {arg.why or 'a pattern'}", span)
        return
    running = shell.found.commands[-1:]
    words = text.split()
    if len(words) > 1:
        if not all("/" not in word and (is_usual(word) or word[0] == "-") for word in words):
            shell.found.follow.run_code("code.sh", arg, shell, span)
    elif _is_file(text, shell):
        if not _is_installed(text, shell):
            shell.found.follow.run_file(Arg(text, arg.span, quoted=True), [], span, shell)
    elif not is_usual(text):
        shell.found.follow.run_code("code.sh", arg, shell, span)
    shell.found.commands += running  # what follows is read for this one again


def start_given(args: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """`./configure CC=…`: variables among the words, as a build takes them; `./waf --prelude=CODE`."""
    for at, arg in enumerate(args):
        name, equals, value = arg.text.partition("=")
        if equals and name in CALLED:
            start(Arg(value, arg.span, arg.glob, arg.origin), shell, span)
        elif name == "--prelude" and (equals or at + 1 < len(args)):
            shell.found.follow.run_code(
                "code.py", Arg(value, arg.span, arg.glob, arg.origin) if equals else args[at + 1], shell, span
            )


def _is_file(text: str, shell: Shell) -> bool:
    if "/" in text or text.endswith(_SCRIPTS) or text in _ENVIRONMENTS:
        return True
    return any(has_written(f"{folder}/{text}", shell) for folder in shell.folders or ())


def _is_installed(text: str, shell: Shell) -> bool:
    """A tool of the system, of a person's own folders or of a virtual environment, that no session has put there."""
    facts = shell.found.facts
    try:
        path = settle(text, cwd=(shell.folders or (facts.root,))[0], home=facts.home)
    except Unsettled:
        return False
    folder, _, name = path.rpartition("/")
    if has_written(path, shell) or any(has_written(f"{path}/bin/{tool}", shell) for tool in ("python", "python3")):
        return False
    if name in _ENVIRONMENTS or name.startswith((".venv", "venv-")):
        return is_own_tree(facts, path)
    if not is_usual(name):
        return False
    if path.startswith(_SYSTEM) and not is_own_tree(facts, path):
        return True
    below = path.removeprefix(f"{facts.home}/")
    if below != path and not is_own_tree(facts, path):
        return below.startswith((".", "miniconda", "anaconda", "miniforge", "mambaforge")) and folder.endswith("/bin")
    return own_tool(path, shell) is not None
