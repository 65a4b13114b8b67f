"""A project of every language in one folder, as git has it, and what the built-in policy says of a command there."""

from __future__ import annotations

import json
from pathlib import Path

from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.policy.compile import compile_policy
from interlock.store.facts.facts import read_with_facts
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap
from made_repositories import git

__all__ = ["FILES", "LOCK", "Project"]

_POLICY = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))


def LOCK(**changes: str) -> str:
    """A package-lock.json; `zod="https://…"` is where that package comes from."""
    held = {"lodash": "4.17.21", "zod": "3.22.4", "typescript": "5.4.5", "obscure-inside": "1.0.0"}
    packages = {
        f"node_modules/{name}": {
            "version": version,
            "resolved": changes.get(name, f"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz"),
        }
        for name, version in held.items()
    }
    return json.dumps({"name": "app", "lockfileVersion": 3, "packages": {"": {"name": "app"}, **packages}})


FILES = {
    "package.json": json.dumps({"name": "app", "dependencies": {"lodash": "^4.17.0", "zod": "^3.22.0"}}),
    "package-lock.json": LOCK(),
    "requirements.txt": "flask==3.0.0\nobscure-thing>=1\n",
    "pyproject.toml": '[project]\nname = "app"\nversion = "1"\ndependencies = ["httpx>=0.27", "rare-lib"]\n',
    "uv.lock": 'version = 1\n\n[[package]]\nname = "rare-lib"\nversion = "1.0"\n'
    'source = { registry = "https://pypi.org/simple" }\n',
    "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\nodd-crate = "0.2"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "odd-crate"\nversion = "0.2.1"\n'
    'source = "registry+https://github.com/rust-lang/crates.io-index"\n',
    "go.mod": "module x\n\ngo 1.22\n\nrequire github.com/odd/mod v1.2.3\n",
    "go.sum": "github.com/odd/mod v1.2.3 h1:x=\n",
    "Gemfile": 'source "https://rubygems.org"\ngem "rare_gem"\n',
    "Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    rare_gem (1.2.0)\n",
    "composer.json": json.dumps({"require": {"acme/rare": "^1"}}),
    "composer.lock": json.dumps({"packages": [{"name": "acme/rare", "version": "1.0.0"}], "packages-dev": []}),
}


class Project:
    """The folder, a home beside it, and the files that this session has written."""

    def __init__(self, folder: Path, **files: str) -> None:
        self.folder, self.home, self.written = folder / "project", folder / "home", set[str]()
        self.registries: tuple[str, ...] = ()
        self.home.mkdir(parents=True)
        for name, text in (FILES | {name.replace("__", "/"): text for name, text in files.items()}).items():
            self.put(name, text)
        git(self.folder, "init", "-q")
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "a")
        self.head = git(self.folder, "rev-parse", "HEAD").strip()

    def put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def writes(self, name: str, text: str) -> None:
        """The session writes the file."""
        self.put(name, text)
        self.written.add(str(self.folder / name))

    def read(self, command: str) -> Reading:
        return read_with_facts(self._call(command), self._facts())

    def says(self, command: str) -> str:
        return decide(self._call(command), self.read(command), _POLICY, Session(), ()).verdict.name

    def why(self, command: str) -> tuple[str, ...]:
        return tuple([reason.text for reason in decide(
            self._call(command), self.read(command), _POLICY, Session(), ()).reasons])  # fmt: skip

    def remembers(self, command: str) -> bool:
        """Whether a yes to the command can be kept for the session."""
        reasons = decide(self._call(command), self.read(command), _POLICY, Session(), ()).reasons
        return all("remembered" in reason.lifted_by for reason in reasons)

    def _call(self, command: str) -> Call:
        return Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(self.folder))

    def _facts(self) -> Facts:
        return Facts(
            root=str(self.folder),
            home=str(self.home),
            temp=(),
            began=self.head,
            written=frozenset(self.written),
            registries=self.registries,
        )
