"""Keys and secrets: what shows, makes, changes and publishes them."""

from __future__ import annotations

from .kinds import EDITS, apart, each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_LIBRARY = Adds(opaque="a library is loaded")
_GPG = (
    "-o|--output:write --options|--homedir:text --keyring|--secret-keyring|--primary-keyring|--trustdb-name:read "
    "--passphrase-file:read --passphrase:text --passphrase-fd:text -r|--recipient:text -R|--hidden-recipient:text "
    "-u|--local-user:text --default-key:text --default-recipient:text --encrypt-to:text --keyserver:server "
    "--keyserver-options:text --cipher-algo:text --digest-algo:text --s2k-digest-algo:text --s2k-cipher-algo:text "
    "--s2k-mode:text --s2k-count:text --compress-algo:text --pinentry-mode:text --trust-model:text --command-fd:text "
    "--command-file:text --status-fd:text --status-file:write --logger-file:write --log-file:write --batch "
    "-a|--armor|--armour -n|--dry-run -q -v -t -z:text -i --yes --no --no-tty --with-colons --with-fingerprint "
    "--keyid-format:text --export-options:text --import-options:text --list-options:text --verify-options:text "
    "--photo-viewer|--agent-program|--gpg-agent-program:text "
    "--dirmngr-program|--exec-path|--load-extension|--pinentry-program:text --quick-gen-key --full-generate-key "
    "--full-gen-key --no-default-keyring --expert --fingerprint -k|--list-keys|--list-public-keys!list "
    "-K|--list-secret-keys!list --list-packets!list --check-sigs|--list-sigs|--check-signatures!list "
    "--list-config!list --version!list --print-md:text!list --card-status!list --show-keys!list --verify!list "
    "--verify-files!list -d|--decrypt!decrypt --decrypt-files!decrypt -e|--encrypt!seal -c|--symmetric!seal "
    "-s|--sign!seal --clearsign|--clear-sign!seal -b|--detach-sign!seal --multifile --store!seal "
    "--dearmor|--dearmour!seal --enarmor!seal --export!export "
    "--export-secret-keys|--export-secret-key|--export-secret-subkeys|--export-ssh-secret!secrets "
    "--export-ssh-key:text --export-ownertrust!export --import!import --fast-import!import "
    "--import-ownertrust!import --recv-keys|--receive-keys|--recv-key!receive --refresh-keys!receive "
    "--search-keys!receive --fetch-keys!receive --locate-keys|--locate-external-keys!receive --auto-key-locate:text "
    "--send-keys|--send-key!send --gen-key|--generate-key!make --quick-generate-key!make --quick-add-uid!make "
    "--quick-add-key!make --quick-set-expire!make --quick-sign-key!make --sign-key|--lsign-key!make "
    "--gen-revoke|--generate-revocation!make --edit-key!edit --edit-card|--card-edit!edit "
    "--change-passphrase|--passwd!make --delete-keys|--delete-key!delete "
    "--delete-secret-keys|--delete-secret-key|--delete-secret-and-public-key!delete --server!edit"
)
_SHOWN = "-c?:text -q?:text --clip?:text"
_KEYS = Adds(action="gpg:keys", effects=effects("write"))

