"""Code that is given inline, in other languages than shell.

Python is read through `ast`, which is imported only when it is met: what it deletes, writes, runs and
sends. Names that are looked up by text (`getattr`, `eval`, `__import__` of something unknown) are opaque. For awk and
sed only safe forms are told apart; the rest is opaque. Other languages that only compute are in `inline/`.
"""

from __future__ import annotations

__all__ = ["awk_is_plain", "read_python", "sed_is_plain"]

from .python import read_python


def awk_is_plain(program: str, written: list[str]) -> bool:
    """True if no command is run, no pipe written, nothing read but the input. By tokens, not by text.

    `written` takes the names of files that are written; a name that the program computes is not plain.
    """
    depth = 0
    printing = False  # in a statement that prints: there, and outside parentheses, `>` writes a file
    at, size = 0, len(program)
    word = ""
    before = ""  # the last token that was no blank
    while at < size:
        char = program[at]
        if char == '"':
            at = _past_string(program, at)
            if at < 0:
                return False
            before = '"'
            continue
        if char == "#":
            end = program.find("\n", at)
            at = size if end < 0 else end
            continue
        if char == "/" and (before == "" or before in "(,{;!~&|\n" or before in ("return", "}")):
            at = _past_regex(program, at)
            if at < 0:
                return False
            before = "/"
            continue
        if char.isalnum() or char == "_":
            end = at
            while end < size and (program[end].isalnum() or program[end] == "_"):
                end += 1
            word = program[at:end]
            if word in ("system", "getline", "close", "fflush", "ENVIRON", "include", "load"):
                return False
            printing = printing or word in ("print", "printf")
            before, at = word, end
            continue
        if char == "@" or (char == "|" and program[at : at + 2] != "||"):
            return False
        if char == "|":
            before, at = "|", at + 2
            continue
        if char == ">" and printing and depth <= 0 and program[at : at + 2] != ">=":
            name, at = _written_to(program, at)
            if not name:
                return False
            written.append(name)
            before = '"'
            continue
        if char in "({[":
            depth += char == "("
        elif char == ")":
            depth -= 1
        if char in "{};" or (char == "\n" and before not in _GOES_ON):
            printing = False
        if not char.isspace() or char == "\n":
            before = char
        at += 1
    return True


_GOES_ON = frozenset((",", "&", "|", "\\", "else", "do"))  # a line that ends so goes on in the next


def _written_to(program: str, at: int) -> tuple[str, int]:
    """`> "name"` at the end of a statement: the name, and where it ends. Empty: it is put together, or special."""
    start = at + (2 if program[at : at + 2] == ">>" else 1)
    while program[start : start + 1] in (" ", "\t"):
        start += 1
    end = _past_string(program, start) if program[start : start + 1] == '"' else -1
    name = program[start + 1 : end - 1]
    if end < 0 or "\\" in name or name.startswith(("/inet", "/dev/fd", "/dev/tcp")) or not name:
        return "", end
    return name if program[end:].lstrip(" \t")[:1] in ("", ";", "}", "\n", "\r", "#") else "", end


def _past_string(program: str, at: int) -> int:
    at += 1
    while at < len(program) and program[at] != '"':
        at += 2 if program[at] == "\\" else 1
    return at + 1 if at < len(program) else -1


def _past_regex(program: str, at: int) -> int:
    at += 1
    inside = False
    while at < len(program) and (program[at] != "/" or inside):
        if program[at] == "\\":
            at += 1
        elif program[at] == "[":
            inside = True
        elif program[at] == "]":
            inside = False
        elif program[at] == "\n":
            return -1
        at += 1
    return at + 1 if at < len(program) else -1


_SED_PLAIN = frozenset("pdDgGhHnNxqQ=lz}")  # commands without an argument that matters


def sed_is_plain(script: str, files: list[tuple[str, str]]) -> bool:
    """True if every command of the script is known, and none runs anything. `files`: those that it reads and writes."""
    at, size = 0, len(script)
    while at < size:
        if script[at] in " \t\n;{":
            at += 1
            continue
        at = _past_address(script, at)
        if at < 0:
            return False
        while at < size and script[at] in " \t!":
            at += 1
        if at >= size:
            return True
        command = script[at]
        at += 1
        if command in "sy":
            at = _past_substitution(script, at, command)
            if at < 0:
                return False
            if script[at : at + 1] == "w":
                command, at = "w", at + 1
        if command in "rRwW":
            at = _past_file(script, at, "read" if command in "rR" else "write", files)
            if at < 0:
                return False
        elif command in "sy":
            continue
        elif command in "aic":
            end = script.find("\n", at)
            while end > 0 and script[end - 1] == "\\":
                end = script.find("\n", end + 1)
            at = size if end < 0 else end
        elif command in "btT:":
            while at < size and script[at] not in ";\n}":
                at += 1
        elif command == "#":
            end = script.find("\n", at)
            at = size if end < 0 else end
        elif command == "{":
            continue
        elif command in _SED_PLAIN:
            while at < size and script[at].isdigit():
                at += 1
        else:
            return False
    return True


def _past_file(script: str, at: int, role: str, files: list[tuple[str, str]]) -> int:
    """The name of a file goes on to the end of the line; small systems end it at `;` too, and then it is not read."""
    end = script.find("\n", at)
    end = len(script) if end < 0 else end
    name = script[at:end].lstrip(" \t")
    if not name or ";" in name or "}" in name:
        return -1
    if name not in ("/dev/stdin", "/dev/stdout", "/dev/stderr"):
        files.append((role, name))
    return end


def _past_address(script: str, at: int) -> int:
    """Past `12`, `$`, `/re/I`, `\\cREc`, `first~step`, and a second one after a comma."""
    for _ in range(2):
        if at >= len(script):
            return at
        if script[at] == "\\" or script[at] == "/":
            mark = script[at + 1 : at + 2] if script[at] == "\\" else "/"
            at = _past_delimited(script, at + (2 if script[at] == "\\" else 1), mark)
            if at < 0:
                return -1
            while at < len(script) and script[at] in "IM":
                at += 1
        else:
            while at < len(script) and (script[at].isdigit() or script[at] in "$~+"):
                at += 1
        while at < len(script) and script[at] == " ":
            at += 1
        if at < len(script) and script[at] == ",":
            at += 1
            while at < len(script) and script[at] == " ":
                at += 1
        else:
            break
    return at


def _past_delimited(script: str, at: int, mark: str) -> int:
    inside = False
    while at < len(script) and (script[at] != mark or inside):
        if script[at] == "\\":
            at += 1
        elif script[at] == "[" and not inside:
            inside = True
            if script[at + 1 : at + 2] == "]" or script[at + 1 : at + 3] == "^]":
                at += 1
        elif script[at] == "]":
            inside = False
        at += 1
    return at + 1 if at < len(script) else -1


def _past_substitution(script: str, at: int, command: str) -> int:
    if at >= len(script):
        return -1
    mark = script[at]
    if mark in "\n\\":
        return -1
    at = _past_delimited(script, at + 1, mark)
    if at < 0:
        return -1
    while at < len(script) and script[at] != mark:
        at += 2 if script[at] == "\\" else 1
    at += 1
    if at > len(script):
        return -1
    while at < len(script) and command == "s" and script[at] not in ";\n} ":
        if script[at] == "w":
            return at
        if script[at] not in "gpiImM0123456789":
            return -1
        at += 1
    return at
