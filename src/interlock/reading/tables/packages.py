"""Package managers of operating systems.

What is marked `upkeep` only looks, or empties a cache that the manager fills again: `sudo` adds nothing to it. That is
not for what a pager shows (it can start a shell), nor for what takes its cache's place from the command line.
"""

from __future__ import annotations

from .kinds import SETS, each, installs, project, restores
from .spec import Adds, P, Program, effects

__all__ = ["PROGRAMS"]

_HOOKS = {
    "loads": Adds(opaque="a configuration that can run commands"),
    "unsigned": Adds(tags=("force",), opaque="installs what nobody has signed"),
}
_APT = (
    "-t|--target-release|--default-release:text -o|--option:text -c|--config-file!loads -a|--host-architecture:text "
    "-y -q?:text -s -f -d -V --allow-unauthenticated!unsigned --force-yes!unsigned "
    "--allow-insecure-repositories!unsigned"
)
_DRY_APT = "-s --simulate --just-print --dry-run --recon --no-act --print-uris"
_APT_OPTIONS = f"{_APT} {_DRY_APT} --purge!purge --auto-remove --autoremove --no-install-recommends --reinstall"
_PURGE = {"purge": Adds(effects=effects("destructive"), irreversible=True)}


def _removes(
    name: str, *, options: str = "", also: str = "", dryrun: str = "", operands: str = "package*", purge: bool = False
) -> Program:
    """Taking packages away: they can be installed again, their settings only if they are kept."""
    return P(
        name,
        operands,
        also=also,
        options=options,
        dryrun=dryrun,
        action="pkg:remove",
        does="destructive execute" if purge else "write execute",
        irreversible=purge,
        tags="system",
        flags={**_PURGE, **_HOOKS},
        words=2,
    )


def _system(name: str, *, options: str = "", also: str = "", dryrun: str = "") -> Program:
    """Brings packages into the system: what is named, or newer versions of everything."""
    return P(
        name,
        "package*",
        also=also,
        options=options,
        dryrun=dryrun,
        special="installs",
        action="pkg:install",
        does="network write execute",
        tags="system",
        flags={"own": Adds(tags=("install",)), "named": Adds(tags=("install",)), **_HOOKS},
        words=2,
    )


def _refresh(program: str, names: str, options: str = "") -> tuple[Program, ...]:
    """Lists of what there is, fetched anew."""
    return each(program, names, "network write", tags="system", options=options, flags=_HOOKS)


