"""Code that Django's shell runs, with the project's models at hand: what it may do to records, by the names it uses.

Python's reader says what the code does to files, programs and hosts. Behind a model it sees the project's own code. So
here every name is looked at that comes from Django or is asked of a value: those that look at records, make or save one
are free; rows that go, statements in SQL, settings, mail and whatever calls by a name are not.
"""

from __future__ import annotations

import ast

__all__ = ["touches_more_than_records"]

# What may be brought in of Django: models and how they are asked, and nothing that sends, configures or calls by name.
_DJANGO = {
    "django.contrib.auth": ("get_user_model",),
    "django.contrib.auth.models": ("User", "Group", "Permission"),
    "django.contrib.contenttypes.models": ("ContentType",),
    "django.db.models": (
        "Avg", "Case", "Count", "Exists", "F", "Max", "Min", "OuterRef", "Prefetch", "Q", "Subquery", "Sum", "Value",
        "When",
    ),
    "django.urls": ("resolve", "reverse"),
    "django.utils": ("timezone",),
    "django.utils.text": ("slugify",),
    "django.utils.timezone": ("localdate", "localtime", "now", "timedelta"),
}  # fmt: skip
_REFUSED = frozenset(
    "adelete asave aupdate bulk_update bulk_create clear cursor email_user execute executemany executescript extra "
    "flush raw remove_all send send_mail send_messages set_password set_unusable_password truncate update "
    "update_or_create using _raw_delete _meta __dict__ __class__ __globals__ __builtins__ __getattribute__ "
    "__subclasses__ __reduce__".split()
)
_BY_NAME = frozenset(
    "getattr setattr delattr globals locals vars eval exec compile __import__ importlib call_command apps settings "
    "connection connections import_string import_module attrgetter methodcaller modules".split()
)
_OWN_ONLY = frozenset(("delete", "save"))  # of records that the code itself makes
_MAKES = frozenset(("create", "get_or_create"))


def touches_more_than_records(code: str) -> str:
    """The name for which it is asked about; empty: it looks at records, makes some, and takes away what it has made."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "what cannot be parsed"
    made = _made(tree)
    for node in ast.walk(tree):
        found = _refused(node, made)
        if found:
            return found
    return ""


def _refused(node: ast.AST, made: set[str]) -> str:
    if isinstance(node, ast.Import):
        return next((name.name for name in node.names if name.name.partition(".")[0] in ("django", "importlib")), "")
    if isinstance(node, ast.ImportFrom):
        module = node.module or "."
        allowed = _DJANGO.get(module, () if module.partition(".")[0] == "django" else None)
        names = [name.name for name in node.names]
        outside = [name for name in names if name == "*" or (allowed is not None and name not in allowed)]
        return next((f"{module}.{name}" for name in outside), next((n for n in names if n in _BY_NAME), ""))
    if isinstance(node, ast.Name):
        return node.id if node.id in _BY_NAME or node.id in _REFUSED else ""
    if isinstance(node, ast.Attribute):
        if node.attr in _OWN_ONLY:
            own = isinstance(node.value, ast.Name) and node.value.id in made
            return "" if own else node.attr
        return node.attr if node.attr in _REFUSED or node.attr in _BY_NAME else ""
    return ""


def _made(tree: ast.Module) -> set[str]:
    """Names that hold nothing but records that the code itself makes."""
    made: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _makes(node.value):
            target = node.targets[0]
            if isinstance(target, ast.Tuple) and target.elts:
                target = target.elts[0]
            if isinstance(target, ast.Name):
                made.add(target.id)
                others.update(_bound(node.targets[0]) - {target.id})
                continue
        if isinstance(node, ast.Assign):
            others.update(*[_bound(target) for target in node.targets])
        elif isinstance(node, (ast.For, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.comprehension)):
            others.update(_bound(node.target))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            others.update([(name.asname or name.name).partition(".")[0] for name in node.names])
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            others.update(*[_bound(item.optional_vars) for item in node.items if item.optional_vars is not None])
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Lambda, ast.Match, ast.Try)):
            return set()  # names of another scope
    return made - others


def _makes(value: ast.expr) -> bool:
    """`Order.objects.create(…)`, `Order(…)`."""
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    return (
        func.attr in _MAKES if isinstance(func, ast.Attribute) else isinstance(func, ast.Name) and func.id[0].isupper()
    )


def _bound(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
