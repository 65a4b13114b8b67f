"""Fields that a command leaves to its settings: the context and namespace of kubectl and helm, the workspace of
terraform, the profile of aws. Rules, grants and prompts know them as if they were written in the command.

What the files say is a fact (`where:…`, as for destinations); what an earlier statement of the same call has chosen
comes before it. Where neither tells it, the field says so.
"""

from __future__ import annotations

from ...approve.glob import OPEN
from ...model.effects import Effect
from ...model.more_wants import Destination
from ...value import TYPE_CHECKING
from ..evaluate.earlier import note, ways
from ..resolve.settings import NONE, is_namespaced
from ..resolve.value import Exactly, Resolved, Unknown, either, may_be, written
from .destinations import query_for

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

    Target = dict[str, str | bool | tuple[str, ...]]

__all__ = ["PROGRAMS", "meant"]

# family of the action -> its fields, in the order in which they are looked up
PROGRAMS = {
    "kubectl": ("context", "namespace"), "oc": ("context", "namespace"), "helm": ("context", "namespace"),
    "terraform": ("workspace",), "aws": ("profile",),
}  # fmt: skip
# Variables that each of them goes by, and the options that name it, with the field in which the target has them.
_READS = {
    "context": ("kubeconfig", "helm_kubecontext", "helm_kubeapiserver"),
    "namespace": ("kubeconfig", "helm_kubecontext", "helm_namespace"),
    "workspace": ("tf_workspace", "tf_data_dir"),
    "profile": ("aws_profile", "aws_default_profile"),
}
_OPTIONS = {
    "context": ("--context", "--kube-context"), "namespace": ("-n", "--namespace"), "workspace": (),
    "profile": ("--profile",),
}  # fmt: skip
# Actions that choose one for what comes after them.
_CHOOSES = {
    "kubectl:use-context": "context", "oc:use-context": "context", "terraform:workspace-select": "workspace",
    "terraform:workspace-new": "workspace",
}  # fmt: skip
# And those that change the files in a way that is not followed, by a part of the name.
_CHANGES = {
    "context": ("kubeconfig", "get-credentials", "set-context", "rename-context", "kubectl:set", "kubectl:unset",
                "delete-context", "minikube:", "kind:", "k3d:"),
    "workspace": ("terraform:workspace-delete",),
    "profile": ("aws:configure",),
}  # fmt: skip
_CHANGES["namespace"] = _CHANGES["context"]
_FILES = {"context": ("/config", "kubeconfig"), "workspace": ("/.terraform/environment",), "profile": ()}
_FILES["namespace"] = _FILES["context"]
_NOT_READ = frozenset("written-here fetched remote-code unknown".split())
_MANIFEST = ("-f", "--filename", "-k", "--kustomize")
_IN_A_POD = ("logs", "exec", "attach", "cp", "port-forward", "run", "rsh", "debug")
_NUL = "\0"


def meant(name: str, target: Target, effects: tuple[Effect, ...], shell: Shell) -> Target:
    """The target with the fields that its program takes from settings."""
    family = name.partition(":")[0]
    words = shell.found.commands[-1][0] if shell.found.commands else ()
    if name in _CHOOSES:
        _choose(_CHOOSES[name], target, words, shell)
        return target
    if Effect.NETWORK not in effects or not words or not shell.folders:
        return target
    found = dict(target)
    for field in PROGRAMS[family]:
        if field in found or (field != "workspace" and "server" in found):
            continue
        value = _resolved(field, name, found, words, shell)
        text = None if value is None or NONE in may_be(value) else written(value)
        if text is not None:
            found[field] = text
    return found


def _choose(field: str, target: Target, words: tuple[Arg, ...], shell: Shell) -> None:
    said = target.get(field)
    folder = _folder(words, shell) if field == "workspace" else ""
    plain = type(said) is str and _NUL not in said and not said.startswith(OPEN) and folder is not None
    note([(field, folder or "", str(said))] if plain else [(field, "", "")], ways(shell), shell)


