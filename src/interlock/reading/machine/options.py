"""Options as programs parse them: bundled, joined with `=`, abbreviated, after operands, ended by `--`.

`compiled(row)` turns the text of a row into look-up tables once; `parse` sorts the words of one
command into switches, values and operands. A word that is not known could be an option as well:
`Parsed.doubtful` holds those that stand where an option could.
"""

from __future__ import annotations

from ...model.effects import Effect
from ..evaluate.origins import IDENTIFIERS
from ..evaluate.words import NUL, Arg
from ..tables.spec import Program
from ..tables.vocabulary import HIDDEN, role_trouble

__all__ = ["Option", "Parsed", "Table", "by_role", "called_off", "compiled", "parse", "say", "split_roles"]


class Option:
    __slots__ = ("attached", "name", "role", "shows")

    def __init__(self, name: str, role: str | None, attached: bool, shows: str | None) -> None:
        self.name = name  # the first of its names
        self.role = role  # what its value is; None: a switch
        self.attached = attached  # its value never is the next word
        self.shows = shows


class Table:
    """What is asked of a row for every command, worked out once."""

    __slots__ = ("by_name", "dashed", "exact", "longs", "many", "roles", "shows", "silent", "starts", "trial", "wary")

    def __init__(self, row: Program) -> None:
        self.by_name: dict[str, Option] = {}
        for item in row.options.split():
            names, mark, rest = item.partition("!")
            shows = rest if mark else None
            if "\\" in names:
                names = names.replace("\\:", NUL)  # a colon that belongs to the name: `curl -:`
            names, colon, role = names.partition(":")
            if colon:
                _check(role, item)
            attached = names.endswith("?")
            option = Option("", role if colon else None, attached, shows)
            for name in names.rstrip("?").replace(NUL, ":").split("|"):
                option.name = option.name or name
                self.by_name[name] = option
        for name in row.dryrun.split():
            self.by_name.setdefault(name, Option(name, None, False, None))
        self.trial = frozenset([self.by_name[name].name for name in row.dryrun.split()])
        self.longs = [name for name in self.by_name if name.startswith("--")]
        self.dashed = any(len(name) > 2 and name[1] != "-" for name in self.by_name)
        self.shows = tuple([option.shows for option in self.by_name.values() if option.shows])
        self.roles = split_roles(row.operands)
        for role, _ in self.roles:
            _check(role, role)
        # Where all operands are in one role, as in most rows: that role.
        self.many = self.roles[0][0] if len(self.roles) == 1 and self.roles[0][1] in ("*", "+") else None
        # A file whose name begins with a dash could make it run a command.
        self.wary = any(option.role == "command" for option in self.by_name.values())
        self.silent = self.many in HIDDEN  # operands say nothing
        self.starts = ("command", "") in self.roles  # without that command it may start a shell
        # Where a command of its own begins must not depend on an option that is not known.
        self.exact = any(role == "command" or role.startswith("code") for role, _ in self.roles)


def _check(role: str, where: str) -> None:
    """A role that nobody knows would be data, and what it names would go unseen."""
    trouble = role_trouble(role)
    if trouble is not None:
        raise ValueError(f"`{ascii(where[:60])[1:-1]}`: {trouble}")


def split_roles(operands: str) -> list[tuple[str, str]]:
    roles = []
    for word in operands.split():
        quantifier = word[-1] if word[-1] in "?*+" else ""
        roles.append((word.rstrip("?*+"), quantifier))
    return roles


_TABLES: dict[tuple[str, str, str], Table] = {}
_keep = Program.table.__set__  # type: ignore[attr-defined]


def compiled(row: Program) -> Table:
    """The row's table; made once for each wording, so that a row that is changed for one call costs no memory."""
    try:
        return row.table
    except AttributeError:  # the first time
        key = (row.options, row.operands, row.dryrun)
        found = _TABLES.get(key)
        if found is None:
            found = _TABLES[key] = Table(row)
        _keep(row, found)
        return found


class Parsed:
    __slots__ = ("doubtful", "operands", "strange", "switches", "values")

    def __init__(self) -> None:
        self.switches: set[str] = set()  # names shown, and options as written in the table
        self.values: list[tuple[Option, Arg]] = []
        self.operands: list[Arg] = []
        self.strange: list[Arg] = []  # options that the table does not have
        self.doubtful: list[Arg] = []


def parse(row: Program, args: list[Arg], *, stop_at_operand: bool | None) -> Parsed:
    """Sorts the words. `stop_at_operand`: the first operand ends the options (`sudo`, `env`, sub-commands);
    None: it does where a command of its own begins there."""
    table = compiled(row)
    found = Parsed()
    if stop_at_operand is None:
        stop_at_operand = table.exact
    at, size = 0, len(args)
    while at < size:
        arg = args[at]
        text = arg.text
        at += 1
        if text[:1] != "-" or text == "-" or ("\0" in text and "=" not in text):
            if "\0" in text and text[:1] in ("\0", "-"):
                if arg.origin == IDENTIFIERS and text == NUL and _looks_up(row):
                    arg = Arg("*", arg.span, True)
                else:
                    found.doubtful.append(arg)
            found.operands.append(arg)
            if stop_at_operand:
                found.operands.extend(args[at:])
                break
            continue
        if text == "--":
            found.operands.extend(args[at:])
            break
        at = _option(table, found, args, at, arg)
    return found


