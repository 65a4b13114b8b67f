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
from .evaluate.words import NUL, Arg
from .python_calls import CALLS, HIDDEN, METHODS, NETWORK, TRUSTING
from .python_modules import STANDARD
from .tools import host_of
from .wrappers import run_code, run_file

if TYPE_CHECKING:
    from .evaluate.state import Shell

__all__ = ["MAX_CODE", "read_python"]

MAX_CODE = 200_000


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


class _Reader(ast.NodeVisitor):
    def __init__(self, shell: Shell, span: tuple[int, int]) -> None:
        self.shell = shell
        self.span = span
        self.names: dict[str, str] = {}  # a name here -> what it stands for, dotted
        self.values: dict[str, Arg | list[Arg] | None] = {}
        self.foreign: set[str] = set()
        self.acted = False

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
        if name in NETWORK or top in NETWORK:
            self._network("net:connect", {})
        if top in ("ctypes", "cffi"):
            self._unclear(f"`{top}` calls code that is not Python")
        if top == "interlock":
            self._unclear("loads the guard's own code")
        if top not in STANDARD:
            self.foreign.add(top)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._dotted(node.value) not in CALLS:  # another name for a function is followed below
            self.visit(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.visit(target)
            if isinstance(target, ast.Name):
                dotted = self._dotted(node.value)
                if dotted is not None and (dotted in CALLS or dotted in HIDDEN or dotted in STANDARD):
                    self.names[target.id] = dotted  # another name for a function: `r = os.remove`
                fresh = target.id not in self.values
                self.values[target.id] = self._value(node.value) if fresh else None

    def visit_For(self, node: ast.For) -> None:
        names = self._value(node.iter)
        if isinstance(node.target, ast.Name):
            self.values[node.target.id] = names if isinstance(names, Arg) and names.glob else None
            if isinstance(names, list):
                for item in names[:32]:
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

    def _dotted(self, node: ast.expr) -> str | None:
        """What a name or attribute stands for, through the imports."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self._dotted(node.value)
            return None if base is None else f"{base}.{node.attr}"
        return None

    # --- values ------------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Arg | list[Arg] | None:
        """A text, a path or a list of texts, where it is known; names that the disk decides as a pattern."""
        if isinstance(node, ast.Constant):
            return Arg(node.value, self.span) if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, ast.List | ast.Tuple):
            items = [self._value(item) for item in node.elts]
            return [item if isinstance(item, Arg) else Arg(NUL, self.span, why="a value in Python") for item in items]
        if isinstance(node, ast.JoinedStr):
            return self._joined([part.value if isinstance(part, ast.FormattedValue) else part for part in node.values])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            left, right = self._value(node.left), self._value(node.right)
            if isinstance(left, list) and isinstance(right, list):
                return [*left, *right]
            if isinstance(left, Arg) and isinstance(right, Arg):
                middle = "/" if isinstance(node.op, ast.Div) else ""
                return (
                    self._path_join([left, right])
                    if middle
                    else Arg(left.text + right.text, self.span, left.glob or right.glob)
                )
            return None
        if isinstance(node, ast.Call):
            return self._called_value(node)
        return None

    def _joined(self, parts: list[ast.expr]) -> Arg:
        text, glob = "", False
        for part in parts:
            value = self._value(part)
            text += value.text if isinstance(value, Arg) else NUL
            glob = glob or (isinstance(value, Arg) and value.glob)
        return Arg(text, self.span, glob, why="a value in Python")

    def _path_join(self, parts: list[Arg | None]) -> Arg | None:
        if not all(isinstance(part, Arg) for part in parts):
            return None
        text = ""
        for part in parts:
            if part is None:
                return None
            text = part.text if part.text.startswith("/") or not text else text.rstrip("/") + "/" + part.text
        return Arg(text, self.span, any(part.glob for part in parts if part is not None), why="a value in Python")

    def _called_value(self, node: ast.Call) -> Arg | None:
        name = self._dotted(node.func) or ""
        arguments = [self._value(argument) for argument in node.args]
        texts = [argument if isinstance(argument, Arg) else None for argument in arguments]
        if name in ("pathlib.Path", "pathlib.PurePath", "os.path.join", "os.path.abspath", "os.path.normpath", "str"):
            return self._path_join(texts) if texts else Arg(".", self.span)
        if name in ("os.path.expanduser",) and texts and texts[0] is not None and texts[0].text.startswith("~/"):
            return Arg(self.shell.found.facts.home + texts[0].text[1:], self.span, texts[0].glob)
        if name in ("pathlib.Path.home",):
            return Arg(self.shell.found.facts.home, self.span)
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            return Arg(".", self.span)
        if name in ("os.listdir",):
            return Arg("*", self.span, glob=True)
        if name in ("glob.glob", "glob.iglob") and texts and texts[0] is not None:
            return Arg(texts[0].text, self.span, glob=True)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("glob", "rglob", "iterdir"):
            base = self._value(node.func.value)
            return Arg(f"{base.text}/*", self.span, glob=True) if isinstance(base, Arg) else None
        if isinstance(node.func, ast.Attribute) and node.func.attr == "split" and not node.args:
            return None
        return None

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
        for part in (node.func.value if isinstance(node.func, ast.Attribute) else None, *node.args, *node.keywords):
            if part is not None:
                self.visit(part)
        if not isinstance(node.func, ast.Name | ast.Attribute):
            self.visit(node.func)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._handed_on(self._dotted(node))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._handed_on(self.names.get(node.id))

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
        value = self._value(argument)
        if isinstance(value, Arg) and value.known and "://" in value.text:
            self._unclear("objects that are fetched and loaded can run anything")
        elif isinstance(value, Arg):
            self._loaded(value)

    def _loaded(self, path: Arg) -> None:
        from .commands.acts import on_path

        inner = self.shell.copy()
        inner.frozen_span = self.shell.span(self.span)
        fetched = dict(self.shell.files)
        root = self.shell.found.facts.root
        if any(place in fetched or not place.startswith(root + "/") for place in on_path("read", path, inner)):
            self._unclear("objects from outside the project are loaded, and loading them can run anything")

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
        host = host_of(text) if NUL not in text else None
        if host is None:
            self._unclear("an address is not known")
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
