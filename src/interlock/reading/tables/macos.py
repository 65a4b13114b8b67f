"""Programs that come with macOS."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .kinds import SETS, apart, each
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

__all__ = ["PROGRAMS"]

_ROOT = "privileged"
_GONE: dict[str, Any] = {"irreversible": True, "risk": "critical"}

_ROWS = (
    P("defaults", words=2, options="-currentHost -host:text", example="defaults read com.apple.dock", subs=(
        *each("defaults", "read read-type domains find help", "read", operands="domain? text*"),
        *each("defaults", "export", "read", operands="domain write?"),
        *each("defaults", "write rename import", "write", operands="domain text*"),
        *each("defaults", "delete delete-all", "destructive", operands="domain text*", irreversible=True))),
    P("security", words=2, options="-i!interactive -p:text -q -v -l", flags={"interactive":
      Adds(opaque="commands that are typed")}, example="security list-keychains", subs=(
        *each("security", "list-keychains default-keychain login-keychain show-keychain-info help error verify-cert "
          "dump-trust-settings find-certificate", "read", options="-s -d:text", flags={"-s": SETS}),
        *each("security",
          "find-generic-password find-internet-password dump-keychain export find-identity find-key cms",
          "read", tags="secret", options="-o:write -s:text -a:text -k:text -t:text -f:text -P:text -w -g -p:text -v"),
        *each("security", "add-generic-password add-internet-password import create-keychain unlock-keychain "
          "lock-keychain smartcards set-keychain-settings set-keychain-password set-key-partition-list "
          "add-certificates "
          "set-generic-password-partition-list", "write", tags="secret"),
        *each("security", "add-trusted-cert remove-trusted-cert authorizationdb trust-settings-import "
          "trust-settings-export user-trust-settings-enable", "write", tags=_ROOT, risk="high"),
        *each("security",
          "delete-generic-password delete-internet-password delete-keychain delete-certificate delete-identity",
          "destructive", tags="secret", irreversible=True),
        *each("security", "authorize execute-with-privileges", "execute", tags="privileged unread"))),
    P("diskutil", words=2, example="diskutil list", subs=(
        *each("diskutil", "list info information activity verifyVolume verifyDisk listFilesystems", "read"),
        *each("diskutil",
          "mount unmount mountDisk unmountDisk eject rename enableJournal repairVolume repairDisk repairPermissions",
          "write", tags=_ROOT),
        *each("diskutil", "eraseDisk eraseVolume reformat secureErase zeroDisk randomDisk partitionDisk "
          "resizeVolume splitPartition mergePartitions addPartition eraseOptical", "destructive", operands="text*",
          tags=_ROOT, **_GONE),
        *(P(kind, words=3, subs=(
        *each("diskutil", "list listUsers listCryptoUsers listSnapshots info", "read"),
        *each("diskutil", "addVolume unlockVolume lockVolume create add updatePreboot", "write", tags=_ROOT),
        *each("diskutil", "deleteVolume deleteContainer eraseVolume deleteSnapshot delete deleteLV revert "
          "encryptVolume decryptVolume resizeContainer", "destructive", tags=_ROOT, **_GONE))) for kind in ("apfs",
          "coreStorage", "cs", "appleRAID", "ar")))),
    P("hdiutil", words=2, subs=(
        *each("hdiutil", "info imageinfo isencrypted verify checksum plugins pmap", "read", operands="read*"),
        *each("hdiutil", "attach mount", "write", operands="read", options="-mountpoint:write -shadow:write "
          "-readonly -nobrowse -quiet -noverify -noautoopen -plist"),
        *each("hdiutil", "detach unmount eject", "write", options="-force -quiet"),
        *each("hdiutil", "create convert makehybrid", "write", operands="text*", options="-o:write -srcfolder:read "
          "-volname:text -format:text -size:text -fs:text -ov -quiet"),
        *each("hdiutil", "resize compact burn segment erasekeys", "destructive", operands="edit*", irreversible=True))),
    P("launchctl", words=2, example="launchctl list", subs=(
        *each("launchctl", "list print print-disabled print-cache blame dumpstate getenv hostinfo manageruid "
          "managername managerpid version help procinfo", "read"),
        *each("launchctl", "load bootstrap start kickstart enable submit", "spawn", operands="shown*",
          tags="scheduled"),
        *each("launchctl", "unload bootout disable remove", "write", operands="shown*", tags="security"),
        *each("launchctl", "reboot config", "write", operands="text*", tags=_ROOT),
        *each("launchctl", "stop kill unsetenv limit", "write", operands="text*"),
        *each("launchctl", "setenv", "write", tags="unread"),
        *(P(name, "text command", action=f"launchctl:{name}", does="execute", tags=_ROOT, words=2) for name in
          ("asuser", "bsexec")))),
    P("system_profiler", "text*", also="mdfind mdls ioreg vm_stat hostinfo sw_vers fs_usage sc_usage systemstats "
      "heap leaks vmmap lsappinfo machine", does="read", options="-xml -json -detailLevel:text -timeout:text "
      "-onlyin:list -name:text -live -count -0 -attr:text -s:text -p:text -c:text -n:text -r -l -w:text"),
    P("log", words=2, subs=(
        *each("log", "show stream stats", "read", operands="read*", options="--predicate:text --last:text "
          "--start:text --end:text --style:text --info --debug --process:text --archive:read"),
        *each("log", "collect", "write", options="--output:write"),
        *each("log", "config", "write", tags=_ROOT),
        *each("log", "erase", "destructive", tags=_ROOT, irreversible=True))),
    P("pmset", special="configure", action="sys:power", does="write", tags=_ROOT),
    P("networksetup", special="configure", also="scutil airport", action="net:configure", does="write", tags=_ROOT),
    P("ipconfig", words=2, subs=(
        *each("ipconfig", "getifaddr getoption getpacket getsummary waitall ifcount getv6packet", "read"),
        *each("ipconfig", "set setverbose", "write", tags=_ROOT))),
    P("spctl", special="configure", also="csrutil tccutil fdesetup profiles DevToolsSecurity", action="sys:security",
      does="write", tags=_ROOT, risk="high"),
    P("dscl", special="configure", also="dseditgroup sysadminctl dsenableroot pwpolicy createhomedir",
      action="user:change", does="write", tags=_ROOT, risk="high"),
    P("systemsetup", special="configure", also="nvram bless mdutil", action="sys:configure", does="write", tags=_ROOT),
    P("installer", "text*", action="pkg:install", does="write execute", tags="privileged install unread",
      options="-pkg|-package:read -target|-tgt:text -volinfo -pkginfo -dominfo -verbose -dumplog "
      "-allowUntrusted!force", dryrun="-volinfo -pkginfo -dominfo"),
    P("tmutil", special="configure", action="backup:change", does="destructive", tags=_ROOT, risk="high",
      irreversible=True),
    P("xattr", "text* edit", does="read", action="fs:attributes",
      options="-l -p -r -s -v -x -c!clears -w!changes -d!clears", flags={"changes": Adds(effects=effects("write"),
      tags=("force",)), "clears": Adds(effects=effects("write"), tags=("force", "security"))}),
    P("plutil", "text* edit", does="read", action="plist:change", options="-p -lint -convert:text -o:write -e:text "
      "-r -s -insert:text -replace:text -remove:text -extract:text -type:text -help -create:text",
      dryrun="-p -lint -extract -type"),
    P("PlistBuddy", special="opaque", does="write"),
    P("sips", "edit*", does="write", options="-s|--setProperty:text -g|--getProperty:text -z:text -Z:number -r:text "
      "-o|--out:write --resampleWidth:number --resampleHeight:number --cropToHeightWidth:text -j|--js:text",
      flags={"-j": Adds(opaque="a script that sips runs")}),
    P("xcode-select", "text*", does="read", options="-p|--print-path -v --version --install!install "
      "-s|--switch:text!changes -r|--reset!changes", flags={"install": Adds(action="pkg:install",
      effects=effects("network write execute"), tags=("install",)), "changes": Adds(effects=effects("write"),
      tags=(_ROOT,))}),
    P("simctl", words=2, subs=(P("list", "text*", action="simctl:list", does="read", words=2,
        options="-j|--json -v|--verbose -e"),), default=P("simctl", special="opaque", does="execute"),
      example="xcrun simctl list devices"),
    P("altool", special="opaque", also="notarytool stapler", does="execute"),
    P("textutil", "read*", does="write", options="-convert:text -output:write -info -cat:text -format:text "
      "-inputencoding:text -encoding:text -stdin -stdout", also="qlmanage"),
    P("ditto", "read+ write", does="write", options="-c -x -k -z -j -v -V -X --rsrc --norsrc --sequesterRsrc "
      "--keepParent --arch:text --bom:read"),
    P("lsregister", special="opaque", also="automator shortcuts SetFile GetFileInfo", does="execute"),
    P("periodic", special="opaque", does="execute", tags=_ROOT),
    P("purge", action="sys:purge", does="write", tags=_ROOT),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
