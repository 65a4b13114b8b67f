"""How each action that cannot be taken back is made good: a command, or plainly that there is none.

An action's own row, or the gate of `[capability]`, comes first; this table holds for all others, by the name of the
action. The first pattern that fits counts. `<word>` stands for a field of the action's target. A text that begins with
`none` says why nothing brings it back. A test holds every irreversible action of the tables to a row here.

What only leaves this machine and loses nothing is made good by its own verb (`VERBS`): a row that says how a deletion
is made good would be wrong for what was created.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .gated import filled, undo_of
from .glob import matches
from .grant import is_outward

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.action import Action

__all__ = ["COMPENSATORS", "VERBS", "compensator_of", "named_for", "owner_of", "undo_to_show"]

_HELD = "interlock undo, where a checkpoint was made; else a backup"
_COMMIT = "a commit that reverses it; what was not committed is lost"
_ISSUED = "put the secret in again, from where it was issued"
_SNAPSHOT = "a snapshot made before; without one there is none"
_BACKUP = "none: only a backup brings it back"
_DISK = "none: what was on the disk is gone; restore it from a backup"
_SENT = "none: whoever has read it has read it"
_AGAIN = "run it again with the values that it had before"

COMPENSATORS = (
    # files and folders of this machine
    ("fs:*", _HELD),
    *[(name, _HELD) for name in ("rm", "rimraf", "rmdir", "unlink", "gio:remove")],
    ("shred", _BACKUP),
    # git and other version control
    ("git:stash-*", "git stash store <commit>; git fsck --unreachable finds the commit"),
    *[(f"git:{name}", "interlock undo, where a checkpoint was made; git fsck --lost-found finds what was staged")
      for name in ("apply", "reset", "checkout", "checkout-index", "restore", "switch", "read-tree", "clean")],
    ("git:worktree-remove", "git worktree add <path>; changes that were not committed are lost"),
    ("git:branch", "git branch <branch> <commit>; git reflog has the commit"),
    ("git:tag", "git tag <tag> <commit>; git fsck --unreachable finds it"),
    ("git:notes-*", "git notes add again; git reflog show refs/notes/commits has the commit before"),
    ("git:submodule-*", "git submodule update --init <path>; changes that were not committed are lost"),
    ("git:send-email", _SENT),
    ("git:*filter*", "git reset --hard refs/original/refs/heads/<branch>, or a clone made before"),
    ("git:fast-import", "git reset --hard ORIG_HEAD, or a clone made before"),
    *[(f"git:{name}", "none: objects that were removed are in no clone but an older one")
      for name in ("gc", "prune", "reflog-expire", "reflog-delete")],
    *[(name, "a clone made before") for name in ("git-filter-repo", "git-lfs:migrate")],
    ("git-flow:*", "git branch <branch> <commit>; git reflog has the commit"),
    ("hg:*", "hg unbundle .hg/strip-backup/<file>, or hg update to the revision before"),
    ("jj:*", "none: the operations were abandoned; a clone made before has the commits"),
    ("fossil:*", "fossil undo"),
    *[(f"{name}:*", _COMMIT) for name in ("svn", "bzr", "cvs", "repo")],
    *[(name, "add the package again, or remove it again") for name in ("repo-add", "repo-remove")],
    # services for code
    *[(f"{tool}:*delete*", "create it again; what was in it is lost") for tool in ("gh", "glab", "hub", "tea")],
    *[(f"{tool}:*merge", "a pull request that reverts it") for tool in ("hub", "tea")],
    ("gh:pr-close", "gh pr reopen <number>"),
    ("gh:*", "gh repo sync or gh pr checkout again, from the commit before"),
    ("glab:token-revoke", "none: make a new token"),
    *[(f"{tool}:*", "delete what was created, or edit it back") for tool in ("glab", "hub")],
    # packages: a version that was published stays taken
    *[(f"{tool}:*", "yank, unlist or deprecate the version; it stays taken") for tool in
      ("hackage", "opam", "hex", "nimble", "elm", "luarocks", "conan", "choco", "nuget", "swift", "jsr", "conda",
       "clasp", "webext", "vscode", "ansible-galaxy", "ollama")],
    *[(f"{tool}:*", "delete the upload") for tool in ("hf", "kaggle", "expo")],
    ("pkg:remove", "install the package again"),
    ("py:venv", "create the environment again"),
    # containers and clusters
    ("docker:*prune", "none: volumes and images that were pruned are gone; pull or build the images again"),
    ("docker:rmi", "docker pull <image>"),
    ("docker:*", "create it again; what was inside is lost"),
    ("compose:*", "docker compose up; volumes that were removed are lost"),
    *[(f"{tool}:delete", "push the image again") for tool in ("skopeo", "crane", "oras", "regctl")],
    ("kubectl:*", "kubectl apply -f with the manifest before; kubectl rollout undo for a deployment"),
    ("oc:*", "oc apply -f with the manifest before; oc adm uncordon for a node"),
    ("helm:*", "helm rollback <release>"),
    ("argocd:*-delete*", "create it again from its manifest"),
    ("argocd:*", "argocd app rollback, or the command with the values before"),
    *[(f"{tool}:*", "create it again from its configuration; what was stored in it is lost") for tool in
      ("minikube", "kind", "skaffold", "istioctl", "flux", "vagrant", "cdk", "sam", "pulumi", "terraform", "eb")],
    # data and secrets
    ("sql:*", "restore a backup of the database"),
    *[(f"{tool}:*", "restore a backup of the database") for tool in
      ("django", "flask", "mongo", "supabase", "heroku", "wrangler", "bq")],
    ("celery:purge", "none: the tasks are gone; send them again"),
    ("etcd:*", "etcdctl snapshot restore from a snapshot"),
    ("consul:*", "consul kv put <key> with the value before"),
    ("vault:kv:delete", "vault kv undelete <path>"),
    ("vault:*", _BACKUP),
    *[(f"{tool}:*", _ISSUED) for tool in ("pass", "bw", "security", "vercel")],
    ("s3cmd:*", "put the object back, where the bucket keeps versions; else a backup"),
    ("stripe:*", "none: an object that was deleted is made anew, with another id"),
    ("ldap:*", "ldapmodify with the values before"),
    ("gpg:*", "import the key from a backup"),
    # the machine
    *[(f"{tool}:*", _DISK) for tool in ("diskutil", "disk", "cryptsetup", "lvm", "hdiutil")],
    *[(tool, _DISK) for tool in
      ("gparted", "gnome-disks", "partitionmanager", "testdisk", "photorec", "ddrescue", "dmsetup")],
    *[(f"{tool}:*", _SNAPSHOT) for tool in ("zfs", "zpool", "btrfs", "snapper", "backup")],
    ("timeshift", _SNAPSHOT),
    *[(f"{tool}:*", "none: log in, or start the machine, again") for tool in ("systemctl", "loginctl", "sys")],
    ("user:delete", "add the account again; its files need a backup"),
    ("defaults:*", _AGAIN),
    ("nix:*", "nix-env --rollback; paths that were collected are built or fetched again"),
    *[(name, "none: what was logged is gone") for name in ("log:*", "dmesg", "shell:history")],
    ("mail:*", _SENT),
    ("net:*", _SENT),
    ("exec:project", "none: what the project's code does is not known"),
)  # fmt: skip

# Patterns above that are as right for what a program changes as for what it loses.
_OF_CHANGES = frozenset(("kubectl:*", "oc:*", "helm:*", "argocd:*", "glab:*", "hub:*", "consul:*", "s3cmd:*"))
_PAIRS = (
    *(("close", "reopen"), ("lock", "unlock"), ("pin", "unpin"), ("enable", "disable"), ("archive", "unarchive")),
    *(("link", "unlink"), ("cordon", "uncordon"), ("suspend", "resume"), ("pause", "resume"), ("start", "stop")),
    *(("subscribe", "unsubscribe"), ("promote", "demote"), ("taint", "untaint"), ("up", "down"), ("login", "logout")),
)
# The last word of an action's name -> how it is made good where nothing is lost by it.
VERBS = {
    **{verb: f"the same command with `{other}`" for pair in _PAIRS for verb, other in (pair, pair[::-1])},
    **dict.fromkeys(("create", "fork", "mk"), "delete what it made"),
    "add": "remove what it added",
    **dict.fromkeys(
        ("edit", "update", "set", "put", "patch", "rename", "label", "annotate", "scale"),
        "the same command with the values before",
    ),
    **dict.fromkeys(("comment", "note", "review"), "delete it; whoever was told of it has read it"),
    **dict.fromkeys(("run", "rerun", "retry", "trigger"), "cancel it while it runs; what it has done stays"),
    "deploy": "deploy what was live before",
}


def compensator_of(action: Action) -> str:
    """The named undo of the action; one that begins with `none` says that there is none."""
    text = action.compensator or undo_of(action.name, action.target)
    if not text:
        loses = action.irreversible or not is_outward(action)
        text = named_for(action.name) if loses else _of_change(action.name)
    return filled(text or "none is known", action.target)


def _of_change(name: str) -> str:
    """How something is made good that was changed elsewhere and not lost; empty where no row speaks of that."""
    verb = name.rpartition(":")[2].rpartition("-")[2]
    if verb in VERBS:
        return VERBS[verb]
    row = _row(name)
    holds = row is not None and ("*" not in row[0] or row[0] in _OF_CHANGES or row[1].startswith("none"))
    return row[1] if row is not None and holds else ""


def undo_to_show(action: Action) -> str:
    """How an action is taken back, with the values of the call; empty where it need not be, or nothing does."""
    if not (action.irreversible or is_outward(action)):
        return ""
    text = compensator_of(action)
    return "" if text.startswith("none") else text


def owner_of(name: str, owners: Mapping[str, str]) -> str:
    """Who makes the action good, where the policy says so. The longest pattern counts."""
    found = [pattern for pattern in owners if pattern == name or matches(pattern, name)]
    return owners[max(found, key=lambda pattern: (len(pattern), pattern))] if found else ""


def named_for(name: str) -> str:
    """The row for an action's name; empty where there is none."""
    row = _row(name)
    return "" if row is None else row[1]


def _row(name: str) -> tuple[str, str] | None:
    return next((row for row in COMPENSATORS if row[0] == name or matches(row[0], name)), None)
