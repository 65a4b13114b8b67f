"""Settings of git that run commands, load code or send a request elsewhere. One row each."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.environment import written_to
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..runs.wrappers import run_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evaluate.state import Shell

__all__ = ["SETTINGS", "judge_removal", "judge_setting", "kind_of", "on_remote", "split_setting"]

# `*` stands for the middle part of a name, whatever it is. What the value is:
#   code     a command line
#   helper   a command line after `!` or `/`; else the name of a helper that comes with git
#   bool     harmless as a truth value, else a command line
#   place    a folder or file from which code or more settings are taken
#   address  where requests go instead
#   remote   the address of a repository
#   expiry   when objects that nothing refers to are removed
#   writes   a file or folder that git writes; a truth value or a number is a stream
#   reads    a file that git reads, and may show
#   steps    what stands in each line of a rebase's list of steps: a new line in it is a step of its own
#   merges   how commits are merged: `x` runs the program `git-merge-x`
#   suffix   the end of a file's name
#   saves    whether cookies are written back
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
    "fetch.fsckobjects": "check", "transfer.fsckobjects": "check", "receive.fsckobjects": "check",
    "core.protecthfs": "check", "core.protectntfs": "check", "credential.protectprotocol": "check",
    "credential.sanitizeprompt": "check", "http.proxysslverify": "check", "imap.sslverify": "check",
    "format.outputdirectory": "writes", "trace2.eventtarget": "writes", "trace2.normaltarget": "writes",
    "trace2.perftarget": "writes", "gitcvs.logfile": "writes", "fsmonitor.socketdir": "writes", "lfs.storage": "writes",
    "http.savecookies": "saves", "http.*.savecookies": "saves", "http.*.cookiefile": "header",
    "commit.template": "reads", "core.excludesfile": "reads", "mailmap.file": "reads",
    "blame.ignorerevsfile": "reads", "diff.orderfile": "reads", "format.signaturefile": "reads",
    "fsck.skiplist": "reads", "fetch.fsck.skiplist": "reads", "receive.fsck.skiplist": "reads",
    "gpg.ssh.allowedsignersfile": "reads", "gpg.ssh.revocationfile": "reads", "http.sslcert": "reads",
    "http.sslkey": "reads", "http.sslcainfo": "reads", "http.sslcapath": "reads", "http.*.sslcert": "reads",
    "http.*.sslkey": "reads", "http.*.sslcainfo": "reads", "http.*.sslcapath": "reads",
    "http.proxysslcert": "reads", "http.proxysslkey": "reads", "http.proxysslcainfo": "reads",
    "http.*.proxysslcert": "reads", "http.*.proxysslkey": "reads", "http.*.proxysslcainfo": "reads",
    "sendemail.aliasesfile": "reads", "sendemail.*.aliasesfile": "reads", "sendemail.mailmap.file": "reads",
    "sendemail.smtpsslcertpath": "reads", "sendemail.smtpsslclientcert": "reads",
    "sendemail.smtpsslclientkey": "reads",
    "instaweb.modulepath": "place", "help.htmlpath": "place", "gc.recentobjectshook": "code",
    "http.curloptresolve": "address", "http.*.curloptresolve": "address", "imap.host": "address",
    "fetch.bundleuri": "address", "bundle.*.uri": "address", "lfs.pushurl": "address", "remote.*.lfsurl": "address",
    "remote.*.lfspushurl": "address", "lfs.*.locksverify": "check", "svn-remote.*.url": "remote",
    "svn-remote.*.pushurl": "remote", "lfs.standalonetransferagent": "place",
    "gc.*.reflogexpire": "expiry", "gc.*.reflogexpireunreachable": "expiry", "gc.worktreepruneexpire": "expiry",
    "rebase.instructionformat": "steps", "pull.twohead": "merges", "pull.octopus": "merges",
    "branch.*.mergeoptions": "merges", "format.suffix": "suffix", "branch.*.merge": "push", "push.default": "push",
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
    "steps": "a line of it is a step that a rebase runs",
    "merges": "a program merges",
    "suffix": "files are put elsewhere",
    "saves": "cookies are written to a file",
}
_STRATEGIES = frozenset(("ort", "recursive", "resolve", "octopus", "ours", "subtree"))
_NEW_LINES = ("\n", "%n", "%b", "%B", "%N", "%x", "%w", "%+", "%(", "%G", "%r", "%C", "%S")
_PUSHED = frozenset(("false", "no", "off", "0", "check", "simple", "current", "nothing", "upstream", "tracking"))


def _merges_plainly(text: str) -> bool:
    """Strategies that come with git, and options of `git merge` that name no other."""
    words = text.split()
    return _STRATEGIES.issuperset(words) or all(word[:2] == "--" and not word.startswith("--s") for word in words)


# kind -> what makes a value of it harmless
_HARMLESS: dict[str, Callable[[str], bool]] = {
    "bool": lambda text: text.lower() in _TRUTH,
    "helper": lambda text: text in _HELPERS or text.startswith("cache --timeout"),
    "check": lambda text: text.lower() in ("true", "yes", "on", "1"),
    "push": lambda text: text.lower() in _PUSHED,
    "protocol": lambda text: text in ("never", "user"),
    "alias": lambda text: not text.startswith("!"),  # words for git; the alias itself is not known, and asks
    "steps": lambda text: not any(sign in text for sign in _NEW_LINES),
    "merges": _merges_plainly,
    "suffix": lambda text: "/" not in text,
    "saves": lambda text: text.lower() in ("false", "no", "off", "0"),
}


def split_setting(arg: Arg) -> tuple[str, Arg]:
    """`name=value`; a name alone means true."""
    name, equals, value = arg.text.partition("=")
    return name, Arg(value if equals else "true", arg.span, arg.glob, arg.origin, arg.quoted)


def judge_setting(name: str, value: Arg, shell: Shell, span: tuple[int, int], *, lasting: bool) -> None:
    """What a setting does: `lasting` ones run whenever git is used later, and are opaque."""
    if NUL in name:
        shell.unclear("it is unclear which setting of git is changed", span)
        return
    kind = kind_of(name)
    if not lasting and name.lower().startswith("remote."):
        shell.unclear(f"`{name}`: the remote is another one for this command", span)
        return
    if not kind or (kind == "push" and lasting):  # how a person pushes is theirs to settle
        return
    text = value.text.strip()
    plainly = _HARMLESS.get(kind)
    if value.known and ((text in _PLAIN and kind not in ("check", "push", "saves")) or (plainly and plainly(text))):
        return
    if kind == "upstream":
        if text not in ("origin", "upstream", "."):
            leads: dict[str, str | bool | tuple[str, ...]] = {"remote": text} if value.known else {}
            emit(shell, span, name="git:remote-set-url", effects=(Effect.WRITE,), tags=("redirects",), target=leads)
    elif kind == "writes":
        written_to(value, shell)
    elif kind == "reads":
        on_path("read", value, shell)
    elif kind == "header":
        if not value.known:
            shell.unclear(f"`{name}`: what goes out with each request is unknown", span)
    elif kind == "remote":
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


def kind_of(name: str) -> str:
    """Names are the same in upper and lower case, apart from the middle part."""
    parts = name.lower().split(".")
    first, last = parts[0], parts[-1]
    if first == "alias":
        return "alias"
    if first == "pager" and len(parts) == 2:
        return "bool"
    if first == "remotes":  # a group of them, or addresses
        return "address"
    exact = SETTINGS.get(".".join(parts))
    if exact is not None or len(parts) < 3:
        return exact or ""
    if first == "lfs":
        return SETTINGS.get(f"{first}.{parts[1]}.*.{last}", "")
    return SETTINGS.get(f"{first}.*.{last}", "")


def on_remote(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """An address of a repository: `ext::` runs a command, `<name>::` a helper."""
    helper, mark, rest = arg.text.partition("::")
    if mark and helper.replace("-", "").replace(NUL, "x").isalnum():
        if helper == "ext":
            run_code("code.sh", Arg(rest, arg.span, arg.glob, arg.origin, arg.quoted), shell, span)
        shell.unclear(f"`{helper.replace(NUL, '…')}::` runs a program of its own", span)
    elif "://-" in arg.text or arg.text.startswith("-") or "@-" in arg.text:
        shell.unclear("an address that passes for an option", span)
