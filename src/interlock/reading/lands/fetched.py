"""Files and folders that were filled from elsewhere: downloaded, cloned, unpacked or copied from such a one.

What lies in them is not the project's own code, although it lies in the project. Running it is `exec:fetched`, asked
about once for each place it came to. A session remembers such a path with a `/` at its end, among those that it wrote.
Whoever copies or moves a folder carries along what the session wrote in it: under its new name it is no more the
project's than it was under the old one.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..places.paths import in_project

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["came_with", "carry_along", "carry_matching", "holds_fetched", "is_foreign", "reads_foreign", "run_fetched"]

_MOST = 64  # files that are followed one by one

# A file by itself counts if something would run or build it: data that was downloaded is no code.
_CODE = (
    ".py", ".pyx", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".go", ".rs", ".rb", ".php", ".java",
    ".kt", ".kts", ".scala", ".groovy", ".gradle", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".m", ".swift", ".cs",
    ".sh", ".bash", ".zsh", ".pl", ".pm", ".lua", ".ex", ".exs", ".erl", ".hs", ".mk", ".cmake", ".R", ".jl",
    ".s", ".S", ".ipynb", ".tf",
    "/Makefile", "/makefile", "/GNUmakefile", "/CMakeLists.txt", "/Rakefile", "/justfile", "/Dockerfile",
    "/package.json", "/pyproject.toml", "/setup.cfg", "/Cargo.toml", "/pom.xml", "/build.xml", "/build.sbt",
)  # fmt: skip


def came_with(path: str, shell: Shell) -> str | None:
    """The fetched file or folder that the path is, or lies in; None: it was not fetched."""
    places = _places(shell)
    if not places:
        return None
    real = shell.found.real.get(path) or path  # by another name
    for place in places:
        if path == place or real == place or path.startswith(place + "/") or real.startswith(place + "/"):
            return place
    return None


def holds_fetched(folder: str, shell: Shell) -> str | None:
    """Code that was fetched into the folder, which a build or a test run there may take in."""
    below = folder.rstrip("/") + "/"
    for place in _places(shell):
        if place.startswith(below) and place.endswith(_CODE):
            return place
    return None


def run_fetched(place: str, span: tuple[int, int], shell: Shell) -> None:
    emit(
        shell,
        span,
        name="exec:fetched",
        effects=(Effect.EXECUTE,),
        tags=("install", "unread"),
        target={"fetched": place},
    )


def is_foreign(path: str, shell: Shell) -> bool:
    """True if what is at the path is not the project's: fetched, of this session, or of another place."""
    facts = shell.found.facts
    written = path in shell.files or path in facts.written or "/" in facts.written
    return (
        written or not in_project(facts.root, path) or came_with(path, shell) is not None or bool(_below(path, shell))
    )


def reads_foreign(shell: Shell) -> bool:
    """True if the call has taken in anything that is not the project's: what it makes of it is not, either."""
    return any(
        Effect.NETWORK in action.effects
        or (action.name == "fs:read" and is_foreign(str(action.target.get("path", "/")), shell))
        for action in shell.found.actions
    )


def carry_along(source: str, places: list[str], span: tuple[int, int], shell: Shell) -> None:
    """What the session wrote or fetched below the folder `source` is below these places as well from now on."""
    found = _below(source, shell)
    for place in places:
        if len(found) > _MOST:
            on_path("brings", Arg(place, span), shell)
        for rest, fetched in found if len(found) <= _MOST else ():
            on_path("brings" if fetched else "write", Arg(f"{place.rstrip('/')}/{rest}", span), shell)


def carry_matching(pattern: str, place: str, span: tuple[int, int], shell: Shell) -> None:
    """The same for files that a pattern names: `cp d/*.js e`, `cp -r /tmp/x/* .`."""
    parts = pattern.split("/")
    first = next((at for at, part in enumerate(parts) if _is_wild(part)), len(parts) - 1)
    base, last = "/".join(parts[:first]) or "/", parts[-1]
    if came_with(base, shell) is not None or not in_project(shell.found.facts.root, base):
        if "." not in last or last.endswith((".*", *_CODE)):  # data runs nowhere
            on_path("brings", Arg(place, span), shell)
        return
    deep = len(parts) - first
    names: dict[str, bool] = {}
    for rest, fetched in _below(base, shell):
        below = rest.split("/")
        if any(_fits(part, last) for part in (below[-1], *below[deep - 1 : deep])):
            names[below[-1]] = names["/".join(below[deep - 1 :]) or below[-1]] = fetched
    for name, fetched in [*names.items()][:_MOST]:
        on_path("brings" if fetched else "write", Arg(f"{place.rstrip('/')}/{name}", span), shell)


def _is_wild(part: str) -> bool:
    return "*" in part or "?" in part or "[" in part


def _fits(name: str, pattern: str) -> bool:
    """Whether a name may be meant: it begins and ends as the pattern does."""
    wild = [at for at, char in enumerate(pattern) if char in "*?[]"]
    return not wild or (name.startswith(pattern[: wild[0]]) and name.endswith(pattern[wild[-1] + 1 :]))


def _below(folder: str, shell: Shell) -> list[tuple[str, bool]]:
    """What lies below the folder and is of this session, each with whether it was fetched."""
    found = shell.found
    if not shell.files and not found.facts.written and not found.fetched:
        return []
    start = folder.rstrip("/") + "/"
    return sorted(
        {
            (path[len(start) :].rstrip("/"), path[-1] == "/" or path in found.fetched)
            for path in (*shell.files, *found.facts.written, *found.fetched)
            if path.startswith(start) and path != start
        }
    )


def _places(shell: Shell) -> list[str]:
    found = shell.found
    if not found.fetched and not found.facts.written:
        return []
    return sorted({*found.fetched, *[path[:-1] for path in found.facts.written if path[-1:] == "/" and path != "/"]})
