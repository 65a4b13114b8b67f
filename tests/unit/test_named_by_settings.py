"""Settings of git for one command, `-c KEY=VALUE`: files that are written or read, programs, and where things go."""

from __future__ import annotations

import subprocess

import pytest

from interlock.reading.specials.git_config import kind_of
from verdicts import allowed

LEADS_ELSEWHERE = r"""
git interpret-trailers --in-place --trailer 'a: b' /srv/x
git interpret-trailers --in-pl --trailer 'a: b' ~/.bashrc
git -c format.outputDirectory=/srv/x format-patch -1
git -c FORMAT.outputdirectory=/srv/x format-patch -1
git -c format.suffix=/../../x format-patch -1
git format-patch --suffix=/../../x -1
git -c format.signatureFile=/home/someone/.ssh/id_rsa format-patch -1 --stdout
git -c commit.template=/home/someone/.ssh/id_rsa commit
git -c mailmap.file=/home/someone/.ssh/id_rsa log
git -c http.https://example.com/.sslKey=/home/someone/.ssh/id_rsa fetch
git -c http.cookieFile=/srv/x -c http.saveCookies=true fetch
git -c http.curloptResolve=github.com:443:10.1.1.1 fetch
git -c pull.twohead=x pull
git -c branch.main.mergeOptions='-s x' pull
git -c gc.recentObjectsHook='rm -rf /srv/x' gc
git -c rebase.instructionFormat='%s%nexec rm -rf /srv/x' rebase HEAD~2
git -c rebase.instructionFormat=%b rebase HEAD~2
git -c lfs.storage=/srv/x lfs fetch
git -c fetch.bundleURI=https://files.example/x fetch
git -c remotes.x=https://files.example/x fetch x
git -c core.protectNTFS=false clone ../x
git -c receive.fsckObjects=false fetch
git -c help.htmlPath=/tmp/x help -w log
git config --global trace2.eventTarget /srv/x
git config rebase.instructionFormat '%s%nexec sh x'
git config remote.origin.lfsurl https://files.example
git commit-graph write --object-dir /srv/x
"""

EVERYDAY = r"""
git interpret-trailers --in-place --trailer 'a: b' msg.txt
git interpret-trailers --parse < msg.txt
git -c format.outputDirectory=patches format-patch -1
git format-patch --suffix=.txt -1
git -c user.name=a -c user.email=b@c commit -m x
git -c commit.gpgsign=false commit -m x
git -c core.quotepath=off ls-files
git -c color.ui=always log -3
git -c core.pager=cat log
git -c core.excludesFile=.gitignore status
git -c blame.ignoreRevsFile=.git-blame-ignore-revs blame a.py
git -c pull.rebase=true pull
git config rebase.instructionFormat '%s (%an, %ar)'
git config push.default current
git config commit.template .gitmessage
git config --global core.excludesFile ~/.gitignore_global
git config branch.main.mergeOptions --no-ff
git -c http.sslCAInfo=/etc/ssl/certs/ca-certificates.crt fetch
git -c safe.directory=/app status
git -c protocol.version=2 fetch
git -c core.fsmonitor=false status
git -c merge.tool=vimdiff mergetool
git commit-graph write --reachable
"""

# What the end of a key says about its value: a file, a program, or where something goes.
_TELLING = (
    *("file", "path", "dir", "directory", "target", "command", "cmd", "program", "editor", "pager", "url", "uri"),
    *("proxy", "helper", "driver", "textconv", "clean", "smudge", "process", "hook", "template", "resolve", "skiplist"),
    *("sslcert", "sslkey", "sslcainfo", "askpass", "filter", "insteadof", "tunnel", "worktree", "external", "vcs"),
)
# Keys that end so and hold a truth value, a color, a pattern or a text that is shown.
_ONLY_SOUND_SO = frozenset(
    (
        "color.branch.worktree", "color.pager", "column.clean", "core.quotepath", "credential.usehttppath",
        "diff.<driver>.cachetextconv", "gitcvs.dbdriver", "gitweb.url", "gui.newbranchtemplate",
        "guitool.<name>.needsfile", "http.schannelusesslcainfo", "remote.<name>.partialclonefilter", "safe.directory",
        "transfer.credentialsinurl", "uploadpack.allowfilter",
    )
)  # fmt: skip
_MESSAGES = ("advice.", "fsck.gitmodules", "receive.fsck.gitmodules", "fetch.fsck.gitmodules")


def test_a_setting_that_leads_elsewhere_is_asked_about() -> None:
    assert allowed(LEADS_ELSEWHERE) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_everyday_settings_stay_free(line: str) -> None:
    assert allowed(line) == [line]


def test_every_key_that_names_a_file_a_program_or_a_place_has_a_row() -> None:
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=False).stdout.split()
    keys = {key.lower() for key in listed if "." in key and key.lower().endswith(_TELLING)}
    without = {key for key in keys if not kind_of(key.replace("<", "").replace(">", ""))}
    assert {key for key in without if not key.startswith(_MESSAGES)} - _ONLY_SOUND_SO == set()
