"""Files and folders that were filled from the network: downloaded, cloned, unpacked or copied from such a one.

What lies in them is not the project's own code, although it lies in the project. Running it is `exec:fetched`, asked
about once for each place it came to. A session remembers such a path with a `/` at its end, among those that it wrote.
"""

from __future__ import annotations

from ..effects import Effect
from ..value import TYPE_CHECKING
from .commands.acts import emit

if TYPE_CHECKING:
    from .evaluate.state import Shell

__all__ = ["came_with", "holds_fetched", "run_fetched"]

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
    for place in _places(shell):
        if path == place or path.startswith(place + "/"):
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


def _places(shell: Shell) -> list[str]:
    found = shell.found
    if not found.fetched and not found.facts.written:
        return []
    return sorted({*found.fetched, *[path[:-1] for path in found.facts.written if path[-1:] == "/" and path != "/"]})
