"""The same act by another way: a module through another module, a variable by `for`, a link, a joined option."""

from __future__ import annotations

import pytest

from verdicts import verdict

BY_ANOTHER_WAY = [
    "python3 -c 'import shutil; shutil.os.system(\"git push --force\")'",
    "python3 -c 'from shutil import os as q; q.system(\"rm -rf /srv/x\")'",
    "python3 -c 'import random; random._os.system(\"sudo reboot\")'",
    "python3 -c 'import os.path; os.path.os.popen(\"sudo reboot\")'",
    'python3 -c \'import asyncio; asyncio.subprocess.subprocess.run(["rm", "-rf", "/srv/x"])\'',
    "python3 -c 'import asyncio; asyncio.subprocess.create_subprocess_shell(\"sudo reboot\")'",
    "python3 -c 'import inspect; inspect.builtins.exec(\"import os; os.remove(chr(47))\")'",
    "python3 -c 'from zipfile import shutil as s; s.rmtree(\"/srv/x\")'",
    'python3 -c \'from tarfile import bltn_open as o; o("/srv/x", "w")\'',
    "python3 -c 'import numpy; numpy.os.system(\"sudo reboot\")'",
    'python3 -c \'import os; os.symlink("/home/someone/.ssh/id_rsa", "lk"); print(open("lk").read())\'',
    "for PATH in /tmp/x; do ls; done",
    "printf -v PATH /tmp/x; ls",
    "read PATH <<< /tmp/x; ls",
    "export GIT_EXTERNAL_DIFF; for GIT_EXTERNAL_DIFF in 'rm -rf /srv/x #'; do git diff; done",
    "export GIT_EXTERNAL_DIFF; read -r GIT_EXTERNAL_DIFF <<< 'sh /srv/x'; git diff",
    "export BASH_ENV; : ${BASH_ENV:=/srv/x.sh}; bash -c ls",
    "readarray -c1 -C'cat /srv/x;' x < a.txt",
    "mapfile -tC 'cat /srv/x;' -c1 x < a.txt",
    "sed 'v 4.2;e cat /srv/x' a.txt",
    "sed 'v;w /srv/x' a.txt",
    "sqlite3 x.db \".param set :x \\\"writefile('/srv/w','x')\\\"\" 'select :x'",
    "sqlite3 x.db \".parameter set :x \\\"readfile('/srv/w')\\\"\" 'select :x'",
]


@pytest.mark.parametrize("command", BY_ANOTHER_WAY)
def test_another_way_is_the_same_act(command: str) -> None:
    assert verdict(command) != "allow"


@pytest.mark.parametrize(
    "command",
    [
        'python3 -c \'import os.path, sys; print(os.path.join("a", "b"), sys.path[0])\'',
        "python3 -c 'import asyncio; print(asyncio.subprocess.PIPE)'",
        'python3 -c \'import os; os.symlink("a.txt", "lk")\'',
        'for f in *.txt; do wc -l "$f"; done',
        "export LOG; for LOG in a b; do echo $LOG; done",
        'while read -r line; do echo "$line"; done < a.txt',
        "mapfile -t lines < a.txt; echo ${#lines[@]}",
        "printf -v now '%s' x; echo $now",
        ": ${PORT:=3000}; echo $PORT",
        "sed 'v 4.2' a.txt",
    ],
)
def test_what_is_done_every_day_stays_free(command: str) -> None:
    assert verdict(command) == "allow"
