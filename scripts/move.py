"""Moves modules into the rooms of floor_plan.toml, and rewrites whatever names them: `python scripts/move.py`.

Nothing but names changes. Imports are rewritten by their syntax, wherever they stand; dotted names and paths in texts
by their spelling; tables that name modules as the plan says. A module that the plan does not name stays, and is listed.
What has moved already is left alone, so that the program can be run again on a tree with more modules.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/interlock"
PLAN: dict[str, Any] = tomllib.loads((Path(__file__).parent / "floor_plan.toml").read_text())
TEXTS = ("*.py", "*.md", "*.toml", "*.sh", "*.js", "*.yml", "*.yaml", "Makefile")
DONE = "_MOVED_"  # in place of the first dot of a name that was rewritten: no later step takes it for an old one
LONGEST = 120
FOLDERS = ("reading", "record", "store")  # whose modules are named by path without the package's name


def planned() -> dict[str, str]:
    """Old name below the package -> new name, of the modules that are still where they were."""
    found = {}
    for room in PLAN["room"]:
        for folder, names in room.items():
            for name in names.split() if folder not in ("path", "about") else ():
                old = f"{folder}/{name}".lstrip("/")
                if (SOURCE / f"{old}.py").exists():
                    found[old.replace("/", ".")] = f"{room['path']}/{name}".replace("/", ".")
    return found


MOVES = planned()
MODULES = {
    ".".join(("interlock", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
}


def moved(name: str) -> str:
    return "interlock." + MOVES[name[10:]] if name[10:] in MOVES else name


# --- imports ---------------------------------------------------------------------------------------------------------


def imports_rewritten(path: Path, text: str) -> str:
    """Every `from … import …` that names something of ours, as it has to be after the move."""
    own = ""
    if path.is_relative_to(SOURCE):
        own = ".".join(("interlock", *path.relative_to(SOURCE).with_suffix("").parts))
    lines = text.encode().splitlines(keepends=True)  # the columns of a syntax tree count bytes
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        base = node.module or ""
        if node.level:
            above = own.split(".")[: -node.level]
            base = ".".join([*above, base] if base else above)
        if base.partition(".")[0] != "interlock" or (node.level and not own):
            continue
        said = _statements(node, base, own)
        first, last = lines[node.lineno - 1], lines[(node.end_lineno or 0) - 1]
        indent = first[: node.col_offset]
        assert not indent.strip(), f"{path}:{node.lineno}: an import beside something else"
        rest = last[node.end_col_offset :]  # a comment is for each of them
        lines[node.lineno - 1 : node.end_lineno] = [indent + line.encode() + rest for line in said]
    return b"".join(lines).decode()


def _statements(node: ast.ImportFrom, base: str, own: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    for alias in node.names:
        whole = f"{base}.{alias.name}"
        where, name = (moved(whole).rpartition(".")[0], alias.name) if whole in MODULES else (moved(base), alias.name)
        groups.setdefault(where, []).append(name if alias.asname is None else f"{name} as {alias.asname}")
    return [
        f"from {_from(where, own) if node.level else where.replace('.', DONE, 1)} import {', '.join(names)}"
        for where, names in groups.items()
    ]


def _from(where: str, own: str) -> str:
    """The module as the moved importer names it: relative, as it did before."""
    here, there = moved(own).split(".")[:-1], where.split(".")
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


# --- texts -----------------------------------------------------------------------------------------------------------


def _either(names: list[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"


DEEP = re.compile(rf"\binterlock\.({_either([name for name in MOVES if '.' in name])})(?![\w])")
NAMES = re.compile(rf"\binterlock\.({_either(list(MOVES))})(?![\w])")
GIVEN = re.compile(r"\bfrom (interlock(?:\.\w+)*) import (\w+(?: as \w+)?(?:, \w+(?: as \w+)?)*)")
IMPORTED = re.compile(rf"(\b(?:from|import) )interlock\.({_either(list(MOVES))})(?![\w])")
BELOW = [name.replace(".", "/") for name in MOVES]
IN_FOLDERS = _either([at for at in BELOW if at.startswith(FOLDERS)])
PATHS = re.compile(rf"(\binterlock/(?:{_either(BELOW)})|(?<![\w/.])(?:{IN_FOLDERS}))\.py\b")
BARE = re.compile(rf"`({_either([at for at in BELOW if '/' not in at])})\.py`")


def names_rewritten(path: Path, text: str) -> str:
    if str(path.relative_to(ROOT)) in PLAN["names"]["bare"]:
        text = BARE.sub(lambda found: f"`{MOVES[found[1]].replace('.', '/')}.py`", text)
    known = NAMES if str(path.relative_to(ROOT)) in PLAN["names"]["files"] else DEEP
    # In a program that a text holds, what is imported is a module.
    text = GIVEN.sub(_given, text)
    text = IMPORTED.sub(lambda found: f"{found[1]}interlock{DONE}{MOVES[found[2]]}", text)
    text = known.sub(lambda found: f"interlock{DONE}{MOVES[found[1]]}", text)

    def placed(found: re.Match[str]) -> str:
        package = "interlock/" if found[1].startswith("interlock/") else ""
        return f"{package}{MOVES[found[1].removeprefix('interlock/').replace('/', '.')].replace('.', '/')}.py"

    return "\n".join([_fitting(line, PATHS.sub(placed, line)) for line in text.split("\n")])


def _given(found: re.Match[str]) -> str:
    """`from interlock.store import files, sql` inside a text: a statement for each room, in one line."""
    node = ast.parse(found[0]).body[0]
    assert isinstance(node, ast.ImportFrom)
    if not any(f"{found[1]}.{alias.name}"[10:] in MOVES for alias in node.names):
        return found[0]
    return "; ".join(_statements(node, found[1], ""))


def _fitting(before: str, after: str) -> str:
    """A comment that would become too long names the file alone."""
    if len(after) <= LONGEST or len(before) > LONGEST or before == after:
        return after
    return PATHS.sub(lambda found: found[0].rpartition("/")[2], before)


def tables_rewritten(path: Path, text: str) -> str:
    """Words of a table that are names of modules; not what a table gives for them."""
    named = str(path.relative_to(ROOT))
    wanted = PLAN["tables"].get(named, ())
    spots: list[ast.Constant] = []
    for node in ast.parse(text).body if wanted else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not any(isinstance(target, ast.Name) and target.id in wanted for target in targets):
            continue
        for part in ast.walk(node):
            inside = part.elts if isinstance(part, ast.Tuple) else part.keys if isinstance(part, ast.Dict) else []
            if isinstance(part, ast.Dict) and "_HOMES" in wanted:
                inside = part.values
            spots += [one for one in inside if isinstance(one, ast.Constant) and one.value in MOVES]
    lines = text.splitlines(keepends=True)
    for spot in sorted(spots, key=lambda one: (-one.lineno, -one.col_offset)):
        line = lines[spot.lineno - 1]
        new = f'"{MOVES[str(spot.value)]}"'
        lines[spot.lineno - 1] = line[: spot.col_offset] + new + line[spot.end_col_offset :]
    text = "".join(lines)
    if named in PLAN["loaded"]:
        text = _loaded_rewritten(text, PLAN["loaded"][named])
    return text


def mutants_rewritten(text: str) -> str:
    for old, new in MOVES.items():
        at, to = old.replace(".", "/"), new.replace(".", "/")
        text = re.sub(rf'^(?:"{at}"|{at}) = \[', f'"{to}" = [', text, flags=re.MULTILINE)
        text = re.sub(rf'^module = "{at}"$', f'module = "{to}"', text, flags=re.MULTILINE)
    return text


def _loaded_rewritten(text: str, name: str) -> str:
    node = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    )
    words = set(ast.literal_eval(node.value).replace(DONE, ".").split())
    words |= {word.rpartition(".")[0] for word in words if "." in word}
    lines = textwrap.wrap(" ".join(sorted(words)), 108, break_on_hyphens=False)
    said = [f'    "{line}{" " if line is not lines[-1] else ""}"\n' for line in lines]
    kept = text.splitlines(keepends=True)
    return "".join([*kept[: node.lineno - 1], f"{name} = (\n", *said, ")\n", *kept[node.end_lineno :]])


# --- the move --------------------------------------------------------------------------------------------------------


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z", *TEXTS], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    changed = 0
    for path in files if MOVES else ():
        before = text = path.read_text(encoding="utf-8")
        if path.name in ("floor_plan.toml", "move.py", "CHANGELOG.md"):
            continue
        if path.suffix == ".py":
            text = imports_rewritten(path, text)
            text = tables_rewritten(path, names_rewritten(path, text))
        else:
            text = names_rewritten(path, text)
        if path.name == "mutants.toml":
            text = mutants_rewritten(text)
        text = text.replace(DONE, ".")
        for row in PLAN.get("text", ()):
            if row["file"] == str(path.relative_to(ROOT)):
                if row["was"] not in text:
                    print(f"{row['file']}: `{row['was']}` is not there; look at it by hand")
                text = text.replace(row["was"], row["now"])
        if text != before:
            changed += 1
            path.write_text(text, encoding="utf-8")
    for room in PLAN["room"]:
        first = SOURCE / room["path"] / "__init__.py"
        if MOVES and not first.exists():
            first.parent.mkdir(parents=True, exist_ok=True)
            first.write_text(f'"""{room["about"]}"""\n', encoding="utf-8")
            subprocess.run(["git", "add", first], cwd=ROOT, check=True)
    for old, new in MOVES.items():
        at, to = (SOURCE / f"{name.replace('.', '/')}.py" for name in (old, new))
        subprocess.run(["git", "mv", at, to], cwd=ROOT, check=True)
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select", "I", "--fix", "."], cwd=ROOT, check=True)
    subprocess.run([*ruff, "format", "--quiet", "."], cwd=ROOT, check=True)
    print(f"{len(MOVES)} modules moved, {changed} files rewritten")
    for folder, stays in PLAN["stays"].items():
        loose = {path.stem for path in (SOURCE / folder).glob("*.py")} - {"__init__"}
        print(f"{folder or 'the root'}: {len(loose)} loose modules")
        for name in sorted(loose - set(stays.split())):
            print(f"  the plan does not know {folder}/{name}.py".replace(" /", " "))
    return 0


if __name__ == "__main__":
    sys.exit(main())
