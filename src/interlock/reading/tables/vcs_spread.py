"""Version control with a history in every copy: hg, fossil, bzr."""

from __future__ import annotations

from .spec import Adds, P, effects
from .vcs_words import GONE, HIGH, LOSES, PUBLISH, SENDS, rows

__all__ = ["SPREAD"]

_HG = (
    "-R|--repository:text --cwd:text --config:code.hg --encoding:text --encodingmode:text --color:text --pager:text "
    "-y -q "
    "-v -h|--help --debug --debugger --traceback --time --profile --version --noninteractive --hidden"
)
_FILES = "-I|--include:text -X|--exclude:text -n|--dry-run -S --subrepos"
_REVS = "-r|--rev:text -b|--branch:text -B|--bookmark:text -d|--date:text -u|--user:text -k|--keyword:text "
"-l|--limit:number"
_SETS = Adds(effects=effects("write"))
_LINK = "-e|--ssh:command --remotecmd:command --insecure -f|--force!force --new-branch -u|--update --noupdate -U --pull"
_PRINT = (
    f"{_FILES} {_REVS} -T|--template:text --style:text -U|--unified:number -c|--change:text -m|--modified -p -g -G -a"
)

SPREAD = (
    P(
        "hg",
        words=2,
        does="",
        also="chg",
        options=f"{_HG}",
        subs=(
            *rows(
                "hg",
                "status st log history diff annotate blame cat manifest parents heads tip branches tags "
                "files locate summary sum identify id root paths grep help version verify resolve-list "
                "debuginstall glog",
                options=f"{_HG} {_PRINT} -l|--list -o|--output:write --all",
            ),
            *rows(
                "hg",
                "config showconfig",
                options=f"{_HG} -T|--template:text -e|--edit -l|--local -g|--global -u|--untrusted",
                flags={"-e": _SETS},
            ),
            *rows(
                "hg",
                "bookmarks",
                options=f"{_HG} -T|--template:text "
                "-l|--list -d|--delete -m|--rename:text -i|--inactive "
                "-r|--rev:text -f|--force",
                flags={"operand": _SETS, "-d": _SETS, "-m": _SETS},
            ),
            *rows(
                "hg", "incoming in outgoing out", options=f"{_HG} {_PRINT} {_LINK} --bundle:write", does="network read"
            ),
            *rows(
                "hg",
                "add addremove branch bookmark tag resolve init import patch unbundle graft "
                "merge backout shelve unshelve phase commit ci record",
                options=f"{_HG} {_FILES} -m|--message:text -A -s -i "
                "-l|--logfile:read -d|--date:text -u|--user:text -r|--rev:text -t|--tool:starts -f -e:text "
                "--amend!amend --interactive --close-branch --secret -p:number",
                does="write",
                flags={"amend": Adds(tags=("history",))},
            ),
            *rows("hg", "copy cp", "read+ write", f"{_HG} {_FILES} -A|--after -f|--force", does="write"),
            *rows("hg", "rename mv move", "move+ write", f"{_HG} {_FILES} -A|--after -f|--force", does="write"),
            *rows(
                "hg",
                "rebase histedit evolve uncommit absorb fold split amend",
                options=f"{_HG} -s|--source:text -d|--dest:text "
                "-b|--base:text -r|--rev:text -m|--message:text -l:read --commands:read -a -c -i -k --keep",
                does="write",
                tags="history",
            ),
            *rows(
                "hg",
                "remove rm forget",
                "path*",
                f"{_HG} {_FILES} -A|--after -f|--force!force",
                does="write",
                flags={"force": LOSES},
            ),
            *rows(
                "hg",
                "update up checkout co goto",
                options=f"{_HG} -r|--rev:text -d|--date:text -t|--tool:starts -C|--clean!clean -c|--check -m|--merge",
                does="write",
                flags={"clean": LOSES},
            ),
            *rows(
                "hg",
                "revert",
                "path*",
                f"{_HG} {_FILES} -r|--rev:text -d|--date:text -a|--all!all -C --no-backup!no-backup -i",
                does="destructive",
                irreversible=True,
            ),
            *rows(
                "hg",
                "purge clean",
                options=f"{_HG} {_FILES} -p|--print -0 --all -i --files --dirs --confirm",
                does="destructive",
                irreversible=True,
                dryrun="-p",
                risk="medium",
            ),
            *rows(
                "hg",
                "strip prune",
                options=f"{_HG} -r|--rev:text -k -f --no-backup -B:text",
                does="destructive",
                irreversible=True,
                tags="history",
                risk="high",
                compensator="hg unbundle .hg/strip-backup/<file>",
            ),
            *rows(
                "hg",
                "rollback",
                options=f"{_HG} -n|--dry-run -f",
                does="destructive",
                irreversible=True,
                tags="history",
                dryrun="-n",
            ),
            *rows(
                "hg",
                "clone",
                "url brings?",
                f"{_HG} {_REVS} {_LINK} --updaterev:text --stream",
                special="clones",
                does="network write",
            ),
            *rows("hg", "pull fetch", "url?", f"{_HG} {_REVS} {_LINK} --rebase", does="network write"),
            *rows(
                "hg",
                "push",
                "remote?",
                f"{_HG} {_REVS} {_LINK} --publish",
                does="network",
                flags={"force": Adds(effects=effects("destructive"), tags=("force",), irreversible=True, risk=HIGH)},
                **SENDS,
            ),
            *rows(
                "hg",
                "email",
                options=f"{_HG} -t|--to:to -c|--cc:to -f:text -s:text -n|--test",
                does="destructive network",
                dryrun="-n",
                **PUBLISH,
            ),
            *rows(
                "hg",
                "serve",
                options=f"{_HG} -p|--port:number -a|--address:text --prefix:text -n|--name:text -d|--daemon "
                "--web-conf:read --pid-file:write -A:write -E:write -t|--templates:text --style:text "
                "--certificate:read "
                "--stdio --cmdserver:text --print-url",
                does="spawn network",
            ),
            *rows(
                "hg",
                "archive bundle export",
                options=f"{_HG} {_REVS} -o|--output:write -p:text -t|--type:text -a --all",
                does="write",
            ),
            P(
                "bisect",
                words=2,
                action="hg:bisect",
                does="write",
                options=f"{_HG} -c|--command:code.sh -g -b -s -r -e -U",
            ),
            P(
                "extdiff",
                words=2,
                action="hg:extdiff",
                does="execute",
                options=f"{_HG} -p|--program:command -o|--option:text -r|--rev:text -c|--change:text",
                tags="unread",
            ),
        ),
        example="hg log --limit 5",
    ),
    P(
        "fossil",
        words=2,
        does="",
        options="-R|--repository:text --args:read!args",
        flags={"args": Adds(opaque="more words are taken from a file")},
        subs=(
            *rows(
                "fossil",
                "status changes diff timeline info ls finfo annotate blame cat help version stat extras "
                "leaves artifact",
                options="-R:text --from:text --to:text --branch:text -n:number -r:text --command:command",
            ),
            *rows("fossil", "branch tag", options="-R:text", flags={"operand": _SETS}),
            *rows(
                "fossil",
                "add addremove forget init new open checkout co update up merge stash commit ci import "
                "amend close settings",
                options="-m|--comment:text -M|--message-file:read --branch:text --tag:text -f --force!force "
                "--reset --workdir:write --user-override:text --date-override:text",
                does="write",
                special="fossil_sync",
                flags={"force": LOSES, "sends": Adds(effects=effects("network"), tags=("external", "sends"))},
            ),
            *rows(
                "fossil", "mv rename", "move+ write", "--soft --hard -n|--dry-run --case-sensitive:text", does="write"
            ),
            *rows(
                "fossil",
                "rm delete del",
                "path*",
                "--hard!hard --soft -n|--dry-run --reset",
                does="write",
                flags={"hard": LOSES},
                dryrun="-n",
            ),
            *rows(
                "fossil",
                "revert clean undo",
                "path*",
                "-r:text -f --force -x -n|--dry-run --keep:text --ignore:text --verily",
                does="destructive",
                irreversible=True,
                dryrun="-n",
            ),
            *rows("fossil", "clone", "url write?", "-A:text --ssh-command|-c:command -B:text", does="network write"),
            *rows("fossil", "pull", "url?", "--ssh-command|-c:command -R:text", does="network write"),
            *rows("fossil", "push sync", "url?", "--ssh-command|-c:command -R:text --private", does="network", **SENDS),
            *rows(
                "fossil",
                "server ui http",
                "list?",
                "-P|--port:text --baseurl:text --files:text --localauth --repolist",
                does="spawn network",
            ),
            *rows(
                "fossil", "purge scrub", options="--force --verily", does="destructive", irreversible=True, risk="high"
            ),
        ),
    ),
    P(
        "bzr",
        also="brz",
        words=2,
        does="",
        options="-O:text -D:text --no-plugins --quiet --verbose",
        subs=(
            *rows(
                "bzr",
                "status st log diff di info annotate cat ls revno tags help version root whoami missing",
                "text*",
                "-r|--revision:text -d:text --using:command --diff-options:text -p:text -l:number",
            ),
            *rows("bzr", "mv move rename", "move+ write", "-q -v --after --auto --dry-run", does="write"),
            *rows(
                "bzr",
                "init init-repo add rm remove commit ci merge resolve shelve unshelve tag ignore",
                "text*",
                "-m|--message:text -F|--file:read -r|--revision:text -d:text --fixes:text --force",
                does="write",
            ),
            *rows(
                "bzr",
                "branch checkout co pull update up export clone get",
                "text*",
                "-r|--revision:text -d:text --overwrite",
                does="network write",
            ),
            *rows(
                "bzr",
                "push send dpush",
                "remote?",
                "-r|--revision:text -d:text --overwrite!force",
                does="network",
                flags={"force": GONE},
                **SENDS,
            ),
            *rows(
                "bzr",
                "revert uncommit clean-tree",
                "text*",
                "-r|--revision:text --no-backup --force --ignored --unknown --dry-run",
                does="destructive",
                irreversible=True,
                dryrun="--dry-run",
            ),
            *rows(
                "bzr",
                "serve",
                "list?",
                "--port:text --directory:list --protocol:text --inet --allow-writes",
                does="spawn network",
            ),
        ),
    ),
)
