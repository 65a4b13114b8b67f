"""Puts a mutant into the modules that this process has imported already.

A function keeps its identity and gets other code, so whoever holds it runs the mutant. A table is made anew from the
mutated source and given to every module that holds the old one under its name. What a class holds stays as it was: its
instances are about already, and `put_in` says that it could not.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .operators import MODULE, Mutant

__all__ = ["functions_in", "put_in"]


def functions_in(file: str) -> dict[str, list[FunctionType]]:
    """The live functions of a file by name, wherever somebody holds them: a cache around them, or a property, too."""
    found: dict[str, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename == file:
            found.setdefault(thing.__code__.co_qualname, []).append(thing)
    return found


def put_in(mutant: Mutant, source: str, file: str, live: dict[str, list[FunctionType]]) -> bool:
    """Whether it is in."""
    code = mutant.compiled(source, file)
    if mutant.function != MODULE:
        for function in live.get(mutant.function, ()):
            function.__code__ = _found(code, mutant.function)
        return mutant.function in live
    module = next(module for module in _modules() if getattr(module, "__file__", None) == file)
    now, same = vars(module), _made(compile(source, file, "exec"), module)
    made = _made(code, module)
    # What is not even the same when nothing was changed is told by its identity, and left alone.
    changed = {
        name: new
        for name, new in made.items()
        if _is_table(new) and same.get(name) == now.get(name) and new != now[name]
    }
    for name, new in changed.items():
        _into_modules(name, now[name], new)
    defaults = [_with_defaults(new, now[name]) for name, new in made.items() if isinstance(new, FunctionType)]
    return bool(changed) or any(defaults)


def _into_modules(name: str, old: object, new: object) -> None:
    for module in _modules():
        if vars(module).get(name) is old:
            setattr(module, name, new)


def _with_defaults(made: FunctionType, live: object) -> bool:
    """Whether its default arguments are others now."""
    if not isinstance(live, FunctionType) or made.__module__ != live.__module__:
        return False
    if (made.__defaults__, made.__kwdefaults__) == (live.__defaults__, live.__kwdefaults__):
        return False
    live.__defaults__, live.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
    return True


def _made(code: CodeType, module: ModuleType) -> dict[str, Any]:
    """What running the module's code gives, names of the import system left out."""
    made = {name: value for name, value in vars(module).items() if name.startswith("__")}
    exec(code, made)
    return {name: value for name, value in made.items() if not name.startswith("__")}


def _is_table(value: Any) -> bool:
    """Values all the way down: no function and no class, which others hold already."""
    if isinstance(value, dict):
        return all(map(_is_table, value)) and all(map(_is_table, value.values()))
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_table, value))
    return not isinstance(value, FunctionType | ModuleType | type)


def _found(module: CodeType, name: str) -> CodeType:
    """The code of the function with this qualified name."""
    code = module
    for part in name.split("."):
        code = next(const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == part)
    return code


def _modules() -> Iterator[ModuleType]:
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType):
            yield module
