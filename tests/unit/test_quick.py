"""Values as a process that stays makes them: written out, and in every way like those of a hook."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import pytest

import interlock.value
from interlock.calls.quick import quicken
from interlock.value import FrozenMap, Value

quicken()


class Point(Value):
    """Defined after it: classes that are imported later are quick too."""

    x: int
    y: int = 2
    more: tuple[str, ...] = ()


class Nothing(Value):
    pass


class Clash(Value):
    """Fields with the names of everything that such a function could use."""

    more: int
    made: int
    new: int
    cls: int
    value: int
    field: int = 6


def test_it_is_written_out() -> None:
    assert vars(Point)["__init__"] is object.__init__
    assert Point.__new__.__qualname__ == "Point.__new__"
    assert len(interlock.value.QUICKEN) == 1
    quicken()
    assert len(interlock.value.QUICKEN) == 1


def test_fields_defaults_and_equality() -> None:
    assert (Point(x=1).x, Point(x=1).y, Point(x=1).more) == (1, 2, ())
    assert Point(x=1) == Point(x=1, y=2)
    assert Point(x=1) != Point(x=1, y=3)
    assert hash(Point(x=1)) == hash(Point(x=1, y=2))
    assert repr(Point(x=1)) == "Point(x=1, y=2, more=())"
    assert type(Point(x=1)) is Point
    assert Nothing() == Nothing()
    clash = Clash(more=1, made=2, new=3, cls=4, value=5)
    assert list(clash.replace(cls=9).as_dict().values()) == [1, 2, 3, 9, 5, 6]


def test_a_changed_copy_leaves_the_first_alone() -> None:
    first = Point(x=1)
    assert first.replace(y=5, more=("a",)) == Point(x=1, y=5, more=("a",))
    assert first == Point(x=1)
    assert type(first.replace()) is Point


@pytest.mark.parametrize("wrong", [{}, {"y": 1}, {"x": 1, "z": 2}])
def test_what_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Point(**wrong)
    with pytest.raises(TypeError, match="Point has no field z"):
        Point(x=1).replace(z=1)
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]


def test_nothing_of_it_can_be_changed() -> None:
    made = Point(x=1)
    for name in ("x", "other"):
        with pytest.raises(AttributeError):
            setattr(made, name, 2)
    with pytest.raises(AttributeError):
        del made.x
    with pytest.raises(AttributeError):
        made.__class__ = Nothing  # type: ignore[assignment]


def test_copies_and_pickles() -> None:
    from interlock.model.call import Call

    call = Call(tool="Bash", input=FrozenMap({"command": "ls", "deep": FrozenMap({"a": (1, 2)})}), cwd="/")
    assert pickle.loads(pickle.dumps(call)) == call
    assert copy.deepcopy(call) == call
    assert Call.in_order(*[getattr(call, name) for name in Call._fields]) == call


SAME = """
import sys
from interlock import engine, value
from interlock.calls import world
from interlock.model import action, call, decision, events, facts, session
from interlock.value import ABSENT, Value
kinds = [kind for kind in Value.__subclasses__() if "_setters" in kind.__dict__]
def made():
    found = []
    for kind in kinds:
        given = {field: "given" for field, _, default in kind._setters if default is ABSENT}
        one = kind(**given)
        found.append((kind.__name__, [(f, getattr(one, f)) for f in kind._fields]))
        if kind._fields:
            other = one.replace(**{kind._fields[-1]: "new"})
            found.append([(f, getattr(other, f)) for f in kind._fields])
    return found
before = made()
from interlock.calls.quick import quicken
quicken()
assert made() == before
assert len(kinds) > 50, len(kinds)
"""


def test_every_class_makes_what_it_made_before() -> None:
    done = subprocess.run([sys.executable, "-c", SAME], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
