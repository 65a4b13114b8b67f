"""What tools write when they set up hooks and filters of git: the parts of it that are known by their text.

husky puts the same few lines before every hook (`.husky/_/`), which run the project's own `.husky/NAME` and nothing
else. Settings of a repository are told apart into those that run a command, which is read as such, and those that are
read as the `git config` that would write them.
"""

from __future__ import annotations

import re
import shlex

from ...value import TYPE_CHECKING
from .git_config import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_stub", "plain_attributes", "settings_in", "typed"]

# Every line that husky writes into `.husky/_/NAME` and `.husky/_/h`, in all versions since 9.
_OF_HUSKY = tuple(
    re.compile(line)
    for line in (
        r"#!/(usr/)?bin/(env )?sh",
        r'\. "(\$\(dirname( --)? "\$0"\)|\$\{0%/\*\})/h"',
        r'\[ "\$HUSKY" = "2" \] && set -x',
        r'n=(\$\(basename "\$0"\)|"?\$\{0##\*/\}"?)',
        r'h="?\$\{0%/\*/\*\}/\$n"?',
        r's=(\$\(dirname "\$\(dirname "\$0"\)"\)/\$n|"\$\{0%/\*/\*\}/\$n")',
        r'\[ ! -f "\$[sh]" \] && exit 0',
        r'if \[ -f "\$HOME/\.huskyrc" \]; then',
        r"\techo \"husky - '~/\.huskyrc' is DEPRECATED, please move your code to ~/\.config/husky/init\.sh\"",
        r"fi",
        r'i="\$\{XDG_CONFIG_HOME:-\$HOME/\.config\}/husky/init\.sh"',
        r'\[ -f "\$i" \] && \. "\$i"',
        r'\[ "\$\{HUSKY-\}" = "0" \] && exit 0',
        r'export PATH="node_modules/\.bin:\$PATH"',
        r'sh -e "\$[sh]" "\$@"',
        r"c=\$\?",
        r'\[ \$c != 0 \] && echo "husky - \$n script failed \(code \$c\)"',
        r'\[ \$c = 127 \] && echo "husky - command not found in PATH=\$PATH"',
        r"exit \$c",
        r"echo \"husky - DEPRECATED",
        r"Please remove the following two lines from \$0:",
        r"#!/usr/bin/env sh",
        r'\. "\$\(dirname -- "\$0"\)/_/husky\.sh"',
        r'They WILL FAIL in v10\.0\.0"?',
        r'"',
        r"",
    )
)
_SECTION = re.compile(r'\[([a-zA-Z0-9-]+)(?: "([^"\\\]]*)")?\] ([a-zA-Z][a-zA-Z0-9-]*)(?:\s*=\s*([^\[]*))?')


def is_stub(path: str, text: str) -> bool:
    """Whether it is what husky puts there, and does no more than run `.husky/NAME`."""
    if "/.husky/_/" not in path:
        return False
    if path.endswith("/.husky/_/.gitignore"):
        return text.strip() == "*"
    return all(any(line.fullmatch(one) for line in _OF_HUSKY) for one in text.split("\n"))


def settings_in(old: str, new: str) -> list[tuple[str, str]] | None:
    """The settings that a repository's configuration has in addition; None where something was taken away, changed or
    cannot be told. Both texts are of `essential_lines`.
    """
    before, added = old.split("\n") if old else [], list[tuple[str, str]]()
    for line in new.split("\n") if new else []:
        if before and line == before[0]:
            before.pop(0)
            continue
        found = _SECTION.fullmatch(line)
        if found is None or "\\" in line.replace('\\"', "") or any(sign in line for sign in ("#", ";")):
            return None
        section, middle, key, value = found.groups()
        name = f"{section}.{middle}.{key}" if middle is not None else f"{section}.{key}"
        added.append((name, "true" if value is None else _unquoted(value)))
    return None if before else added


def _unquoted(value: str) -> str:
    """A value as git reads it: in quotes, or with quotes that are meant."""
    value = value.strip()
    if len(value) > 1 and value[0] == '"' and value[-1] == '"' and '"' not in value[1:-1]:
        return value[1:-1]
    return value.replace('\\"', '"')


def typed(name: str, value: str, others: Mapping[str, str]) -> str:
    """The command that would have the same effect. A filter is the command itself, which git starts with nothing behind
    it; so is what shows a file in a diff, if it is such a filter with an option. Empty: it does nothing.
    """
    lower = name.lower()
    if lower.startswith("filter.") and kind_of(name) == "code":
        return value if value != "cat" else ""
    if lower.startswith("diff.") and lower.endswith(".textconv"):
        cleans = [text for key, text in others.items() if key.lower().startswith("filter.")]
        if any(value == f"{text} -t" for text in cleans):
            return value
    return f"git config {shlex.quote(name)} {shlex.quote(value)}"


_LINE = re.compile(r"(?!\[attr\])\S+((?:\s+(?:filter|diff)=[A-Za-z0-9_-]+)+)\s*")


def plain_attributes(old: str, new: str, settings: str) -> bool:
    """Whether lines were only added that choose a filter or how a diff is shown, and no other filter is there whose
    files they may take: it may be what encrypts. What a filter starts stands in the settings, and is judged there.
    """
    before, after = old.splitlines(), new.splitlines()
    if [line for line in after if line in before] != before:
        return False
    found = [_LINE.fullmatch(line) for line in after if line not in before and line.strip()]
    named = {word.partition("=")[2] for line in found if line for word in line[1].split()}
    others = set(re.findall(r'\[filter "([^"]*)"\]', settings)) - named - {"lfs"}
    return None not in found and not others
