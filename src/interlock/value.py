"""Immutable values, and closed ordered scales, that cost almost nothing to import.

Every noun of Interlock is a `Value`: keyword-only fields, `__slots__`, equality by
content, no way to change it. `dataclasses` and `enum` would do the same and cost the
hook more than everything else it imports together (docs/adr/0002), so this module
does the little that is needed and nothing else.

`lazy` is here for the same reason: what most calls do not need is imported by those that do.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Self, dataclass_transform

    Json = None | bool | int | float | str | tuple["Json", ...] | Mapping[str, "Json"]
else:

    def dataclass_transform(**_promises):
        return lambda cls: cls


__all__ = ["ABSENT", "QUICKEN", "FrozenMap", "Key", "Scale", "Value", "freeze", "lazy", "preload"]

ABSENT = object()  # the default of a field that has none
QUICKEN: list[Callable[[type], None]] = []  # what makes a new class quick, in a process that stays (quick.py)
FrozenMap = type(type.__dict__)  # mappingproxy, without importing `types`


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _ValueType(type):
    """Turns a class body's annotations into slots, defaults and an order of fields."""

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        # INVARIANT: every module that defines values postpones annotations, so that
        # `__annotations__` is filled with text and nothing is evaluated at import.
        fields = tuple(f for f, kind in body.get("__annotations__", {}).items() if not kind.startswith("ClassVar"))
        defaults = {field: body.pop(field) for field in fields if field in body}
        body["__slots__"] = fields
        cls = super().__new__(mcs, name, bases, body)
        cls._fields = fields  # type: ignore[attr-defined]
        cls._setters = tuple(  # type: ignore[attr-defined]
            (field, cls.__dict__[field].__set__, defaults.get(field, ABSENT)) for field in fields
        )
        cls._puts = tuple([put for _, put, _ in cls._setters])  # type: ignore[attr-defined]
        for quicken in QUICKEN:
            quicken(cls)
        return cls


class Value(metaclass=_ValueType):
    """Base of all values. Subclasses only list their fields."""

    if TYPE_CHECKING:
        _fields: ClassVar[tuple[str, ...]]
        _setters: ClassVar[tuple[tuple[str, Any, Any], ...]]
        _puts: ClassVar[tuple[Any, ...]]

    if not TYPE_CHECKING:

        def __init__(self, **given):
            used = 0
            for field, put, default in self._setters:
                if field in given:
                    put(self, given[field])
                    used += 1
                elif default is ABSENT:
                    raise TypeError(f"{type(self).__name__} needs `{field}`")
                else:
                    put(self, default)
            if used != len(given):
                unknown = sorted(set(given) - set(self._fields))
                raise TypeError(f"{type(self).__name__} has no field {', '.join(unknown)}")

    @classmethod
    def in_order(cls, *values: Any) -> Self:
        """All fields, in the order of the class: for values that are made by the dozen, at half the cost."""
        made = object.__new__(cls)
        for put, value in zip(cls._puts, values, strict=True):
            put(made, value)
        return made

    @classmethod
    def draft(cls) -> type:
        """A class with the same slots that can still be filled: for values of which every call makes several, at a
        tenth of the cost. What was filled becomes a value by `made.__class__ = …`, and cannot be changed any more.
        """
        # Of the two for attributes both: one alone would send every store through a search for the other.
        plain = {name: getattr(object, name) for name in ("__init__", "__setattr__", "__delattr__")}
        body = {"__slots__": cls._fields, **plain}
        return type.__new__(_ValueType, f"{cls.__name__}Draft", cls.__bases__, body)

    def replace(self, **changes: Any) -> Self:
        """The same value with some fields changed."""
        kind = type(self)
        other = object.__new__(kind)
        for field, put, _ in self._setters:
            put(other, getattr(self, field))
        for field, value in changes.items():
            if field not in self._fields:
                unknown = sorted(set(changes) - set(self._fields))
                raise TypeError(f"{kind.__name__} has no field {', '.join(unknown)}")
            kind.__dict__[field].__set__(other, value)
        return other

    def as_dict(self) -> dict[str, Any]:
        return {field: getattr(self, field) for field in self._fields}

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be removed")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(_hashable(getattr(self, field)) for field in self._fields)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{field}={getattr(self, field)!r}" for field in self._fields)
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), {field: _thaw(value) for field, value in self.as_dict().items()}))


@dataclass_transform(frozen_default=True)
class _KeyType(type):
    """Gives each annotated field its place, behind those of the base."""

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        before = bases[0].__dict__.get("_fields", ()) if bases else ()
        fields = (*before, *body.get("__annotations__", ()))
        for at in range(len(before), len(fields)):
            body[fields[at]] = _PARTS[at]
        body["_fields"], body["__slots__"] = fields, ()
        return type.__new__(mcs, name, bases, body)


