"""Options of interpreters that load code or change where it comes from, and modules of Python that nobody knows.

`node -p 1 -r ./x.js` loads x.js: most interpreters go on with their options behind the text of `-e`. Python does not.
"""

from __future__ import annotations

from ...model.wants import Real
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import on_path
from ..machine.places import has_written

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["behind_code", "module_of_nobody", "setting"]

_ENDS_WITH_CODE = frozenset(("python", "julia", "tclsh", "osascript", "groovy"))  # what follows is the code's own

# Settings of PHP that name no file and load nothing. Any other may: `auto_prepend_file`, `extension`, `sendmail_path`.
_HARMLESS = frozenset(
    "allow_url_fopen apc.enable_cli assert.active assert.exception assert.warning date.timezone default_charset "
    "default_socket_timeout display_errors display_startup_errors error_reporting html_errors log_errors "
    "max_execution_time max_input_time max_input_vars memory_limit opcache.enable opcache.enable_cli opcache.jit "
    "opcache.jit_buffer_size output_buffering pcov.directory pcov.enabled pcov.exclude pcre.jit phar.readonly "
    "post_max_size precision realpath_cache_size serialize_precision short_open_tag upload_max_filesize "
    "variables_order xdebug.mode xdebug.max_nesting_level xdebug.start_with_request zend.assertions".split()
)


_REPORTERS = frozenset(("spec", "tap", "dot", "junit", "lcov"))  # those that node brings along


def behind_code(row: Program, rest: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """The options that follow the text of `-e`. `rest` is left as it is: the code sees it too."""
    if row.name in _ENDS_WITH_CODE:
        return
    from ..inline import Shown, only_computes

    takes = _by_role(row)
    left = list(rest)
    while left and left[0].text[:1] == "-" and left[0].text not in ("-", "--"):
        flag = left.pop(0)
        name, equals, _ = flag.text.partition("=")
        role = takes.get(name) or (takes.get(flag.text[:2]) if flag.text[:2] != "--" else None)
        if not flag.known:
            shell.unclear("one of the options is unknown", span)
        elif role == "load":
            shell.unclear(f"`{name}` loads more code", span)
        elif role == "code" and not (
            left and name in takes and left[0].known and only_computes(row.name, left[0].text) == Shown()
        ):
            shell.unclear(f"`{name}` gives it more code, which is not read", span)
        elif setting(row, flag, left, span, shell):
            continue
        if role not in (None, "check") and not equals and name in takes and left:
            left.pop(0)


def setting(row: Program, flag: Arg, rest: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """An option that says where code comes from; True if it was one. Takes its value out of `rest`."""
    takes = _by_role(row)
    name, equals, value = flag.text.partition("=")
    if name not in takes and flag.text[:2] != "--":
        name, equals, value = flag.text[:2], "=", flag.text[2:]
    role = takes.get(name)
    if role not in ("runs", "php-setting", "env-file", "reporter", "write"):
        return False
    given = Arg(value, flag.span, flag.glob, flag.origin) if equals else rest.pop(0) if rest else None
    if given is None:
        return True
    if role == "env-file":  # `NODE_OPTIONS` in one from elsewhere loads code
        if given.text[:1] in ("/", "~") or given.text[:3] == "../" or not given.known:
            shell.found.follow.run_place(given, shell, span)
    elif role == "reporter":
        if given.text not in _REPORTERS:
            shell.unclear(f"`{name}` loads more code", span)
    elif role == "write":
        if given.text not in ("stdout", "stderr"):
            on_path("write", given, shell)
    elif role == "runs":
        shell.found.follow.run_place(given, shell, span)
    elif not given.known or given.text.partition("=")[0] not in _HARMLESS:
        shell.unclear(f"`{name} {given.text.partition('=')[0][:40]}` may load more code", span)
    return True


def _by_role(row: Program) -> dict[str, str]:
    return {name: role for name, colon, role in (item.partition(":") for item in row.options.split()) if colon}


def module_of_nobody(module: str, shell: Shell) -> bool:
    """Whether `python -m MODULE` is neither a file of the project nor written here: then it is an unknown program."""
    first = module.partition(".")[0]
    if not first.isidentifier() or shell.folders is None:
        return False
    facts = shell.found.facts
    folders = {*shell.folders, facts.root, f"{facts.root}/src", f"{facts.root}/lib", f"{facts.root}/python"}
    nobodys = True
    for folder in sorted(folders):
        base = f"{folder.rstrip('/')}/{first}"
        if any(has_written(base + ending, shell) for ending in (".py", "/__main__.py", "/__init__.py")):
            nobodys = False
        for path in (base, f"{base}.py"):
            if path not in facts.absent:
                if facts.real.get(path) is None:
                    shell.found.want(Real(path))
                nobodys = False  # it is there, or the next round tells
    return nobodys
