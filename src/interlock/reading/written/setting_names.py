"""Which files are a program's settings: by a name that says so, or by a row for those that are called otherwise.

`.prettierrc.json`, `knip.config.ts`, `.goreleaser.yaml` and `Tiltfile` name the program that obeys them. Most tools
that work on a project take such a file from the folder, from above it, or from beside what they look at, and most can
be told in it to run or load something. So the name is enough to look into the file (settings.py).
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..machine.index import family_of, find_program
from .languages import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CODE_BY_NAME",
    "ROWS",
    "aliases_of",
    "fits",
    "is_code",
    "program_of",
    "settings_of",
    "takes_any",
    "words_of",
]

# Families whose programs take nothing from the folder of a project by their own name.
_NEVER = frozenset(
    "own_command agents text files system wrap shells network remote secrets git disks desktop macos".split()
)
# Programs that do neither, in the other families: their settings lie elsewhere, or have a reading of their own.
_WITHOUT = frozenset(
    (
        "node nodejs python python3 ruby php perl lua java javac go docker podman npm pnpm yarn yarnpkg npx bun bunx "
        "pip pip3 make gmake bmake cargo rustc gcc cc clang jq yq sqlite3 psql mysql redis-cli mongosh curl pytest "
        "py.test kubectl helm gh glab aws gcloud az turbo dotnet swift dart flutter"
    ).split()
)

# programs -> files that they obey under another name than theirs, and words that make such a file run something;
# `name:sub` is the program with that word behind it
_ROWS: tuple[tuple[str, str, str], ...] = (
    # documents and sites
    ("mdbook", "book.toml", ""),
    ("doxygen", "doxyfile doxyfile.* *.doxyfile", "tool"),
    ("jekyll", "_config.yml _config.yaml _config.toml", ""),
    ("hugo zola", "config.toml config.yaml config.yml", ""),
    ("antora", "antora-playbook.*", ""),
    ("quarto", "_quarto.yml _quarto.yaml _metadata.yml", ""),
    ("jsdoc", "jsdoc.json .jsdoc.json conf.json", ""),
    ("eleventy", ".eleventy.js", ""),
    # JavaScript
    ("knip", "knip.ts knip.js", ""),
    ("markdownlint-cli2 markdownlint", ".markdownlint-cli2.* .markdownlint.*", ""),
    ("semantic-release", ".releaserc .releaserc.* release.config.*", ""),
    ("standard-version commit-and-tag-version", ".versionrc .versionrc.*", ""),
    ("lint-staged", ".lintstagedrc .lintstagedrc.*", "*"),
    ("depcruise", ".dependency-cruiser.*", ""),
    ("cucumber-js", "cucumber.js cucumber.json cucumber.yml cucumber.yaml cucumber.mjs cucumber.cjs", ""),
    ("graphql-codegen", "codegen.*", ""),
    ("relay-compiler", "relay.config.*", ""),
    ("tailwindcss", "tailwind.config.*", ""),
    ("ts-node tspc ttsc", "tsconfig*.json", ""),
    ("nx", "nx.json project.json workspace.json", ""),
    ("ng", "angular.json", ""),
    ("nest", "nest-cli.json", ""),
    ("expo", "app.json app.config.*", ""),
    ("changeset", ".changeset/config.json", ""),
    ("pm2", "ecosystem.config.* ecosystem.json", ""),
    ("cdk", "cdk.json .cdk.json", "app build"),
    ("sls", "serverless.*", ""),
    ("prisma", "*.prisma prisma.config.*", ""),
    ("nodemon", "nodemon.json", "events"),
    ("cz", ".czrc .cz.*", ""),
    (
        "jest vitest mocha ava webpack rollup vite next gatsby expo metro react-scripts storybook babel parcel tsup "
        "babel-node nyc c8 karma rspack rsbuild swc react-native",
        ".babelrc .babelrc.json babel.config.json .swcrc",
        "",
    ),
    # Python
    ("coverage pytest", ".coveragerc", ""),
    ("jupyter jupyter-nbconvert", "jupyter_*config.py", ""),
    ("task", "", "tasks"),
    ("pixi:run", "pixi.toml", "tasks"),
    ("conan", "conanfile.py conanfile.txt", ""),
    ("bump2version bumpversion bump-my-version", ".bumpversion.cfg .bumpversion.toml", ""),
    ("poe", "poe_tasks.*", "*"),
    ("dbt", "dbt_project.yml profiles.yml packages.yml", ""),
    ("celery", "celeryconfig.py", ""),
    ("checkov", ".checkov.yaml .checkov.yml", ""),
    # other languages
    ("latexmk", ".latexmkrc latexmkrc", ""),
    ("golangci-lint", ".golangci.*", ""),
    ("makers cargo-make", "makefile.toml", "*"),
    ("cargo-release", "release.toml", ""),
    ("cargo-nextest", ".config/nextest.toml", ""),
    ("ast-grep sg", "sgconfig.yml sgconfig.yaml", ""),
    ("gdb", ".gdbinit", ""),
    ("lldb", ".lldbinit", ""),
    ("ghci cabal stack", ".ghci", ""),
    ("Rscript R", ".rprofile .renviron", ""),
    ("irb pry rails", ".irbrc .pryrc", ""),
    ("busted", ".busted", ""),
    ("fastlane", "fastfile appfile deliverfile matchfile", ""),
    ("pod", "podfile", ""),
    ("xcodegen", "project.yml", ""),
    ("shadow-cljs", "shadow-cljs.edn", ""),
    ("clojure clj", "deps.edn", ""),
    ("premake5", "premake5.lua", ""),
    ("xmake", "xmake.lua", ""),
    ("gnuplot", ".gnuplot", ""),
    ("snakemake", "snakefile *.smk", ""),
    ("nextflow", "nextflow.config main.nf", ""),
    ("dep", "deploy.php", ""),
    ("robo", "robofile.php", ""),
    # infrastructure
    ("earthly", "earthfile", ""),
    ("terragrunt", "terragrunt.hcl root.hcl", "*"),
    ("sam", "samconfig.toml", ""),
    ("molecule", "molecule.yml", ""),
    (
        "ansible ansible-playbook ansible-galaxy ansible-inventory ansible-lint ansible-pull ansible-console",
        "ansible.cfg",
        "",
    ),
    ("foreman honcho overmind hivemind goreman forego", "procfile procfile.*", "*"),
    ("gitlab-runner gitlab-ci-local", ".gitlab-ci.yml", ""),
    ("devcontainer", "devcontainer.json", ""),
    ("flyctl", "fly.toml", ""),
    ("rtx", "mise.toml .mise.toml mise.*.toml .rtx.toml", ""),
)
ROWS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
for _programs, _files, _words in _ROWS:
    for _program in _programs.split():
        _before = ROWS.get(_program, ((), ()))
        ROWS[_program] = (*_before[0], *_files.split()), (*_before[1], *_words.split())

# Sections of shared files that are called otherwise than the program.
_SECTIONS = {"task": "taskipy", "cz": "commitizen", "pixi:run": "pixi"}

# Files without an ending, or with one that says nothing, that are programs: nothing in them is only data.
CODE_BY_NAME = frozenset(
    (
        ".latexmkrc latexmkrc .irbrc .pryrc .busted .luacheckrc .gdbinit .lldbinit .ghci .rprofile .octaverc .gnuplot "
        "tiltfile brewfile snakefile earthfile guardfile capfile dangerfile vagrantfile fastfile podfile .lcovrc "
        "conanfile.py main.nf nextflow.config"
    ).split()
)
_DATA = frozenset(
    "json json5 jsonc yaml yml toml ini cfg conf config properties xml neon edn hcl dist rc prisma txt gotmpl".split()
)
_PROGRAMS = frozenset(
    "py star bzl lua nix jsonnet libsonnet dhall pkl ps1 sh bash zsh fish pl rb php el scm rkt cue groovy".split()
)
_SETTINGS = ("", "rc", "file", "config", "-config", "_config", "-conf")
_MIDDLE = frozenset(("config", "conf", "rc", "local", "settings"))
_FRONTS = ("git-", "cargo-", "kubectl-", "go-")


def words_of(program: str) -> tuple[str, ...]:
    """Words that make a file of the program's run something, beside those that do in every file."""
    row = ROWS.get(program)
    return () if row is None else row[1]