_APT_SUBS = (
    _system("install", also="reinstall build-dep satisfy", options=_APT_OPTIONS, dryrun=_DRY_APT),
    _system("upgrade", also="dist-upgrade full-upgrade safe-upgrade dselect-upgrade", options=_APT_OPTIONS,
        dryrun=_DRY_APT),
    _removes("remove", also="autoremove auto-remove", options=_APT_OPTIONS, dryrun=_DRY_APT),
    _removes("purge", also="autopurge", options=_APT_OPTIONS, dryrun=_DRY_APT, purge=True),
    *_refresh("apt", "update", options=_APT_OPTIONS),
    *each("apt", "list search show policy showsrc depends rdepends pkgnames madison showpkg stats dump dumpavail "
        "unmet why why-not versions "
        "moo help check history indextargets showauto showmanual showhold config", "read", tags="upkeep", options=_APT,
        flags=_HOOKS),
    *each("apt", "changelog download source fetch", "network write", options=_APT, flags=_HOOKS),
    *each("apt", "clean autoclean auto-clean distclean", "write", tags="system upkeep", options=_APT, flags=_HOOKS),
    *each("apt", "markauto unmarkauto hold unhold auto manual mark keep "
        "forget-new gencaches add",
        "write", tags="system", options=_APT, flags=_HOOKS),
    P("edit-sources", special="opaque", does="execute"),
)  # fmt: skip
_DNF = (
    "--enablerepo|--repo|--repoid:registry --disablerepo:text --repofrompath:registry -c|--config:read!loads "
    "--installroot:write -x|--exclude:text "
    "--releasever:text --setopt:text!loads --disableplugin:text --enableplugin:text --downloaddir|--destdir:write -y "
    "--assumeno -C -q -v -b --nogpgcheck!unsigned"
)
_DNF_SUBS = (
    _system("install", also="localinstall groupinstall reinstall in builddep swap", options=_DNF, dryrun="--assumeno"),
    _system("update", also="upgrade up distro-sync downgrade upgrade-minimal system-upgrade localupdate "
        "update-minimal offline-upgrade", options=_DNF,
        dryrun="--assumeno"),
    _removes("remove", also="erase autoremove rm groupremove", options=_DNF, dryrun="--assumeno"),
    *_refresh("dnf", "makecache", options=_DNF),
    *each("dnf", "list info search provides whatprovides repolist repoquery check-update deplist check updateinfo "
        "grouplist groupinfo help repoinfo changelog",
        "read", tags="upkeep", options=_DNF, flags=_HOOKS),
    *each("dnf", "alias", "read", options=_DNF, flags=_HOOKS),
    P("history", subs=(*each("dnf", "list info", "read"), _removes("undo", also="rollback redo")),
        default=P("history", action="dnf:history", does="read")),
    P("group", also="groups module", subs=(*each("dnf", "list info summary provides", "read"), _system("install",
        also="upgrade enable update"),
        _removes("remove", also="disable reset"))),
    *each("dnf", "clean", "write", tags="system upkeep", options=_DNF, flags=_HOOKS),
    *each("dnf", "mark versionlock", "write", tags="system", options=_DNF, flags=_HOOKS),
    P("config-manager", "text*", options="--add-repo:registry --set-enabled --set-disabled --save --setopt:text",
        action="pkg:source",
        does="network write", tags="system install", risk="medium"),
    P("copr", "text text*", action="pkg:source", does="network write", tags="system install", risk="medium"),
    P("shell", special="opaque", does="execute"), P("download", "package*", also="reposync",
        options=f"{_DNF} -p|--download-path:write", action="dnf:download", does="network write"),
)  # fmt: skip
_RPM = (
    "-i|--install!installs -U|--upgrade!installs -F|--freshen!installs --reinstall!installs -e|--erase!removes "
    "--import!keys --initdb!changes "
    "--rebuilddb!changes --setperms!changes --setugids!changes --restore!changes -q|--query -V|--verify -K|--checksig "
    "-E|--eval!macro -D|--define:text!macro --undefine:text --pipe:command --root|-r:write --dbpath:text "
    "--prefix:text --relocate:text "
    "--rcfile:runs --macros:runs --load:runs --qf|--queryformat:text -f|--file:read -p|--package:text -g:text "
    "--whatprovides:text "
    "--whatrequires:text --excludepath:text -a -l -c -d -v -h -s --test --nodeps --force --nosignature --scripts "
    "--changelog --noscripts"
)
_BREW = (
    _system("install", also="reinstall", options="--appdir:write --cask --formula --HEAD -v -q -f --force",
        dryrun="-n --dry-run"),
    _system("upgrade", also="up", options="--cask --formula -n --dry-run", dryrun="-n --dry-run"),
    _removes("uninstall", also="remove rm", options="--zap!purge --cask -f --ignore-dependencies"),
    _removes("autoremove", dryrun="-n --dry-run", options="-n --dry-run"),
    *_refresh("brew", "update update-if-needed fetch"),
    *each("brew", "list ls info abv search deps uses leaves outdated doctor dr config --prefix --cellar --cache "
        "--repository --version cat desc "
        "home missing log commands formulae casks options tap-info help shellenv --env which-formula",
        "read"),
    *each("brew", "gist-logs", "read network", tags="external"),
    P("tap", "registry*", action="pkg:source", does="network write", tags="install", risk="medium", also="untap"),
    P("services", words=3, subs=(*each("brew", "list info", "read"), *each("brew", "start run restart", "spawn"),
        *each("brew", "stop kill cleanup", "execute write")), default=P("services", action="brew:list", does="read")),
    *each("brew", "link ln unlink pin unpin cleanup completions analytics developer migrate postinstall", "write"),
    P("bundle", options="--file:runs --global --no-upgrade", subs=(*each("brew", "list check", "read"),
        restores("install", options="--file:runs"),
        P("dump", options="--file:write", action="brew:dump", does="write"), P("exec", "command", does="execute"),
        _removes("cleanup", options="--file:read --force")), default=restores("bundle", options="--file:runs")),
    P("edit", special="opaque", does="execute", also="create sh irb ruby extract"), P("test", "package*",
        special="opaque", does="execute"),
)  # fmt: skip
_NIX_RUN = (
    "-I:text --option:text -f|--file:runs --impure --arg:text --argstr:text --extra-experimental-features:text -L -v "
    "--offline"
)
_SNAP = (
    "--channel:text --revision:text --classic --devmode!unsigned --dangerous!unsigned --jailmode --name:text "
    "--cohort:text"
)
_UNSIGNED = {"unsigned": Adds(tags=("force",), opaque="installs what nobody has signed")}

