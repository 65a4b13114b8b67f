"""Settings of git that run commands, load code or send a request elsewhere. One row each."""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit
from ..evaluate.words import NUL, Arg
from ..wrappers import run_code

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["SETTINGS", "judge_removal", "judge_setting", "split_setting"]

# `*` stands for the middle part of a name, whatever it is. What the value is:
#   code     a command line
#   helper   a command line after `!` or `/`; else the name of a helper that comes with git
#   bool     harmless as a truth value, else a command line
#   place    a folder or file from which code or more settings are taken
#   address  where requests go instead
#   remote   the address of a repository
#   expiry   when objects that nothing refers to are removed
SETTINGS = {
    "core.sshcommand": "code", "core.pager": "code", "core.editor": "code", "core.askpass": "code",
    "core.gitproxy": "code", "core.alternaterefscommand": "code", "core.fsmonitor": "bool", "core.hookspath": "place",
    "core.worktree": "place", "core.attributesfile": "place", "sequence.editor": "code", "diff.external": "code",
    "diff.*.command": "code", "diff.*.textconv": "code", "difftool.*.cmd": "code", "difftool.*.path": "code",
    "mergetool.*.cmd": "code", "mergetool.*.path": "code", "merge.*.driver": "code", "filter.*.clean": "code",
    "filter.*.smudge": "code", "filter.*.process": "code", "credential.helper": "helper",
    "credential.*.helper": "helper", "gpg.program": "code", "gpg.*.program": "code",
    "gpg.ssh.defaultkeycommand": "code", "interactive.difffilter": "code", "uploadpack.packobjectshook": "code",
    "remote.*.uploadpack": "code", "remote.*.receivepack": "code", "remote.*.vcs": "code", "remote.*.proxy": "address",
    "remote.*.url": "remote", "remote.*.pushurl": "remote", "browser.*.cmd": "code", "browser.*.path": "code",
    "man.*.cmd": "code", "man.*.path": "code", "guitool.*.cmd": "code", "submodule.*.update": "helper",
    "submodule.*.url": "remote", "sendemail.smtpserver": "helper", "sendemail.sendmailcmd": "code",
    "sendemail.tocmd": "code", "sendemail.cccmd": "code", "sendemail.headercmd": "code", "sendemail.*.tocmd": "code",
    "sendemail.*.cccmd": "code", "sendemail.*.sendmailcmd": "code", "instaweb.httpd": "code",
    "instaweb.browser": "code", "trailer.*.command": "code",
    "trailer.*.cmd": "code", "imap.tunnel": "code", "tar.*.command": "code",
    "init.templatedir": "place", "include.path": "place", "includeif.*.path": "place", "url.*.insteadof": "address",
    "url.*.pushinsteadof": "address", "http.proxy": "address", "http.*.proxy": "address", "protocol.allow": "protocol",
    "protocol.*.allow": "protocol", "lfs.url": "address", "lfs.customtransfer.*.path": "code",
    "lfs.extension.*.clean": "code", "lfs.extension.*.smudge": "code", "hook.*.command": "code",
    "gc.pruneexpire": "expiry", "gc.reflogexpire": "expiry", "gc.reflogexpireunreachable": "expiry",
    "web.browser": "code", "help.browser": "code", "https.proxy": "address", "http.sslverify": "check",
    "http.*.sslverify": "check",
    "push.followtags": "push", "push.pushoption": "push", "push.recursesubmodules": "push",
    "branch.*.remote": "upstream", "branch.*.pushremote": "upstream", "remote.pushdefault": "upstream",
    "http.extraheader": "header", "http.*.extraheader": "header", "http.cookiefile": "header",
    "http.useragent": "header",
    "fetch.fsckobjects": "check", "transfer.fsckobjects": "check",
}  # fmt: skip
_PLAIN = frozenset(
    (
        "", "cat", "less", "less -R", "less -F", "less -FRX", "more", "true", ":", "vi", "vim", "nvim", "nano", "emacs",
        "ed", "delta", "diff-so-fancy", "code --wait", "gpg", "gpg2", "false", "/bin/true", "/bin/cat", "/dev/null",
    )
)  # fmt: skip
_HELPERS = frozenset(
    (
        "store", "cache", "osxkeychain", "manager", "manager-core", "wincred", "libsecret", "oauth", "",
        "checkout", "rebase", "merge", "none",
    )
)  # fmt: skip
_TRUTH = frozenset(("true", "false", "yes", "no", "on", "off", "1", "0", ""))
_WHY = {
    "place": "code or settings are taken from elsewhere",
    "address": "requests go to another address",
    "check": "a check is switched off",
    "protocol": "it says which programs may fetch and push",
    "expiry": "what is no longer referred to is removed sooner",
    "push": "more is pushed than the command says",
}


