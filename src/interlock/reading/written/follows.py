"""What an obeyed file says to those who obey it: the commands that they run by it, and whatever else may matter.

One function for each kind of file that is understood. `runs` are shell texts in executable position. `binds` says what
else counts: as long as it stays the same, nothing more follows from the file than its commands. `keeps` protects: it
may come, and may not go. `when` are the conditions: where they change, all of the file is as new. What cannot do any
harm is in none of them. None: the text, or this kind of file, is not understood, and then nothing is known of what
follows from it.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, Value
from .plain_yaml import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from .plain_yaml import Plain

__all__ = ["Follows", "Run", "follows"]


class Run(Value):
    """A shell text that is run: `by` which shell, in which folder below the project, and with which words. A word that
    nobody knows is empty; None: nobody knows how many there are.
    """

    text: str
    by: str = "sh"
    folder: str = ""
    words: tuple[str, ...] | None = None


class Follows(Value):
    runs: tuple[Run, ...] = ()
    binds: frozenset[tuple[str, ...]] = frozenset()
    keeps: frozenset[tuple[str, ...]] = frozenset()
    when: tuple[tuple[str, ...], ...] = ()


def follows(path: str, who: str, text: str) -> Follows | None:
    """`who` obeys the file, by the table of model/obeyed.py."""
    reader = _READERS.get(who)
    return None if reader is None or "\0" in text or "\r" in text else reader(path, text)


# --- hooks of git ----------------------------------------------------------------------------------------------------

_SHELLS = {
    **dict.fromkeys(("#!/bin/sh", "#!/usr/bin/sh", "#!/usr/bin/env sh", "#!/bin/sh -e"), "sh"),
    **dict.fromkeys(("#!/bin/bash", "#!/usr/bin/bash", "#!/usr/bin/env bash", "#!/bin/bash -e"), "bash"),
}
# What older versions of husky put into each hook; the file that it names is obeyed itself.
_PREAMBLE = re.compile(r"^\. \"\$\(dirname(?: --)? \"\$0\"\)/_/husky\.sh\"[ \t]*$", re.MULTILINE)

# The words that git hands to a hook.
_MESSAGE = ".git/COMMIT_EDITMSG"
_WORDS_OF = {
    **dict.fromkeys(("pre-commit", "post-commit", "pre-merge-commit"), ()),
    "commit-msg": (_MESSAGE,),
    "prepare-commit-msg": (_MESSAGE, "", ""),
    "pre-push": ("", ""),
    "post-merge": ("",),
    "post-checkout": ("", "", ""),
}


def _hook(path: str, text: str) -> Follows | None:
    name = path.rpartition("/")[2]
    if name in (".pre-commit-config.yaml", ".pre-commit-config.yml"):
        return _pre_commit(text)
    if "." in name and not name.endswith((".sh", ".bash")):
        return None
    first = text.partition("\n")[0].rstrip()
    shell = _SHELLS.get(first) if first[:2] == "#!" else "sh"
    if shell is None:
        return None
    if "/.husky/" in path:
        shell = "sh"  # whatever its first line says
        text = _PREAMBLE.sub("", text)
    return Follows(runs=(Run(text=text, by=shell, words=_WORDS_OF.get(name)),)) if text.strip() else Follows()


# Keys of pre-commit's settings that say when, on which files and under which name a hook runs.
_OF_CONFIG = frozenset(
    "repos fail_fast minimum_pre_commit_version default_stages default_install_hook_types exclude files ci".split()
)
_OF_HOOK = frozenset(
    "id name files exclude types types_or exclude_types stages always_run pass_filenames verbose require_serial "
    "description fail_fast entry language args".split()
)
_A_FILE = "README.md"  # stands for the names of the project's files that follow


def _pre_commit(text: str) -> Follows | None:
    """The settings of pre-commit: hooks of the project itself, and repositories whose code is brought."""
    found = plain_yaml(text)
    repositories = found.get("repos", []) if type(found) is dict else None
    if type(found) is not dict or type(repositories) is not list:
        return None
    binds: set[tuple[str, ...]] = {(key, str(value)) for key, value in found.items() if key not in _OF_CONFIG}
    runs = []
    for repository in repositories:
        hooks = repository.get("hooks", []) if type(repository) is dict else None
        if type(repository) is not dict or type(hooks) is not list:
            return None
        source, own = str(repository.get("repo")), repository.get("repo") == "local"
        binds |= {(source, key, str(value)) for key, value in repository.items() if key not in ("repo", "hooks")}
        binds |= set() if own else {("repo", source)}
        for hook in hooks:
            run = _hook_of_project(hook) if own else None
            if run is not None:
                runs.append(run)
                continue
            if type(hook) is not dict or own or hook.get("entry") or hook.get("args") or not hook.keys() <= _OF_HOOK:
                binds.add((source, str(hook)))
    return Follows(runs=tuple(runs), binds=frozenset(binds))


def _hook_of_project(hook: Plain) -> Run | None:
    """The command of a hook that needs no environment of its own; names of files follow it."""
    if type(hook) is not dict or hook.get("language") not in ("system", "unsupported") or not hook.keys() <= _OF_HOOK:
        return None
    entry, args = hook.get("entry"), hook.get("args", [])
    words = [entry, *args] if type(entry) is str and type(args) is list else [""]
    plain = [word for word in words if type(word) is str and word and _WORDS.fullmatch(word)]
    if hook.get("pass_filenames") != "false":
        plain.append(_A_FILE)
        words.append(_A_FILE)
    return Run(text=" ".join(plain), by="bash") if len(plain) == len(words) else None


# --- package managers ------------------------------------------------------------------------------------------------

# Keys of `.npmrc` that say how something is shown, written down or compared.
_IDLE = frozenset(
    "save-exact save-prefix save fund audit loglevel progress color update-notifier engine-strict legacy-peer-deps "
    "strict-peer-deps strict-peer-dependencies auto-install-peers prefer-offline fetch-retries fetch-timeout "
    "maxsockets message init-license init-version tag-version-prefix resolution-mode dedupe-peer-dependents".split()
)
_KEEPING = frozenset(("ignore-scripts=true", "package-lock=true", "strict-ssl=true", "audit=true"))
_USUAL = frozenset(("registry=https://registry.npmjs.org/", "registry=https://registry.npmjs.org"))


def _package_manager(path: str, text: str) -> Follows | None:
    if not path.endswith("/.npmrc"):
        return None
    binds, keeps = set(), set()
    for line in map(str.strip, text.split("\n")):
        key, equals, value = [part.strip() for part in line.partition("=")]
        if not line or line[0] in "#;" or f"{key}={value}" in _USUAL:
            continue
        if f"{key}={value}" in _KEEPING:
            keeps.add((key, value))
        elif not equals or key not in _IDLE or "${" in value:
            binds.add((line,))
    return Follows(binds=frozenset(binds), keeps=frozenset(keeps))


# --- builds elsewhere ------------------------------------------------------------------------------------------------

_TOLD = frozenset(("name", "run-name", "concurrency"))
_OF_JOB = frozenset(("name", "timeout-minutes", "continue-on-error", "concurrency"))
_OF_STEP = frozenset(("name", "id", "timeout-minutes", "continue-on-error"))
_TRIGGERS = frozenset(("push", "pull_request", "workflow_dispatch", "merge_group"))
_MACHINE = re.compile(r"(?:ubuntu|macos)-[\w.-]+|\$\{\{ *matrix\.(?:os|runner|platform) *\}\}", re.ASCII)
# What the forge's own makers publish to begin a job, and the inputs of them that name a version or a cache.
_OWN = re.compile(r"actions/(?:checkout|setup-(?:node|python|go|java)|cache)@(?:v\d+(?:\.\d+)*|[0-9a-f]{40})", re.ASCII)
_INPUTS = frozenset(
    "node-version python-version go-version java-version distribution architecture check-latest cache "
    "cache-dependency-path fetch-depth fetch-tags show-progress node-version-file python-version-file "
    "go-version-file".split()
)
# Expressions whose values a repository's own settings give.
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_GIVEN = re.compile(
    r" *(?:matrix\.[\w-]+|runner\.(?:os|arch|temp)|github\.(?:sha|run_id|run_number|workspace|repository)) *", re.ASCII
)
# Beginnings of variables by which programs load code, or go elsewhere.
_LEADING = tuple(
    (
        "NODE_O NODE_P NODE_EX NODE_T NPM_ YARN_ PNPM_ BUN_ DENO_ GIT_ LD_ DYLD_ BASH SHELL IFS PS4 PROMPT_ HOME PATH "
        "XDG_ PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONBREAKPOINT PIP_ UV_ POETRY_ PERL RUBY GEM_ BUNDLE_ JAVA JDK_ "
        "_JAVA MAVEN_ GRADLE_ GOFLAGS GOPROXY GOPRIVATE GONO GOSUMDB GOTOOL CARGO_ RUSTC RUSTFLAGS DOCKER_ KUBE AWS_ "
        "GITHUB_ ACTIONS_ RUNNER_ HTTP ALL_PROXY NO_PROXY SSL_ CURL_ SSH_ EDITOR VISUAL PAGER BROWSER CC CXX MAKEFLAGS "
        "GCONV_ OPENSSL_ REQUESTS_"
    ).split()
)
_WORDS = re.compile(r"[\w./:@+, -]*", re.ASCII)


def _workflow(path: str, text: str) -> Follows | None:
    found = plain_yaml(text)
    if "/.github/workflows/" not in path or type(found) is not dict or "windows" in text.lower():
        return None
    said = _Workflow()
    outer = said.variables(found.get("env", {}), "env")
    jobs = found.get("jobs", {})
    for key, value in found.items():
        if key == "on":
            said.triggers(value)
        elif key == "permissions":
            said.permissions(value, "")
        elif key not in _TOLD and key not in ("env", "jobs"):
            said.bind(key, value)
    if type(jobs) is not dict:
        return None
    for name, job in jobs.items():
        if type(job) is not dict:
            return None
        said.job(name, job, outer)
    return Follows(
        runs=tuple(said.runs), binds=frozenset(said.binds), keeps=frozenset(said.keeps), when=tuple(said.when)
    )


class _Workflow:
    """What one workflow says, while it is gone through."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.binds: set[tuple[str, ...]] = set()
        self.keeps: set[tuple[str, ...]] = set()
        self.when: list[tuple[str, ...]] = []

    def bind(self, *said: object) -> None:
        self.binds.add(tuple(map(str, said)))

    def triggers(self, value: Plain) -> None:
        self.when.append(("on", str(value)))
        for name in [value] if type(value) is str else value:
            if name not in _TRIGGERS:
                self.bind("on", name, value[name] if type(value) is dict and type(name) is str else "")

    def permissions(self, value: Plain, job: str) -> None:
        given = {*value.values()} if type(value) is dict else {value}
        if all(level in ("read", "none", "read-all") for level in map(str, given)):
            self.keeps.add(("permissions", job, str(value)))
        else:
            self.bind("permissions", job, value)

    def variables(self, value: Plain, where: str) -> str:
        """The assignments that come before a command; what is more than a plain word is bound."""
        lines = ""
        for name, given in value.items() if type(value) is dict else ():
            plain = name.isidentifier() and not name.upper().startswith(_LEADING)
            if plain and type(given) is str and _WORDS.fullmatch(given):
                lines += f"export {name}='{given}'\n"
            else:
                self.bind(where, name, given)
        if type(value) is not dict:
            self.bind(where, value)
        return lines

    def job(self, name: str, job: dict[str, Plain], outer: str) -> None:
        outer += self.variables(job.get("env", {}), name)
        for key, value in job.items():
            if key == "runs-on" and type(value) is str and _MACHINE.fullmatch(value):
                continue
            if key in ("if", "needs"):
                self.when.append((name, key, str(value)))
            elif key == "permissions":
                self.permissions(value, name)
            elif key == "strategy" and _is_plain(value):
                if "self-hosted" in str(value):
                    self.bind(name, key, value)
            elif key not in _OF_JOB and key not in ("env", "steps"):
                self.bind(name, key, value)
        steps = job.get("steps", [])
        for step in steps if type(steps) is list else ():
            self.step(name, step, outer)

    def step(self, job: str, step: Plain, outer: str) -> None:
        if type(step) is not dict:
            self.bind(job, step)
            return
        before = outer + self.variables(step.get("env", {}), job)
        for key, value in step.items():
            if key == "if":
                self.when.append((job, str(value), str(step.get("run", step.get("uses")))))
            elif key == "uses":
                self.uses(value, step.get("with", {}))
            elif key not in _OF_STEP and key not in ("env", "run", "shell", "with", "working-directory"):
                self.bind(job, key, value)
        if "run" in step:
            self.command(step, before)

    def uses(self, name: Plain, given: Plain) -> None:
        own = type(name) is str and _OWN.fullmatch(name) is not None
        if not own or type(given) is not dict or not given.keys() <= _INPUTS:
            self.bind("uses", name, given)

    def command(self, step: dict[str, Plain], before: str) -> None:
        text, shell, folder = step["run"], step.get("shell", "bash"), step.get("working-directory", "")
        if type(text) is not str or shell not in ("bash", "sh") or type(folder) is not str:
            self.bind("run", step)
            return
        given = _EXPRESSION.findall(text)
        if not all(map(_GIVEN.fullmatch, given)) or not _WORDS.fullmatch(folder) or folder[:1] == "/" or ".." in folder:
            self.bind("run", step)
            return
        self.runs.append(Run(text=before + _EXPRESSION.sub("$GIVEN", text), by=str(shell), folder=folder))


def _is_plain(value: Plain) -> bool:
    """Whether no text in it can be more than words where it is put into a command."""
    if type(value) is str:
        return _WORDS.fullmatch(value) is not None
    return all(map(_is_plain, value.values() if type(value) is dict else value))


_READERS: dict[str, Callable[[str, str], Follows | None]] = {
    "git's hooks": _hook,
    "a package manager": _package_manager,
    "GitHub Actions": _workflow,
}
