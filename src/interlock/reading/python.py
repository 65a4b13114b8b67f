"""Python given inline, by here-document or as a script: what it deletes, writes, runs and sends.

Read through `ast`. Names are followed through imports and through variables that hold a known text, list or path; a
call of something in the table below becomes an action on its arguments. What is looked up by text, loaded
from bytes or built at run time is opaque. A module that is not the standard library's is code of the project or of
an installed package: run, and not read.
"""

from __future__ import annotations

import ast

from ..effects import Effect
from ..value import TYPE_CHECKING
from .commands.acts import emit, on_path
from .commands.engine import run_command
from .commands.places import has_written
from .evaluate.words import NUL, Arg
from .python_calls import ACTING, CALLS, HIDDEN, METHODS, NETWORK, TRUSTING
from .python_modules import STANDARD
from .python_names import REACHES, changed_lists, shifting_names
from .python_values import KnownValues
from .tools import host_of
from .wrappers import run_code, run_file

if TYPE_CHECKING:
    from .evaluate.state import Shell

__all__ = ["MAX_CODE", "MAX_ITEMS", "read_python"]

MAX_CODE = 200_000
MAX_ITEMS = 32  # of a list that a loop goes through


def read_python(code: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Everything that the text would do; opaque where it cannot be parsed."""
    if len(code.text) > MAX_CODE:
        shell.unclear("the Python code is too long to read", span)
        return
    try:
        tree = ast.parse(code.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        shell.unclear("the Python code could not be parsed", span)
        _emit(shell, span, "exec:code", ("unread",))
        return
    reader = _Reader(shell, span)
    reader.shifting, reader.changed = shifting_names(tree), changed_lists(tree)
    before, moved = len(shell.found.actions), shell.found.moved
    try:
        reader.visit(tree)
    except RecursionError:
        shell.unclear("the Python code is nested too deeply", span)
    if shell.found.moved > moved:
        from .commands.acts import keep_moved

        keep_moved(before, shell)
    if reader.foreign:
        _emit(shell, span, "exec:project", ("unread",), {"module": tuple(sorted(reader.foreign))[:5]})
    elif not reader.acted:
        _emit(shell, span, "exec:python", (), effects=())


def _emit(
    shell: Shell,
    span: tuple[int, int],
    name: str,
    tags: tuple[str, ...],
    target: dict[str, str | bool | tuple[str, ...]] | None = None,
    effects: tuple[Effect, ...] = (Effect.EXECUTE,),
) -> None:
    emit(shell, span, name=name, effects=effects, tags=tags, target=target)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


class _Reader(KnownValues):
    # --- names -------------------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.names[alias.asname or alias.name.partition(".")[0]] = (
                alias.name if alias.asname else alias.name.partition(".")[0]
            )
            self._module(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or "."
        self._module(module)
        for alias in node.names:
            self.names[alias.asname or alias.name] = f"{module}.{alias.name}"
            if alias.name == "*":
                self._unclear(f"everything of `{module}` is imported by name")

    def _module(self, name: str) -> None:
        top = name.partition(".")[0]
        self.paths = self.paths or top == "pathlib"
        if name in NETWORK or top in NETWORK:
            self._network("net:connect", {})
        if top in ("ctypes", "cffi"):
            self._unclear(f"`{top}` calls code that is not Python")
        if top == "interlock":
            self._unclear("loads the guard's own code")
        if top not in STANDARD:
            self.foreign.add(top)

    def visit_Assign(self, node: ast.Assign) -> None:
        whole = self._dotted(node.value)
        renamed = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and whole in ACTING
        if whole not in CALLS and not renamed:  # another name for a function is followed below
            self.visit(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.visit(target)
            if isinstance(target, ast.Name):
                dotted = self._dotted(node.value)
                if dotted is not None and (dotted in CALLS or dotted in HIDDEN or dotted in STANDARD):
                    if self.names.get(target.id, dotted) != dotted:
                        self._unclear(f"`{target.id}` stands for more than one function")
                    self.names[target.id] = dotted  # another name for a function: `r = os.remove`
                fresh = target.id not in self.values and target.id not in self.shifting
                value = self._value(node.value) if fresh else None
                self.values[target.id] = None if isinstance(value, list) and target.id in self.changed else value
                self._opens(target, node.value)

    def visit_withitem(self, node: ast.withitem) -> None:
        if isinstance(node.optional_vars, ast.Name):
            self._opens(node.optional_vars, node.context_expr)
            self.values[node.optional_vars.id] = None
        self.generic_visit(node)

    def _opens(self, target: ast.Name, value: ast.expr) -> None:
        """`f = open(p)`, `with open(p) as f`: what is loaded from `f` is loaded from that file."""
        path = (
            value.args[0] if isinstance(value, ast.Call) and self._dotted(value.func) == "open" and value.args else None
        )
        self.opened[target.id] = None if target.id in self.opened or target.id in self.shifting else path

    def visit_For(self, node: ast.For) -> None:
        names = self._value(node.iter)
        if isinstance(node.target, ast.Name):
            self.values[node.target.id] = names if isinstance(names, Arg) and names.glob else None
            if isinstance(names, list) and node.target.id not in self.shifting:
                if len(names) > MAX_ITEMS:
                    self._unclear("a list is too long to go through")
                for item in names[:MAX_ITEMS]:
                    self.values[node.target.id] = item
                    for statement in node.body:
                        self.visit(statement)
                self.visit(node.iter)
                return
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.values[node.target.id] = None
        self.generic_visit(node)

    # --- calls -------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> None:
        name = self._dotted(node.func)
        if name in HIDDEN:
            self._hidden(node, name or "")
        elif name == "open" or name in ("io.open", "codecs.open", "pathlib.Path.open", "gzip.open", "bz2.open"):
            self._open(node)
        elif name in CALLS:
            self._table(node, CALLS[name or ""])
        elif name == "pwd.getpwall" or name in ("pwd.getpwnam", "grp.getgrall", "spwd.getspall", "spwd.getspnam"):
            _emit(self.shell, self.span, "user:list", ("accounts",), effects=(Effect.READ,))
        elif isinstance(node.func, ast.Attribute):
            self._method(node, node.func)
        elif not isinstance(node.func, ast.Name | ast.Attribute):
            if not isinstance(node.func, ast.Call | ast.Lambda):
                self._unclear("a function that is looked up while the code runs")
        if any(keyword.arg in TRUSTING and not _is_false(keyword.value) for keyword in node.keywords):
            self._unclear("code of somebody else is loaded and run")
        # the function itself is known by now; as a value, `visit_Attribute` and `visit_Name` would doubt it
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in REACHES:
                self._unclear(f"`{node.func.attr}` gives access to everything by name")
            self._owner(node.func.value)
        for part in (*node.args, *node.keywords):
            self.visit(part)
        if not isinstance(node.func, ast.Name | ast.Attribute):
            self.visit(node.func)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        dotted = self._dotted(node)
        self._handed_on(dotted)
        if isinstance(node.ctx, ast.Store) and (dotted == "sys.executable" or self._dotted(node.value) in ACTING):
            self._unclear(f"`{dotted}` is made to be something else")
        if (
            node.attr in REACHES
            or dotted == "sys.modules"
            or (node.attr == "__dict__" and self._dotted(node.value) in ACTING)
        ):
            self._unclear(f"`{node.attr}` gives access to everything by name")
        self._owner(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        self._handed_on(self.names.get(node.id))
        if node.id == "__builtins__":
            self._unclear("`__builtins__` gives access to everything by name")
        if isinstance(node.ctx, ast.Load) and self.names.get(node.id) in ACTING:
            self._unclear(f"the module `{self.names[node.id]}` is handed on, to be used elsewhere")

    def _owner(self, node: ast.expr) -> None:
        """What stands before a dot: a module there is not handed on."""
        if isinstance(node, ast.Name):
            self._handed_on(self.names.get(node.id))
            if node.id == "__builtins__":
                self.visit(node)
        else:
            self.visit(node)

    def _handed_on(self, name: str | None) -> None:
        """`map(os.remove, …)`: a function that acts, given to something that may call it with anything."""
        if name in HIDDEN or (name in CALLS and CALLS[name][0] not in ("read", "list", "fetch")):
            self._unclear(f"`{name}` is handed on, to be called elsewhere")

    def _hidden(self, node: ast.Call, name: str) -> None:
        plain = name in ("getattr", "setattr", "vars", "globals", "locals", "importlib.import_module", "__import__")
        if plain and len(node.args) > (0 if "import" in name else 1):
            key = node.args[0 if "import" in name else 1]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                if "import" in name:
                    self._module(key.value)
                    if key.value.partition(".")[0] not in ("os", "subprocess", "shutil", "pty", "socket", "ctypes"):
                        return None
                elif (
                    name in ("getattr", "setattr")
                    and key.value not in METHODS
                    and key.value not in ("system", "popen", "run", "call", "remove")
                ):
                    return None
        if name in ("vars", "globals", "locals") and not isinstance(node, ast.Subscript):
            return self._unclear(f"`{name}` gives access to everything by name")
        return self._unclear(f"`{name}` runs or loads what is not seen here")

    def _open(self, node: ast.Call) -> None:
        mode = next((k.value for k in node.keywords if k.arg == "mode"), node.args[1] if len(node.args) > 1 else None)
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else None if mode else "r"
        role = "read" if text is not None and not any(char in text for char in "wax+") else "write"
        if isinstance(mode, ast.expr) and text is None:
            self._unclear("whether a file is opened for writing is not known")
        if node.args:
            self._path(role, node.args[0])

    def _table(self, node: ast.Call, roles: tuple[str, ...]) -> None:
        self.acted = True
        for role, argument in zip(roles, node.args, strict=False):
            if role == "process":
                self._ends(argument)
            elif role == "unpickle":
                self._unpickle(node, argument)
            elif role == "foreign":
                self._unclear("code that is fetched and run")
            elif role == "rights":
                _emit(self.shell, self.span, "proc:rights", ("privileged",))
            elif role == "argv":
                self._command(node, argument)
            elif role == "shell":
                self._shell(self._value(argument))
            elif role in ("fetch", "sends"):
                carries = any(keyword.arg in ("data", "json", "files", "body") for keyword in node.keywords)
                self._address(argument, "sends" if carries or self._posts(node) else role)
            elif role == "program":
                self._run(
                    [
                        self._as_arg(item)
                        for item in node.args[node.args.index(argument) :]
                        if isinstance(item, ast.expr)
                    ][:1]
                    + [self._as_arg(item) for item in node.args[node.args.index(argument) + 2 :]]
                )
            elif role != "text":
                self._path(role, argument)
        if not node.args and roles and roles[0] in ("argv", "shell", "delete"):
            given = next((k.value for k in node.keywords if k.arg in ("args", "path", "cmd")), None)
            if given is not None and roles[0] == "argv":
                self._command(node, given)
            else:
                self._unclear("what a call is given is not known")

    def _ends(self, process: ast.expr | None) -> None:
        """A process that is ended: its number is known, or it is any of them."""
        known = isinstance(process, ast.Constant) and isinstance(process.value, int) and process.value > 1
        if not known:
            self._unclear("which process is ended is not known")
        number = str(process.value) if known and isinstance(process, ast.Constant) else "?"
        _emit(self.shell, self.span, "proc:kill", (), {"process": number})

    def _unpickle(self, node: ast.Call, argument: ast.expr) -> None:
        """A file of objects is a program: from the project it is the project's, from elsewhere it is not known."""
        if any(k.arg == "weights_only" and isinstance(k.value, ast.Constant) and k.value.value for k in node.keywords):
            self._path("read", argument)
            return
        if isinstance(argument, ast.Name) and self.opened.get(argument.id) is not None:
            argument = self.opened[argument.id] or argument
        elif isinstance(argument, ast.Call) and self._dotted(argument.func) == "open" and argument.args:
            argument = argument.args[0]
        value = self._value(argument)
        if isinstance(value, Arg) and value.known and "://" in value.text:
            self._unclear("objects that are fetched and loaded can run anything")
        elif isinstance(value, Arg) and value.known:
            self._loaded(value)
        else:
            self._unclear("objects are loaded, and from where is not known; loading them can run anything")

    def _loaded(self, path: Arg) -> None:
        from .commands.acts import on_path

        inner = self.shell.copy()
        inner.frozen_span = self.shell.span(self.span)
        root = self.shell.found.facts.root
        places = on_path("read", path, inner)
        if not places or any(has_written(place, self.shell) or not place.startswith(root + "/") for place in places):
            self._unclear("objects that are not the project's own are loaded, and loading them can run anything")
        else:
            _emit(self.shell, self.span, "exec:project", ("unread",), {"path": places[0]})

    def _posts(self, node: ast.Call) -> bool:
        """`urlopen(url, data)` sends; the second argument of the others is where to write, or how."""
        return (self._dotted(node.func) or "").endswith("urlopen") and len(node.args) > 1

    def _command(self, node: ast.Call, argument: ast.expr) -> None:
        through_shell = next((k.value for k in node.keywords if k.arg == "shell"), None)
        where = next((k.value for k in node.keywords if k.arg == "cwd"), None)
        value = self._value(argument)
        shell = self.shell.copy()
        if where is not None:
            folder = self._value(where)
            shell.folders = (
                (folder.text,) if isinstance(folder, Arg) and folder.known and folder.text.startswith("/") else None
            )
        if any(k.arg in ("executable", "preexec_fn") for k in node.keywords) or any(
            k.arg is None for k in node.keywords
        ):
            self._unclear("how a program is started is not known")
        if isinstance(through_shell, ast.Constant) and through_shell.value is True:
            self._shell(value, shell)
        elif through_shell is not None and not (isinstance(through_shell, ast.Constant) and not through_shell.value):
            self._unclear("whether a shell is used is not known")
        elif isinstance(value, list):
            self._run(value, shell)
        elif isinstance(value, Arg) and value.known:
            self._run([value], shell)
        else:
            self._unclear("which program is run is not known")

    def _run(self, words: list[Arg], shell: Shell | None = None) -> None:
        if words:
            inner = shell or self.shell.copy()
            inner.functions = {}
            inner.frozen_span = self.shell.span(self.span)
            run_command(words, self.span, inner)

    def _shell(self, value: Arg | list[Arg] | None, shell: Shell | None = None) -> None:
        if isinstance(value, list):
            value = value[0] if value else None
        if value is None or not value.known:
            self._unclear("which command line is run is not known")
        else:
            run_code("code.sh", value, shell or self.shell, self.span)

    def _address(self, argument: ast.expr, role: str) -> None:
        value = self._value(argument)
        text = value.text if isinstance(value, Arg) else NUL
        authority = text.partition("://")[2].partition("/")
        host = (
            host_of(text.replace(NUL, "x"))
            if NUL not in text or (authority[1] and NUL not in text[: text.index("/", 8)])
            else None
        )
        if host is None:
            self._unclear("an address is not known")
        elif NUL in text:
            role = "sends"  # what is not known of the path may carry anything there
        tags = ("external", "sends") if role == "sends" else ()
        self._network("net:send" if role == "sends" else "net:fetch", {"host": host or "?"}, tags)

    def _network(
        self, name: str, target: dict[str, str | bool | tuple[str, ...]], tags: tuple[str, ...] = ("external",)
    ) -> None:
        self.acted = True
        _emit(self.shell, self.span, name, tags, target, effects=(Effect.NETWORK,))

    def _method(self, node: ast.Call, function: ast.Attribute) -> None:
        role = METHODS.get(function.attr)
        if function.attr in ("rename", "replace") and len(node.args) == 1:
            role = "move"  # a path; texts and tables take more, or names
        if role == "process":
            owner_name = self._dotted(function.value) or ""
            if "psutil" in self.foreign or owner_name.startswith("psutil"):
                self._ends(None)
            return
        if role is None:
            if (
                function.attr in ("system", "popen", "Popen", "rmtree", "remove_tree")
                and self._dotted(function) is None
            ):
                self._unclear(f"`{function.attr}` of something that is not known")
            if function.attr in ("connect", "sendall", "urlopen", "sendmail"):
                self._network("net:connect", {})
            return
        owner = self._value(function.value)
        if (
            role == "move"
            and owner is None
            and self.paths
            and isinstance(node.args[0], ast.Name | ast.Call | ast.BinOp)
        ):
            self._unclear(f"what `{function.attr}` moves is not known")
        if owner is None and role in ("read", "list"):
            self._unclear(f"which file `{function.attr}` reads is not known")
            return
        if (
            (owner is None and function.attr in ("touch", "mkdir", "chmod", "unlink", "rmdir"))
            or isinstance(owner, Arg)
            or role in ("delete", "write")
        ):
            self._act(role, owner if isinstance(owner, Arg) else None)

    def _path(self, role: str, argument: ast.expr) -> None:
        value = self._value(argument)
        self._act(role, value if isinstance(value, Arg) else None)

    def _act(self, role: str, value: Arg | None) -> None:
        self.acted = True
        path = value if value is not None else Arg(NUL, self.span, why="a value in Python")
        if role == "script":
            run_file(path, [], self.span, self.shell, "code.py")
            return
        inner = self.shell.copy()
        inner.frozen_span = self.shell.span(self.span)
        on_path(role, path, inner)

    def _as_arg(self, node: ast.expr) -> Arg:
        value = self._value(node)
        return value if isinstance(value, Arg) else Arg(NUL, self.span, why="a value in Python")

    def _unclear(self, reason: str) -> None:
        self.acted = True
        self.shell.unclear(f"Python: {reason}", self.span)
