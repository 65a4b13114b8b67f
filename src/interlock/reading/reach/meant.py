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
from ..resolve.value import AllOf, Exactly, OneOf, Resolved, Unknown, either, may_be, read, written
from .destinations import query_for

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

    Target = dict[str, str | bool | tuple[str, ...]]

__all__ = ["PROGRAMS", "meant"]

# family of the action -> its fields, in the order in which they are looked up
PROGRAMS = {
    "kubectl": ("context", "namespace"), "oc": ("context", "namespace"), "helm": ("context", "namespace"),
    "terraform": ("workspace",), "aws": ("profile",),
}  # fmt: skip
# Variables that each of them goes by, and the options that name it where the target does not have them.
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
_SERVERS = ("-s", "--server", "--cluster", "--kube-apiserver")
# Actions that choose one for what comes after them.
_CHOOSES = {
    "kubectl:use-context": "context", "oc:use-context": "context", "kubectl:context": "context",
    "terraform:workspace-select": "workspace", "terraform:workspace-new": "workspace",
}  # fmt: skip
_ANYWHERE = "*"  # the place of a choice that may count everywhere
# And those that change the files in a way that is not followed, by a part of the name.
_CHANGES = {
    "context": ("kubeconfig", "get-credentials", "set-context", "rename-context", "kubectl:set", "kubectl:unset",
                "delete-context", "delete-cluster", "kubectl:namespace", "oc:project", "oc:login", "minikube:", "kind:",
                "k3d:"),
    "workspace": ("terraform:workspace-delete",),
    "profile": ("aws:configure",),
}  # fmt: skip
_CHANGES["namespace"] = _CHANGES["context"]
_FILES = {
    "context": ("/config", "kubeconfig", "/.kube"), "workspace": ("/.terraform/environment", "/.terraform"),
    "profile": (),
}  # fmt: skip
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
        value = _said(field, found, words)
        if value is None:
            value = _resolved(field, name, found, words, shell)
        if field == "namespace" and value is not None and found.get("all-namespaces") is True:
            value = either(value, Unknown(why="it is for all namespaces"))
        text = None if value is None or NONE in may_be(value) else written(value)
        if text is not None:
            found[field] = text
        else:
            found.pop(field, None)
    return found


def _said(field: str, target: Target, words: tuple[Arg, ...]) -> Resolved | None:
    """What the command itself says; None: nothing, as with an empty value."""
    if field == "context" and (_named(_SERVERS, words) is not None or "server" in target):
        return Unknown(why="the command names a server", beside=may_be(read(target.get(field))))
    said = target.get(field)
    if said is None:
        named, sure = _named(_OPTIONS[field], words), True
        if named is None and field == "profile":
            named, sure = _abbreviated("--profile", words), False
        if named is None or named == "":
            return None
        if _NUL in named:
            return Unknown(why="a word of the command is unknown")
        return Exactly(text=named) if sure else Unknown(why="an option is cut short", beside=(named,))
    if field == "workspace":
        return read(said)
    texts = [
        text[1:] if text[:1] == "=" and text != "=" else text
        for text in (said if type(said) is tuple else (said,))
        if type(text) is str
    ]
    value = read(tuple([text for text in texts if text]) or None)
    if type(value) is AllOf:  # one of them counts, and an empty one takes it back
        return OneOf(texts=tuple(sorted(value.texts))) if value.texts and "" not in texts else None
    return value


def _choose(field: str, target: Target, words: tuple[Arg, ...], shell: Shell) -> None:
    said, place = target.get(field), _place(field, words, shell)
    plain = type(said) is str and _NUL not in said and not said.startswith((OPEN, "-")) and "=" not in said
    if said is None and words[0].text.rpartition("/")[2] == "kubectx":
        return  # it shows them
    move = (field, place, said) if type(said) is str and plain and place is not None else (field, _ANYWHERE, "")
    note([move], ways(shell), shell)


def _place(field: str, words: tuple[Arg, ...], shell: Shell) -> str | None:
    """Where a choice is kept: two commands with the same place share it. None: it is not known."""
    option = _named(("--kubeconfig",), words) if field == "context" else None
    name = "KUBECONFIG" if field == "context" else "TF_DATA_DIR"
    values = shell.variables.get(name, ())
    if len(values) > 1 or (values and not values[0].known):
        return None
    text = option or (values[0].text if values else "")
    if field == "context":
        return f"{shell.folders[0] if shell.folders else ''}:{text}" if text else ""
    folder = _folder(words, shell)
    return None if folder is None else f"{folder}/{text or '.terraform'}"


