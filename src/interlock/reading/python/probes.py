"""Python that looks whether a port of this machine is open, as `nc -z` does, and says nothing there.

`socket` can do anything, so its import counts as a connection to anywhere. Not so where every use of it in the code is
one of few: a connection to an address of this machine that stands in the code, a free port that is asked for, a name.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from ..evaluate.flow import stays

if TYPE_CHECKING:
    from .acts import Target
    from .values import Given

__all__ = ["connects", "only_probes", "what_is_reached"]

_CONNECTS = frozenset(("connect", "sendall", "urlopen", "sendmail", "storbinary"))  # whatever they are methods of
_OF_LOOPS = frozenset(("create_connection", "create_datagram_endpoint", "create_server"))  # of asyncio
# Ways to a name that does not stand in the code.
_DOORS = frozenset(
    "__builtins__ __import__ builtins compile delattr eval exec getattr globals importlib locals modules runpy setattr "
    "vars".split()
)

# What may be taken from the module, and calls of it that give a socket.
_PLAIN = frozenset(
    "AF_INET AF_INET6 SOCK_STREAM SOL_SOCKET SO_REUSEADDR error gaierror gethostname herror setdefaulttimeout "
    "timeout".split()
)
_MAKES = frozenset(("create_connection", "socket"))
# Methods of a socket. No other one may be called on it.
_QUIET = frozenset("bind close connect connect_ex getsockname setblocking setsockopt settimeout".split())
_REACHES = frozenset(("bind", "connect", "connect_ex", "create_connection"))


def what_is_reached(module: str, probes: bool) -> tuple[str, Target, tuple[str, ...]]:
    """What the import of a module that talks to others comes to."""
    if module == "socket" and probes:
        return "net:scan", {"host": "localhost"}, ("local",)
    return "net:connect", {}, ("external",)


def connects(name: str, given: Given, probes: bool) -> bool:
    """Whether a method talks to another machine. Not `button.clicked.connect(handler)`, and not what only probes."""
    first = given.args[0] if given.args else None
    if name != "connect" or first is None:
        return name in _CONNECTS or (name in _OF_LOOPS and not probes)
    if probes and first.items:
        return not stays(first.items[0].text)
    return first.code is None


def only_probes(tree: ast.Module) -> bool:
    """True if `socket` is imported as a whole, and the code does nothing with it but look at this machine."""
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    modules, sockets = _named(tree, above)
    if not modules or any(_name_of(node) in _DOORS for node in ast.walk(tree)):
        return False
    return all(
        _is_plain_use(node, above) if node.id in modules else _is_quiet_use(node, above)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in modules | sockets
    )


def _name_of(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def _named(tree: ast.Module, above: dict[ast.AST, ast.AST]) -> tuple[set[str], set[str]]:
    """The names of the module, and those that hold a socket; no module where it is brought in another way."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "socket"}
        elif isinstance(node, ast.ImportFrom) and node.module == "socket":
            return set(), set()
    sockets: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in modules and _made(node, above) is not None:
            sockets |= _kept_as(_made(node, above), above)
    return modules, sockets


def _made(module: ast.Name, above: dict[ast.AST, ast.AST]) -> ast.Call | None:
    """`socket.socket(…)`: the call that gives a socket, where the name is part of one."""
    attribute = above[module]
    call = above.get(attribute)
    if isinstance(attribute, ast.Attribute) and isinstance(call, ast.Call) and call.func is attribute:
        return call if attribute.attr in _MAKES else None
    return None


def _kept_as(call: ast.Call | None, above: dict[ast.AST, ast.AST]) -> set[str]:
    node = above[call] if call is not None else None
    targets: list[ast.expr | None] = []
    if isinstance(node, ast.Assign):
        targets = [*node.targets]
    elif isinstance(node, ast.withitem):
        targets = [node.optional_vars]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _is_plain_use(name: ast.Name, above: dict[ast.AST, ast.AST]) -> bool:
    """Of the module."""
    attribute = above[name]
    if not isinstance(attribute, ast.Attribute) or not isinstance(attribute.ctx, ast.Load):
        return False
    if attribute.attr in _PLAIN:
        return True
    call = _made(name, above)
    if call is None or (attribute.attr == "create_connection" and not _is_here(call)):
        return False
    node = above[call]
    if isinstance(node, ast.Attribute):
        return _is_quiet_call(node, above)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets)
    if isinstance(node, ast.withitem):
        return node.optional_vars is None or isinstance(node.optional_vars, ast.Name)
    return isinstance(node, ast.Expr)


def _is_quiet_use(name: ast.Name, above: dict[ast.AST, ast.AST]) -> bool:
    """Of a name that holds a socket."""
    node = above[name]
    if isinstance(name.ctx, ast.Store):
        return isinstance(node, (ast.Assign, ast.withitem))
    if isinstance(node, ast.withitem):
        return node.optional_vars is None
    return isinstance(node, ast.Attribute) and _is_quiet_call(node, above)


def _is_quiet_call(method: ast.Attribute, above: dict[ast.AST, ast.AST]) -> bool:
    call = above[method]
    if not isinstance(call, ast.Call) or call.func is not method or method.attr not in _QUIET:
        return False
    return method.attr not in _REACHES or _is_here(call)


def _is_here(call: ast.Call) -> bool:
    """Whether the first value is an address of this machine: `("localhost", 5432)`; the port may be any number."""
    given = call.args[0] if call.args else None
    if not isinstance(given, ast.Tuple) or len(given.elts) < 2 or any(isinstance(e, ast.Starred) for e in given.elts):
        return False
    host = given.elts[0]
    if not isinstance(host, ast.Constant) or type(host.value) is not str:
        return False
    return stays(host.value) or (host.value == "" and isinstance(call.func, ast.Attribute) and call.func.attr == "bind")
