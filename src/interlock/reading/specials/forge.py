"""The command lines of the forges: a request by hand, and settings that are commands."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import Option
from ..machine.options import parse as parse_options
from ..runs.wrappers import run_code

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["gh_api", "gh_config"]


def gh_api(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """GET unless a method or a field says otherwise; a graphql query reads, a mutation changes."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words, parsed.operands = parsed.operands, []
    method, query, host = "", None, ""
    fields = False
    for option, value in list(parsed.values):
        if option.role == "method":
            method = value.text.upper()
            parsed.values.remove((option, value))
        elif option.role in ("field", "input"):
            fields = True
            parsed.values.remove((option, value))
            name, _, text = value.text.partition("=")
            if option.role == "input":
                if value.text != "-":
                    on_path("send", value, shell)
            elif text.startswith("@") and option.name == "-F" and text != "@-":
                on_path("send", Arg(text[1:], value.span, value.glob, value.origin), shell)
            elif name == "query":
                query = Arg(text, value.span, value.glob, value.origin)
        elif option.role == "host":
            host = value.text
            parsed.values.remove((option, value))
    endpoint = words[0] if words else Arg("", span)
    if ".." in endpoint.text or "%" in endpoint.text.partition("?")[0]:
        shell.unclear("the address of a request leads elsewhere than it says", span)
    if host not in ("", "github.com"):
        endpoint = Arg(f"{host}/{endpoint.text.lstrip('/')}", endpoint.span, endpoint.glob, endpoint.origin)
    method = method or ("POST" if fields else "GET")
    if NUL in method:
        shell.unclear("the method of a request is unknown", span)
    if endpoint.text.strip("/") == "graphql":
        # A query may only look for what it names; a mutation says so at the start of its text.
        if query is None or "mutation" in query.text:
            parsed.switches.add("changes")
            if query is None or query.unknown:
                shell.unclear("a query that is not read", span)
        elif query.unknown:
            shell.unclear(f"part of a query depends on {query.why}", span)
    elif method == "DELETE":
        parsed.switches.add("deletes")
    elif method not in ("GET", "HEAD"):
        parsed.switches.add("changes")
    parsed.values.append((Option("method", "method", False, None), Arg(method, span)))
    if words:
        parsed.values.append((Option("endpoint", "endpoint", False, None), endpoint))
    return act_on(row, parsed, args, span, shell)


_COMMANDS = frozenset(("pager", "editor", "browser", "visual", "glamour_style"))
_PLAIN = frozenset(("", "cat", "less", "less -R", "vi", "vim", "nvim", "nano", "emacs", "code --wait", "delta"))


def gh_config(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`gh config set pager …` is a command that runs later."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words = parsed.operands
    if len(words) > 1:
        if words[0].text in _COMMANDS and not (words[1].known and words[1].text in _PLAIN):
            run_code("code.sh", words[1], shell, span)
            shell.unclear(f"`{words[0].text}` is a command that is run later", span)
        parsed.operands = words[:1]
    return act_on(row, parsed, args, span, shell)
