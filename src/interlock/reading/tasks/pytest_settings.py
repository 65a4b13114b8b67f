"""Settings of pytest in a file that this session wrote: whether they only say how tests are run and shown.

pyproject.toml, setup.cfg, tox.ini and pytest.ini hold options for each run (`addopts`), and settings with which pytest
loads code, writes files or looks for tests elsewhere. Names and options that do none of that are listed; a file with
any other is not read, and running pytest then runs what it says. What else such a file holds is for other programs.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .package_json import texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..evaluate.state import Shell

__all__ = ["only_for_show"]

_SECTIONS = {"setup.cfg": "tool:pytest"}  # in any other it is `pytest`

_SETTINGS = frozenset(
    "anyio_mode asyncio_debug asyncio_default_fixture_loop_scope asyncio_default_test_loop_scope asyncio_mode "
    "collect_imported_tests consider_namespace_packages console_output_style django_debug_mode django_find_project "
    "doctest_encoding doctest_optionflags empty_parameter_set_mark enable_assertion_pass_hook faulthandler_timeout "
    "junit_duration_report junit_family junit_log_passing_tests junit_logging junit_suite_name log_auto_indent log_cli "
    "log_cli_date_format log_cli_format log_cli_level log_date_format log_format log_level markers minversion "
    "norecursedirs python_classes python_functions qt_api required_plugins strict strict_config strict_markers timeout "
    "timeout_func_only timeout_method tmp_path_retention_count tmp_path_retention_policy truncation_limit_chars "
    "truncation_limit_lines usefixtures verbosity_assertions verbosity_test_cases xfail_strict "
    "DJANGO_SETTINGS_MODULE".split()
)
_OPTIONS = frozenset(
    "--asyncio-mode --benchmark-disable --benchmark-skip --capture --cache-clear --color --cov --cov-append "
    "--cov-branch --cov-context --cov-fail-under --cov-report --create-db --deselect --disable-socket "
    "--disable-warnings --dist --doctest-continue-on-failure --doctest-glob --doctest-modules --durations "
    "--durations-min --exitfirst --failed-first --ff --full-trace --ignore --ignore-glob --import-mode --junit-prefix "
    "--junit-xml --junitxml --keep-duplicates --last-failed --lf --log-cli-level --log-level --maxfail --maxprocesses "
    "--new-first --nf --no-cov --no-cov-on-fail --no-header --no-migrations --no-showlocals --no-success-flaky-report "
    "--no-summary --nomigrations --numprocesses --only-rerun --quiet --random-order --randomly-seed --reruns "
    "--reruns-delay --reuse-db --runxfail --show-capture --showlocals --stepwise --strict --strict-config "
    "--strict-markers --sw --tb --timeout --timeout-method --verbose --verbosity".split()
)
_SWITCHES = "lqsvx"
_VALUED = "kmnrW"
_HERE = frozenset((".", "./", "src", "./src", "lib", "tests", "test"))


def only_for_show(path: str, shell: Shell) -> bool:
    """True if the text of the file can be had, and pytest runs and loads nothing because of it."""
    texts = texts_of(path, shell)
    name = path.rpartition("/")[2]
    written = (*shell.files, *shell.found.facts.written)
    modules = {part.removesuffix(".py") for file in written for part in file.split("/")}
    return bool(texts) and all(_is_plain(_settings(name, text), modules) for text in texts)


def _settings(name: str, text: str) -> Mapping[str, Any] | None:
    """The settings that pytest takes from the file; None where that cannot be told, or another plug-in has some."""
    if name == "pyproject.toml":
        from tomllib import TOMLDecodeError, loads

        try:
            tool = loads(text).get("tool", {})
            pytest = tool.get("pytest", {})
            coverage = tool.get("coverage", {}).get("run", {})
            others = [key for key in tool if key.startswith("pytest") and key != "pytest"]
            others += [key for key in pytest if key != "ini_options"]
            return None if others or "plugins" in coverage else dict(pytest.get("ini_options", {}))
        except (TOMLDecodeError, RecursionError, AttributeError, ValueError, TypeError):
            return None
    sections = _sections(text)
    own = _SECTIONS.get(name, "pytest")
    if sections is None or any("pytest" in section and section != own for section in sections):
        return None
    if any("plugins" in sections.get(section, {}) for section in ("coverage:run", "run")):
        return None
    return sections.get(own, {})


def _sections(text: str) -> dict[str, dict[str, str]] | None:
    """The plain part of the format, which every reader takes alike."""
    found: dict[str, dict[str, str]] = {}
    current: dict[str, str] | None = None
    key = ""
    for line in text.split("\n"):
        if not line.strip() or line[0] in "#;":
            continue
        if not line.replace("\t", " ").isprintable():
            return None
        if line[0] in " \t":
            if current is None or not key:
                return None
            current[key] += "\n" + line.strip()
        elif line[0] == "[":
            section = line.strip()[1:-1]
            if not line.rstrip().endswith("]") or section in found or "]" in section:
                return None
            current, key = found.setdefault(section, {}), ""
        else:
            key, mark, value = line.partition("=")
            key = key.strip()
            if current is None or not mark or key in current or ":" in key:
                return None
            current[key] = value.strip()
    return found


def _is_plain(settings: Mapping[str, Any] | None, modules: set[str]) -> bool:
    return settings is not None and all(_is_shown(name, value, modules) for name, value in settings.items())


def _is_shown(name: str, value: Any, modules: set[str]) -> bool:
    lines = [str(item) for item in value] if isinstance(value, list) else str(value).split("\n")
    words = [word for line in lines for word in line.split()]
    if name == "addopts":
        from shlex import split

        try:
            return _are_shown(lines if isinstance(value, list) else split(str(value)))
        except ValueError:
            return False
    if name == "filterwarnings":  # the third part is a class, which is imported if it lies in a module
        kinds = [line.split(":")[2] for line in lines if line.count(":") >= 2]
        return not any("." in kind and kind.strip().partition(".")[0] in modules for kind in kinds)
    if name == "pythonpath":
        return _HERE.issuperset(words)
    if name == "python_files":
        return all(_is_a_test(word) for word in words)
    if name == "testpaths":
        return not any(word[:1] in ("/", "~") or ".." in word for word in words)
    return name in _SETTINGS


def _is_a_test(pattern: str) -> bool:
    return pattern.startswith("test") or pattern.endswith(("_test.py", "_tests.py", "/tests.py"))


def _are_shown(words: list[str]) -> bool:
    """Options for each run: all of them known, and no value that leads out of the project."""
    before = ""
    for word in words:
        name, equals, value = word.partition("=")
        if before == "-p" or word[:2] == "-p":
            if not (word == "-p" or word.removeprefix("-p").startswith("no:")):
                return False
        elif word[:1] != "-" or before == "-W":
            if _leads_out(word) or (before == "-W" and "." in word):
                return False
        elif word[:2] == "--":
            if name not in _OPTIONS or (equals and _leads_out(value)):
                return False
        else:
            rest = word[1:].lstrip(_SWITCHES)  # `-xvk`: what takes a value ends the row
            if rest and (rest[0] not in _VALUED or "." in rest):
                return False
        before = word
    return True


def _leads_out(value: str) -> bool:
    return value[:1] in ("/", "~") or ".." in value or "$" in value
