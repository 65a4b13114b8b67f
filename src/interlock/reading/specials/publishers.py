"""Ways round to publishing: every package of a workspace, a package that deno fetches, an image that a build sends."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on, run_row
from ..machine.index import find_program
from ..machine.options import parse as parse_options
from ..reach.publishing import complete

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.engine import Given
    from ..tables.spec import Program
    from .mounts import mounted
    from .recipes import pull_named
else:
    mounted = lazy(globals(), ".mounts", "mounted")
    pull_named = lazy(globals(), ".recipes", "pull_named")

__all__ = ["deno_run", "image_build", "setup_script", "workspaces", "yarn"]

_WHOLE = {"foreach": "yarn", "recursive": "pnpm"}


def workspaces(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`pnpm recursive …`, `yarn workspaces foreach …`: the program again, in every package."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    whole = find_program(_WHOLE[row.name])
    words = parsed.operands
    if whole is None or not words:
        return act_on(row, parsed, args, span, shell)
    if any(word.text == "publish" for word in words):  # which packages is not said
        words = [*words, Arg("--recursive", span)]
    return run_row(whole, [args[0], *words], span, shell)


def yarn(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`yarn` alone installs, `yarn workspace NAME …` is yarn again, any other word is a script of the project."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    whole = find_program("yarn")
    if whole is not None and row.name == "workspace" and len(parsed.operands) > 1:
        words = parsed.operands
        if words[-1].text == "publish" or words[1].text in (
            "npm",
            "publish",
        ):  # what that workspace is called is not said
            words = [*words, Arg("--workspace", span), words[0]]
        return run_row(whole, words, span, shell)
    if whole is not None and not parsed.operands:
        return run_row(whole.subs["install"], args, span, shell)
    return act_on(row, parsed, args, span, shell)


def deno_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`deno run npm:PKG …` fetches a package and runs it, as `npx PKG …` does."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    scheme, colon, package = parsed.operands[0].text.partition(":") if parsed.operands else ("", "", "")
    runs = find_program("npx")
    if colon and scheme in ("npm", "jsr") and runs is not None:
        first = Arg(package.lstrip("/"), parsed.operands[0].span)
        return run_row(runs, [args[0], first, *parsed.operands[1:]], span, shell)
    return act_on(row, parsed, args, span, shell)


def image_build(
    row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None = None
) -> Arg | None:
    """`-o type=registry` and `--cache-to type=registry` push, whatever else the command says."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    parsed.operands = [
        arg for arg in parsed.operands if arg.text != "-"
    ]  # what it is fed runs inside, as any image does
    tags: set[str] = set()
    for option, value in list(parsed.values):
        if option.role == "volume":
            mounted(value, "volume", tags, shell)
            parsed.values.remove((option, value))
        if option.name not in ("-o", "--cache-to"):
            continue
        said = dict(part.partition("=")[::2] for part in value.text.split(",") if "=" in part)
        if option.name == "-o" and (said.get("type") == "registry" or said.get("push") == "true"):
            parsed.switches.add("push")
            if "name" in said:
                _pushed(said["name"], row, span, shell)
        elif option.name == "-o" and not said and value.text != "-":
            on_path("write", value, shell)
        elif option.name == "-o" and "dest" in said:
            on_path("write", Arg(said["dest"], value.span), shell)
        elif option.name == "--cache-to" and said.get("type", "registry") == "registry":
            _pushed(said.get("ref", value.text), row, span, shell)
    pull_named(span, shell)
    return act_on(row.replace(tags=(*row.tags, *sorted(tags))), parsed, args, span, shell, given)


def _pushed(image: str, row: Program, span: tuple[int, int], shell: Shell) -> None:
    target: dict[str, str | bool | tuple[str, ...]] = {"image": image}
    complete("docker:push", row, target, (), shell)
    _published("docker:push", target, span, shell)


def _published(name: str, target: dict[str, str | bool | tuple[str, ...]], span: tuple[int, int], shell: Shell) -> None:
    emit(
        shell,
        span,
        name=name,
        effects=(Effect.DESTRUCTIVE, Effect.NETWORK),
        tags=("external", "sends"),
        risk=Risk.HIGH,
        irreversible=True,
        target=target,
    )


def setup_script(script: Arg, rest: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`python setup.py sdist upload` publishes what it has built."""
    if script.text.rpartition("/")[2] == "setup.py" and any(arg.text in ("upload", "register") for arg in rest):
        _published("pypi:publish", {}, span, shell)