_ROWS = (
    P("gpg", "read*", special="unseal", also="gpg2 gpgv", action="gpg:run", does="read", options=_GPG,
      example="gpg --list-keys",
      flags={"list": Adds(action="gpg:list"), "decrypt": Adds(action="gpg:decrypt", effects=effects("read"),
      tags=("secret",)), "export": Adds(action="gpg:export", effects=effects("read")), "secrets":
      Adds(action="gpg:export-secret", effects=effects("read"), tags=("secret",)), "import": _KEYS, "make": _KEYS,
      "seal": Adds(action="gpg:seal", effects=effects("write")), "receive": Adds(action="gpg:receive",
      effects=effects("network "
      "write")), "send": Adds(action="gpg:publish", effects=effects("destructive network"), tags=("external",
      "sends"), irreversible=True), "delete": Adds(action="gpg:delete", effects=effects("destructive"),
      irreversible=True),
      "edit": Adds(opaque="commands that someone types into gpg"), "--photo-viewer":
      Adds(opaque="a program that gpg runs"), "--dirmngr-program":
      Adds(opaque="a program or code that gpg loads"),
      "--options": Adds(opaque="options or keys from a place of one's own"),
      "--command-fd": Adds(opaque="commands that come from elsewhere")}),
    P("gpgconf", "text*", also="gpg-connect-agent", does="write", action="gpg:configure",
      options="--list-components --list-dirs --list-options:text --kill:text --reload?:text --launch:text "
      "--check-programs", dryrun="--list-components --list-dirs --list-options --check-programs"),
    P("gpg-agent", special="opaque", also="scdaemon dirmngr pinentry", does="spawn"),
    P("age", "read?", also="rage", does="write", action="age:encrypt", options="-d|--decrypt!decrypt -e|--encrypt "
      "-o|--output:write -i|--identity:read -r|--recipient:text -R|--recipients-file:read -p|--passphrase "
      "-a|--armor -j:text", flags={"decrypt": Adds(action="age:decrypt", effects=effects("read"), tags=("secret",)),
      "-j": Adds(opaque="a plug-in is run")}),
    P("age-keygen", "read?", does="write", action="age:keygen", options="-o:write -y -pq", also="rage-keygen"),
    P("sops", "edit*", does="write", action="sops:edit", options="-d|--decrypt!decrypt -e|--encrypt -i|--in-place "
      "-r|--rotate --output:write --extract:text --set:text --input-type:text --output-type:text -k|--kms:text "
      "-p|--pgp:text -a|--age:text --config:read --encrypted-regex:text --unencrypted-suffix:text --version "
      "--verbose", example="sops -d a.yaml", flags={"decrypt": Adds(action="sops:decrypt", effects=effects("read"),
      tags=("secret",))}, subs=(
        P("exec-env", "read code.sh", action="sops:exec", does="execute", tags="secret", words=2),
        P("exec-file", "read code.sh", action="sops:exec", does="execute", tags="secret",
          options="--no-fifo --filename:text", words=2),
        P("decrypt", "read*", action="sops:decrypt", does="read", tags="secret",
          options="--output:write -i|--in-place --extract:text --input-type:text --output-type:text", words=2,
          flags={"-i": EDITS}),
        P("encrypt", "edit*", action="sops:encrypt", does="write",
          options="--output:write -i --age:text --pgp:text --kms:text", words=2),
        *each("sops", "updatekeys rotate groups set unset edit", "write", operands="edit text*"),
        *each("sops", "keyservice publish", "network spawn", tags="external sends")), default=P("sops", "edit*",
          does="read", action="sops:decrypt", tags="secret", options="-d|--decrypt -e|--encrypt -i|--in-place "
          "--output:write --extract:text --input-type:text --output-type:text --age:text --pgp:text --kms:text")),
    P("pass", also="gopass passage", words=2, example="pass ls", subs=(
        *each("pass", "ls list find search grep version help", "read"),
        *each("pass", "show", "read", tags="secret", operands="secret*", options=_SHOWN),
        P("otp", words=2, subs=(
            *each("pass", "code uri", "read", tags="secret", operands="secret*", options=_SHOWN),
            *each("pass", "insert append", "write", tags="secret", operands="secret*"),
        ), default=each("pass", "otp", "read", tags="secret", operands="secret*", options=_SHOWN)[0]),
        *each("pass", "insert add generate init cp copy mv rename import setup recipients sync", "write",
          tags="secret", operands="secret*"),
        *each("pass", "rm remove delete", "destructive", operands="secret*",
          options="-r|--recursive!recursive -f|--force!force", irreversible=True),
        P("git", "text*", special="opaque", does="network write", words=2),
        P("edit", "secret*", special="opaque", does="write", tags="secret", words=2)), default=P("pass", "secret*",
          action="pass:show", does="read", tags="secret", options="-c?:text --clip?:text")),
    P("op", words=2, options="--account:text --vault:text --format:text --session:text --config:read --cache", subs=(
        *each("op", "whoami account vault user group events-api update", "network read"),
        *each("op", "read inject", "network read", tags="secret",
          options="-o|--out-file:write -i|--in-file:read -n -f"),
        *each("op", "item document", "network write", tags="secret external"),
        *each("op", "signin signout", "network write"),
        P("run", "command", does="execute", tags="secret", options="--env-file:read --no-masking --environment:text",
          words=2),
        *each("op", "connect service-account plugin", "network write", tags="secret external"))),
    P("bw", words=2, also="lpass", subs=(
        *each("bw", "status sync logout lock config", "network write"),
        *each("bw", "login unlock", "network write", tags="secret"),
        *each("bw", "get list export show ls", "network read", tags="secret"),
        *each("bw", "create edit restore move confirm import send receive", "network write", tags="external secret"),
        *each("bw", "delete rm", "destructive network", tags="external", irreversible=True),
        *each("bw", "generate encode", ""))),
    P("secret-tool", words=2, subs=(
        *each("secret-tool", "lookup search", "read", tags="secret"),
        *each("secret-tool", "store clear lock", "write", tags="secret"))),
    P("keyring", words=2, subs=(
        *each("keyring", "get", "read", tags="secret"),
        *each("keyring", "set del", "write", tags="secret"),
        *each("keyring", "diagnose", "read"))),
    P("keyctl", special="opaque", also="kinit ksu", does="write", tags="secret"),
    P("klist", "text*", also="kvno kdestroy", does="read"),
    P("ssh-keygen", "text*", action="ssh:keygen", does="write", tags="identity",
      example="ssh-keygen -t ed25519 -f key -N ''",
      options="-f:edit -t:text -b:text -C:text -N:text -P:text -a:text -E:text -m:text -R:host -F:host -r:text "
      "-I:text -n:text -O:text -s:read -V:text -z:text -w:text -Y:text -D:text -M:text -W:text -J:text -j:text -K "
      "-l!look -L!look -y!public -e!look -i!look -B!look -p -c -A -H -h -k -q -Q!look -v -u -U "
      "-Z:text", flags={"-D": _LIBRARY, "-w": _LIBRARY}, dryrun="look -F"),
    P("ssh-add", "read*", action="ssh:agent", does="write", tags="secret", options="-l!list -L!list -d -D!all "
      "-e:text -s:text -S:text -P:text -t:text -E:text -T:read -H:text -h:text -c -C -k -K -A -q -v -x -X",
      dryrun="list", flags={"-s": _LIBRARY, "-S": _LIBRARY}),
    P("ssh-agent", "command?", does="spawn", options="-a:write -E:text -t:text -P:text -O:text -k -s -c -D -d",
      flags={"-P": _LIBRARY, "-k": Adds(action="proc:kill", effects=effects("execute"), ends=True)}),
    P("gnome-keyring-daemon", special="opaque", also="kwallet-query kwalletmanager seahorse keepassxc-cli",
      does="read", tags="secret"),
    P("step", special="opaque", also="cfssl easyrsa certutil", does="write", tags="secret"),
    P("oathtool", "text*", also="totp-cli", does="read", tags="secret", action="secret:read"),
    P("gitleaks", "text*", also="detect-secrets", does="read", action="secret:scan", options="-s|--source:read "
      "-c|--config:read --config-path:read -r|--report-path|--report:write -b:read -f:text -l:text --log-opts:text "
      "--redact --staged -v"),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