PROGRAMS = (
    # Debian
    P("apt-get", also="apt aptitude apt-cache apt-mark nala apt-fast apt-config apt-cdrom", special="apt",
        options=_APT_OPTIONS, subs=_APT_SUBS,
        flags=_HOOKS, words=2, example="apt-get install -y curl"),
    P("apt-key", special="opaque", does="write network", tags="system privileged"),
    P("apt-file", "text*", subs=(*each("apt-file", "search list find show", "read", tags="upkeep"),
        *_refresh("apt-file", "update"))),
    P("dpkg", "text*", special="dpkg", does="read", words=2, example="dpkg -l"),
    P("dpkg-query", "text*", options="-f|--showformat:text -W -l -L -s -S -p --admindir:text", action="dpkg:query",
        does="read", tags="upkeep", also="apt-show-versions apt-rdepends debsums"),
    P("dpkg-architecture", "text*", action="dpkg:query", does="read",
        also="apt-listchanges dlocate debtree popularity-contest"),
    P("dpkg-deb", "text*", special="dpkg", does="read"),
    P("dpkg-divert", "text*", also="dpkg-statoverride dpkg-trigger", action="pkg:configure", does="write",
        tags="system", options="--divert:write --list",
        dryrun="--list"),
    project("dpkg-buildpackage", does="execute write", also="debuild sbuild dh makepkg flatpak-builder",
        options="--root-command|-r:command "
        "--build-failed-commands:command --run:runs --git-builder:command --hook-source:command"),
    P("add-apt-repository", "registry*", also="apt-add-repository", options="-y -r|--remove -n -s -u -L|--list "
        "-P:registry -U:registry -S:registry "
        "-C:text -p:text", dryrun="-L", action="pkg:source", does="network write", tags="system install", risk="medium",
        compensator="add-apt-repository --remove", example="add-apt-repository ppa:deadsnakes/ppa"),
    P("unattended-upgrade", also="unattended-upgrades do-release-upgrade", action="pkg:install",
        does="network write execute", tags="system install",
        options="--dry-run -d", dryrun="--dry-run"),
    P("deb-get", special="opaque", does="network write execute", also="gdebi pacstall eopkg slackpkg swupd "
        "xbps-install guix"),
    # Red Hat, SUSE
    P("dnf", also="yum dnf5 dnf-3 microdnf", options=_DNF, flags=_HOOKS, subs=_DNF_SUBS, words=2,
        example="dnf install -y curl"),
    P("rpm", "text*", special="rpm", options=_RPM, does="read", tags="upkeep", action="rpm:query", words=2,
        also="rpmquery rpmverify", example="rpm -qa"),
    P("rpmbuild", special="opaque", does="execute write", also="rpmdb rpmkeys rpmsign mock rpmspec rpm2cpio-run"),
    P("yum-config-manager", "text*", also="dnf-config-manager", options="--add-repo:registry --enable --disable "
        "--save --setopt:text", action="pkg:source",
        does="network write", tags="system install", risk="medium"),
    P("repoquery", "text*", action="dnf:query", does="read", tags="upkeep",
        also="repolist package-cleanup-query needs-restarting"),
    P("zypper", words=2, options="-n|--non-interactive -q -v -c|--config:read!loads -R|--root:write "
        "-D|--reposd-dir:read -C|--cache-dir:write --pkg-cache-dir:write --raw-cache-dir:write --solv-cache-dir:write "
        "-p|--plus-repo:registry "
        "--no-gpg-checks!unsigned --gpg-auto-import-keys", flags={**_HOOKS, "unsigned": Adds(tags=("force",))}, subs=(
            _system("install", also="in install-new-recommends inr source-install si verify ve",
                options="-r|--repo:registry --from:registry -t:text -y -D --dry-run",
                dryrun="-D --dry-run"),
            _system("update", also="up dist-upgrade dup patch", options="-r:registry -y -D --dry-run -t:text "
                "--from:registry", dryrun="-D --dry-run"),
            _removes("remove", also="rm", options="-y -D --dry-run -u -t:text", dryrun="-D --dry-run"),
                *_refresh("zypper", "refresh ref"),
            *each("zypper", "search se info if list-updates lu list-patches lp repos lr packages pa what-provides wp "
                "patches pch products pd patterns pt "
                "locks ll patch-check ps needs-rebooting licenses help services ls targetos versioncmp",
                "read", tags="upkeep", options="-e|--export:write"),
            P("addrepo", "registry*", also="ar modifyrepo mr removerepo rr addservice as renamerepo",
                options="-f -g -G -p:text -r:registry -e -d -a",
                action="pkg:source", does="network write", tags="system install", risk="medium"),
            *each("zypper", "clean cc", "write", tags="system upkeep"),
            *each("zypper", "addlock al removelock rl cleanlocks cl", "write", tags="system"))),
    # Alpine, Arch, Gentoo and others
    P("apk", words=2, options="-X|--repository:registry -p|--root:write -q -v --no-cache -U "
        "--allow-untrusted!unsigned --repositories-file:registry "
        "--keys-dir:read", flags=_UNSIGNED, subs=(
            _system("add", options="-X|--repository:registry -t|--virtual:text --no-cache -u -s|--simulate -l -U "
                "--allow-untrusted!unsigned", dryrun="-s"),
            _system("upgrade", also="fix", options="-X|--repository:registry -s|--simulate -a", dryrun="-s"),
                _removes("del", options="-s|--simulate "
                "--purge!purge", dryrun="-s"), *_refresh("apk", "update"), *each("apk", "info list search policy "
                "stats version verify audit dot manifest", "read", tags="upkeep", options="-X:registry"), *each("apk",
                "index", "read", options="-X:registry -o:write"), P("fetch", "package*", options="-o:write",
                action="apk:fetch", does="network write"),
            *each("apk", "cache", "write"))),
    P("pacman", "package*", special="pacman", does="read", also="yay paru pikaur trizen aura", words=2,
        example="pacman -Qi bash"),
    P("pacman-key", "text*", also="pacman-mirrors reflector", action="pkg:source", does="network write", tags="system"),
    P("emerge", "package*", options="-s|--search!looks -S!looks -p|--pretend -C|--unmerge!removes "
        "-c|--depclean!removes -u -D -N -a -v -q -1 --sync!syncs "
        "-j?:number --info!looks --config!runs -e -k -K -g -G -f -O", action="pkg:install",
        does="network write execute", tags="system install", dryrun="-p -s -S "
        "--info"),
    P("xbps-query", "text*", action="xbps:query", does="read", options="-R -S -l -f -s:text",
        also="eix equery qlist pkg_info pkginfo"),
    P("opkg", words=2, options="-f|--conf:read!loads -d:text -o|--offline-root:write -t:write", flags=_HOOKS,
        subs=(_system("install", also="upgrade"),
        _removes("remove"), *_refresh("opkg", "update"), *each("opkg", "list list-installed list-upgradable info "
            "status files search find depends whatprovides "
        "list-changed-conffiles print-architecture", "read", tags="upkeep"),
        *each("opkg", "flag configure clean", "write"))),
    P("pkg", words=2, options="-y -j:text -c:text -r:text -C:read!loads -o:text!loads", flags=_HOOKS,
        subs=(_system("install", also="add upgrade bootstrap",
        options="-y -r:registry -n --no-repo-update -U -f"), _removes("delete", also="remove autoremove uninstall",
            options="-y -n -a", dryrun="-n"), *_refresh(
        "pkg", "update"), *each("pkg", "info search query rquery version which stats audit list list-all "
        "list-installed show files help", "read", tags="upkeep"), *each("pkg", "check", "read",
            options="-B -d -n -q -r -s -y -a", flags={"-d": SETS, "-r": SETS}), *each("pkg", "clean "
        "lock unlock set", "write"))),
    P("port", words=2, also="fink pkgin", subs=(_system("install", also="upgrade selfupdate sync update"),
        _removes("uninstall", also="remove"), *each("port", "list search "
        "info installed outdated contents provides deps variants avail", "read"), *each("port",
        "clean select activate deactivate", "write"))),
    P("brew", words=2, subs=_BREW, example="brew install jq"),
    # Nix
    P("nix", words=2, options=_NIX_RUN, subs=(
        P("build", "registry*", options=f"{_NIX_RUN} -o|--out-link:write --expr:code.nix",
            also="develop print-dev-env bundle", special="nix_run", does="network "
            "write execute", action="nix:build"),
        P("run", "registry? text*", options=f"{_NIX_RUN} --expr:code.nix", special="nix_run", action="pkg:run",
            does="network execute write", tags="install "
            "unread"),
        P("shell", "registry*", options=f"{_NIX_RUN} -c|--command!shell --expr:code.nix", special="nix_run",
            action="pkg:run", does="network execute write",
            tags="install"),
        P("profile", words=3, subs=(installs("install", also="add upgrade"), *each("nix",
            "list history diff-closures", "read"), *each("nix", "remove rollback "
            "wipe-history", "write"))), P("flake", words=3, subs=(*each("nix", "show metadata info check",
            "network execute"), *each("nix", "update lock init "
            "new clone archive", "network write"))), *each("nix", "search", "network"), P("repl", special="opaque",
            does="execute", also="edit"), P("eval", "registry*", options=f"{_NIX_RUN} --expr|--apply:code.nix",
            special="nix_run",
            action="nix:eval", does="network execute"),
        *each("nix", "path-info why-depends hash derivation doctor log show-config config store-info help", "read"),
            *each("nix", "fmt", "write execute"),
        P("copy", "text*", options="--to:registry --from:registry -s", action="nix:copy", does="network write",
            tags="external sends"),
        P("store", words=3, subs=(*each("nix", "ls cat diff-closures info ping verify path-info", "read"),
            *each("nix", "gc delete optimise repair", "destructive"))),
        P("upgrade-nix", action="pkg:install", does="network write execute", tags="install"))),
    P("nix-env", "package*", options=f"{_NIX_RUN} -i|--install!installs -iA!installs -u|--upgrade!installs "
        "-e|--uninstall!removes -q|--query --rollback!changes "
        "-S:text -G:text -p|--profile:write -A|--attr:package --delete-generations!deletes -s -a", action="nix:query",
        does="read network", flags={
            "installs": Adds(action="pkg:install", effects=effects("network write execute"), tags=("install",)),
            "removes": Adds(action="pkg:remove", effects=effects("write")), "changes": Adds(effects=effects("write")),
            "deletes": Adds(effects=effects("destructive"), irreversible=True)}),
    P("nix-shell", "runs*", options=f"{_NIX_RUN} -p|--packages!packages --run|--command:code.sh -i:runs --pure "
        "--keep:text -A:text -E:code.nix", action="pkg:run",
        does="network execute write", tags="install unread", flags={"packages": Adds(role="package")},
            special="nix_shell"),
    P("nix-build", "runs*", options=f"{_NIX_RUN} -o|--out-link:write -A:text -E:code.nix", action="exec:project",
        does="network execute write", tags="unread"),
    P("nix-channel", "registry*", options="--add!changes --remove!changes --update!changes --list --rollback!changes",
        action="pkg:source", does="read",         flags={"changes": Adds(effects=effects("network write"),
        tags=("install",))}),
    P("nix-collect-garbage", options="-d|--delete-old --delete-older-than:text --dry-run", dryrun="--dry-run",
        action="nix:gc", does="destructive",
        irreversible=True, compensator="build the generations again"),
    P("nix-store", "text*", options="-q|--query --gc!deletes --delete!deletes -r|--realise!builds --optimise!builds "
        "--import!builds --load-db!builds --add!builds "
        "--verify --repair!builds --dump --export --tree --references --referrers --requisites -R",
        action="nix:query", does="read", flags={
            "deletes": Adds(effects=effects("destructive")), "builds": Adds(effects=effects("network write execute"))}),
    P("nix-instantiate", special="opaque", does="execute", also=" nix-prefetch-url nixos-rebuild nixos-option "
        "home-manager darwin-rebuild"),
    # across systems
    P("snap", words=2, subs=(P("install", "package*", special="installs", options=_SNAP, action="pkg:install",
        does="network write execute", tags="system install",
        flags={"own": Adds(), "named": Adds(), **_UNSIGNED}), _system("refresh", also="revert",
            options=f"{_SNAP} --list --hold?:text"), _removes("remove", options="--purge!purge "
        "--revision:text"), *each("snap", "list info find search version changes tasks services connections "
        "interfaces warnings known model help whoami aliases", "read", tags="upkeep"), *each("snap", "get logs saved",
        "read"), P("run", "command", options="--shell!shell", does="execute",
        flags={"shell": Adds(opaque="a shell inside a package")}),
        *each("snap", "start restart", "spawn", tags="system"), *each("snap", "stop enable disable set unset alias "
            "unalias prefer switch connect disconnect save "
        "restore abort watch ack", "write", tags="system"), P("login", also="logout", action="snap:login",
        does="network write", tags="secret"),
        P("download", "package*", action="snap:download", does="network write"), P("try", special="opaque",
            does="execute", also="pack"))),
    P("snapcraft", special="opaque", does="execute network", tags="external"),
    P("flatpak", words=2, options="--user --system --installation:text -v", subs=(_system("install",
        also="update upgrade", options="--user --system -y --from "
        "--bundle --arch:text --noninteractive"), _removes("uninstall", also="remove", options="--delete-data!purge "
        "-y --unused --all"), P("run", "package text*",
        options="--command:runs --branch:text --arch:text --filesystem:text --env:text --share:text --device:text -d",
            action="flatpak:run", does="execute spawn",
        tags="unread"), *each("flatpak", "list info search history ps remotes remote-ls remote-info permissions "
            "permission-show config", "read"), P("remote-add",
        "text registry", options="--if-not-exists --from --gpg-import:read --no-gpg-verify", action="pkg:source",
        does="network write", tags="install", risk="medium"),
        P("remote-delete", also="remote-modify mask pin repair override permission-reset permission-set make-current "
            "document-export",
            action="flatpak:configure", does="write"), P("kill", action="proc:kill", does="execute"), P("enter",
                special="opaque", does="execute"))),
    P("appimagetool", special="opaque", does="execute"),
    P("conan", words=2, subs=(installs("install", options="-r|--remote:registry -pr:read -s:text -o:text -b?:text "
        "--output-folder|-of:write --requires:package"),
        P("create", "runs*", also="build export source test", action="exec:project", does="execute write",
            tags="unread", options="-pr:read -s:text"),
        *each("conan", "list search inspect graph info profile= config= cache= version", "read"),
        P("upload", "package*",
            options="-r|--remote:registry", action="conan:upload",
            does="destructive network", tags="external sends", irreversible=True, risk="high"), P("remove",
                "package*", options="-r:registry", action="pkg:remove",
            does="write"), P("remote", action="pkg:source", does="write", tags="install"))),
    P("vcpkg", words=2, subs=(installs("install"), restores("update", also="upgrade"), _removes("remove"),
        *each("vcpkg", "list search version help", "read"),
        *each("vcpkg", "integrate new export", "write"))),
    P("choco", also="winget scoop chocolatey", words=2, subs=(_system("install", also="upgrade update add",
        options="-s|--source:registry --version|-v:text -y -e --id:text "
        "--manifest|-m:runs -h --what-if|--noop"), _removes("uninstall", also="remove rm", options="-y --id:text -p"),
        *each("choco", "list search find info show outdated "
        "status which help cat prefix home depends checkup", "read"), P("source", also="sources bucket",
        action="pkg:source", does="network write", tags="install",
        risk="medium"), *each("choco", "pin config feature cleanup hold unhold cache reset settings "
            "export", "write"),
            P("push", "send*", options="-s:registry -k:text",
        action="choco:push", does="destructive network", tags="external sends", irreversible=True, risk="high"),
            P("pack", action="choco:pack", does="write"))),
    P("mas", words=2, subs=(_system("install", also="upgrade purchase lucky"), _removes("uninstall"), *each("mas",
        "list search info outdated account", "read"))),
)  # fmt: skip
