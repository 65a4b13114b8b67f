"""Version control with one place for all: svn, cvs, repo."""

from __future__ import annotations

from .spec import Adds, P, effects
from .vcs_words import GONE, HIGH, LOSES, PUBLISH, SENDS, rows

__all__ = ["CENTRAL"]

_SVN = (
    "-r|--revision:text -c|--change:text -m|--message:text -F|--file:read --username:text --password:text "
    "--config-dir:text!config --config-option:text!config --depth:text --set-depth:text --changelist|--cl:text "
    "--encoding:text --accept:text --diff-cmd:command --diff3-cmd:command --editor-cmd:command -x|--extensions:text "
    "-l|--limit:number --targets:read --old:text --new:text --with-revprop:text --native-eol:text --strip:number "
    "--show-item:text --search:text --search-and:text --force -q -v -N -R -u -g --xml --diff --stop-on-copy "
    "--trust-server-cert --non-interactive --no-auth-cache --ignore-externals --dry-run --remove --parents --recursive"
)
_SVN_FLAGS = {"config": Adds(opaque="settings that can name programs to run")}
CENTRAL = (
    P(
        "svn",
        words=2,
        does="",
        options=f"{_SVN} --version --help",
        flags=_SVN_FLAGS,
        subs=(
            *rows("svn", "status stat st info propget pget pg proplist plist pl help", options=_SVN, flags=_SVN_FLAGS),
            *rows("svn", "log diff di blame praise annotate ann cat list ls mergeinfo", options=_SVN, flags=_SVN_FLAGS),
            *rows(
                "svn",
                "checkout co export",
                "url brings?",
                _SVN,
                special="clones",
                does="network write",
                flags=_SVN_FLAGS,
            ),
            *rows("svn", "update up switch sw merge relocate", options=_SVN, does="network write", flags=_SVN_FLAGS),
            *rows(
                "svn",
                "add changelist cl cleanup resolve resolved upgrade patch x-shelve x-unshelve",
                options=_SVN,
                does="write",
                flags=_SVN_FLAGS,
            ),
            *rows("svn", "revert", "path*", _SVN, does="destructive", irreversible=True, flags=_SVN_FLAGS),
            *rows("svn", "commit ci import", options=_SVN, does="destructive network", flags=_SVN_FLAGS, **PUBLISH),
            *rows(
                "svn",
                "propset pset ps propdel pdel pd propedit pedit pe",
                options=f"--revprop {_SVN}",
                does="write",
                flags=_SVN_FLAGS,
            ),
            *rows(
                "svn",
                "delete del remove rm move mv rename ren copy cp mkdir lock unlock",
                "path*",
                _SVN,
                special="svn_url",
                does="write",
                flags={
                    **_SVN_FLAGS,
                    "remote": Adds(
                        effects=effects("destructive network"),
                        tags=("external", "sends"),
                        irreversible=True,
                        risk=HIGH,
                    ),
                },
            ),
        ),
        example="svn status",
    ),
    P(
        "svnadmin",
        words=2,
        does="",
        subs=(
            *rows("svnadmin", "create", "write", "--fs-type:text --config-dir:text", does="write"),
            *rows("svnadmin", "info verify lslocks lstxns", "list"),
            *rows(
                "svnadmin",
                "dump hotcopy",
                "read write?",
                "-r:text -F:write --incremental -q",
                does="write",
                tags="wholesale",
            ),
            *rows("svnadmin", "load pack upgrade recover", "edit", "-F:read -q", does="write"),
        ),
    ),
    P("svnversion", "list*", does="read"),
    P("svnlook", "text list text*", does="read", options="-r:text -t:text --diff-cmd:command -x:text"),
    P(
        "svnserve",
        does="spawn network",
        options="-r:list --listen-port:text --listen-host:text --config-file:read --log-file:write "
        "--pid-file:write -d -i -t -X -T",
    ),
    P(
        "cvs",
        words=2,
        does="",
        options="-d:text -e:command -T:text -z:number -f -l -n -Q -q -r -t -w -x -a",
        subs=(
            *rows(
                "cvs",
                "status log rlog diff rdiff annotate history ls version",
                options="-r:text -D:text -d:text -l -N -u -R",
                does="network read",
            ),
            *rows(
                "cvs",
                "checkout co get export update up login",
                options="-r:text -D:text -d:write -j:text -k:text -A -C!clean -P -R",
                does="network write",
                flags={"clean": LOSES},
            ),
            *rows(
                "cvs",
                "commit ci import tag rtag",
                options="-m:text -F:read -r:text -I:text -W:text -b -d!delete -f -l -R",
                does="destructive network",
                flags={"delete": GONE},
                **PUBLISH,
            ),
            *rows("cvs", "add remove rm edit unedit init", options="-m:text -k:text -f -l -R", does="write"),
        ),
    ),
    P(
        "repo",
        words=2,
        does="",
        options="--trace --color:text --help --version --no-pager -p --paginate",
        subs=(
            *rows(
                "repo",
                "status diff branches list info manifest overview help version grep",
                options="-o:write -r:text -e:text -j:number",
            ),
            *rows(
                "repo",
                "init",
                options="-u|--manifest-url:url -b|--manifest-branch:text -m|--manifest-name:text "
                "--repo-url:repo-url --repo-rev:text --reference:text --depth:number -g:text -p:text "
                "--no-repo-verify!unverified",
                does="network write execute",
                tags="install",
            ),
            *rows(
                "repo",
                "sync smartsync",
                options="-j|--jobs:number -m:text -c -d|--detach -f --force-sync!force-sync -l -n -q "
                "--force-remove-dirty!force --prune",
                does="network write",
                flags={"force": LOSES, "force-sync": LOSES},
            ),
            *rows(
                "repo",
                "start checkout rebase cherry-pick download stage",
                options="--all -r:text -b:text",
                does="network write",
            ),
            *rows("repo", "abandon prune", "branch*", "--all", does="destructive", irreversible=True, risk="medium"),
            *rows(
                "repo",
                "upload",
                options="--re|--reviewers:text --cc:text --br|--branch:text -t -y -n|--dry-run -o:text -D:text "
                "--no-verify",
                does="network",
                dryrun="-n",
                **SENDS,
            ),
            P(
                "forall",
                words=2,
                action="repo:forall",
                does="execute",
                options="-c|--command:code.sh -r:text -i:text -g:text -p -v -e -j|--jobs:number --interactive",
            ),
        ),
    ),
    P(
        "repo-add",
        "write read*",
        does="write",
        options="-q -n -R!remove -s -k:text -v -d --remove!remove",
        flags={"remove": LOSES},
    ),
    P("repo-remove", "write text*", does="write", options="-q -s -k:text -v --remove!remove", flags={"remove": LOSES}),
)
