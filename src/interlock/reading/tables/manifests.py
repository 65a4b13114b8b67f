"""The files in a folder that say what a program runs there, by program."""

from __future__ import annotations

__all__ = ["MANIFESTS"]


_NODE = (
    *("package.json", ".npmrc", ".yarnrc.yml", ".yarnrc", "package.yaml", "package.json5", "binding.gyp"),
    *(".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml"),
)
_PYTHON = ("setup.py", "pyproject.toml", "setup.cfg", "conftest.py", "tox.ini", "noxfile.py")
_PYTEST = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py")
_JVM = (
    *("gradle/wrapper/gradle-wrapper.properties", "gradle.properties", ".mvn/extensions.xml", ".mvn/jvm.config"),
    *(".mvn/maven.config", ".sbtopts", ".jvmopts", "project/build.properties"),
)
# program -> the files in its folder that say what it runs
MANIFESTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake", "bmake"), ("Makefile", "makefile", "GNUmakefile", "BSDmakefile")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "npx", "yarnpkg"), _NODE),
    "deno": (*_NODE, "deno.json", "deno.jsonc"),
    **dict.fromkeys("pip pipx uv poetry pdm hatch flit rye tox nox pipenv pyproject-build".split(), _PYTHON),
    "pytest": _PYTEST,
    **dict.fromkeys(("mvn", "mvnw", "gradle", "gradlew", "ant", "sbt"), _JVM),
    **dict.fromkeys(("bundle", "bundler", "rake", "rails", "rspec"), (".rspec", ".bundle", ".bundle/config")),
    **dict.fromkeys(("cargo",), (".cargo/config.toml", ".cargo/config", "rust-toolchain.toml")),
    "ninja": ("build.ninja",),
    "meson": ("meson.build",),
    "scons": ("SConstruct",),
    "waf": ("wscript",),
    **dict.fromkeys(("invoke", "inv"), ("tasks.py", "tasks/__init__.py", "invoke.yaml")),
    "fab": ("fabfile.py", "fabfile/__init__.py", "fabric.yml"),
    "doit": ("dodo.py",),
    "locust": ("locustfile.py",),
    "behave": ("features/environment.py", "environment.py", "behave.ini"),
    **dict.fromkeys(("sphinx-build", "sphinx-autobuild"), ("conf.py",)),
    "pylint": (".pylintrc", "pylintrc"),
    "jake": ("Jakefile",),
    "lint-staged": (".lintstagedrc", ".lintstagedrc.json"),
    "mkdocs": ("mkdocs.yml",),
    "poe": ("pyproject.toml", "poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.json"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "composer": ("composer.json",),
    "rebar3": ("rebar.config",),
    "pre-commit": (".pre-commit-config.yaml",),
    "autoconf": ("configure.ac",),
    "autoreconf": ("configure.ac",),
}
