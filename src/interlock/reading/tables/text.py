"""Programs that read text and print text."""

from __future__ import annotations

from .spec import Adds, P

__all__ = ["PROGRAMS"]

PROGRAMS = (
    P("cat", "read*", options="-A -b -e -E -n -s -t -T -u -v", does="read", example="cat -n README.md"),
    P("tac", "read*", options="-b -r -s:text", does="read", example="tac log.txt"),
    P("head", "read*", options="-n|--lines:number -c|--bytes:number -q -v -z", does="", example="head -20 a.txt"),
    P(
        "tail",
        "read*",
        options="-n|--lines:number -c|--bytes:number -f -F --follow?:text --retry --pid:number -q -v -s:number -z",
        does="",
        example="tail -f log.txt",
    ),
    P(
        "nl",
        "read*",
        options="-b:text -d:text -f:text -h:text -i:number -l:number -n:text -p -s:text -v:number -w:number",
    ),
    P("wc", "count*", options="-c -m -l -L -w --files0-from:read", does="", example="wc -l *.py"),
    P(
        "grep",
        "words? read*",
        also="egrep fgrep zgrep rgrep",
        special="grep",
        options="-e|--regexp:words -f|--file:read -m|--max-count:number -A:number -B:number -C:number -d:text -D:text "
        "--include:text --exclude:text --exclude-dir:text --exclude-from:read --color?:text --colour?:text "
        "--label:text "
        "-r|-R|--recursive -i -v -w -x -c -l -L -o -q -s -n -H -h -a -E -F -G -P -z -Z -b -U -y",
        does="",
        example="grep -rn TODO src",
    ),
    P(
        "rg",
        "words? read*",
        special="grep",
        also="ag ack",
        options="-e|--regexp:words -f|--file:read --pager:command --ackrc:runs -m|--max-count:number "
        "-A:number -B:number -C:number "
        "-g|--glob:words --iglob:text "
        "-t|--type:text -T|--type-not:text -M:number -j:number -r|--replace:text --sort:text --sortr:text "
        "-d|--max-depth:number "
        "--max-filesize:text --ignore-file:read -E|--encoding:text --color:text --colors:text --context-separator:text "
        "--pre:command --pre-glob:text --pager:command --hostname-bin:command --path-separator:text --type-add:text "
        "-i -v -w -x -c -l -o -q -n -H -N -S -s -u -uu -uuu -F -P -U -z -a -0 -p -L --files --hidden --no-ignore",
        does="",
        example="rg -n 'def main' src",
    ),
    P(
        "sed",
        "words read*",
        special="sed",
        options="-e|--expression:words -f|--file:read -i|--in-place?:text -n|--quiet|--silent -E -r -s -u -z -l:number "
        "--posix --debug --sandbox --follow-symlinks",
        does="",
        example="sed -n '1,20p' a.txt",
    ),
    P(
        "awk",
        "words? read*",
        also="gawk mawk nawk",
        special="awk",
        options="-F|--field-separator:words -v:text",
        example="awk '{print $1}' a.txt",
    ),
    P(
        "cut",
        "read*",
        options="-d|--delimiter:words -f:text -c:text -b:text -s -z --complement --output-delimiter:text",
        does="",
    ),
    P("tr", "words*", options="-c -C -d -s -t", does="", example="tr a-z A-Z"),
    P(
        "sort",
        "read*",
        options="-o|--output:write -k:text -t:words -T|--temporary-directory:text -S:text --parallel:number "
        "--files0-from:names "
        "--compress-program:command --random-source:read -b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z "
        "--batch-size:number",
        does="",
        example="sort -u a.txt",
    ),
    P("uniq", "read? write?", options="-c -d -D -f:number -i -s:number -u -w:number -z --group?:text", does=""),
    P("comm", "read*", options="-1 -2 -3 --check-order --nocheck-order --output-delimiter:text --total -z", does=""),
    P(
        "join",
        "read*",
        options="-a:number -e:text -i -j:number -o:text -t:words -v:number -1:number -2:number -z",
        does="",
    ),
    P("paste", "read*", options="-d:words -s -z", does=""),
    P("column", "read*", options="-t -s:words -o:words -c:number -x -n:text -N:text -R:text -J", does=""),
    P("expand", "read*", options="-i -t:text", also="unexpand", does=""),
    P("fold", "read*", options="-b -s -w:number", also="fmt", does=""),
    P("rev", "read*", does=""),
    P(
        "diff",
        "read*",
        options="-u -U:number -c -r -q -N -w -b -B -i -y -W:number --color?:text -x:words -I:words --exclude:text "
        "--label:text",
        does="",
    ),
    P("diff3", "read*", options="--diff-program:command -L|--label:text -m -e -E -x -X -3 -A -i -T -a", does=""),
    P("cmp", "read*", options="-b -i:text -l -n:number -s", does=""),
    P("colordiff", "read*", options="-u -r", does=""),
    P("strings", "read*", options="-a -n:number -t:text -e:text -f", does=""),
    P("od", "read*", options="-A:text -t:text -N:number -j:number -v -c -x -a -w?:number", also="hexdump hd", does=""),
    P(
        "xxd",
        "read? write?",
        options="-r -p -l:number -s:text -c:number -g:number -i -u -b -a -e -E",
        does="",
        example="xxd -l 64 a.bin",
    ),
    P(
        "base64",
        "read?",
        options="-d|-D|--decode!decode -w:number -i -b:number -o|--output:write",
        also="base32",
        does="",
    ),
    P(
        "md5sum",
        "read*",
        also="sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 crc32",
        options="-c -a:text -b -t -q --status -w",
        does="",
    ),
    P(
        "jq",
        "words read*",
        options="-r -c -n -s -S -e -M -C -j -a -R -f|--from-file --arg:text --argjson:text --slurpfile:text "
        "--rawfile:text --tab --indent:number -L:text",
        special="jq",
        does="",
    ),
    P(
        "yq",
        "words read*",
        options="-r -y -P -o|--output-format:text -p|--input-format:text -i|--inplace|--in-place!inplace -e -n "
        "-s|--split-exp:text!split --split-exp-file:runs!split --from-file:runs",
        flags={"split": Adds(opaque="names of files that are put together by the expression")},
        special="jq",
        does="",
    ),
    P(
        "xmllint",
        "read*",
        options="--format --noout --xpath:text --output:write --schema:read --html --recover",
        does="",
    ),
    P(
        "less",
        "read*",
        special="pager",
        also="more most",
        options="-R -N -S -F -X -n -i -p:text -o|--log-file:write -O|--LOG-FILE:write "
        "-k|--lesskey-file|--lesskey-src:runs!keys "
        "--lesskey-content:text!keys -T|--tag-file:read -P|--prompt:text",
        flags={"keys": Adds(opaque="keys for the reader can be bound to commands")},
        does="",
        example="less a.txt",
    ),
    P(
        "bat",
        "read*",
        also="batcat",
        options="-p -n -A -l:text -r:text --style:text --paging:text --color:text --theme:text --pager:command "
        "--config-file:runs --diff --file-name:text -H:text --tabs:text --wrap:text --terminal-width:text",
        does="",
    ),
    P("iconv", "read*", options="-f:text -t:text -o|--output:write -c -l -s", does=""),
    P("dos2unix", "edit*", also="unix2dos", options="-n -k -q", does=""),
    P("seq", "number*", options="-f:text -s:text -w", does=""),
    P("shuf", "read?", options="-n:number -e -i:text -o|--output:write -r -z --random-source:read", does=""),
    P(
        "split",
        "read? write?",
        options="-b:text -l:number -n:text -d -a:number --additional-suffix:text --filter:command -C:text",
        does="write",
    ),
    P("csplit", "read text*", options="-f:write -n:number -k -s -z", does="write"),
    P("tee", "write*", options="-a -i -p", does="", example="tee -a log.txt"),
    P("printf", "words*", does=""),
    P("echo", "words*", does=""),
    P("yes", "words*", does=""),
    P("basename", "words*", options="-a -s:text -z", does=""),
    P("dirname", "words*", options="-z", does=""),
    P("factor", "number*", does=""),
    P("expr", "words*", does=""),
    P("bc", "read*", options="-l -q -s -w", does=""),
    P("numfmt", "text*", options="--to:text --from:text --field:text --suffix:text --format:text", does=""),
    P("pr", "read*", does=""),
    P("tsort", "read?", does=""),
    P("envsubst", "text*", options="-v", does=""),
    P("look", "words read?", does=""),
    P("cloc", "list*", also="tokei scc sloccount", does=""),
)