def aliases_of(program: str) -> Iterator[str]:
    """Names under which files speak of the program: `markdownlint` of markdownlint-cli2, `cliff` of git-cliff."""
    name = program.lower().removesuffix(".js").removesuffix(".cmd")
    yield _SECTIONS.get(name, name)
    for front in _FRONTS:
        if name.startswith(front):
            yield name.removeprefix(front)
            return
    start, dash, _ = name.rpartition("-")
    if dash and len(start) > 2:
        yield start


def is_code(path: str) -> bool:
    """Whether the file is a program, whatever it says."""
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name[1:] else ""
    return bool(language_of(path)) or name in CODE_BY_NAME or ending in _PROGRAMS


def settings_of(program: str, path: str) -> str:
    """`named` if the file says that it is this program's settings, wherever it lies; `bare` if it could be something
    else too, unless it lies where the program looks first; empty if it is none.
    """
    folder, _, name = path.lower().rpartition("/")
    row = ROWS.get(program)
    if row is not None:
        beside = f"{folder.rpartition('/')[2]}/{name}"
        if any(fits(beside if "/" in pattern else name, pattern) for pattern in row[0]):
            return "named"
    if not takes_any(program):
        return ""
    parts = name.removeprefix(".").split(".")
    ending = parts[-1] if len(parts) > 1 else ""
    code = ending not in _DATA and bool(ending)
    if code and not (language_of(path) or ending in _PROGRAMS):
        return ""
    for alias in aliases_of(program):
        if folder.endswith(f"/.{alias}") and parts[0] in ("config", "main", "settings"):
            return "named"
        if not parts[0].startswith(alias) or parts[0][len(alias) :] not in _SETTINGS:
            continue
        if name[0] == "." or parts[0] != alias or not _MIDDLE.isdisjoint(parts[1:-1]):
            return "named"
        if alias in (program, program.partition("-")[2]) and ending and not code:
            return "bare"
    return ""


