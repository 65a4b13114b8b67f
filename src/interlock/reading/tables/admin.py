"""Running the machine: services, users, firewalls, modules, power, and tools that set up other machines."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .kinds import apart, each
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

__all__ = ["PROGRAMS"]

_SYSTEMD = (
    "-t|--type:text -p|--property:text -P:text -o|--output:text -n|--lines:number -s|--signal:text -H|--host:host "
    "-M|--machine:text --state:text --root:text --what:text --kill-who:text --kill-whom:text --job-mode:text "
    "--preset-mode:text --message:text --when:text --image:text --timestamp?:text -a|--all -l|--full -q|--quiet "
    "-f|--force!force -r --user!user --system --now!now --no-block --no-pager --plain --no-legend --failed "
    "--show-types --value --wait --runtime --global --no-ask-password --no-reload --no-wall"
)
_AWAY = {"-H": Adds(effects=effects("network"), tags=("external",)), "-M": Adds(tags=("external",))}
_ROOT = "privileged"
_APACHE = "-t!test -v -V -l -L -M -S -k:verb -f:text -C:text -c:text -D:text -d:text -e:text"
_ANSIBLE = (
    "-i|--inventory:runs -l|--limit:limit -t|--tags:text --skip-tags:text -e|--extra-vars:text -u|--user:text "
    "-c|--connection:text -T|--timeout:number -f|--forks:number -M|--module-path:text "
    "--private-key|--key-file:identity --vault-password-file:script --vault-id:text --start-at-task:text "
    "--become-method:text --become-user:text "
    "--ssh-common-args|--ssh-extra-args:text --sftp-extra-args|--scp-extra-args:text -C|--check!check -D|--diff "
    "-b|--become -K -k -v -J --syntax-check!syntax --list-hosts!lists --list-tasks!lists --list-tags!lists --step "
    "--flush-cache --force-handlers --ask-vault-pass -m|--module-name:module -a|--args:arguments "
    "-B|--background:number -P|--poll:number -o -R|--role-file:read"
)
_SSH_ARGS = Adds(opaque="arguments for ssh that can run a command")
_GONE: dict[str, Any] = {"irreversible": True, "risk": "high"}

_ROWS = (
    # Services
    P("systemctl", options=_SYSTEMD, words=2, example="systemctl status nginx", flags=_AWAY, subs=(
        *each("systemctl", "status show cat help is-active is-enabled is-failed is-system-running list-units "
          "list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines list-automounts "
          "list-paths get-default show-environment", "read", operands="unit*", options=_SYSTEMD, flags=_AWAY),
        *each("systemctl", "start restart try-restart reload-or-restart try-reload-or-restart condrestart",
          "spawn", operands="unit*", options=_SYSTEMD, flags=_AWAY),
        *each("systemctl", "isolate", "spawn", operands="unit*", tags=_ROOT, options=_SYSTEMD, flags=_AWAY),
        *each("systemctl", "stop reload kill freeze thaw reset-failed clean daemon-reload daemon-reexec set-default "
          "set-property set-environment unset-environment import-environment disable mask unmask preset preset-all "
          "revert cancel log-level log-target service-log-level bind mount-image", "write", operands="unit*",
          tags=_ROOT,
          options=_SYSTEMD, flags=_AWAY),
        *each("systemctl", "enable reenable add-wants add-requires", "write spawn", operands="unit*",
          tags="privileged scheduled", options=_SYSTEMD, flags=_AWAY),
        *each("systemctl", "poweroff reboot halt kexec soft-reboot exit switch-root emergency rescue default",
          "destructive", tags=_ROOT, options=_SYSTEMD, flags=_AWAY, **_GONE),
        *each("systemctl", "suspend hibernate hybrid-sleep suspend-then-hibernate sleep", "write", tags=_ROOT,
          options=_SYSTEMD),
        P("link", "script*", action="systemctl:link", does="write spawn", tags="privileged scheduled", options=_SYSTEMD,
          words=2),
        P("edit", "unit*", special="opaque", action="systemctl:edit", does="write execute", tags=_ROOT, words=2)),
          default=P("systemctl", action="systemctl:list-units", does="read", options=_SYSTEMD, flags={**_AWAY,
          "operand": Adds(effects=effects("write"), tags=("privileged", "unknown"))})),
    P("service", special="service", also="rc-service invoke-rc.d sv", does="execute", tags=_ROOT,
      example="service nginx status"),
    P("initctl", words=2, subs=(
        *each("initctl", "list status version show-config check-config", "read"),
        *each("initctl", "start restart", "spawn", tags=_ROOT),
        *each("initctl", "stop reload emit reload-configuration", "write", tags=_ROOT))),
    P("rc-update", special="configure", also="update-rc.d chkconfig rc-status", action="service:enable",
      does="write spawn", tags="privileged scheduled"),
    P("supervisorctl", options="-c:read -s:text -u:text -p:text -i", words=2, subs=(
        *each("supervisorctl", "status pid tail avail version maintail", "read"),
        *each("supervisorctl", "start restart", "spawn"),
        *each("supervisorctl", "stop reload update reread add remove clear shutdown signal", "write"))),
    P("start-stop-daemon", special="opaque", also="daemonize supervise runsv s6-supervise openvt",
      does="spawn execute", tags=_ROOT),
    P("busctl", options="--address:text -H:host -M:text --user --system --no-pager -l --list -q --json:text",
      flags={"--address": Adds(opaque="a bus that can be a program")}, subs=(
        *each("busctl", "list status tree introspect get-property", "read"),
        *each("busctl", "monitor capture", "read"),
        *each("busctl", "call set-property emit", "execute", tags="privileged unread", options="--address:text",
          flags={"--address": Adds(opaque="a bus that can be a program")}))),
    P("systemd-analyze", words=2, subs=each("systemd-analyze", "time blame critical-chain plot dot dump verify "
      "calendar timespan timestamp security unit-paths cat-config log-level= condition", "read"),
      default=P("systemd-analyze", does="read", action="systemd-analyze:time")),
    P("timedatectl", words=2, options="--no-pager -H:host -a -p:text --value", subs=(
        *each("timedatectl", "status show list-timezones timesync-status show-timesync", "read"),
        *each("timedatectl", "set-time set-timezone set-local-rtc set-ntp", "write", tags=_ROOT)),
          default=P("timedatectl", action="timedatectl:status", does="read")),
    P("hostnamectl", words=2, options="--no-pager -H:host --static --transient --pretty --json:text", subs=(
        *each("hostnamectl", "status", "read"),
        *each("hostnamectl", "set-hostname set-icon-name set-chassis set-deployment set-location hostname", "write",
          tags=_ROOT)), default=P("hostnamectl", action="hostnamectl:status", does="read")),
    P("localectl", words=2, subs=(
        *each("localectl", "status list-locales list-keymaps list-x11-keymap-models list-x11-keymap-layouts "
          "list-x11-keymap-variants list-x11-keymap-options", "read"),
        *each("localectl", "set-locale set-keymap set-x11-keymap", "write", tags=_ROOT)), default=P("localectl",
          action="localectl:status", does="read")),
    P("loginctl", words=2, options="--no-pager -H:host", subs=(
        *each("loginctl", "list-sessions list-users list-seats session-status user-status seat-status show-session "
          "show-user show-seat", "read"),
        *each("loginctl",
          "enable-linger disable-linger activate lock-session lock-sessions unlock-session unlock-sessions attach",
          "write", tags=_ROOT),
        *each("loginctl", "terminate-session terminate-user terminate-seat kill-session kill-user", "destructive",
          tags=_ROOT)), default=P("loginctl", action="loginctl:list-sessions", does="read")),
    # Power
    P("shutdown", "text*", also="reboot halt poweroff pm-suspend", action="sys:shutdown", does="destructive",
      tags=_ROOT,
      options="-c!cancel -h -H -P -r -k -f!force -n -d -w -p -t:number --no-wall --show", example="shutdown -h now",
      dryrun="-w -k --show cancel", **_GONE),
    P("init", "text*", also="telinit", action="sys:shutdown", does="destructive", tags=_ROOT, **_GONE),
    # Users and rights
    P("useradd", "user", also="adduser groupadd addgroup newusers", action="user:add", does="write", tags=_ROOT,
      options="-b:text -c:text -d|--home:text -e:text -f:text -g:group -G:group -k:text -K:text -p:text "
      "-s|--shell:text -u:text -U -Z:text --gecos:text --ingroup:text --uid:text --gid:text -m -M -N -r -o -l -D "
      "-R:text -P:text", example="useradd -m bob"),
    P("userdel", "user", also="deluser groupdel delgroup", action="user:delete", does="destructive", tags=_ROOT,
      options="-r|--remove!home -f -Z -R:text --remove-home!home --remove-all-files!home --backup", **_GONE),
    P("usermod", "user", also="groupmod gpasswd chage chfn newgrp chsh vipw vigr visudo", action="user:change",
      does="write", tags=_ROOT, risk="high", options="-a!append -c:text -d:text -e:text -f:text -g:group -G:group "
      "-l:text -p:text -s:text -u:text -L -U -m -o -A:text -M:text -D:text -R:text -n:text --shell:text -E:text "
      "-I:text -W:text"),
    P("passwd", "user?", also="smbpasswd", action="user:password", does="write", tags="privileged secret",
      options="-S|--status!status -d -e -l -u -n:number -x:number -w:number -i:number -a -k -q -R:text",
      dryrun="status"),
    P("chpasswd", also="chgpasswd", action="user:password", does="write", tags="privileged secret",
      options="-c:text -e -m -s:number -R:text"),
    P("pwck", also="grpck pwconv pwunconv grpconv nologin faillock", action="user:check", does="write", tags=_ROOT,
      options="-r -q -s", dryrun="-r"),
    P("htpasswd", "edit user?", does="write", options="-c -n -m -B -d -s -p -D -v -b -i -C:number"),
    P("setenforce", "text", also="setsebool semanage semodule restorecon chcon fixfiles", action="sys:security",
      does="write", tags=_ROOT, risk="high"),
    P("ausearch", "text*", also="aureport aulast aulastlog", action="log:read", does="read", tags="machine",
      options="-m:text -k:text -ua:text -i -ts:text -te:text --if|-if:read -au -l -x"),
    P("getenforce", also="sestatus getsebool aa-status apparmor_status",
      options="--kill!kill --file:text --start:text --end:text", flags={"kill": Adds(effects=effects("write"),
      tags=("privileged",))}, does="read"),
    P("aa-enforce", "text*", also="aa-complain aa-disable apparmor_parser aa-teardown aa-remove-unknown aa-genprof "
      "aa-logprof", action="sys:security", does="write", tags=_ROOT, risk="high"),
    P("aa-exec", "command", options="-p|--profile:text -n:text -d -i -v", does="execute"),
    P("auditctl", special="configure", action="sys:security", does="write", tags=_ROOT, risk="high"),
    # Firewalls
    P("iptables", "text*", also="ip6tables ebtables arptables iptables-legacy iptables-nft",
      action="firewall:change", does="write", tags=_ROOT, risk="high", example="iptables -L -n",
      options="-L|--list?:text!show -S|--list-rules?:text!show -C|--check:text!show -t|--table:text "
      "-A|--append:chain -I|--insert:chain -D|--delete:chain -R|--replace:chain -F|--flush?:text -X?:text -Z?:text "
      "-N:chain -P:chain -E:text -p:text -s:text -d:text -j:text -g:text -i:text -o:text -m:text -n -v -x -w?:text "
      "-4 -6 --line-numbers --dport:text --sport:text --to-destination:text --state:text --ctstate:text "
      "--modprobe:command", dryrun="show", flags={"show": Adds(action="firewall:show")}),
    P("iptables-save", does="read", also="ip6tables-save",
      options="-c -t:text -f|--file:write -M|--modprobe:command"),
    P("iptables-restore", "read?", also="ip6tables-restore iptables-apply netfilter-persistent",
      action="firewall:change", does="write", tags=_ROOT, risk="high",
      options="-c -n -t -v -T:text -w:text -M|--modprobe:command", dryrun="-t"),
    P("nft", options="-f|--file:read!file -i!interactive -a -n -s -j -e -t -c|--check -I:text -D:text", words=2,
      flags={"file": Adds(opaque="rules of the firewall come from a file"), "interactive":
      Adds(opaque="rules that someone types")}, subs=(
        *each("nft", "list monitor describe", "read"),
        *each("nft", "add insert replace create delete flush reset rename destroy import export", "write", tags=_ROOT,
          risk="high"))),
    P("ufw", special="configure", also="firewall-cmd pfctl ipfw csf", action="firewall:change", does="write",
      tags=_ROOT,
      risk="high", example="ufw status"),
    P("fail2ban-client", words=2, subs=(
        *each("fail2ban-client", "status ping version banned get", "read"),
        *each("fail2ban-client", "unban", "write", tags=_ROOT)),
          options="-c:text -s:text -p:text -v -q -x -d -t", flags={"-c": Adds(opaque="settings that run commands")}),
    P("ipset", words=2, subs=(
        *each("ipset", "list save test version", "read"),
        *each("ipset", "create add del destroy flush swap rename restore", "write", tags=_ROOT))),
    # Kernel and boot
    P("modprobe", "module*", action="kernel:load", does="execute", tags=_ROOT, risk="high",
      options="-r|--remove!remove -n|--dry-run -D|--show-depends -c|--showconfig -C:text -d:text -S:text -a "
      "-f!force -i -q -v -R", dryrun="-n -D -c -R", flags={"-C":
      Adds(opaque="a configuration of modprobe that can run commands"), "-d":
      Adds(opaque="modules from a folder of one's own")}),
    P("insmod", "read text*", action="kernel:load", special="opaque", also="kmod kexec kextload", does="execute",
      tags=_ROOT, risk="high"),
    P("rmmod", "module*", also="kextunload", action="kernel:unload", does="execute", tags=_ROOT, risk="high",
      options="-f!force -s -v"),
    P("modinfo", "text*", also="kextstat kextfind lsinitramfs", does="read",
      options="-F:text -k:text -b:text -0 -a -d -l -p -n"),
    P("grub-install", "wipe?", also="grub2-install update-grub update-grub2 grub-mkconfig grub2-mkconfig "
      "update-initramfs mkinitcpio dracut bootctl lilo kernelstub", action="sys:boot", does="write", tags=_ROOT,
      risk="high", options="-o|--output:write --target:text --efi-directory:text --boot-directory:text "
      "--bootloader-id:text -u -c -d -k:text -p:text -P -g:text --recheck --removable -f|--force!force"),
    P("efibootmgr", special="configure", action="sys:boot", does="write", tags=_ROOT, risk="high"),
    P("debconf-set-selections", "read?", also="debconf raspi-config", special="opaque", does="write execute",
      tags=_ROOT),
    P("logrotate", "script*", does="write execute", action="log:rotate", tags=_ROOT, options="-d|--debug -f|--force "
      "-m|--mail:command -s|--state:write -l|--log:write -v --skip-state-lock", dryrun="-d"),
    P("run-parts", special="opaque", also="anacron cron crond incrond", does="spawn execute",
      tags="scheduled privileged"),
    P("a2ensite", "text*", also="a2dissite a2enmod a2dismod a2enconf a2disconf", action="service:configure",
      does="write", tags=_ROOT, options="-q|--quiet -f -p -m"),
    P("nginx", "text*", action="service:run", does="spawn",
      options="-t|-T!test -v -V -h -s:signal -c:runs -p:text -g:text -q -e:text", dryrun="test -v -V -h", flags={"-c":
      Adds(opaque="a configuration that can load modules"), "-g":
      Adds(opaque="settings of nginx that can load modules")}, example="nginx -t"),
    P("apachectl", also="apache2ctl apache2 httpd", options=_APACHE.replace("-k:verb", "-k:text"), words=2,
      subs=each("apachectl", "configtest status fullstatus", "read"),
      default=P("apachectl", "text*", action="service:run", does="spawn", options=_APACHE,
        dryrun="test -v -V -l -L -M -S",
        flags={name: Adds(opaque="settings of apache that can load modules") for name in ("-C", "-c", "-f", "-d")}),
      flags={name: Adds(opaque="settings of apache that can load modules") for name in ("-C", "-c", "-f", "-d")}),
    # Setting up machines
    P("ansible-playbook", "script+", action="ansible:apply", does="network execute", tags="external unread",
      options=_ANSIBLE,
      dryrun="check syntax lists", flags={"--ssh-common-args": _SSH_ARGS, "--sftp-extra-args": _SSH_ARGS},
      example="ansible-playbook -C site.yml"),
    P("ansible", "hosts", action="ansible:run", does="network execute", tags="external", options=_ANSIBLE,
      dryrun="lists", example="ansible all -m ping", flags={"-a":
      Adds(opaque="what is run on other machines is not read"), "-M": Adds(opaque="modules of one's own"),
      "--ssh-common-args": _SSH_ARGS, "--sftp-extra-args": _SSH_ARGS}),
    P("ansible-galaxy", words=2, subs=(
        *(P(kind, words=3, subs=(
        *each("ansible-galaxy", "install download", "network write execute", operands="package*", tags="install",
          options="-r|--requirements-file:read -p|--roles-path:write -f|--force -s:text"),
        *each("ansible-galaxy", "list info search verify", "read"),
        *each("ansible-galaxy", "init build", "write"),
        *each("ansible-galaxy", "publish import delete", "destructive network", tags="external sends", **_GONE),
        *each("ansible-galaxy", "remove", "write"))) for kind in ("role", "collection")),
        *each("ansible-galaxy", "install", "network write execute", operands="package*", tags="install",
          options="-r:read -p:write -f"),
        *each("ansible-galaxy", "list search info", "read"),
        *each("ansible-galaxy", "init", "write"))),
    P("ansible-inventory", "text*", also="ansible-doc ansible-config ansible-lint", does="read", options=_ANSIBLE +
      " --list --graph --host:text --output:write"),
    P("ansible-vault", words=2, subs=(
        *each("ansible-vault", "view", "read", operands="read*", tags="secret",
          options="--vault-password-file:script --vault-id:text"),
        *each("ansible-vault", "encrypt decrypt rekey", "write", operands="edit*", tags="secret",
          options="--vault-password-file:script --vault-id:text --output:write"),
        *each("ansible-vault", "encrypt_string", ""),
        *each("ansible-vault", "create edit", "write", operands="edit*"))),
    P("puppet", special="opaque", also="chef-client chef-solo chef-apply chef knife salt salt-call salt-ssh "
      "salt-run salt-key cfengine cf-agent capistrano cap pyinfra cdist", does="network execute",
      tags="external unread"),
    P("vagrant", words=2, example="vagrant status", subs=(
        *each("vagrant", "status global-status version list-commands ssh-config port validate", "read"),
        *each("vagrant", "up reload provision resume", "spawn execute network", tags="unread project"),
        *each("vagrant", "halt suspend init package", "write"),
        *each("vagrant", "destroy", "destructive", options="-f|--force!force -g -n:text", **_GONE),
        *each("vagrant", "box plugin", "network write execute", tags="install"),
        P("ssh", "text*", action="vagrant:ssh", does="execute", options="-c|--command:code.sh -p -- -t", words=2),
        *each("vagrant", "rsync upload snapshot", "write"),
        *each("vagrant", "share cloud login", "network", tags="external sends"))),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