def _resolved(field: str, name: str, target: Target, words: tuple[Arg, ...], shell: Shell) -> Resolved | None:
    """None: nothing is known, since nobody has looked at the files yet."""
    why = _why_not(field, name, target, words, shell)
    env: dict[str, str] = {}
    for variable, values in shell.variables.items():
        lower = variable.lower()
        if lower in _READS[field]:
            if len(values) != 1 or not values[0].known:
                why = why or f"the value of {variable} is not known"
            else:
                env[lower] = values[0].text
        elif lower == "aws_access_key_id" and field == "profile":
            why = why or "keys in variables come before it"
    if env.get("tf_workspace"):
        return Exactly(text=env["tf_workspace"])  # it outranks what was selected
    found: Resolved | None = None
    for value in _ways(field, name, target, words, env, shell):
        if value is None:
            return None
        found = value if found is None else either(found, value)
    return found if not why or found is None else either(found, Unknown(why=why))


def _ways(
    field: str, name: str, target: Target, words: tuple[Arg, ...], env: dict[str, str], shell: Shell
) -> list[Resolved | None]:
    """What it may be, in each way that the call may have gone, or in each context that may be in force."""
    if field != "namespace":
        place = _place("context" if field == "profile" else field, words, shell)
        chosen = [_chosen_in(way, field, place) for way in ways(shell)]
        return [_by_files(field, name, "", words, env, shell) if one is None else one for one in chosen]
    context = read(target.get("context"))
    found = [_by_files(field, name, text, words, env, shell) for text in may_be(context) or ("",)]
    return [*found, Unknown(why=context.why)] if type(context) is Unknown else found


def _chosen_in(way: tuple[tuple[str, ...], ...], field: str, place: str | None) -> Resolved | None:
    """What an earlier statement has chosen; None: nothing."""
    for move in reversed(way):
        if move[0] == field and (place is None or move[1] in (place, _ANYWHERE) or field == "context"):
            sure = move[2] and move[1] == place
            return Exactly(text=move[2]) if sure else Unknown(why=f"which {field} the call chooses is not known")
    return None


def _by_files(
    field: str, name: str, context: str, words: tuple[Arg, ...], env: dict[str, str], shell: Shell
) -> Resolved | None:
    folder = _folder(words, shell)
    if folder is None:
        return Unknown(why="it is unclear in which folder it runs")
    path = _named(("--kubeconfig",), words)
    fields = {"kubeconfig": (path,)} if path else {}
    if context:
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
    kept = (_place(field, words, shell) or "") if field == "workspace" else f"{shell.found.facts.home}/.kube"
    for action in shell.found.actions:
        path = action.target.get("path")
        changes = action.effects not in ((), (Effect.READ,))
        if changes and any(part in action.name for part in _CHANGES[field]) and not _is_of_objects(action):
            return f"{action.name.replace(':', ' ')} changes it before"
        if changes and type(path) is str and (path.endswith(_FILES[field]) or f"{kept}/".startswith(f"{path}/")):
            return "a file that says it is changed before"
        if not _NOT_READ.isdisjoint(action.tags) and action.name.startswith("exec:"):
            return "a program before it was not read"
    if field == "workspace" and words[0].text.rpartition("/")[2] == "terragrunt":
        return "terragrunt works in folders of its own"
    return _why_no_namespace(name, target, words) if field == "namespace" else ""


def _is_of_objects(action: Action) -> bool:
    """`kubectl set image`, which is not `kubectl config set`."""
    return action.name == "kubectl:set" and Effect.NETWORK in action.effects


def _why_no_namespace(name: str, target: Target, words: tuple[Arg, ...]) -> str:
    texts = [word.text.partition("=")[0] for word in words]
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


def _abbreviated(option: str, words: tuple[Arg, ...]) -> str | None:
    """The value of an option that is cut short, as the programs understand it that are written with argparse."""
    cuts = {word.text.partition("=")[0] for word in words if len(word.text) > len("--")}
    return _named(tuple([cut for cut in cuts if cut != "--" and cut[:2] == "--" and option.startswith(cut)]), words)


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
