"""Values that are made in a fraction of the time, for a process that stays.

A `Value` is made by one function for all of them, which goes through its fields one by one. That is the cheapest there
is for a hook, which makes few of each. A process that decides many calls has the function of each class written out
instead, once, when its first engine is made: the same fields, the same defaults, the same refusals.
"""

from __future__ import annotations

from .. import value as values
from ..value import ABSENT, Value

if values.TYPE_CHECKING:
    from typing import Any

__all__ = ["quicken"]


def quicken() -> None:
    """From now on every class of values is quick, also one that is imported later."""
    if values.QUICKEN:
        return
    _compiled([kind for kind in Value.__subclasses__() if "_setters" in kind.__dict__])
    values.QUICKEN.append(lambda kind: _compiled([kind]))


def _compiled(kinds: list[Any]) -> None:
    """All of them in one piece: compiling costs more than what is compiled."""
    names: dict[str, Any] = {"_new_": object.__new__, "_absent_": ABSENT, "_refuse_": _refuse}
    text = []
    for at, kind in enumerate(kinds):
        names[f"_kind{at}_"], names[f"_draft{at}_"] = kind, kind.draft()
        text.append(_written(at, kind, names))
    exec("\n".join(text), names)  # noqa: S102 - made of the names of our own fields, and of nothing else
    for at, kind in enumerate(kinds):
        # In this order: whoever makes one in between fills it twice.
        for name in ("__new__", "replace"):
            made = names[f"{name}{at}"]
            made.__name__, made.__qualname__, made.__module__ = name, f"{kind.__name__}.{name}", kind.__module__
            setattr(kind, name, made)
        kind.__init__ = object.__init__


def _refuse(kind: Any, given: dict[str, Any], more: Any) -> None:
    """In the words of `Value` itself."""
    for field, value in given.items():
        if value is ABSENT:
            raise TypeError(f"{kind.__name__} needs `{field}`")
    raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(more))}")


def _written(at: int, kind: Any, names: dict[str, Any]) -> str:
    """A draft is filled, which is a plain store for each field, and becomes the value. No field is named like one of
    our own names in here, which stand between underscores.
    """
    fields, given, wrong = kind._fields, [], ["_more_"]
    for number, (field, _, default) in enumerate(kind._setters):
        names[f"_default{at}_{number}_"] = default
        given.append(f"{field}=_default{at}_{number}_")
        if default is ABSENT:
            wrong.append(f"{field} is _absent_")
    head = ", ".join(["_cls_", "*", *given, "**_more_"] if given else ["_cls_", "**_more_"])
    needed = ", ".join([f"{field!r}: {field}" for field in fields])
    filled = "".join([f"    _made_.{field} = {field}\n" for field in fields])
    taken = "".join([f"    _made_.{field} = _self_.{field}\n" for field in fields])
    return f"""
def __new__{at}({head}):
    if {" or ".join(wrong)}:
        _refuse_(_kind{at}_, {{{needed}}}, _more_)
    _made_ = _new_(_draft{at}_)
{filled}    _made_.__class__ = _kind{at}_
    return _made_

def replace{at}(_self_, **_changes_):
    _made_ = _new_(_draft{at}_)
{taken}    try:
        for _field_, _value_ in _changes_.items():
            setattr(_made_, _field_, _value_)
    except AttributeError:
        _refuse_(_kind{at}_, {{}}, set(_changes_) - set(_kind{at}_._fields))
    _made_.__class__ = _kind{at}_
    return _made_
"""
