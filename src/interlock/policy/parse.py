"""One policy file: text in, checked tables out, or every problem at once with its place.

Checking knows nothing of the other sources; merging them is the next step. The result
holds plain values (scales, tuples, texts), keyed as in the file.
"""

from __future__ import annotations

from functools import lru_cache

from .. import __version__
from ..bytes.canon import digest_of_bytes
from ..limits import MAX_DEPTH, MAX_POLICY_BYTES
from ..model.effects import Effect
from ..model.errors import PolicyError, Problem
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .command import command_entry
from .judging import Judge, Judging, judging_trouble
from .kinds import KINDS, Wrong
from .locate import locate, nearest
from .model import Consult, Evidence, Rule, When
from .newer import ANY_EFFECT, FORGIVING, guards_of, is_newer_than_this, odd_parts
from .people import IDENTITIES, PERSON, Person
from .schema import BUDGET, GRANT, RULE, SECTIONS, TOOL, TOP, UNLESS, WHEN, Field
from .schema_outside import CONSULT, EVIDENCE, JUDGE, JUDGE_MODEL, STORE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..reading.machine.own import entry_troubles
    from .command import Trial
    from .locate import Path
    from .outward import without_destination
else:
    entry_troubles = lazy(globals(), "..reading.machine.own", "entry_troubles")
    without_destination = lazy(globals(), ".outward", "without_destination")

__all__ = ["Source", "parse_policy"]


class Source(Value):
    """One checked policy file. `rules` and `grants` are complete; the rest is as given."""

    name: str
    file: str
    digest: str
    settings: Mapping[str, Any] = FrozenMap({})  # "posture", "risk.max", …
    tools: Mapping[str, Mapping[str, Any]] = FrozenMap({})
    rules: tuple[Rule, ...] = ()
    examples: tuple[tuple[int, str, int, Any], ...] = ()  # rule, "matches" or "ignores", position, call
    commands: Mapping[str, Mapping[str, Any]] = FrozenMap({})
    trials: tuple[Trial, ...] = ()  # examples of `commands`
    grants: tuple[Mapping[str, Any], ...] = ()
    consult: Consult | None = None
    judge: Judging | None = None
    store: str = ""
    evidence: Evidence | None = None
    people: Mapping[str, Person] = FrozenMap({})
    pin: tuple[str, ...] = ()
    profile: str | None = None
    unknown: tuple[tuple[Path, str], ...] = ()  # keys that this version does not know, with what is told of them
    guards: tuple[Rule, ...] = ()  # rules for what such keys are about
    content: str = ""

    def problem(self, path: Path, text: str) -> Problem:
        line, column = nearest(_located(self.content), path)
        return Problem(file=self.file, line=line, column=column, text=text)


def parse_policy(raw: bytes, *, name: str, file: str) -> Source:
    """The checked file; PolicyError with all of its problems otherwise."""
    return _Checker(name, file).run(raw)


