"""Tasks of nox, invoke, fabric and doit: functions that the runner calls, with an object that starts programs.

`session.run('rm', …)` in a noxfile is a command like any other. A decorator says which object a function is given; only
the tasks that the command names are followed with it, and what these name in turn. doit takes commands as data.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from .values import UNKNOWN, Given, Held, reference

if TYPE_CHECKING:
    from .called import Called
    from .functions import Functions
    from .values import Function

__all__ = ["GIVEN_BY", "follow_actions", "follow_tasks"]

# decorator -> what the function is given first (its methods are rows of calls.py)
GIVEN_BY = {
    "nox.session": "nox.Session",
    "invoke.task": "invoke.Context",
    "invoke.tasks.task": "invoke.Context",
    "fabric.task": "fabric.Connection",
    "fabric2.task": "fabric.Connection",
    "fabric.tasks.task": "fabric.Connection",
}


def follow_tasks(reader: Functions) -> None:
    """Each task that is run, with what the runner gives it. An option may stand for any of its other parameters."""
    tasks = [function for function in reader.functions if function.first]
    if not tasks:
        return
    commands = reader.found.commands
    words = [word.text for word in commands[-1][0][1:]] if commands else []
    options = any(word[:1] == "-" and word not in ("-s", "-e", "--session", "--sessions") for word in words)
    behind = words[words.index("--") + 1 :] if "--" in words else []
    for function in _chosen(tasks, words):
        _Filled(behind).visit(function.node)
        parameters = [*function.node.args.posonlyargs, *function.node.args.args, *function.node.args.kwonlyargs]
        others = {parameter.arg: UNKNOWN for parameter in parameters[1:]} if options else {}
        reader.local(function, Given([reference(function.first)], others))


def _chosen(tasks: list[Function], words: list[str]) -> list[Function]:
    """Those that the words name, and those that these name. All of them where no word is the name of one."""
    said = {part for word in words for part in (word, word.rpartition("-")[0], word.rpartition(".")[2])}
    names = {word.replace("-", "_") for word in said}
    left = [task for task in tasks if task.node.name in names]
    if not left:
        return tasks
    chosen: list[Function] = []
    while left:
        task = left.pop()
        chosen.append(task)
        named = {node.id for node in ast.walk(task.node) if isinstance(node, ast.Name)}
        named |= {str(node.value) for node in ast.walk(task.node) if isinstance(node, ast.Constant)}
        left += [other for other in tasks if other.node.name in named and other not in chosen and other not in left]
    return chosen


class _Filled(ast.NodeTransformer):
    """`*session.posargs`, `session.posargs or ["tests"]`: what stands behind `--`, in place of its name."""

    def __init__(self, words: list[str]) -> None:
        self.words = words

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr != "posargs":
            return node
        words: list[ast.expr] = [ast.Constant(word) for word in self.words]
        return ast.copy_location(ast.List(words, ast.Load()), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        first = node.values[0]
        if not isinstance(node.op, ast.Or) or not isinstance(first, ast.List):
            return node
        return first if first.elts else node.values[1] if len(node.values) == 2 else node


def follow_actions(reader: Called, actions: Held) -> None:
    """`'actions': ['make', ['ls', '-l'], function]` of doit: a text is a command line, a list the words of one."""
    for action in actions.items or ():
        if action.text is not None:
            reader.line(action)
        elif action.items is not None:
            reader.command(Given([action]), action)
        else:
            reader.hand_on(action)
