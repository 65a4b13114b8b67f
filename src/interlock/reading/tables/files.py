"""Programs that list, make, move, change and remove files."""

from __future__ import annotations

from .spec import Adds, P

__all__ = ["PROGRAMS"]

# What was there is kept under its own name and an ending, which together can be any name.
_BACKUPS = {"suffix": Adds(opaque="a copy of what was there, under a name that is put together")}
_RSYNC = (
    "-e|--rsh:login --rsync-path:there -f|--filter:rule --files-from:read --exclude-from:read --include-from:read "
    "--password-file:read --early-input:send --config:read --exclude:text --include:text -B|--block-size:text "
    "-T|--temp-dir:write --partial-dir:write --backup-dir:write --write-batch:write --only-write-batch:write "
    "--log-file:write --read-batch:replay --suffix:text --chmod:text --chown:text --usermap:text --groupmap:text "
    "--bwlimit:text --timeout:text --contimeout:text --compare-dest:list --copy-dest:list --link-dest:list "
    "--max-size:text --min-size:text --max-alloc:text --max-delete:text --port:text --address:text --sockopts:text "
    "-M|--remote-option:text --out-format:text --log-format:text --log-file-format:text --info:text --debug:text "
    "--stderr:text --outbuf:text -@|--modify-window:text --checksum-choice|--cc:text --compress-choice|--zc:text "
    "--compress-level|--zl:text --skip-compress:text --copy-as:text --stop-after|--time-limit:text --stop-at:text "
    "--protocol:text --iconv:text --checksum-seed:text --dparam:text "
    "-v|--verbose -q|--quiet -c|--checksum -a|--archive -r|--recursive -R|--relative -b|--backup -u|--update --inplace "
    "--append --append-verify -d|--dirs --old-dirs --old-d --mkpath -l|--links -L|--copy-links --copy-unsafe-links "
    "--safe-links --munge-links -k|--copy-dirlinks -K|--keep-dirlinks -H|--hard-links -p|--perms -E|--executability "
    "-A|--acls -X|--xattrs -o|--owner -g|--group --devices --copy-devices --write-devices --specials -D -t|--times "
    "-U|--atimes --open-noatime -N|--crtimes -O|--omit-dir-times -J|--omit-link-times --super --fake-super -S|--sparse "
    "--preallocate -n|--dry-run -W|--whole-file -x|--one-file-system --existing --ignore-non-existing "
    "--ignore-existing --remove-source-files --remove-sent-files --del --delete --delete-before --delete-during "
    "--delete-delay --delete-after --delete-excluded --ignore-missing-args --delete-missing-args --ignore-errors "
    "--force --partial --delay-updates -m|--prune-empty-dirs --numeric-ids -I|--ignore-times --size-only -y|--fuzzy "
    "-z|--compress --new-compress --old-compress -C|--cvs-exclude -F -0|--from0 --old-args "
    "-s|--secluded-args|--protect-args --trust-sender --blocking-io --stats -8|--8-bit-output -h|--human-readable "
    "--progress -P -i|--itemize-changes --list-only --fsync -4|--ipv4 -6|--ipv6 -V|--version --help --daemon --server "
    "--sender --detach --msgs2stderr --qsort --i-r --inc-recursive"
)
_TAR = (
    "-A|--catenate|--concatenate -c|--create -d|--diff|--compare --delete -r|--append -t|--list -u|--update "
    "-x|--extract|--get -f|--file:archive -C|--cd|--directory:into -T|--files-from:names -X|--exclude-from:read "
    "-I|--use-compress-program:program --to-command:program -F|--info-script|--new-volume-script:program "
    "--rsh-command:program --rmt-command:program --checkpoint-action:step --checkpoint?:number "
    "--set-mtime-command:program --set-mtime-format:text "
    "-g|--listed-incremental:write --index-file:write --volno-file:write --add-file:read --exclude:text "
    "--exclude-tag:text --exclude-tag-all:text --exclude-tag-under:text --exclude-ignore:text "
    "--exclude-ignore-recursive:text --transform|--xform:text --strip-components:number --owner:text --owner-map:read "
    "--group:text --group-map:read --mode:text --mtime:text --clamp-mtime -b|--blocking-factor:number "
    "-L|--tape-length:number -N|--newer|--after-date:text --newer-mtime:text -K|--starting-file:text -V|--label:text "
    "--warning:text -H|--format:text --sort:text --level:number --record-size:number --suffix:text --backup?:text "
    "--quoting-style:text --quote-chars:text --no-quote-chars:text --pax-option:text --occurrence?:number "
    "--hole-detection:text --sparse-version:text --xattrs-include:text --xattrs-exclude:text --atime-preserve?:text "
    "--restrict --include:text --options:text --totals?:text --one-top-level?:top "
    "--remove-files --recursive-unlink --unlink-first -U -v|--verbose -w|--interactive|--confirmation -z|--gzip "
    "--gunzip --ungzip -j|--bzip2 -J|--xz -Z|--compress|--uncompress --lzip --lzma --lzop --zstd -a|--auto-compress "
    "--no-auto-compress -p|--preserve-permissions|--same-permissions -P|--absolute-names -O|--to-stdout "
    "-k|--keep-old-files -h|--dereference --hard-dereference -m|--touch -o|--old-archive|--portability -s "
    "-S|--sparse -B|--read-full-records -G|--incremental -i|--ignore-zeros -l|--check-links|--one-file-system "
    "-M|--multi-volume -n|--seek --no-seek -q -R|--block-number -W|--verify --skip-old-files --keep-newer-files "
    "--keep-directory-symlink --overwrite --overwrite-dir --no-overwrite-dir --no-same-owner --same-owner "
    "--no-same-permissions --numeric-owner --delay-directory-restore --no-delay-directory-restore --exclude-vcs "
    "--exclude-vcs-ignores --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --anchored "
    "--no-anchored --ignore-case --no-ignore-case --wildcards --no-wildcards --wildcards-match-slash "
    "--no-wildcards-match-slash --recursion --no-recursion --null --no-null --verbatim-files-from "
    "--no-verbatim-files-from --unquote --no-unquote --full-time --utc --show-defaults --show-omitted-dirs "
    "--show-transformed-names --show-stored-names --show-snapshot-field-ranges --force-local --no-ignore-command-error "
    "--ignore-command-error --ignore-failed-read --no-check-device --check-device --posix --pax --ustar --gnu "
    "--old-format --v7 --xattrs --no-xattrs --acls --no-acls --selinux --no-selinux --help --usage --version -?"
)

