"""Other machines: shells and files there, plain connections, mail, tunnels."""

from __future__ import annotations

from ...model.verdict import Risk
from .kinds import apart, each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_SSH = (
    "-B:text -b:text -c:text -D:tunnel -E:write -e:text -F:config -I:library -i:identity -J:jump -L:tunnel -l:text "
    "-m:text -O:text -o:setting -P:text -p:text -Q:text -R:tunnel -S:text -W:tunnel -w:tunnel -4 -6 -A -a -C -f -G "
    "-g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y"
)
_SCP = (
    "-c:text -D:program -F:config -i:identity -J:jump -l:text -o:setting -P:text -S:program -X:text -3 -4 -6 -A -B "
    "-C -O -p -q -R -r -s -T -v"
)
_NC = (
    "-e|--exec|--sh-exec|--lua-exec:program -o|--output|-x|--hex-dump:write --proxy:detour "
    "--proxy-auth|--proxy-type|-X:text "
    "-p|--source-port|-s|--source|-w|--wait|-i|--interval|-q|-I:text -O|-V|-m|-T|-g|-G|-P|-M|-d|--delay|-b:text "
    "--ssl-cert|--ssl-key:read -l|--listen!listen -z!scan -k -n -r -t -u -U -v -4 -6 -C -D -F -h -N -S -Z --ssl "
    "--udp --keep-open --send-only --recv-only"
)
_SENDS = "external sends"
_MAIL_RUNS = "commands or settings of a mail program that can run others"

