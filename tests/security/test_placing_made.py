"""A source that the same call makes: it is listed where that can be done, and asks where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from placed import SETTINGS, Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """In `parts` and in archives of it lie settings that switch hooks off; in `clean` and `c.tar` there are none."""
    ground = Ground(tmp_path)
    ground.write(f"parts/{SETTINGS}")
    ground.write("parts/readme.md", "x")
    ground.write("clean/readme.md", "x")
    ground.write("clean/src/z.py", "z")
    ground.write("src/a.py", "a")
    ground.runs(
        "tar cf a.tar -C parts . && tar czf a.tgz -C parts . && tar cf c.tar -C clean . && base64 a.tar > a.b64;"
        "tar cf nested.tar a.tar; cd parts && zip -qr ../a.zip ."
    )
    return ground


LISTED = [
    "ls -A parts | xargs -I{} cp -r parts/{} .",
    "ls -A parts | while read f; do cp -r parts/$f .; done",
    'for f in $(ls -A parts); do cp -r "parts/$f" .; done',
    "find parts -mindepth 1 -maxdepth 1 -exec cp -r {} . \\;",
    "find parts -mindepth 1 -maxdepth 1 -exec mv -t . {} +",
    "cp a.tar b.tar && tar xf b.tar",
    "cp a.tar b.tar; tar xf b.t*",
    "cp a.tar b.tar && cp b.tar d.tar && tar xf d.tar",
    "if true; then cp a.tar b.tar; fi; tar xf b.tar",
    "mkdir d && cp a.tar d/ && tar xf d/a.tar",
    "mkdir d && cp -r parts a.tar d && tar xf d/a.tar",
    "mv a.tar b.tar && tar xf b.tar",
    "mv a.tgz b && tar xzf b",
    "ln a.tar b.tar && tar xf b.tar",
    "ln -s a.tar b.tar && tar xf b.tar",
    "install -m 644 a.tar b.tar && tar xf b.tar",
    "cat a.tar > b.tar && tar xf b.tar",
    "cat < a.tar > b.tar && tar x < b.tar",
    "dd if=a.tar of=b.tar bs=1M && tar xf b.tar",
    "gunzip -c a.tgz > b.tar && tar xf b.tar",
    "gzip -k a.tar && tar xzf a.tar.gz",
    "tar cf n.tar -C parts . && tar xf n.tar",
    "tar czf n.tgz parts && tar xzf n.tgz --strip-components=1",
    "tar cf n.tar parts/.claude && tar xf n.tar --strip-components 1",
    "tar cf n.tar parts/.c* && tar xf n.tar --strip-components 1",
    "tar cf n.tar clean && tar rf n.tar -C parts . && tar xf n.tar",
    "tar cf - -C parts . > n.tar && tar xf n.tar",
    "(cd parts && tar c .) | tar x",
    "(cd parts; tar c .) | tar x",
    "{ cd parts && tar c .; } | tar x",
    "cd parts && tar c . | (cd .. && tar x)",
    "tar c parts | tar x --strip-components=1",
    "tar c parts | tar x --transform 's,^parts/,,'",
    "tar c parts | gzip | tar xz --strip-components=1",
    "tar c parts | gzip -9 > n.tgz && zcat n.tgz | tar x --strip-components=1",
    "tar c parts | cat | tee n.tar | tar x --strip-components=1",
    "(cd parts && zip -qr ../n.zip .) && unzip -o n.zip",
    "cd parts && zip -qr ../n .claude && cd .. && unzip -o n.zip",
    "7z a n.7z parts && mkdir d && 7z x n.7z -od && cp -r d/parts/. .",
    "mv parts p2 && cp -r p2/. .",
    "cp -r parts p2 && cp -r p2/. .",
    "cp -r parts p2 && cp -r p2 p3 && rsync -a p3/ .",
    "cp -a parts /tmp/q && rsync -a /tmp/q/ .",
    "ln -s parts p2 && cp -r p2/. .",
    "mkdir p2 && cp -r parts p2/ && cp -r p2/parts/. .",
    "cp -r parts/. clean && cp -r clean/. .",
    "rsync -a parts/ p2/ && rsync -a p2/ .",
    "mkdir p2 && tar xf a.tar -C p2 && cp -r p2/. .",
    "unzip -o a.zip -d p2 && rsync -a p2/ ./",
    "T=$(mktemp -d) && tar xf a.tar -C $T && cp -r $T/. .",
    "T=$(mktemp -d) && cp -r parts/. $T && cp -r $T/. .",
    "rsync -aR --files-from=list parts .",
    "rsync -a --files-from=list parts/ .",
    "sqlite3 x.db \"VACUUM INTO '.claude/settings.json'\"",
    "mkdir -p p2/.claude && cp parts/.claude/settings.json p2/.claude/ && tar c -C p2 . | tar x",
    "zip -r n.zip parts && cd parts && unzip ../n.zip -d /tmp/zz && cp -r /tmp/zz/parts/. ..",
]


@pytest.mark.parametrize("command", LISTED)
def test_what_the_call_packs_or_copies_is_followed_to_where_it_lands(command: str, ground: Ground) -> None:
    assert SETTINGS in ground.changes(command)


ASKED = {
    "base64 -d a.b64 | tar x": "it unpacks what a pipe brings; it is unclear what that writes here",
    "openssl base64 -d -in a.b64 | tar x": "it unpacks what a pipe brings; it is unclear what that writes here",
    "python3 gen.py | tar x": "it unpacks what a pipe brings; it is unclear what that writes here",
    "cat a.tar c.tar | tar xi": "it unpacks what a pipe brings; it is unclear what that writes here",
    "(echo x; tar c clean) | tar x": "it unpacks what a pipe brings; it is unclear what that writes here",
    "base64 -d a.b64 > n.tar && tar xf n.tar": (
        "it unpacks `n.tar`, which this call makes; it is unclear what that writes here"
    ),
    "base64 -d a.b64 > n.tar; tar x < n.tar": (
        "it unpacks `n.tar`, which this call makes; it is unclear what that writes here"
    ),
    "base64 -d a.b64 > n.tar; cat n.tar | tar x": (
        "it unpacks `n.tar`, which this call makes; it is unclear what that writes here"
    ),
    "base64 -d a.b64 > n.tar && cp n.tar m.tar && tar xf m.t*": (
        "it unpacks `m.tar`, which this call makes; it is unclear what that writes here"
    ),
    "cp c.tar b.tar && base64 -d a.b64 > b.tar && tar xf b.tar": (
        "it unpacks `b.tar`, which this call makes; it is unclear what that writes here"
    ),
    "tar cf n.tar -T list && tar xf n.tar": (
        "it unpacks `n.tar`, which this call makes; it is unclear what that writes here"
    ),
    "tar cf n.tar --transform 's,x,y,' src && tar xf n.tar": (
        "it unpacks `n.tar`, which this call makes; it is unclear what that writes here"
    ),
    "tar xf nested.tar && mv a.tar b.tar && tar xf b.tar": (
        "it unpacks `b.tar`, which this call makes; it is unclear what that writes here"
    ),
    "base64 -d a.b64 > n.tar && tar xf n.tar -C p2 && cp -r p2/. .": (
        "it copies `p2`, which this call makes; it is unclear what that writes here"
    ),
    "git clone ../other p2 && cp -r p2/. .": (
        "it copies `p2`, which this call makes; it is unclear what that writes here"
    ),
    "curl -s https://a.example/x > y; base64 -d a.b64 | tar x": (
        "it unpacks what a pipe brings; it is unclear what that writes here"
    ),
}


@pytest.mark.parametrize("command", ASKED)
def test_a_source_that_the_call_makes_and_nobody_can_list_asks(command: str, ground: Ground) -> None:
    ground.write("list", SETTINGS)
    assert ASKED[command] in [part.reason for part in ground.reads(command).opaque]


FREE = [
    "ls -A clean | xargs -I{} cp -r clean/{} .",
    "ls parts | xargs -I{} cp -r parts/{} .",  # without -A, `ls` leaves hidden names out
    "cp -r parts/* .",
    "cp c.tar b.tar && tar xf b.tar",
    "tar cf n.tar -C clean . && tar xf n.tar",
    "tar czf b.tgz clean && tar xzf b.tgz && tar tzf b.tgz",
    "tar czf - src | tar xzf - -C /tmp/copy",
    "tar c parts | tar x -C /tmp/copy",
    "tar cf - clean | (cd /tmp/copy && tar xf -)",
    "tar c --exclude .claude parts | tar x --strip-components=1",
    "tar cf n.tar parts && tar xf n.tar",
    "tar cf n.tar parts && tar xf n.tar parts/readme.md --strip-components=1",
    "base64 -d a.b64 | tar x -C build",
    "base64 -d a.b64 > n.tar && tar tf n.tar && tar xf n.tar -C build",
    "base64 -d a.b64 | tar x src/a.py",
    "npm pack && tar xf *.tgz -C /tmp/x",
    "npm run build && cp -r dist/. /tmp/x",
    "mkdir out && cp -r src/. out/",
    "mkdir -p out && cp -r src/. out/ && cp -r out out2",
    "mkdir -p p2 && cp -r clean/. p2 && cp -r p2/. .",
    "cp -r clean p2 && mv p2/src src2",
    "cp -r parts p2 && mv p2 p3",
    "cp -r parts p2 && cp p2/readme.md .",
    "mkdir t && cd t && tar xf ../a.tar",
    "rsync -a clean/ p2/ && rsync -a p2/ .",
    "rm -rf dist && mkdir dist && cp -r src/* dist/",
    "T=$(mktemp -d) && tar xf c.tar -C $T && cp -r $T/src .",
    "mv src lib && mkdir src && mv lib/a.py src/",
    "echo hi > out/notes && cp -r out .",
    "python3 gen.py > data.json && cp data.json clean/ && cp -r clean/. .",
    "curl -sL https://a.example/x.tgz | tar xz -C vendor",
    "curl -sL https://a.example/x.tgz | tar xz",
    "curl -sL https://a.example/x.tgz > x.tgz && tar xzf x.tgz",
    "curl -sLO https://a.example/x.tgz && tar xzf x.tgz",
    "tar xf c.tar && cp -r src/. lib",
    "tar xf c.tar && tar xf c.tar",
    "zip -r n.zip src && unzip -l n.zip",
]


@pytest.mark.parametrize("command", FREE)
def test_what_can_be_listed_or_lands_elsewhere_stays_free(command: str, ground: Ground) -> None:
    assert (ground.changes(command), [part.reason for part in ground.reads(command).opaque]) == ([], [])