def _part(at: int) -> Any:
    return property(lambda key: key[at])


_PARTS = tuple([_part(at) for at in range(1, 8)])

if TYPE_CHECKING:

    class Key(metaclass=_KeyType):
        """A value that maps are asked for: made, hashed and compared by what tuples are, at a tenth of the cost.

        Its fields are given in order, all of them. The class is a part of it, so that two kinds are never equal.
        """

        _fields: ClassVar[tuple[str, ...]]

        def as_dict(self) -> dict[str, Any]: ...

else:

    class Key(tuple, metaclass=_KeyType):
        def __new__(cls, *parts):
            return tuple.__new__(cls, (cls, *parts))

        def as_dict(self):
            return dict(zip(self._fields, self[1:], strict=True))

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(map(repr, self[1:]))})"

        def __getnewargs__(self):
            return self[1:]


def _rebuild(cls: type[Value], fields: dict[str, Any]) -> Value:
    return cls(**{field: freeze(value) for field, value in fields.items()})


def _hashable(value: Any) -> Any:
    """Equal maps have equal hashes; the standard read-only map has none."""
    kind = type(value)
    if kind is FrozenMap:
        return frozenset([(key, _hashable(item)) for key, item in value.items()])
    return tuple([_hashable(item) for item in value]) if kind is tuple else value


def _thaw(value: Any) -> Any:
    """For pickling and deep copies, which know nothing of read-only maps."""
    kind = type(value)
    if kind is FrozenMap:
        return {key: _thaw(item) for key, item in value.items()}
    return tuple([_thaw(item) for item in value]) if kind is tuple else value


class Scale:
    """A closed, ordered set of words: `allow < ask < deny`.

    A subclass names its words, weakest first, and gets one member for each as an
    upper-case attribute. Members compare by rank, so joining is `max`.
    """

    __slots__ = ("name", "rank")

    if TYPE_CHECKING:
        name: str
        rank: int
        members: ClassVar[tuple[Any, ...]]
        _by_name: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, words: str) -> None:
        cls._by_name = {}
        for rank, name in enumerate(words.split()):
            member = object.__new__(cls)
            object.__setattr__(member, "name", name)
            object.__setattr__(member, "rank", rank)
            cls._by_name[name] = member
            setattr(cls, name.upper(), member)
        cls.members = tuple(cls._by_name.values())

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__} is closed; take one with {type(self).__name__}.of(name)")

    @classmethod
    def of(cls, name: str) -> Self:
        """The member called `name`; ValueError if there is none."""
        member = cls._by_name.get(name)
        if member is None:
            raise ValueError(f"`{name}` is not one of {', '.join(cls._by_name)}")
        found: Self = member
        return found

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(cls._by_name)

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be removed")

    def __lt__(self, other: Self) -> bool:
        return self.rank < other.rank if type(other) is type(self) else NotImplemented

    def __le__(self, other: Self) -> bool:
        return self.rank <= other.rank if type(other) is type(self) else NotImplemented

    def __gt__(self, other: Self) -> bool:
        return self.rank > other.rank if type(other) is type(self) else NotImplemented

    def __ge__(self, other: Self) -> bool:
        return self.rank >= other.rank if type(other) is type(self) else NotImplemented

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name.upper()}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).of, (self.name,))


def freeze(value: Any) -> Json:
    """JSON data with every object read-only and every array a tuple."""
    kind = type(value)
    if kind is dict or kind is FrozenMap:
        return FrozenMap({key: freeze(item) for key, item in value.items()})
    if kind is list or kind is tuple:
        return tuple([freeze(item) for item in value])
    frozen: Json = value
    return frozen


def lazy(here: dict[str, Any], module: str, name: str) -> Any:
    """The function `name` of `module`, which is imported when the function is first called (docs/adr/0107).

    `here` is the `globals()` of the importer. Its `name` becomes the function itself with the first call, so that
    later calls cost nothing. What kept the stand-in, such as a table, reaches the function through it.
    """
    known: Any = None

    def stand_in(*given: Any, **named: Any) -> Any:
        nonlocal known
        if known is None:
            level = len(module) - len(module.lstrip("."))
            home = __import__(module[level:], here, None, (name,), level)
            found = getattr(home, name)
            if getattr(found, "__module__", None) != home.__name__:
                return found(*given, **named)  # a test has put something else there, for a while
            known = found
            if here.get(name) is stand_in:
                here[name] = found
        return known(*given, **named)

    stand_in.__module__, stand_in.__name__, stand_in.__qualname__ = here["__name__"], name, name  # as pickles name it
    return stand_in


def preload(here: dict[str, Any], *modules: str) -> None:
    """Imports what lazy functions will need in a moment, before a lock is taken that others wait for."""
    for module in modules:
        level = len(module) - len(module.lstrip("."))
        __import__(module[level:], here, None, None, level)