PROGRAMS = (
    P(
        "ls",
        "list*",
        also="dir vdir exa eza lsd",
        options="-I:text -w:number -T:number --color?:text --sort:text --time:text --time-style:text "
        "--format:text --block-size:text --hide:text --ignore:text --indicator-style:text",
        does="read",
        example="ls -la src",
    ),
    P(
        "tree",
        "list*",
        options="-L:number -I:words -P:words -o:write -H:text -T:text --filelimit:number -a -d -f -h",
        does="read",
        example="tree -L 2",
    ),
    P("stat", "count*", options="-c|--format:text --printf:text -f -L -t", does=""),
    P("file", "read*", options="-b -i -L -z -s -m:read -f:read --mime-type", does=""),
    P(
        "du",
        "list*",
        options="-s -h -a -c -d|--max-depth:number -x -k -m -b --exclude:text -B:text -t:text --time?:text "
        "-X:read --files0-from:read",
        does="read",
    ),
    P("df", "list*", options="-h -T -i -k -m -t:text -x:text --output?:text -B:text", does="read"),
    P("pwd", "text*", options="-P -L", does=""),
    P("realpath", "words*", options="-e -m -s --relative-to:text --relative-base:text", also="readlink", does=""),
    P(
        "find",
        special="find",
        options="-name:words -iname:words -path:words -ipath:words -wholename:words "
        "-iwholename:words -regex:words -iregex:words -lname:words -ilname:words -printf:words -perm:words",
        does="read",
        example="find . -name '*.py'",
    ),
    P(
        "fd",
        "words? list*",
        also="fdfind",
        special="fd",
        options="-e|--extension:text -t|--type:text -d|--max-depth|--maxdepth:number --min-depth:number "
        "--exact-depth:number -E|--exclude:words -H|--hidden -I|--no-ignore -u|--unrestricted -a|--absolute-path "
        "-x|--exec:command -X|--exec-batch:command -g|--glob -F|--fixed-strings -p|--full-path -i|--ignore-case "
        "-s|--case-sensitive -L|--follow -0|--print0 -1 -q|--quiet -l|--list-details -S|--size:text "
        "--changed-within:text --changed-before:text -o|--owner:text --max-results:number -j|--threads:number "
        "-c|--color:text --no-ignore-vcs --prune --and:text --base-directory:text --search-path:text",
        does="read",
    ),
    P("locate", "text*", special="by_name", also="mlocate plocate", does="read"),
    P("mkdir", "folder+", options="-p -v -m:text", does="write", example="mkdir -p build/out"),
    P("touch", "touched+", options="-a -c -m -d:text -r:read -t:text", does="write"),
    P(
        "mktemp",
        "text*",
        options="-d -p|--tmpdir?:text -t -u -q --suffix:text",
        action="fs:temp",
        does="write",
        example="mktemp -d",
    ),
    P(
        "cp",
        "read+ write",
        special="copies",
        options="-a -b -f -i -l -L -n -p -P -r -R -s -u -v -x -d -t|--target-directory:write --backup?:text "
        "--preserve?:text --no-preserve:text --sparse:text --reflink?:text --parents -S|--suffix:text!suffix -T",
        flags=_BACKUPS,
        does="write",
        example="cp -r a b",
    ),
    P(
        "mv",
        "move+ write",
        special="copies",
        options="-b -f -i -n -u -v -t|--target-directory:write --backup?:text -S|--suffix:text!suffix -T "
        "--exchange!exchange",
        flags={**_BACKUPS, "exchange": Adds(opaque="two files change places, and it is unclear which is older")},
        does="write",
        example="mv a b",
    ),
    P(
        "install",
        "read* write",
        special="placed",
        options="-d -m|--mode:text -o:text -g:text -D -t|--target-directory:write -v -p -s|--strip -b -C "
        "--strip-program:command -S|--suffix:text!suffix",
        flags=_BACKUPS,
        does="write",
    ),
    P(
        "ln",
        "text* link",
        special="ln",
        options="-s!symbolic -f -n -v -r -i -b -t|--target-directory:link -T -S|--suffix:text --backup?:text",
        does="write",
        example="ln -s a b",
    ),
    P("link", "read link", does="write"),
    P(
        "rm",
        "delete+",
        options="-r|-R|--recursive!recursive -f|--force!force -i -I -d -v --interactive?:text --one-file-system "
        "--no-preserve-root!no-preserve-root --preserve-root?:text",
        does="destructive",
        example="rm -rf build",
    ),
    P(
        "rimraf",
        "delete+",
        also="del-cli",
        options="-g|--glob -G|--no-glob --preserve-root --no-preserve-root -v|--verbose "
        "-i|--interactive -h|--help --version --impl:text --max-retries:text --retry-delay:text --backoff:text "
        "--tmp:text",
        does="destructive",
    ),
    P("rmdir", "delete+", options="-p -v --ignore-fail-on-non-empty", does="destructive"),
    P("unlink", "delete", does="destructive"),
    P(
        "shred",
        "wipe+",
        options="-u -z -f -v -n:number -s:text --remove?:text --random-source:read",
        does="destructive",
        example="shred -u key",
    ),
    P("truncate", "write+", special="space", options="-s|--size:text -c -o -r|--reference:read", does="write"),
    P("fallocate", "write", special="space", options="-l|--length:text -o:text -n -p -z -d", does="write"),
    P("trash", "move+", also="trash-put gio-trash rmtrash", does="write"),
    P(
        "chmod",
        "text mode+",
        special="modes",
        options="-R|--recursive!recursive -v -c -f --reference:read",
        does="write",
        example="chmod +x run.sh",
    ),
    P(
        "chown",
        "owner mode+",
        special="modes",
        options="-R|--recursive!recursive -v -c -f -h -H -L -P --reference:read --from:text",
        also="chgrp",
        does="write",
    ),
    P("chattr", "text mode+", special="attributes", options="-R -V -f -v:text -p:text", does="write"),
    P("lsattr", "list*", does="read"),
    P(
        "setfacl",
        "opened+",
        special="modes",
        options="-m:text -x:text -b -k -d -R -M:read -X:read --restore:read",
        does="write",
        flags={"--restore": Adds(opaque="whose files change is said by a file")},
    ),
    P("getfacl", "read+", options="-R", does="read"),
    P("setfattr", "opened+", options="-n:text -v:text -x:text -h", does="write"),
    P("getfattr", "read+", options="-n:text -d -m:text", does="read"),
    P("umask", "words*", does=""),
    P("dd", special="dd", does="write", example="dd if=a of=b bs=1M"),
    P("rsync", special="rsync", options=_RSYNC, does="write", example="rsync -a src/ dst/"),
    P("tar", special="tar", also="gtar bsdtar", options=_TAR, does="write", example="tar czf a.tgz src"),
    P(
        "zip",
        "write read*",
        special="pack_zip",
        options="-x|--exclude:words -i|--include:words",
        does="write",
    ),
    P(
        "unzip",
        "read text*",
        options="-l -o -n -q -d:write -x:text -j -p -t -v -P:text -a -u",
        special="unzip",
        does="write",
    ),
    P(
        "gzip",
        "edit*",
        also="gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd zstdmt lz4 unlz4 compress uncompress pigz unpigz "
        "pbzip2 lbzip2 lzip lunzip lzop unbrotli",
        special="squeeze",
        options="-d|--decompress|--uncompress -k|--keep -c|--stdout|--to-stdout -f -v -9 -1 -r|--recursive -l|--list "
        "-t|--test -n|--no-name -N|--name -q -S|--suffix:text -T:number -o|--output:write -z --rm -p:number",
        does="write",
        example="gunzip -k a.json.gz",
    ),
    P("zcat", "read*", also="bzcat xzcat zstdcat lzcat zless zmore", does="read"),
    P("7z", "text read*", also="7za 7zr", special="archive7", does="write"),
    P("cpio", special="opaque", does="write"),
    P(
        "patch",
        "edit? read?",
        special="patch",
        options="-p:number -i|--input:read -R -d:write -o:write -N -b --dry-run -s -f -E -u -F:number -g:number "
        "-r|--reject-file:write -V|--version-control:text -D:text "
        "-z|--suffix|-B|--prefix|-Y|--basename-prefix:text!suffix",
        flags=_BACKUPS,
        dryrun="--dry-run",
        does="write",
        example="patch -p1 < a.diff",
    ),
    P("basenc", "read?", does=""),
    P("sync", "list*", options="-d -f", does=""),
    P("inotifywait", "read*", options="-m -r -e:text -t:number -q --exclude:text --format:text -o:write", does="read"),
    P("rename", "text edit*", special="opaque", does="write"),
    P("ncdu", "list*", does="read"),
    P("mc", special="opaque", does="execute"),
)
