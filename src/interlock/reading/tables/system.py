"""The machine as it is: processes, users, time, logs, manuals, the clipboard."""

from __future__ import annotations

from .kinds import apart, each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_SETS = Adds(effects=effects("write"), tags=("privileged",))
_HELP = "options of the manual reader that run a command"

_ROWS = (
    # Processes
    P("ps", "text*", special="processes", does="read",
      options="-C:text -G:text -g:text -o:text -O:text -p:text -q:text -s:text -t:text "
      "-u:text -U:text --sort:text --ppid:text --pid:text --format:text --columns:text", example="ps aux"),
    P("top", does="read", also="htop btop glances bpytop nvtop", options="-d:text -n:number -p:text -u:text -U:text "
      "-o:text -w?:text -s:text -F:text -E:text -e:text -l:number -b -c -H -i -S -1 -r:read --sort-key:text -C"),
    P("pstree", "text*", does="read", options="-a -c -h -H:text -l -n -N:text -p -s -u -Z -A -G -U -T -t"),
    P("pgrep", "text*", special="kills", also="pidof pidwait", does="read",
      options="-d:text -F:read -g:text -G:text -P:text -s:text "
      "-t:text -u:text -U:text -r:text --ns:text -o -n -x -f -l -a -c -v -w -i -S:text -L", example="pgrep -fl node"),
    P("kill", "process*", special="kills", action="proc:kill", does="execute",
      options="-s|--signal:signal -n:signal -q:text "
      "-l?:text!list -L!list -0!list --timeout:text", example="kill 1234", flags={"list": Adds(action="proc:list")}),
    P("pkill", "process*", special="kills", also="killall skill xkill", action="proc:kill", does="execute",
      example="pkill -f 'node server.js'", options="-s|--signal:signal -g:text -G:text -P:text -t:text "
      "-u|--user:user -U:user -F:read -y:text -o:text -Z:text -n -x -f -v -w -q -e -i -I -l -r -c -a"),
    P("killall5", "text*", action="proc:kill", does="execute", tags="security", options="-o:text -l"),
    P("fuser", "list*", special="fuser", does="read", options="-k|--kill!kill -n|--namespace:text -s -a -u -v "
      "-m|--mount -M -c -i -4 -6", example="fuser -k 3000/tcp"),
    P("lsof", "list*", special="lsof", does="read",
      options="-i?:text -p:text -u:text -c:text -d:text -F?:text -g?:text -D?:text "
      "-e:text -k:text -m:text -r?:text -s?:text -S?:text -T?:text +D:list +d:list -t -n -P -a -l -N -U -X -b -w -V "
      "-v", example="lsof -i :3000"),
    P("fkill", "process*", also="kill-port", action="proc:kill", does="execute"),
    P("renice", "text*", action="proc:priority", does="write", options="-n:number -g -p -u"),
    P("pmap", "text*", also="pwdx peekfd pidstat prtstat lsns", does="read",
      options="-x -X -d -q -p -e:command -p:text -u -r -h -t -C:text"),
    # Load and hardware
    P("atop", "text*", does="read", options="-w:write -r?:read -b:text -e:text -P:text -L:number"),
    P("nvidia-smi", "text*", does="read", options="-q -L -l?:number -lms:number -i|--id:text -d:text -f:write -x "
      "--query-gpu:text --query-compute-apps:text --format:text "
      "-pm|-pl|-c|-e|-ac|-lgc|-rgc|-rac|-mig|-am|-caa:text!sets -r|--gpu-reset!sets", flags={"sets": _SETS}),
    P("uptime", does="read", also="free vmstat iostat mpstat sar nproc lscpu lsmem lsusb lspci lsmod lshw inxi "
      "sensors dmidecode hwinfo acpi upower cpufreq-info numastat slabtop lsipc lsirq lslocks lslogins lsinitrd "
      "rocm-smi tload ipcs getcap", options="-s:text -d?:text -n?:text -c:text -i:text -l?:text -q?:text -F:text "
      "--query-gpu:text --format:text -o:write -p -h -m -g -k -b -t -w -a -v -V -x -y -z -L -T -r -e -J -D "
      "--from-dump:read --dump-bin:write -class:text -C:text -short -json", example="free -h"),
    P("lsblk", "list*", does="read", also="blkid findmnt lsscsi", options="-o|--output:text -O -J -P -r -f -l -p -t "
      "-a -b -d -e:text -I:text -n -s -S -T?:text -x:text -c:text -L:text -U:text -k -F:text -M:text",
      example="lsblk -f"),
    P("smartctl", "list*", does="read", options="-a -x -i -H -A -l|--log:text -t|--test:text!test -d|--device:text "
      "-s|--smart:text!set -o|--offlineauto:text!set -S|--saveauto:text!set --set:text!set -n:text -j "
      "-X|--abort!test", flags={"test": _SETS, "set": _SETS}),
    P("dmesg", does="read", options="-F|--file:read -C|--clear!clears -c|--read-clear!clears "
      "-n|--console-level:number!sets -D!sets -E!sets -f|--facility:text -l|--level:text --since:text --until:text "
      "-s:number -H -T -w -W -k -u -x -r -t -L?:text -P -J -d -e -S", flags={"clears":
      Adds(effects=effects("destructive"), tags=("privileged",), irreversible=True), "sets": _SETS},
      example="dmesg -T"),
    P("journalctl", "text*", special="journal", does="read", action="log:read",
      example="journalctl -u nginx --since today",
      options="-u|--unit:text --user-unit:text -t|--identifier:text -p|--priority:text -g|--grep:text "
      "-S|--since:text -U|--until:text -o|--output:text --output-fields:text -n|--lines?:text -D|--directory:read "
      "--file:read --root:text --image:text -M|--machine:text -b?:text -c|--cursor:text --after-cursor:text "
      "--cursor-file:edit -F|--field:text --facility:text --namespace:text --verify-key:text --interval:text "
      "--vacuum-size:text!vacuum --vacuum-time:text!vacuum --vacuum-files:text!vacuum --rotate!rotate "
      "--flush!rotate --sync!rotate --relinquish-var!rotate --setup-keys!rotate --update-catalog!rotate -f -e -r -x "
      "-k -q -m -a -l -N --no-pager --disk-usage --list-boots --utc --user --system", flags={"vacuum":
      Adds(effects=effects("destructive"), tags=("privileged",), irreversible=True, action="log:delete"), "rotate":
      Adds(effects=effects("write"), tags=("privileged",))}),
    P("logger", "text*", action="sys:log", does="write", options="-f:read -n|--server:host -p:text -t:text -P:text "
      "-u:text -i --id?:text --socket:text -s -T -d -e -S:text", flags={"-n": Adds(effects=effects("network"),
      tags=("external", "sends"))}),
    # Names and people
    P("uname", does="", also="lsb_release tty whoami id groups logname users hostid runlevel dnsdomainname "
      "domainname nisdomainname ypdomainname", options="-a -s -n -r -v -m -p -i -o -u -g -G -z -d -c -f",
      example="uname -a"),
    P("hostname", "name?", does="read", options="-F|--file:read!sets -b -a -A -d -f -i -I -s -y", flags={"sets":
      _SETS, "operand": Adds(effects=effects("write"), tags=("privileged",), action="sys:hostname")},
      example="hostname -I"),
    P("who", "text*", also="w lid whowatch", does="read", options="-f|--file:read -n:text "
      "-t:text -s:text -u:text -p:text -a -b -d -H -l -m -q -r -T -i -w -x -F -R"),
    P("last", "text*", also="lastb lastlog ac utmpdump faillog", does="read", tags="machine",
      options="-f|--file:read -n:text -t:text -s:text -u|--user:text -p:text -a -b -d -F -i -R -w -x -r|--reset!resets",
      flags={"resets": _SETS}),
    P("arch", "command*", does="", options="-x86_64 -arm64 -arm64e -i386 -32 -64 -e:text -d:text -c -h"),
    P("getent", words=2, options="-s:text -i", example="getent hosts example.org", subs=(
        *each("getent", "shadow gshadow", "read", tags="secret"),
        *each("getent", "hosts ahosts ahostsv4 ahostsv6", "network", operands="host*"),
        *each("getent", "passwd group", "read", tags="accounts"),
        *each("getent", "services protocols networks netgroup "
          "initgroups rpc aliases ethers", "read"))),
    P("getconf", "text*", does="", options="-a -v:text"),
    P("printenv", "name*", special="variables", action="sys:env", does="read", tags="environment", options="-0"),
    P("locale", "text*", does="", also="", options="-a -m -c -k"),
    P("locale-gen", "text*", also="localedef update-locale", action="sys:configure", does="write", tags="privileged"),
    P("history", "text*", does="read", action="shell:history", tags="secret",
      options="-c!clears -d:text!clears -a?:text -n -r -w -p -s", flags={"clears": Adds(effects=effects("destructive"),
      irreversible=True)}),
    # Time
    P("date", "text*", special="clock", does="", options="-d|--date:text -f|--file:read -r|--reference:text "
      "-s|--set:text!sets -u -R -I?:text -j -v:text -n -z:text --rfc-3339:text --debug", flags={"sets":
      Adds(action="sys:clock", effects=effects("write"), tags=("privileged",))}, example="date +%F"),
    P("cal", "text*", also="ncal gcal", does=""),
    P("sleep", "text*", also="usleep", does="", example="sleep 5"),
    P("hwclock", "text*", does="read", options="-r --show --get -w|--systohc!sets -s|--hctosys!sets --set!sets "
      "--date:text -u -l -a|--adjust!sets -D -v --systz!sets --setepoch!sets --predict", flags={"sets": _SETS}),
    P("ntpdate", "host*", also="sntp chronyd ntpd rdate", action="sys:clock", does="network write",
      tags="privileged", options="-q -d -u -b -s -v -p:number -t:number -k:read -a:text"),
    P("chronyc", subs=(
        *each("chronyc", "tracking sources sourcestats activity clients serverstats ntpdata rtcdata selectdata",
          "read"),
        *each("chronyc", "makestep burst online offline add delete settime", "write", tags="privileged"))),
    # Terminal
    P("clear", does="", also="reset tput stty tabs setterm resize tset infocmp toe mesg dircolors"),
    P("tic", "read*", does="write", options="-o:write -x -v -c -e:text -I -L -C -T -s"),
    P("cowsay", "text*", also="cowthink", does="",
      options="-f:text!file -e:text -T:text -W:text -l -n -b -d -g -p -s -t -w -y -r", flags={"file":
      Adds(opaque="a picture is a program of its own")}),
    P("neofetch", "text*", also="fastfetch screenfetch", does="read", options="-c|--config:text --source:text "
      "--ascii:text --logo:text --print_config -o:text -D:text -A:text", flags={"-c":
      Adds(opaque="settings that are run")}),
    P("figlet", "text*", also="toilet lolcat banner fortune cmatrix hollywood asciiquarium", does=""),
    # Manuals and finding programs
    P("man", "text*", does="read", action="sys:manual", special="manual", example="man 3 printf",
      options="-P|--pager:command "
      "-H|--html?:command -B:command -C|--config-file:read -M|--manpath:text -S|-s|--sections:text "
      "-e|--extension:text -L|--locale:text -m|--systems:text -p|--preprocessor:text -E|--encoding:text "
      "-R|--recode?:text -r|--prompt:text -T|--troff-device?:text -X|--gxditview?:text -Z -l|--local-file:read -k "
      "-f -a -w -W -K -i -I -d -D -c -t -u -7 --regex --wildcard --names-only", flags={"-H": Adds(opaque=_HELP),
      "-C": Adds(opaque="a configuration of the manual reader that can run commands")}),
    P("apropos", "text*", also="whatis", does="read",
      options="-C:text -M:text -m:text -s:text -L:text -a -e -r -w -l -d -v"),
    P("info", "text*", also="pinfo", does="read", options="-f|--file:read -o|--output:write -n:text -d:text -k:text "
      "-O -a -w -s --restore:text --init-file:runs!restore", flags={"--restore":
      Adds(opaque="keys that are typed into the reader")}),
    P("tldr", "text*", also="cheat tealdeer eg howdoi cht.sh", does="network", options="-p:text -l -u -L:text"),
    P("which", "text*", also="whereis type whence", does="", options="-a -s -p -P -t -f -b -m -u -B:text -M:text "
      "-S:text --skip-alias --show-dot", example="which python3"),
    P("setcap", "text mode", action="fs:capability", does="write", tags="privileged", risk="high",
      options="-q -v -n:text -r"),
    P("capsh", special="opaque", also="pscap captest", does="execute", tags="privileged"),
    P("sysctl", special="sysctl", does="read", example="sysctl net.ipv4.ip_forward"),
    # Clipboard and notices
    P("xclip", "send*", does="write", action="clip:write", tags="clipboard",
      options="-o|-out!out -i|-in -selection|-sel|-se:text "
      "-target|-t:text -loops|-l:number -display|-d:text -f|-filter -r|-rmlastnl -silent|-quiet|-verbose -noutf8",
      flags={"out": Adds(action="clip:read", effects=effects("read"))}),
    P("xsel", does="write", action="clip:write", tags="clipboard",
      options="-o|--output!out -i|--input -a|--append -b|--clipboard "
      "-p|--primary -s|--secondary -c|--clear -d|--delete -f -k -x -l|--logfile:write -t:number -v", flags={"out":
      Adds(action="clip:read", effects=effects("read"))}),
    P("wl-copy", "text*", also="pbcopy clip.exe clip", does="write", action="clip:write", tags="clipboard",
      options="-t|--type:text "
      "-p|--primary -c|--clear -n|--trim-newline -f -o -s:text -pboard:text -Prefer:text"),
    P("wl-paste", also="pbpaste", does="read", action="clip:read", tags="clipboard",
      options="-w|--watch:command -t|--type:text -n -p "
      "-l -s:text -pboard:text -Prefer:text", flags={"-w":
      Adds(opaque="a command is run whenever the clipboard changes")}),
    P("notify-send", "text*", also="terminal-notifier growlnotify herbe dunstify", does="", options="-u:text "
      "-t:text -i:text -c:text -a:text -h:text -A:text -r:text -title:text -message:text -subtitle:text "
      "-execute:command -open:text -sound:text -group:text -w -p -e"),
    P("uuidgen", also="uuid pwgen mkpasswd apg diceware mcookie uuidparse", does="", options="-r -t -n:text -N:text "
      "-s:text -m:text -S:text -P:text -R:text -x -y -c -1"),
    P("espeak", "text*", also="espeak-ng say spd-say aplay paplay speaker-test beep mpg123 afplay", does="read",
      options="-f:read -w:write -v:text -s:text -o:write -r:text -a:text -p:text -q -x"),
    P("lp", "send*", also="lpr", action="print:send", does="network", tags="external sends",
      options="-d:text -n:text -o:text -P:text -t:text -q:text -h:text -U:text"),
    P("lpstat", "text*", also="lpq lpinfo lpoptions", does="read"),
    P("cancel", "text*", also="lprm cupsdisable cupsenable lpadmin", action="print:change", does="write",
      tags="privileged", options="-h:host -u:text -a -x", flags={"-h": Adds(effects=effects("network"),
      tags=("external", "sends"))}),
    P("xrandr", "text*", also="xset setxkbmap xdpyinfo xprop xwininfo xlsclients brightnessctl amixer pactl pamixer "
      "xmodmap", does="write", action="desktop:configure"),
    P("arecord", "write?", also="parecord", action="desktop:record", does="write", tags="secret"),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