def _resolved(field: str, name: str, target: Target, words: tuple[Arg, ...], shell: Shell) -> Resolved | None:
    """None: nothing is known, since nobody has looked at the files yet."""
    named = _named(_OPTIONS[field], words)
    if named is not None:
        return Exactly(text=named) if named and _NUL not in named else Unknown(why="a word of the command is unknown")
    why = _why_not(field, name, target, words, shell)
    env: dict[str, str] = {}
    for variable, values in shell.variables.items():
        if variable.lower() in _READS[field]:
            if len(values) != 1 or not values[0].known:
                why = why or f"the value of {variable} is not known"
            else:
                env[variable.lower()] = values[0].text
    folder = _folder(words, shell)
    chosen = [_chosen_in(way, field, folder or "") for way in ways(shell)]
    if env.get("tf_workspace"):
        return Exactly(text=env["tf_workspace"])  # it outranks what was selected
    found: Resolved | None = None
    for one in chosen:
        value = _by_files(field, name, target, words, folder, env, shell) if one is None else one
        if value is None:
            return None
        found = value if found is None else either(found, value)
    return found if not why or found is None else either(found, Unknown(why=why))


def _chosen_in(way: tuple[tuple[str, ...], ...], field: str, folder: str) -> Resolved | None:
    """What an earlier statement has chosen; None: nothing."""
    if field == "namespace":  # it is that of the context, which is another one then
        return Unknown(why="the call chooses another context") if any(move[0] == "context" for move in way) else None
    for move in reversed(way):
        if move[0] == field and (field != "workspace" or move[1] in (folder, "")):
            return Exactly(text=move[2]) if move[2] else Unknown(why=f"which {field} the call chooses is not known")
    return None


def _by_files(
    field: str, name: str, target: Target, words: tuple[Arg, ...], folder: str | None, env: dict[str, str], shell: Shell
) -> Resolved | None:
    if folder is None:
        return Unknown(why="it is unclear in which folder it runs")
    context = target.get("context")
    path = _named(("--kubeconfig",), words)
    fields = {"kubeconfig": (path,)} if path else {}
    if field == "namespace" and type(context) is str:
        fields["context"] = (context,)
    query = query_for(field, name.partition(":")[0], folder, fields, env)
    answer = shell.found.ask(Destination(query))
    if answer is None:
        return None
    return Exactly(text=answer[0]) if len(answer) == 1 else Unknown(why=f"no file tells which {field} is in force")


def _why_not(field: str, name: str, target: Target, words: tuple[Arg, ...], shell: Shell) -> str:
    """Why the settings that are in the files need not be those of this command; empty: they are."""
    if shell.privileged or any(variable in ("HOME", "XDG_CONFIG_HOME") for variable in shell.variables):
        return "it runs with other settings" if field != "workspace" else ""
    for action in shell.found.actions:
        path = action.target.get("path")
        changes = action.effects not in ((), (Effect.READ,))
        if changes and any(part in action.name for part in _CHANGES[field]):
            return f"{action.name.replace(':', ' ')} changes it before"
        if changes and type(path) is str and path.endswith(_FILES[field]):
            return "a file that says it is changed before"
        if not _NOT_READ.isdisjoint(action.tags) and action.name.startswith("exec:"):
            return "a program before it was not read"
    if field == "workspace" and words[0].text.rpartition("/")[2] == "terragrunt":
        return "terragrunt works in folders of its own"
    return _why_no_namespace(name, target, words) if field == "namespace" else ""


def _why_no_namespace(name: str, target: Target, words: tuple[Arg, ...]) -> str:
    texts = [word.text.partition("=")[0] for word in words]
    if target.get("all-namespaces") is True:
        return "it is for all namespaces"
    verb = name.partition(":")[2].partition("-")[0]
    if name.startswith("helm:") or verb in _IN_A_POD:
        return ""
    resource = target.get("resource")
    first = resource if type(resource) is str else resource[0] if type(resource) is tuple and resource else ""
    if any(text in _MANIFEST for text in texts) or not first:
        return "a manifest may name another"
    return "" if is_namespaced(first) else "what it is about may lie in no namespace"


def _named(options: tuple[str, ...], words: tuple[Arg, ...]) -> str | None:
    """The value of the option that counts, which is the last; None: it is not there."""
    found = None
    for at, word in enumerate(words):
        option, equals, value = word.text.partition("=")
        if word.text == "--":
            break
        if option in options:
            found = value if equals else words[at + 1].text if at + 1 < len(words) else ""
    return found


def _folder(words: tuple[Arg, ...], shell: Shell) -> str | None:
    """Where it runs; with `-chdir=DIR` terraform goes there first."""
    if shell.folders is None or len(shell.folders) != 1:
        return None
    folder = shell.folders[0]
    inner = next((word.text[len("-chdir=") :] for word in words if word.text.startswith("-chdir=")), "")
    if not inner or _NUL in inner:
        return folder if not inner else None
    parts = [part for part in (inner if inner[0] == "/" else f"{folder}/{inner}").split("/") if part not in ("", ".")]
    return None if ".." in parts else "/" + "/".join(parts)