def program_of(path: str) -> str:
    """The program that a file names as the one that obeys it; empty if it names none for sure."""
    name = path.rpartition("/")[2].lower()
    if not _TABLE:
        _TABLE.append(_table())
    whole, patterned, starts, ends = _TABLE[0]
    known = whole.get(name)
    if name.startswith(starts) or name.endswith(ends):
        for program, patterns in patterned:
            if program == known or any(fits(name, pattern) for pattern in patterns):
                return program
    if known is not None:
        return known
    start = name.removeprefix(".").partition(".")[0]
    for end in _SETTINGS:
        stem = start.removesuffix(end) if end else start
        if stem and family_of(stem) is not None and settings_of(stem, path) == "named":
            return stem
    return ""


# The patterns of all programs, so that most names need not be held against each: which names stand for a program as
# they are; the others, by program; how those begin, or end where they begin with the `*`. Made whole, then kept.
_Table = tuple[dict[str, str], list[tuple[str, list[str]]], tuple[str, ...], tuple[str, ...]]
_TABLE: list[_Table] = []


def _table() -> _Table:
    whole: dict[str, str] = {}
    patterned = []
    for program, (patterns, _) in ROWS.items():
        told = [pattern for pattern in patterns if "/" not in pattern and len(pattern) > _TOO_SHORT]
        for pattern in told:
            if "*" not in pattern:
                whole.setdefault(pattern, program)
        patterned.append((program, [pattern for pattern in told if "*" in pattern]))
    halves = [pattern.partition("*") for _, patterns in patterned for pattern in patterns]
    starts = tuple([start for start, _, _ in halves if start])
    return whole, patterned, starts, tuple([end for start, _, end in halves if not start])


def fits(name: str, pattern: str) -> bool:
    """A pattern has one `*` at most."""
    start, star, end = pattern.partition("*")
    if not star:
        return name == pattern
    return len(name) >= len(start) + len(end) and name.startswith(start) and name.endswith(end)


_TOO_SHORT = len("*.smk")
_TAKES: dict[str, bool] = {}


def takes_any(program: str) -> bool:
    """Whether the program is of a kind that takes settings from a project."""
    found = _TAKES.get(program)
    if found is None:
        row = find_program(program)
        name = program if row is None else row.name
        family = family_of(program) or family_of(name)
        found = _TAKES[program] = family not in _NEVER and program not in _WITHOUT and name not in _WITHOUT
    return found
