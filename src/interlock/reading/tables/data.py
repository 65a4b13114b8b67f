"""Tools for data and the sciences: tables, sequences, maps, models, archives that are only looked into.

Most read files and print; the ones that write say where. What of them can run commands or code of its own
(`mlr put`, `fx`, `jc COMMAND`) is left out on purpose: it stays a program that is not known.
"""

from __future__ import annotations

from .kinds import each, project, restores
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_EDITS = {"inplace": Adds(role="edit")}

PROGRAMS = (
    # data pipelines, and devices that are plugged in
    P("dvc", words=2, example="dvc status", options="-q -v -h|--help --cd:runs", subs=(
        *each("dvc", "status diff list ls dag metrics params plots doctor version root check-ignore", "read"),
        *each("dvc", "add checkout commit init move remove unprotect gc freeze unfreeze stage install", "write"),
        *each("dvc", "pull fetch get import import-url update", "network write"),
        P("push", action="dvc:push", does="network write", tags="external sends", words=2),
        P("remote", action="dvc:remote", does="write", tags="redirects", words=2),
        project("repro", also="exp experiments run"))),
    P("dbt", words=2, example="dbt compile", options="--profiles-dir:runs --project-dir:runs -t|--target:target", subs=(
        *each("dbt", "compile parse ls list show debug test source", "read network execute", tags="unread"),
        *each("dbt", "clean init", "write"), restores("deps"), project("docs"),
        *each("dbt", "run build seed snapshot run-operation retry clone", "network write execute",
            tags="external unread"))),
    P("adb", words=2, example="adb devices", options="-s:text -d -e -t:text -H:text -P:text", subs=(
        *each("adb", "devices version help get-state get-serialno get-devpath features", "read"),
        P("logcat", "text*", action="adb:logcat", does="read", options="-d -b:text -v:text -s -t:text -f:write "
            "-c!clears",
            flags={"clears": Adds(effects=effects("write"))}, words=2),
        *each("adb", "start-server kill-server reconnect wait-for-device", "execute"),
        *each("adb", "reverse forward connect disconnect pair", "network"))),
    # tables
    P("csvcut", "read*", options="-c|--columns:text -C|--not-columns:text -n|--names -d|--delimiter:text "
        "-t|--tabs -q:text "
        "-e|--encoding:text -m:text -r:text -x -l -H|--no-header-row -K:number -v", does="",
        also="csvgrep csvlook csvsort csvstat csvstack csvjoin csvformat csvclean csvjson in2csv",
        example="csvcut -c name a.csv"),
    P("xsv", "text read*", options="-o|--output:write -s|--select:text -d|--delimiter:text -n|--no-headers -i "
        "-j|--jobs:number -l:number -e:number", also="qsv xan", does="", action="exec:xsv"),
    P("datamash", "text*", options="-t:text -W -H -s -g:text -R:number", does=""),
    P("jo", "text*", options="-a -p -B -d:text -f:read", does=""),
    P("htmlq", "text*", options="-f|--filename:read -o|--output:write -t|--text -a|--attribute:text -p -w -b:text "
        "-r:text", also="pup", does=""),
    P("xmlstarlet", words=2, also="xml", subs=(P("sel", "text* read", does="read", action="exec:xmlstarlet",
        options="-t -T -n -B -N:text -m:text -v:text -c:text -i:text -o:text -e:text -s:text --net!net",
        flags={"net": Adds(opaque="an option that fetches what a document names")}),
        P("ed", "read*", options="-L|--inplace!inplace -u:text -d:text -i:text -a:text -s:text -r:text -m:text -t:text "
            "-n:text -v:text -x:text -N:text -P -S", does="", flags=_EDITS, action="exec:xmlstarlet"),
        *each("xmlstarlet", "val fo el c14n esc unesc pyx p2x", "read", operands="read*"))),
    P("tidy", "read*", options="-m|-modify!inplace -o|-output:write -i|-indent -q|-quiet -e|-errors -xml -asxml -utf8 "
        "-w|-wrap:number -config:read -f:write --show-warnings:text --tidy-mark:text", does="", flags=_EDITS),
    P("sd", "text text edit*", options="-F -s|--string-mode -p|--preview -f|--flags:text -n|--max-replacements:number "
        "-A", dryrun="-p --preview", does="", example="sd before after a.txt"),
    # looking into files
    P("hexyl", "read*", options="-n|--length:number -s|--skip:number -c|--bytes:number -o:number "
        "--border:text", does=""),
    P("b3sum", "read*", options="-c|--check --no-names --raw -l|--length:number "
        "--num-threads:number", also="xxhsum xxh64sum "
        "xxh128sum rhash", does=""),
    P("pv", "read*", options="-p -t -e -r -b -n -q -W -s:text -l -i:number -N:text -L:text", does=""),
    P("zdiff", "read*", options="-u -q -i -w -r -y -N", also="zcmp bzdiff bzcmp xzdiff xzcmp difft wdiff", does=""),
    P("bzgrep", "text read*", options="-i -n -c -l -v -E -F -r -o -w", also="xzgrep lz4grep zipgrep pdfgrep", does=""),
    P("bzless", "read*", also="xzless zstdless bzmore xzmore lz4cat zipinfo lsar", options="-l -v -1 -2 -h "
        "-t", does=""),
    P("sdiff", "read*", options="-o|--output:write --diff-program:command -I:text -i -b -B -W -s -w:number", does=""),
    P("brotli", "edit*", options="-d|--decompress -k|--keep -f|--force -c|--stdout -q:number -o|--output:write -j|--rm "
        "-t|--test -v -Z -n", does="write"),
    P("unrar", words=2, subs=(*each("unrar", "l lb lt v vb vt t", "read", operands="read text*"),
        *(P(name, "read write?", options="-o+ -o- -y -p?:text -r -ad", does="write", action="unrar:extract")
          for name in ("x", "e")))),
    P("getopt", "text*", options="-o|--options:text -l|--longoptions:text -n|--name:text -a -q -T", does=""),
    P("mkfifo", "write+", options="-m:text", does="write"),
    P("mknod", "write text*", options="-m:text", does="write", example="mknod pipe p"),
    P("uuencode", "read? text", options="-m -e", does=""),
    P("fc-list", "text*", options="-f|--format:text -v -q", also="fc-match fc-pattern fc-scan fc-query", does="read"),
    # translations
    P("msgfmt", "read*", options="-o|--output-file:write -c|--check -v -D|--directory:list --statistics -f --java "
        "-d:write -l:text -r:text", also="xgettext msgcat msgattrib msgunfmt msgcomm msguniq", does="",
        action="exec:gettext"),
    P("msgmerge", "read+", options="-U|--update!inplace -o|--output-file:write -N -q -v --backup:text "
        "--no-wrap", does="",
        flags=_EDITS, action="exec:gettext"),
    P("aspell", "text*", options="-l|--lang:text -d|--master:text -c|--check:edit -H --mode:text "
        "-a", also="hunspell ispell",
        does="read"),
    # sequences
    *(P(name, "text read*", options="-o|--output|--output-file:write -O:text -@|--threads:number -b -h -H -S -f:text "
        "-F:text -q:text -L|-T|-R:read -a:read -i:text -s:text -c -n -t:text -r:text -e:text -v:text", does="",
        action=f"exec:{name}", words=2) for name in ("samtools", "bcftools", "bedtools", "seqkit", "seqtk")),
    P("minimap2", "read*", options="-o:write -a -x:text -t:number -d:write -c -k:number", also="bwa bowtie2 "
        "hisat2", does="",
        action="exec:align"),
    P("blastn", "text*", options="-query:read -subject:read -db:text -out:write -outfmt:text -evalue:text "
        "-num_threads:number -task:text -max_target_seqs:number -remote!remote", also="blastp blastx "
        "tblastn", does="read",
        flags={"remote": Adds(tags=("external", "sends"))}, action="exec:blast"),
    P("fastqc", "read*", options="-o|--outdir:write -t:number -q", does="write"),
    # maps
    P("gdalinfo", "read*", options="-json -stats -mm -hist -nomd -proj4", also="ogrinfo gdalsrsinfo", does=""),
    P("gdal_translate", "read write", options="-of:text -ot:text -b:text -co:text -outsize -scale -a_srs:text "
        "-q -r:text "
        "-projwin", also="gdalwarp gdaldem gdal_contour", does="write", action="exec:gdal"),
    # models of language
    P("fasttext", words=2, subs=(
        *(P(name, "text*", options="-input:read -output:write -epoch:number -lr:text -dim:number -wordNgrams:number "
            "-minCount:number -bucket:number -thread:number -loss:text -minn:number -maxn:number -ws:number "
        "-neg:number "
            "-t:text -lrUpdateRate:number -label:text -verbose:number -pretrainedVectors:read -qnorm -retrain "
            "-cutoff:number -qout -dsub:number -autotune-validation:read -autotune-duration:number "
            "-autotune-modelsize:text -seed:number", does="execute write", action="exec:fasttext")
          for name in ("supervised", "skipgram", "cbow", "quantize")),
        *each("fasttext", "test test-label predict predict-prob print-word-vectors print-sentence-vectors print-ngrams "
            "nn analogies dump", "read", operands="read+")), example="fasttext supervised -input a.txt -output model"),
    P("spm_train", "text*", options="--input:read --model_prefix:write --vocab_size:number --model_type:text "
        "--character_coverage:text", does="write", also="spm_encode spm_decode spm_export_vocab"),
)  # fmt: skip