_ROWS = (
    P("ssh", special="ssh", options=_SSH, does="network execute", tags="external", example="ssh host 'df -h'"),
    P("autossh", special="ssh", options=_SSH.replace("-M ", "-M:text "), does="network execute spawn",
      tags="external"),
    P("mosh", special="opaque", also="et eternalterminal rlogin rsh slogin", does="network execute", tags="external"),
    P("scp", special="scp", also="pscp", options=_SCP, does="network", tags="external",
      example="scp a.txt host:/tmp/"),
    P("sftp", special="session", also="psftp", does="network", tags=_SENDS, example="sftp host",
      options=_SCP.replace("-s ", "-s:text ") + " -b:batch -a -f -N"),
    P("ftp", special="session", also="tftp ncftp pftp", does="network", tags=_SENDS, options="-a -e -g -i -n -p -v "
      "-d -A -t -o:write -N:batch -r:text -P:text -s:text -u:text -w:text"),
    P("lftp", special="session", does="network execute", tags=_SENDS,
      options="-c:script -e:script -f:batch -u:text -p:text -d -v"),
    P("smbclient", special="session", does="network", tags=_SENDS, options="-c:script -U:text -L:text -N -m:text "
      "-W:text -p:text -I:text -A:batch -k -D:text -T:text -E -P -g"),
    P("telnet", special="session", does="network", tags="external", options="-a -c -d -e:text -E -f -K -L -l:text "
      "-n:write -r -x -8 -b:text -S:text -X:text -k:text -4 -6"),
    P("sshpass", "command", does="execute", options="-p:text -P:text -f:read -d:number -e?:text -v -h -V"),
    P("sshfs", "remote list", action="net:mount", does="network write", tags="external",
      example="sshfs host:/srv mnt", options="-o:text -p:text -F:read -C -f -d -s -r -h -V", flags={"-o":
      Adds(opaque="options of sshfs that can run a command")}),
    P("ssh-keyscan", "host*", action="net:fetch", does="network",
      options="-f:send -p:number -T:number -t:text -O:text -H -v -4 -6 -c -D -q"),
    P("ssh-copy-id", "host", action="ssh:authorise", does="network write", tags="external",
      options="-i:read -p:text -o:text -F:text -f -n -s -x", flags={"-o":
      Adds(opaque="a setting of the connection that is not read"), "-F":
      Adds(opaque="settings of the connection come from a file")}),
    P("sshuttle", special="opaque", does="spawn network execute", tags="external privileged"),
    P("nc", special="netcat", also="netcat nc.openbsd", options=_NC + " -c:program", does="network",
      example="nc -zv localhost 5432"),
    P("ncat", special="netcat", also="nc.traditional", options=_NC +
      " -c:program --allow:text --deny:text --broker --chat", does="network"),
    P("socat", special="socat", also="socat1 filan procan", does="network", options="-lf:write -b:number -t:text "
      "-T:text -W:text -L:text -r:write -R:write -u -U -d -dd -D -ly -lm -ls -lp:text -v -x -g -h -hh -V -s -4 -6",
      example="socat - TCP:localhost:80"),
    P("finger", "name*", action="net:lookup", does="network", tags="external", options="-l -m -s -p"),
    # Mail
    P("mail", "to*", also="mailx s-nail heirloom-mailx mutt neomutt", action="mail:send", does="network", tags=_SENDS,
      risk="high", irreversible=True, stdin="send", options="-s:text -c:to -b:to -r:text -a:text -A:text -i:text "
      "-f?:read -F:text -e:text -S:text -u:text -q:text -H -E -n -N -v -d -x -B -R -p -y -z -Z --exec:text "
      "--attach:send --subject:text --return-address:text --append:text", example="mail -s hello a@example.org",
      flags={name: Adds(opaque=_MAIL_RUNS) for name in ("--exec", "-S", "-F", "-e")}),
    P("sendmail", "to*", also="ssmtp msmtp exim exim4", action="mail:send", does="network", tags=_SENDS, risk="high",
      irreversible=True, stdin="send", options="-C|--file:text -X:write -O:text -o:text -F:text -f:text -r:text -t "
      "-i -v -b?:text -q?:text -a:text -D:text --host:text --port:text --from:text --read-envelope-from", flags={name:
      Adds(opaque=_MAIL_RUNS) for name in ("-C", "-O", "-D", "-b")}),
    P("swaks", "to*", action="mail:send", does="network", tags=_SENDS, risk="high", irreversible=True, stdin="send",
      options="-t|--to:to -f|--from:text -s|--server:server -p|--port:number -h|--helo:text --header:text "
      "--body:text --attach:text --data:text -au:text -ap:text -a?:text --auth?:text -tls -tlsc --pipe:command "
      "--copy-routing:text -q|--quit-after:text --h-From:text --h-Subject:text --config?:text", flags={"--pipe":
      Adds(opaque="a program is tied to the mail session"), "--config": Adds(opaque="options come from a file")}),
    P("mailq", does="read", also="mailstats newmail from biff", action="mail:list"),
    P("wall", "text*", also="write", action="sys:message", does="write", options="-n|--nobanner -t:number -g:text"),
    # Copies elsewhere
    P("rclone", special="rclone", does="network", tags="external", example="rclone ls remote:",
      options="--config:read "
      "--password-command|--sftp-ssh|--webdav-bearer-token-command|--metadata-mapper|--sftp-server-command:command "
      "-n|--dry-run --filter-from|--include-from|--exclude-from|--files-from:read --log-file:write "
      "--include|--exclude|--filter|-f|--max-age|--min-age|--max-size|--min-size:text "
      "--transfers|--checkers|--bwlimit|--log-level|--stats|--max-depth|--backup-dir|--suffix:text -P|--progress -v "
      "-q|--quiet -c|--checksum -u|--update -i|--interactive --ignore-existing --fast-list --delete-excluded "
      "--size-only -L|--copy-links"),
    P("s3cmd", does="network", options="-c|--config:read --access_key:text --secret_key:text --region:text "
      "--host:text --host-bucket:text -v -q -n|--dry-run --no-progress", subs=(
        *each("s3cmd", "ls la info du accesslog getlifecycle getpolicy", "network"),
        *each("s3cmd", "get", "network write", operands="remote write?",
          options="-r|--recursive -f|--force --skip-existing --continue"),
        *each("s3cmd", "put", "network", operands="send* remote", tags=_SENDS, options="-r|--recursive "
          "-P|--acl-public -m:text --exclude:text --add-header:text --storage-class:text"),
        *each("s3cmd", "sync cp mv mb modify setacl setpolicy setlifecycle", "network write", operands="place*",
          tags=_SENDS,
          options="-r|--recursive --delete-removed!deletes --exclude:text --acl-public", flags={"deletes":
          Adds(effects=effects("destructive"), irreversible=True)}),
        *each("s3cmd", "del rm rb delpolicy", "destructive network", operands="remote*", tags="external",
          risk="high", irreversible=True, options="-r|--recursive!recursive -f|--force!force"))),
    P("restic", special="opaque", also="borg duplicity borgmatic kopia rsnapshot", does="network write execute",
      tags="external"),
    # Tunnels
    P("cloudflared", words=2, subs=(
        *each("cloudflared", "version help", ""),
        *each("cloudflared", "update service", "network write execute", tags="install privileged"),
        *(P(name, action="net:expose", does="spawn network", tags="external", risk="high", words=2) for name in
          ("tunnel", "access", "proxy-dns")))),
    P("lt", action="net:expose", also="localtunnel bore serveo tunnelmole", does="spawn network", tags="external",
      risk="high"),
    P("tailscale", words=2, subs=(
        *each("tailscale", "status ip version netcheck whois dns metrics", "read"),
        *each("tailscale", "ping", "network"),
        *each("tailscale", "up down login logout set switch lock exit-node update configure", "network write",
          tags="privileged external"),
        *each("tailscale", "file cert drive", "network", tags=_SENDS),
        *(P(name, action="net:expose", does="spawn network", tags="external", risk="high", words=2) for name in
          ("funnel", "serve", "web")))),
    P("wg", subs=(
        *each("wg", "show genpsk pubkey genkey", "read"),
        *each("wg", "showconf", "read", tags="secret"),
        *each("wg", "set setconf addconf syncconf", "write", tags="privileged")), default=P("wg", action="wg:show",
          does="read")),
    P("wg-quick", special="opaque", also="openvpn openconnect vpnc strongswan ipsec pppd",
      does="spawn network execute", tags="privileged external"),
    P("mosquitto_pub", "text*", action="net:send", does="network", tags=_SENDS, also="amqp-publish",
      options="-h:host -t:topic -m:text -f:send -p:number -u:text -P:text"),
    # Settings by -X and -F can load a library.
    P("kcat", "send*", special="on_loopback", also="kafkacat", action="net:send", does="network", tags=_SENDS,
      example="kcat -b localhost:9092 -L", options="-b:host -t:topic -L -C -P -Q -E -e -q -u -J -O -T -Z -v -K:text "
      "-D:text -k:text -p:number -o:text -c:number -f:text -s:text -G:group -H:text -l -X|-F|-r:carried!loads -V -h",
      flags={"loads": Adds(opaque="settings of the client can load code")}),
    P("kafka-topics.sh", also="kafka-topics", action="kafka:topics", does="network",
      compensator="none: the messages of the topic are lost", options="--bootstrap-server:host "
      "--zookeeper:host --topic:topic --list --describe --exclude-internal --under-replicated-partitions "
      "--unavailable-partitions --version --help --partitions:number --replication-factor:number "
      "--command-config:taken!loads --config:text "
      "--create!changes --alter!changes --delete!deletes --if-exists --if-not-exists --force", flags={
        "loads": Adds(opaque="settings of the client can load code"),
        "changes": Adds(effects=effects("write"), tags=("external",)),
        "deletes": Adds(effects=effects("destructive"), tags=("external",), irreversible=True, risk=Risk.HIGH)},
      example="kafka-topics.sh --bootstrap-server localhost:9092 --list"),
    P("mosquitto_sub", "text*", action="net:fetch", does="network",
      options="-h:host -t:topic -p:number -u:text -P:text -C:number -v"),
    P("ldapsearch", "text*", also="ldapwhoami ldapcompare", action="ldap:search", does="network", tags="accounts",
      options="-H:host "
      "-h:host -p:number -D:text -w:text -y:read -b:text -s:text -a:text -l:number -z:number -f:read -T:write "
      "-o:text -x -W -L -Z -Q -n -v -Y:text -U:text -E:text"),
    P("ldapmodify", "text*", also="ldapadd ldapdelete ldappasswd ldapmodrdn", action="ldap:change",
      does="destructive network", tags="external", risk="high", irreversible=True,
      options="-H:host -h:host -D:text -w:text -y:read -f:read -x -W -n -v -c -r", dryrun="-n"),
    P("smbget", "fetch*", also="lwp-download", does="network write"),
    P("showmount", "host*", action="net:lookup", also="rpcinfo snmpwalk snmpget nmblookup avahi-browse dns-sd",
      does="network", tags="external", options="-c:text -v:text -O:text -a -d -e -p -s"),
    P("nsupdate", special="opaque", does="network write", tags="external"),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