def split_setting(arg: Arg) -> tuple[str, Arg]:
    """`name=value`; a name alone means true."""
    name, equals, value = arg.text.partition("=")
    return name, Arg(value if equals else "true", arg.span, arg.glob, arg.origin, arg.quoted)


def judge_setting(name: str, value: Arg, shell: Shell, span: tuple[int, int], *, lasting: bool) -> None:
    """What a setting does: `lasting` ones run whenever git is used later, and are opaque."""
    if NUL in name:
        shell.unclear("which setting of git is changed is not known", span)
        return
    kind = _kind(name)
    if not lasting and name.lower().startswith("remote."):
        shell.unclear(f"`{name}`: the remote is another one for this command", span)
        return
    if not kind or (kind == "push" and lasting):  # how a person pushes is theirs to settle
        return
    text = value.text.strip()
    if value.known and (
        (text in _PLAIN and kind not in ("check", "push"))
        or (kind == "bool" and text.lower() in _TRUTH)
        or (kind == "helper" and (text in _HELPERS or text.startswith("cache --timeout")))
        or (kind == "check" and text.lower() in ("true", "yes", "on", "1"))
        or (kind == "push" and text.lower() in ("false", "no", "off", "0", "check"))
        or (kind == "protocol" and text in ("never", "user"))
        or (kind == "alias" and not text.startswith("!"))  # words for git; the alias itself is not known, and asks
    ):
        return
    if kind == "upstream":
        if text not in ("origin", "upstream", "."):
            leads: dict[str, str | bool | tuple[str, ...]] = {"remote": text} if value.known else {}
            emit(shell, span, name="git:remote-set-url", effects=(Effect.WRITE,), tags=("redirects",), target=leads)
    elif kind == "header":
        if not value.known:
            shell.unclear(f"`{name}`: what goes out with each request is not known", span)
    elif kind == "remote":
        from .git_remotes import on_remote

        on_remote(value, shell, span)
        if lasting and name.lower().startswith("remote."):  # as `git remote set-url` does
            target: dict[str, str | bool | tuple[str, ...]] = {"remote": name.partition(".")[2].rpartition(".")[0]}
            if value.known:
                target["url"] = text
            emit(shell, span, name="git:remote-set-url", effects=(Effect.WRITE,), tags=("redirects",), target=target)
    elif kind in _WHY:
        shell.unclear(f"`{name}`: {_WHY[kind]}", span)
    elif lasting:
        shell.unclear(f"`{name}` is a command that git will run later", span)
    else:
        code = text.removeprefix("!")
        run_code("code.sh", Arg(code, value.span, value.glob, value.origin, value.quoted), shell, span)


def judge_removal(name: str, shell: Shell, span: tuple[int, int], *, renames: bool) -> None:
    """What goes with a setting or a section that is removed or renamed: a remote, or its address."""
    first, *middle = name.split(".")
    if NUL in name:
        shell.unclear("which setting of git is removed is not known", span)
    elif first.lower() == "remote" and middle:
        last = middle[-1].lower()
        action = "rename" if renames else {"pushurl": "set-url", "url": "remove"}.get(last, "")
        remote = ".".join(middle[:-1]) if last in ("pushurl", "url") and len(middle) > 1 else ".".join(middle)
        if not action and len(middle) == 1:
            action = "remove"  # the whole section
        if action:
            target: dict[str, str | bool | tuple[str, ...]] = {"remote": remote}
            emit(shell, span, name=f"git:remote-{action}", effects=(Effect.WRITE,), tags=("redirects",), target=target)


def _kind(name: str) -> str:
    """Names are the same in upper and lower case, apart from the middle part."""
    parts = name.lower().split(".")
    first, last = parts[0], parts[-1]
    if first == "alias":
        return "alias"
    if first == "pager" and len(parts) == 2:
        return "bool"
    exact = SETTINGS.get(".".join(parts))
    if exact is not None or len(parts) < 3:
        return exact or ""
    if first == "lfs":
        return SETTINGS.get(f"{first}.{parts[1]}.*.{last}", "")
    return SETTINGS.get(f"{first}.*.{last}", "")