class _Checker:
    def __init__(self, name: str, file: str) -> None:
        self.name = name
        self.file = file
        self.wrong: list[tuple[Path, str]] = []
        self.trials: list[Trial] = []
        self.unknown: list[tuple[Path, str]] = []

    def run(self, raw: bytes) -> Source:
        text, tables = self._load(raw)
        self._engine(text, tables.get("min_engine"))
        top = self._table((), tables, TOP)
        if self.name != "managed" and "pin" in top:
            self.wrong.append((("pin",), "`pin` is for managed policy only"))
        settings: dict[str, Any] = {key: top[key] for key in ("posture", "approval_mode", "obeyed") if key in top}
        if "plan" in top:
            settings["plan"] = True
        for section, fields in SECTIONS.items():
            for key, value in self._table((section,), top.get(section, {}), fields).items():
                settings[f"{section}.{key}"] = value
        if self.name not in ("managed", "default") and "approvals.keys" in settings:
            self.wrong.append((("approvals", "keys"), "`keys` is for managed policy only; see: interlock approver"))
        if self.name == "project" and "hook.observe" in settings:
            self.wrong.append((("hook", "observe"), "`observe` is for your own or managed policy only"))
        if self.name != "managed" and "hook.allow_observe" in settings:
            self.wrong.append((("hook", "allow_observe"), "`allow_observe` is for managed policy only"))
        for key, value in self._budget(top.get("budget", {})).items():
            settings[f"budget.{key}"] = value
        tools = {
            tool: self._table(("tools", tool), entry, TOOL)
            for tool, entry in self._named(("tools",), top.get("tools", {})).items()
        }
        commands = {
            name: self._command(name, entry)
            for name, entry in self._named(("commands",), top.get("commands", {})).items()
        }
        rules = [self._rule(i, entry) for i, entry in enumerate(self._listed(("rules",), top.get("rules", [])))]
        grants = [
            self._table(("grants", i), entry, GRANT)
            for i, entry in enumerate(self._listed(("grants",), top.get("grants", [])))
        ]
        self._say_where(grants, commands)
        self._unique("rules", [rule.get("id") for rule in rules])
        self._unique("grants", [grant.get("id") for grant in grants])
        consult = self._consult(top["consult"]) if "consult" in top else None
        judge = self._judge(top["judge"]) if "judge" in top else None
        store = self._table(("store",), top["store"], STORE) if "store" in top else {}
        evidence = self._table(("evidence",), top["evidence"], EVIDENCE) if "evidence" in top else None
        people = self._people(top["people"]) if "people" in top else {}
        if self.wrong:
            self.wrong += self.unknown
            places = _located(text)
            raise PolicyError(
                [
                    Problem(file=self.file, line=line, column=column, text=what)
                    for (line, column), what in sorted((nearest(places, path), what) for path, what in self.wrong)
                ]
            )
        unknown = [path for path, _ in self.unknown]
        rules, odd = _broader(rules, unknown)
        uncounted = odd_parts(unknown, "grants")
        if any(path[0] == "store" and len(path) > 1 for path in unknown):
            store = {}
        return Source(
            name=self.name,
            file=self.file,
            digest=digest_of_bytes(raw),
            settings=FrozenMap(settings),
            commands=FrozenMap(commands),
            trials=tuple(self.trials),
            tools=FrozenMap({tool: FrozenMap(entry) for tool, entry in tools.items()}),
            rules=tuple(
                Rule(
                    id=rule["id"],
                    when=rule["when"],
                    verdict=rule["verdict"],
                    reason=rule["reason"],
                    instead=rule.get("instead", ""),
                    unless=rule.get("unless"),
                )
                for rule in rules
            ),
            examples=tuple(
                (i, side, n, example)
                for i, rule in enumerate(rules)
                if i not in odd
                for side in ("matches", "ignores")
                for n, example in enumerate(rule.get(side, ()))
            ),
            grants=tuple(FrozenMap(grant) for i, grant in enumerate(grants) if i not in uncounted),
            consult=consult,
            judge=judge,
            store=store.get("url", ""),
            evidence=None if evidence is None else Evidence(**evidence),
            people=FrozenMap(people),
            pin=top.get("pin", ()),
            profile=top.get("profile"),
            unknown=tuple(self.unknown),
            guards=guards_of(self.file, unknown),
            content=text,
        )

    def _say_where(self, grants: list[dict[str, Any]], commands: Mapping[str, Any]) -> None:
        """A grant for what leaves this machine says where it may go."""
        for index, grant in enumerate(grants):
            scope = grant.get("scope", {})
            if "action" in grant and "destination" not in scope:
                trouble = without_destination(grant["action"], scope, _outward_commands(commands))
                if trouble:
                    self.wrong.append((("grants", index, "scope"), trouble))

    def _load(self, raw: bytes) -> tuple[str, dict[str, Any]]:
        import tomllib

        if len(raw) > MAX_POLICY_BYTES:
            self._fail(1, 1, f"the file is larger than {MAX_POLICY_BYTES} bytes")
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            self._fail(line, error.start - raw.rfind(b"\n", 0, error.start), "this is not UTF-8")
        tables: dict[str, Any] = {}
        if _long_key(text):  # before it is parsed: the time for one grows with the square of its parts
            self._fail(1, 1, f"the file is nested deeper than {MAX_DEPTH} levels")
        try:
            tables = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, ValueError) as error:
            what, line, column = _toml_place(str(error), text)
            self._fail(line, column, what)
        except RecursionError:
            self._fail(1, 1, f"the file is nested deeper than {MAX_DEPTH} levels")
        if _deeper(tables, MAX_DEPTH):
            self._fail(1, 1, f"the file is nested deeper than {MAX_DEPTH} levels")
        return text, tables

    def _engine(self, text: str, wanted: Any) -> None:
        """A file for newer versions only is not read any further: what is said of its keys would lead nowhere."""
        try:
            newer = wanted is not None and is_newer_than_this(KINDS["engine"](wanted))
        except Wrong:
            return  # told with the other problems
        if newer:
            line, column = nearest(_located(text), ("min_engine",))
            what = f"this policy needs Interlock {wanted} or newer (`min_engine`); this is {__version__}"
            self._fail(line, column, what)

    def _fail(self, line: int, column: int, what: str) -> None:
        raise PolicyError([Problem(file=self.file, line=line, column=column, text=what)]) from None

    def _table(self, path: Path, table: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
        """The table with each value turned into what its kind stands for."""
        if not isinstance(table, dict):
            self.wrong.append((path, f"`{_last(path)}` must be a table"))
            return {}
        known = {field.key: field for field in fields}
        done: dict[str, Any] = {}
        for key, value in table.items():
            field = known.get(key)
            if field is None:
                told = self.unknown if self.name in FORGIVING else self.wrong
                told.append(((*path, key), f"unknown key `{_shown(key)}`{_did_you_mean(key, known)}"))
                continue
            try:
                done[key] = KINDS[field.kind](value)
            except Wrong as wrong:
                self.wrong.append(((*path, key), f"`{_shown(key)}` must be {wrong}"))
        for field in fields:
            if field.required and field.key not in table:
                self.wrong.append((path, f"`{field.key}` is missing" + (f" in `{_last(path)}`" if path else "")))
        return done

    def _budget(self, table: Any) -> dict[str, Any]:
        """`over`, and a number for each effect or glob of action names."""
        names = table if isinstance(table, dict) else {}
        over, each = BUDGET
        fields = [over]
        for name in names:
            if name in Effect.names() or ":" in name or "*" in name:
                fields.append(each.replace(key=name))
            elif name != over.key:
                fields.append(each.replace(key=name, kind="no budget"))
        return self._table(("budget",), table, tuple(fields))

    def _command(self, name: str, entry: Any) -> Mapping[str, Any]:
        """A program in the user's words, as plain data; it must make a row."""
        plain = command_entry(("commands", name), entry, self._table, self.trials)
        self.wrong += [(("commands", name, *keys), text) for keys, text in entry_troubles(name, plain)]
        return FrozenMap(plain)

    def _consult(self, table: Any) -> Consult | None:
        entry = self._table(("consult",), table, CONSULT)
        families = [str(entry.get(key, key)).strip().lower() for key in ("family", "agent_family")]
        if families[0] == families[1]:
            text = "`family` and `agent_family` are the same: a model of the agent's own family shares its mistakes"
            self.wrong.append((("consult", "family"), text))
        missing = any(field.required and field.key not in entry for field in CONSULT)
        return None if missing else Consult(**entry)

    def _judge(self, table: Any) -> Judging | None:
        """Both models, each with a table of its own below `[judge]`."""
        entry = self._table(("judge",), table, JUDGE)
        both: dict[str, Judge] = {}
        for which in ("first", "second"):
            given = self._table(("judge", which), entry.get(which, {}), JUDGE_MODEL) if which in entry else {}
            if all(not field.required or field.key in given for field in JUDGE_MODEL):
                both[which] = Judge(**given)
        if len(both) < 2:
            return None
        trouble = judging_trouble(**both)
        if trouble is not None:
            self.wrong.append((("judge", "second", trouble[0]), trouble[1]))
        return Judging(**{**entry, **both})

    def _people(self, tables: Any) -> dict[str, Person]:
        """Each person by name. An identity that two have would say of neither who they are."""
        if self.name not in ("managed", "user", "default"):
            self.wrong.append((("people",), "`people` is for your own or managed policy only"))
        found: dict[str, Person] = {}
        whose: dict[tuple[str, str], str] = {}
        for name, entry in self._named(("people",), tables).items():
            if not name.strip() or not name.isprintable() or ":" in name or len(name) > 60:
                self.wrong.append(
                    (("people", name), f"`{_shown(name)}` is no name of a person: at most 60 characters, without `:`")
                )
                continue
            given = self._table(("people", name), entry, PERSON)
            found[name] = Person(name=name, **given)
            for key in IDENTITIES.values():
                for identity in given.get(key, ()):
                    other = whose.setdefault((key, identity), name)
                    if other != name:
                        text = f"`{_shown(identity)}` is in the `{key}` of `{_shown(other)}` already; one person has it"
                        self.wrong.append((("people", name, key), text))
        return found

    def _rule(self, index: int, entry: Any) -> dict[str, Any]:
        rule = self._table(("rules", index), entry, RULE)
        for key, fields in (("when", WHEN), ("unless", UNLESS)):
            if key in rule:
                when = self._table(("rules", index, key), rule[key], fields)
                if not rule[key]:  # a key that is not known counts as a condition
                    calls = "match every call" if key == "when" else "match none"
                    self.wrong.append((("rules", index, key), f"`{key}` is empty: the rule would {calls}"))
                rule[key] = When(**{"window" if name == "time" else name: value for name, value in when.items()})
        given = [rule[key] for key in ("when", "unless") if isinstance(rule.get(key), When)]
        if given and given[0].contract is not None and any(when.input or when.command for when in given):
            text = "`contract` says already what the arguments break; it does not go with `input` or `command`"
            self.wrong.append((("rules", index, "when", "contract"), text))
        return rule

    def _named(self, path: Path, tables: Any) -> dict[str, Any]:
        if not isinstance(tables, dict):
            self.wrong.append((path, f"`{_last(path)}` must hold tables"))
            return {}
        return tables

    def _listed(self, path: Path, tables: Any) -> list[Any]:
        if not isinstance(tables, list):
            self.wrong.append((path, f"`{_last(path)}` must be written as `[[{_last(path)}]]`"))
            return []
        return tables

    def _unique(self, where: str, ids: list[str | None]) -> None:
        seen: set[str] = set()
        for index, name in enumerate(ids):
            if name is not None and name in seen:
                self.wrong.append(((where, index, "id"), f"the id `{_shown(name)}` is used twice"))
            seen.add(name or "")


def _broader(rules: list[dict[str, Any]], unknown: list[Path]) -> tuple[list[dict[str, Any]], set[int]]:
    """The rules without the conditions that nobody here knows, and which ones those are: their examples say nothing."""
    when, unless = odd_parts(unknown, "rules", "when"), odd_parts(unknown, "rules", "unless")
    done = []
    for index, given in enumerate(rules):
        rule = {key: value for key, value in given.items() if key != "unless" or index not in unless}
        if index in when and rule.get("when") == When():
            rule |= {"when": ANY_EFFECT, "verdict": Verdict.ASK}
        done.append(rule)
    return done, when | unless


@lru_cache(maxsize=4)
def _located(text: str) -> dict[Path, tuple[int, int]]:
    """Where each key stands. Asked for only where something is wrong: it costs as much as reading the file."""
    return locate(text)


def _long_key(text: str) -> bool:
    """Whether something like `a.b.c` has more parts than a file may have levels."""
    import re

    # INVARIANT: linear in the text: it begins only where a word does, and takes no character back.
    part = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
    return re.search(rf"(?<![A-Za-z0-9_-])(?:{part}){{{MAX_DEPTH}}}", text) is not None


def _deeper(value: Any, room: int) -> bool:
    """True if tables and arrays are nested beyond `room` levels. Never goes deeper than that itself."""
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return room == 0 or any(_deeper(item, room - 1) for item in inside)


def _toml_place(message: str, text: str) -> tuple[str, int, int]:
    """Splits `… (at line 3, column 7)`, as the TOML parser words it."""
    what, _, place = message.rpartition(" (at ")
    words = place.rstrip(")").replace(",", "").split()
    if len(words) == 4 and words[0] == "line" and words[1].isdigit() and words[3].isdigit():
        return f"not TOML: {what}", int(words[1]), int(words[3])
    lines = text.split("\n")
    return f"not TOML: {what or message}", len(lines), len(lines[-1]) + 1


def _did_you_mean(key: str, known: Mapping[str, object]) -> str:
    import difflib

    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"; did you mean `{close[0]}`?" if close else f"; known here: {', '.join(known)}"


def _last(path: Path) -> str:
    return _shown(".".join(str(part) for part in path))


def _shown(text: str) -> str:
    """Someone else's text, safe to put into a message: nothing that a terminal obeys."""
    return ascii(text[:60])[1:-1]


def _outward_commands(commands: Mapping[str, Any]) -> list[str]:
    """Actions of programs that the file describes, and that leave this machine."""
    found = []
    for name, entry in commands.items():
        if "external" in entry.get("tags", ()):
            found.append(str(entry.get("action") or f"exec:{name}"))
        found += _outward_commands(entry.get("commands", {}))
    return found
