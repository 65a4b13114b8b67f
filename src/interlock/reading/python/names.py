"""The names of Python code and what they hold, scope by scope, while the code is followed.

The reader goes through the code as it would run. A loop comes round again: a scope notes which names were looked up
before they were bound, so that such a body is followed once more with what it leaves behind.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from .values import Held

__all__ = ["BUILTINS", "MEDDLES", "REACHES", "SHOWN", "Scope"]

# Attributes through which everything can be had that was never named.
REACHES = frozenset(
    "__globals__ __subclasses__ __builtins__ __getattribute__ __loader__ __spec__ __code__ __closure__ __mro__ "
    "__reduce__ __reduce_ex__ f_globals f_builtins f_locals gi_frame cr_frame tb_frame f_back __wrapped__ "
    "__import__ load_module exec_module".split()
)

# Attributes of a function that only tell about it.
SHOWN = frozenset("__name__ __doc__ __module__ __qualname__ __annotations__ __class__".split())

# Methods of a class by which its objects hold something else than they were told to.
MEDDLES = frozenset(
    "__setattr__ __getattribute__ __getattr__ __delattr__ __new__ __slots__ __get__ __set__ __class__ "
    "__init_subclass__ __prepare__ __dict__".split()
)

# Functions that every module has and that do nothing but look at what they are given, or make something of it.
BUILTINS = frozenset(
    "abs all any ascii bin bool bytearray bytes callable chr complex dict dir divmod enumerate filter float format "
    "frozenset hasattr hash help hex id int isinstance issubclass iter len list map max memoryview min next object oct "
    "ord pow print range repr reversed round set slice sorted str sum super tuple type zip".split()
)


class Scope:
    """
    held      name -> what it holds
    bound     names in the order in which they were bound, each as often as it was
    loads     names that were looked up since the innermost loop began; `late`: and that were bound after that
    outer     names that belong to the module, by a `global` in the function
    shifting  names that something may bind at any time
    """

    __slots__ = ("bound", "held", "inner", "late", "loads", "of_class", "outer", "parent", "returns", "shifting")

    def __init__(self, parent: Scope | None, of_class: bool = False, inner: bool = False) -> None:
        self.parent = parent
        self.inner = inner  # of a comprehension: what `:=` binds there belongs outside
        self.of_class = of_class
        self.held: dict[str, Held] = {}
        self.bound: list[str] = []
        self.loads: set[str] = set()
        self.late: set[str] = set()
        self.outer: set[str] | None = None
        self.shifting: set[str] | None = None
        self.returns: list[Held] = []

    def look_up(self, name: str) -> Held | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.held.get(name)
            if found is not None:
                scope.loads.add(name)
                return found
            scope = scope.parent
        scope = self
        while scope is not None:  # it may be bound later, in a loop
            scope.loads.add(name)
            scope = scope.parent
        return None

    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def visible(self) -> Scope:
        """The scope that a function defined here looks names up in: never that of a class."""
        scope = self
        while scope.of_class and scope.parent is not None:
            scope = scope.parent
        return scope
