"""Files of this session that lead a program out of the project: to a path elsewhere, or to another machine.

What a Cargo.toml, a go.work or a set of CMake presets names is built or loaded. As long as that lies in the project it
is looked at as what it is; a word that leads out of it is asked about, whatever the format of the file.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, Value
from ..evaluate.contents import texts_of_file
from ..places.paths import Unsettled, in_project, settle
from .look import Hit
from .run import ask_about
from .setting_names import fits

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

__all__ = ["look_where_it_leads"]


class _Row(Value):
    """
    files   what they are called
    subs    words with which the program takes them; empty: with any
    keys    whose values count; every word does if there are none
    always  words that count wherever they lead
    """

    files: tuple[str, ...]
    subs: frozenset[str] = frozenset()
    keys: str = ""
    always: str = ""


def _row(files: str, subs: str = "", keys: str = "", always: str = "") -> _Row:
    return _Row(files=tuple(files.split()), subs=frozenset(subs.split()), keys="|".join(keys.split()), always=always)


_CARGO = "build b check c test t run r clippy doc d bench install nextest rustc fix package publish"
_GO = "build test run vet generate install list mod tool"
_BAKE = "docker-bake.hcl docker-bake.json docker-bake.*.hcl"
_REMOTE = r"^\s*-\s+[\"']?(?:\w+://|git@|(?:[a-z0-9-]+\.)+[a-z]{2,}/)"

_ROWS: dict[str, _Row] = {
    program: row
    for programs, row in (
        ("cargo", _row("cargo.toml", _CARGO, "build path")),
        ("go", _row("go.work", _GO)),
        ("golangci-lint gotestsum ginkgo", _row("go.work")),
        ("cmake", _row("cmakepresets.json cmakeuserpresets.json")),
        ("docker", _row(_BAKE, "bake", "output secret context contexts dockerfile")),
        ("dotnet", _row("global.json", "build test run publish restore watch", always=r"\bmsbuild-sdks\b")),
        ("terraform tofu", _row("*.tf", "init get plan apply test", "source")),
        ("tflint", _row(".tflint.hcl")),
        ("kustomize", _row("kustomization.yaml kustomization.yml", "", "path", _REMOTE)),
        ("kubectl", _row("kustomization.yaml kustomization.yml", "-k --kustomize kustomize", "path", _REMOTE)),
        ("rubocop standardrb", _row(".rubocop.yml", "", "inherit_from require plugins")),
        ("ctags", _row("*.ctags .ctags", always=r"^\s*(?:-f|-o|--_echo|--options)")),
        ("meson ninja samu", _row("*.wrap", "", "url source_url source_fallback_url patch_url patch_fallback_url")),
        ("valgrind", _row(".valgrindrc", always=r"--(?:db-command|log-socket)")),
    )
    for program in programs.split()
}
_PATH = re.compile(r"(?:(?<=[\s\"'=:,(\[])|^)(?:~|/|\.\./|\$\{?(?:env:)?HOME\}?|\$env\{HOME\})[^\s\"',;)\]]*")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*::?)?(?:https?|ssh|git|s3|gs|ftp)://(?!localhost|127\.0\.0\.1)[^\s\"',]+|\bgit@[\w.-]+:\S+"
    r"|(?:(?<=[\s\"'=])|^)(?!registry\.terraform\.io/|registry\.opentofu\.org/)(?:[a-z0-9-]+\.)+[a-z]{2,}/[\w.-]+/?[\w.-]*"
)
_SYSTEM = ("/usr/", "/opt/", "/bin/", "/lib", "/dev/", "/nix/store/", "/Applications/", "/Library/", "/proc/", "/sys/")
_COMMENT = ("#", "//", ";")


def look_where_it_leads(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """Each file of this session by which the program may go where nobody of the project has been."""
    row = _ROWS.get(program)
    if row is None or (row.subs and row.subs.isdisjoint([word.text for word in words])):
        return
    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written}):
        name = path.rpartition("/")[2].lower()
        if not in_project(facts.root, path) or not any(fits(name, pattern) for pattern in row.files):
            continue
        texts = texts_of_file(path, shell)
        if texts is None and path in shell.files:
            shell.unclear(f"`{path}` was written by this call, and its content was not read", span, kind="written-here")
        for text in texts or ():
            hit = _first(text, path, row, shell)
            if hit is not None:
                ask_about(f"{program} with", path, [path], hit, span, shell)
                break


def _first(text: str, path: str, row: _Row, shell: Shell) -> Hit | None:
    for at, line in enumerate(text.split("\n"), 1):
        said = line.strip()
        if said.startswith(_COMMENT) or "$schema" in said:
            continue
        if row.always and re.search(row.always, line):
            return Hit(line=at, text=said[:120], why="makes the program write, run or bring in what it names")
        for value in _values(line, row.keys):
            if _leads_out(value, path, shell):
                return Hit(line=at, text=said[:120], why="leads out of the project")
    return None


def _values(line: str, keys: str) -> list[str]:
    if not keys:
        return [line]
    return [found[1] for found in re.finditer(rf"(?<![\w-])(?:{keys})[\"']?\s*(?:=|:(?=\s))\s*(.*)", line)]


def _leads_out(text: str, path: str, shell: Shell) -> bool:
    if _ADDRESS.search(text):
        return True
    facts = shell.found.facts
    for word in _PATH.findall(text):
        if word in ("/", "//") or word.startswith(_SYSTEM):
            continue
        if word[0] == "$":
            return True
        try:
            place = settle(word, cwd=path.rpartition("/")[0], home=facts.home)
        except Unsettled:
            return True
        if place != facts.root and not in_project(facts.root, place):
            return True
    return False