def _looks_up(row: Program) -> bool:
    """Whether it only looks at what is named, at a service that lists such names: whichever it is, it may be seen."""
    return (
        row.action is not None
        and row.action.startswith(_SERVICES)
        and bool(row.effects)
        and all(effect in (Effect.READ, Effect.NETWORK) for effect in row.effects)
    )


_SERVICES = ("docker:", "kubectl:")


def _option(table: Table, found: Parsed, args: list[Arg], at: int, arg: Arg) -> int:
    """Takes one word that begins with a dash; where the next word is."""
    text = arg.text
    name, equals, value = text.partition("=")
    option = table.by_name.get(name)
    if option is None and text.startswith("--"):
        close = [long for long in table.longs if long.startswith(name)]
        if len({table.by_name[long].name for long in close}) == 1:
            option = table.by_name[close[0]]
    if option is not None and (text.startswith("--") or (table.dashed and len(name) > 2)):
        return _take(found, option, args, at, _part(arg, value) if equals else None)
    if text.startswith("--"):
        found.strange.append(arg)
        return at
    if table.dashed and not _is_bundle(table, text):
        found.strange.append(arg)
        return at
    for index, char in enumerate(text[1:], start=1):
        option = table.by_name.get("-" + char)
        if option is None:
            found.strange.append(arg)
            if table.exact:
                return at
            continue
        if option.role is not None:
            rest = text[index + 1 :]
            return _take(found, option, args, at, _part(arg, rest) if rest else None)
        _take(found, option, args, at, None)
    return at


def _is_bundle(table: Table, text: str) -> bool:
    """Where options are words with one dash (`gcc -Wall`), a word is a bundle only if all its letters are options."""
    for char in text[1:]:
        option = table.by_name.get("-" + char)
        if option is None:
            return False
        if option.role is not None:
            return True
    return True


def _take(found: Parsed, option: Option, args: list[Arg], at: int, joined: Arg | None) -> int:
    found.switches.add(option.name)
    if option.shows is not None:
        found.switches.add(option.shows)
    if option.role is None:
        return at
    if joined is not None:
        found.values.append((option, joined))
    elif not option.attached and at < len(args):
        found.values.append((option, args[at]))
        return at + 1
    return at


def _part(arg: Arg, text: str) -> Arg:
    return Arg(text, arg.span, arg.glob, arg.origin, arg.quoted)


_FALSE = frozenset(("false", "0", "no", "off", "none", "f", "n"))


def called_off(table: Table, args: list[Arg]) -> bool:
    """A dry run that the same words take back: `--dry-run=false`, `--dry-run false`, `--no-dry-run`."""
    trial = [name for name, option in table.by_name.items() if {option.name, option.shows} & table.trial]
    for at, arg in enumerate(args[1:], start=1):
        name, equals, value = arg.text.partition("=")
        if name.startswith("--no-") and any(long.startswith("--" + name[5:]) for long in trial):
            return True
        if len(name) > 1 and any(long == name or (name[:2] == "--" and long.startswith(name)) for long in trial):
            after = args[at + 1].text if at + 1 < len(args) else ""
            if (value if equals else after).lower() in _FALSE or (equals and arg.unknown):
                return True
    return False


def by_role(roles: list[tuple[str, str]], operands: list[Arg]) -> list[tuple[str, list[Arg]]]:
    """Each role with its operands. What stands after a `+` or `*` is served from the end."""
    many = next((i for i, (_, quantifier) in enumerate(roles) if quantifier in ("*", "+")), None)
    found: list[tuple[str, list[Arg]]] = []
    at = 0
    head = roles if many is None else roles[:many]
    tail = [] if many is None else roles[many + 1 :]
    for index, (role, quantifier) in enumerate(head):
        needed = sum(1 for _, q in head[index + 1 :] if q == "")
        if quantifier == "?" and len(operands) - at <= needed:
            continue
        if at < len(operands):
            found.append((role, [operands[at]]))
            at += 1
    if many is not None:
        rest = operands[at:]
        middle = len(rest) - len(tail) if len(rest) > len(tail) else min(len(rest), 1 if roles[many][1] == "+" else 0)
        found.append((roles[many][0], rest[:middle]))
        for (role, _), operand in zip(tail, rest[middle:], strict=False):
            found.append((role, [operand]))
    elif at < len(operands) and found:
        role, taken = found[-1]  # more words than roles: they belong to the last one
        found[-1] = (role, [*taken, *operands[at:]])
    return found


def say(parsed: Parsed, role: str, arg: Arg) -> None:
    """A field of the target, or an action, for a word whose role the table cannot tell."""
    parsed.values.append((Option(role, role, False, None), arg))
