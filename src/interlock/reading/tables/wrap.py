"""Programs whose last words are a command of their own."""

from __future__ import annotations

from .kinds import each
from .spec import P

__all__ = ["PROGRAMS"]

PROGRAMS = (
    P(
        "sudo",
        "command",
        special="sudo",
        tags="privileged",
        options="-u|--user:user -g|--group:text -h|--host:text -p|--prompt:text -C:number -D|--chdir:text "
        "-R|--chroot:text -r:text -t:text -T:text -U:text -E -H -n -S -A -b!background -k -K -P -B -N -v "
        "-l -V -i!login -s!shell -e!edit --preserve-env?:text --login!login --shell!shell --edit!edit "
        "--non-interactive --stdin --set-home --reset-timestamp --validate --list --background!background",
        does="execute",
        example="sudo apt-get update",
    ),
    P(
        "doas",
        "command",
        special="sudo",
        tags="privileged",
        options="-u:user -C:read -n -s!shell -L -a:text",
        does="execute",
    ),
    P("su", special="su", tags="privileged", does="execute", example="su -c 'ls' root"),
    P("runuser", special="su", tags="privileged", does="execute"),
    P("pkexec", "command", tags="privileged", options="--user:user --disable-internal-agent", does="execute"),
    P("env", special="env", does="execute", example="env A=1 make"),
    P("nice", "command", options="-n|--adjustment:number -1 -5 -10 -15 -19 -20", does=""),
    P("ionice", "command", options="-c:text -n:number -t -p:number", does=""),
    P("nohup", "command", does="spawn", example="nohup ./server &"),
    P("setsid", "command", options="-c -f -w --fork --wait --ctty", does="spawn"),
    P(
        "timeout",
        "number command",
        options="-s|--signal:text -k|--kill-after:text -v --foreground --preserve-status",
        also="gtimeout",
        does="",
        example="timeout 60 make test",
    ),
    P("time", "command", options="-f|--format:text -o|--output:write -a -p -v -q", also="gtime", does=""),
    P("stdbuf", "command", options="-i|--input:text -o|--output:text -e|--error:text", does=""),
    P("unbuffer", "command", options="-p", does=""),
    P(
        "chroot",
        "list command",
        options="--userspec:text --groups:text --skip-chdir",
        tags="privileged",
        does="execute",
    ),
    P(
        "unshare",
        "command",
        options="-m -u -i -n -p -U -C -T -f -r -c --mount-proc?:text --fork --net --pid --map-root-user "
        "--kill-child?:text",
        does="execute",
    ),
    P(
        "nsenter",
        "command",
        options="-t|--target:text -m?:text -u?:text -i?:text -n?:text -p?:text -U?:text -C?:text -r?:text "
        "-w?:text -F -a --all",
        tags="privileged",
        does="execute",
    ),
    P("flock", special="flock", does=""),
    P(
        "watch",
        "command",
        options="-n|--interval:number -d -t -b -e -g -c -x -p -w -q:number --differences?:text",
        does="spawn",
        special="joined",
        example="watch -n 5 ls",
    ),
    P(
        "xargs",
        "command",
        special="xargs",
        options="-0|--null -a|--arg-file:read!file -d|--delimiter:text -E:text -e?:text -I:text -J:text -i?:text "
        "-L:number -l?:number -n|--max-args:number -P|--max-procs:number -p -r|--no-run-if-empty "
        "-s:number -t -x -o --verbose",
        does="execute",
        example="find . | xargs wc -l",
    ),
    P("parallel", special="opaque", does="execute"),
    P("entr", "command", options="-c -d -n -p -r -s -z", does="execute"),
    P(
        "strace",
        "command",
        special="traced",
        options="-e:text -o:output -f -ff -c -p:number -s:number -t -tt -T -v -x -y -i -r -a:number -O:text "
        "-S:text -u:text -P:text -E:text -k -q -qq",
        also="ltrace dtruss",
        does="execute",
    ),
    P(
        "perf",
        subs=(
            P(
                "stat",
                "command?",
                action="perf:stat",
                does="read",
                options="-e|--event:text -r|--repeat:number -o|--output:write -p|--pid:number "
                "-x|--field-separator:text -C|--cpu:text -I|--interval-print:number --timeout:number --pre:code.sh "
                "--post:code.sh -a -d -v -n -B --append --all-cpus --detailed --verbose --null "
                "--big-num --per-core --per-thread --summary",
                words=2,
            ),
            P(
                "record",
                "command?",
                action="perf:record",
                does="write",
                options="-F|--freq:text -c|--count:number -o|--output:write -p|--pid:number -t|--tid:number "
                "--call-graph:text -m|--mmap-pages:text -g -a -s -d -v -q --quiet --verbose --all-cpus --no-buildid",
                words=2,
                example="perf record -g -o out.data ls",
            ),
            P(
                "report",
                special="profiler",
                action="perf:report",
                does="read",
                options="-i|--input:read -s|--sort:text -g|--call-graph?:text --percent-limit:number "
                "--max-stack:number --comm|--comms:text --dso|--dsos:text --stdio -n -q -v --no-children --children "
                "--header --header-only --show-nr-samples --quiet",
                words=2,
            ),
        ),
        default=P("perf", special="opaque", does="execute"),
        words=2,
        example="perf stat -r 5 make test",
    ),
    P(
        "valgrind",
        "command",
        special="profiler",
        options="--tool:text --leak-check:text --log-file:write --error-exitcode:number --suppressions:read -v -q "
        "--callgrind-out-file:write --cachegrind-out-file:write --massif-out-file:write --dhat-out-file:write "
        "--xml:text --xml-file:write --track-origins:text --track-fds:text --show-leak-kinds:text --num-callers:number "
        "--errors-for-leak-kinds:text --trace-children:text --cache-sim:text --branch-sim:text --dump-instr:text "
        "--instr-atstart:text --collect-jumps:text --time-unit:text --detailed-freq:number --max-snapshots:number "
        "--undef-value-errors:text --read-var-info:text --fair-sched:text --show-reachable:text",
        does="execute",
        example="valgrind --leak-check=full ls",
    ),
    P(
        "callgrind_annotate",
        "read* text*",
        also="cg_annotate ms_print",
        does="read",
        options="--auto:text --threshold:number --show:text --sort:text --tree:text --inclusive:text --show-percs:text "
        "--context:number -I|--include:list",
    ),
    P("script", special="script", does="execute"),
    P("caffeinate", "command", options="-d -i -m -s -u -t:number -w:number", does=""),
    P(
        "systemd-run",
        "command",
        options="--user --scope --unit:text -p:text --slice:text -u:text -t --pty --wait -r --uid:text "
        "--gid:text --on-calendar:text --on-active:text",
        tags="privileged",
        does="spawn",
    ),
    P("dbus-run-session", "command", options="--", does="execute"),
    P(
        "xvfb-run",
        "command",
        options="-a -s:text -n:number -e:write -f:write --auto-servernum --server-args:text --server-num:number",
        does="execute",
    ),
    P(
        "direnv",
        words=2,
        subs=each("direnv", "status version stdlib help", "read", options="--json"),
        default=P("direnv", special="opaque", does="execute"),
        example="direnv status",
    ),
    P("proxychains", "command", also="proxychains4 torsocks torify", options="-q -f:read", does="network"),
    P("faketime", "text command", options="-f -m", does=""),
    P("firejail", "command", options="--noprofile --net:text --private?:text --quiet", does="execute"),
    P("bwrap", special="opaque", does="execute"),
    P(
        "hyperfine",
        "line*",
        special="lines",
        does="execute",
        options="-w|--warmup:number -r|--runs:number -N -i -m|--min-runs:number -M|--max-runs:number "
        "-L|--parameter-list:text --export-json:write --export-markdown:write --export-csv:write "
        "--show-output --style:text --ignore-failure",
        example="hyperfine 'ls' 'ls -l'",
    ),
    P("taskset", "text command", options="-c -p -a", does=""),
    P("numactl", "command", options="-N:text -m:text -C:text -i:text --cpunodebind:text --membind:text", does=""),
    P("chrt", "number command", options="-f -r -b -o -i -p", does=""),
    P("prlimit", special="opaque", does="execute"),
    P("eatmydata", "command", also="fakeroot proot", does="execute"),
    P("tmux", special="terminal", does="spawn"),
    P("screen", special="terminal", does="spawn"),
    P("at", special="opaque", also="batch", does="spawn", tags="scheduled"),
    P("crontab", special="crontab", does="write"),
)
