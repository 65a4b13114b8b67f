"""Why an action is asked about: for each tag and effect a clause for the person, and what the agent does instead.

The clause follows what the action would do: "Push `main` to `origin`: other people will see it." The order of the table
is the order of gravity: of several reasons, the one that stands first is told first. `COMMANDS` are commands that only
look, named to the agent in place of some that act; a test decides each of them.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, lazy
from .said import Said, quoted

if TYPE_CHECKING:
    from ..approve.gated import filled, undo_of
    from ..model.action import Action
else:
    filled = lazy(globals(), "..approve.gated", "filled")
    undo_of = lazy(globals(), "..approve.gated", "undo_of")

__all__ = ["BY_ENTRY", "COMMANDS", "MARKS", "OF_ACTIONS", "PARTLY", "gravity", "instead_of", "undo_on_record", "why_of"]

# The reason of an action that an entry of the policy's own `[tiers]` puts where it is.
BY_ENTRY = "entry"

MARKS: dict[str, Said] = {
    "device": Said(
        person="it uses a device of this machine directly",
        agent="Work with ordinary files, and leave devices to the person.",
    ),
    "uncommitted": Said(
        person="the changes are not committed, so git cannot bring them back",
        agent="Commit or copy the changes first, then do this.",
    ),
    "history": Said(
        person="it rewrites history that others may have",
        agent="Add a new commit in place of rewriting, or leave this step to the person.",
    ),
    "destructive": Said(
        person="it cannot be undone",
        agent="Do it in a way that can be undone, or leave this step to the person.",
    ),
    "unguarded": Said(
        person="it starts another agent that Interlock does not check",
        agent="Do the work in this session.",
    ),
    "disguised": Said(
        person="it is written in a way that hides what it does",
        agent="Write the command plainly.",
    ),
    "hunts": Said(
        person="it searches for passwords and keys",
        agent="Search for something else, inside the project.",
    ),
    "secret": Said(
        person="passwords or keys are kept there",
        agent="Work without the secret. Ask the person for the one value that you need.",
    ),
    "security": Said(
        person="it switches off a protection",
        agent="Work with the protection on, or tell the person what it blocks.",
    ),
    "privileged": Said(
        person="it runs with administrator rights",
        agent="Do it without administrator rights, or ask the person to run it.",
    ),
    "identity": Said(
        person="it changes accounts, keys or who may log in",
        agent="Leave accounts and keys to the person.",
    ),
    "persistence": Said(
        person="it starts again by itself after this session",
        agent="Start it in this session only, or ask the person to set it up.",
    ),
    "posts": Said(
        person="it posts a message that other people read",
        agent="Tell the person what you want to post there; they can send it.",
    ),
    "earlier": Said(
        person="it was in a temporary folder before this session began",
        agent="Use a new file or folder, such as one from `mktemp`.",
    ),
    "no-project": Said(
        person="there is no project in your home folder, and only what this session made there is free",
        agent="Work in a folder of your own, or ask the person to start you inside a project.",
    ),
    "outside": Said(
        person="it is outside the project",
        agent="Keep to files inside the project folder.",
    ),
    "machine": Said(
        person="it belongs to the system or to another user",
        agent="Keep to what belongs to this project.",
    ),
    "wholesale": Said(
        person="it takes a whole repository, data store or environment at once",
        agent="Take only the part that you need.",
    ),
    "external": Said(
        person="other people will see it",
        agent="Prepare it and tell the person what is ready; they can send it.",
    ),
    "sends": Said(
        person="data leaves this machine",
        agent="Keep the data here, or tell the person what you want to send and where.",
    ),
    "redirects": Said(
        person="it changes what later commands do or where they go",
        agent="Name the place in the one command that needs it.",
    ),
    "exhausts": Said(
        person="it can use up disk, memory or processes",
        agent="Give it a limit.",
    ),
    "nested": Said(
        person="it starts another agent",
        agent="Do the work in this session.",
    ),
    "written-here": Said(
        person="this session wrote that code, and Interlock cannot read all of it",
        agent="Run it through the project's test runner, or write it in shell or Python, which are read.",
    ),
    "unknown": Said(
        person="Interlock does not know this program",
        agent="Use a common program or one of your own tools for this.",
    ),
    "near-miss": Said(
        person="its name is nearly that of {like}, so it may be a mistake or a trap",
        agent="Check the name of the package. If it is right, tell the person why it is needed.",
    ),
    "elsewhere": Said(
        person="packages come from {via}, and not from where they usually come from",
        agent="Use the usual registry, or ask the person to set this one up.",
    ),
    "install": Said(
        person="it brings in code from outside",
        agent="Use what is installed already, or ask the person to install it.",
    ),
    "vendored": Said(
        person="it changes the project's copy of third-party code",
        agent="Change the place that it comes from, or tell the person why this copy must differ.",
    ),
    "deferred": Said(
        person="it takes effect later, when something else runs it",
        agent="Do it now in a command of its own, or ask the person to set it up.",
    ),
    "scheduled": Said(
        person="it runs later, when nobody may be watching",
        agent="Do it now in a command of its own, or ask the person to set it up.",
    ),
    "suspends": Said(
        person="it pauses or resumes a running process",
        agent="Leave processes alone that this session did not start.",
    ),
    "spawn": Said(
        person="it keeps running after the command ends",
        agent="Run it in the foreground, or ask the person to start it.",
    ),
    "clipboard": Said(
        person="what you copied last may be private",
        agent="Ask the person to paste what you need.",
    ),
    "accounts": Said(
        person="it lists the accounts of this machine",
        agent="Work without the list of accounts.",
    ),
    "network": Said(
        person="it talks to another machine",
        agent="Work with what is here, or tell the person what you need from there.",
    ),
    "execute": Said(
        person="it runs a program",
        agent="Use a tool that the policy allows, or tell the person why this is needed.",
    ),
    "write": Said(
        person="it changes something",
        agent="Tell the person why the change is needed.",
    ),
    "read": Said(
        person="your policy asks about this",
        agent="Work without it, or tell the person why it is needed.",
    ),
    BY_ENTRY: Said(
        person="your policy asks about this",
        agent="Work without it, or tell the person why it is needed.",
    ),
}
_ORDER = {mark: at for at, mark in enumerate(MARKS)}

PARTLY = "it cannot be fully undone"
_OF_AGENTS = {
    (
        "fs:delete",
        "destructive",
    ): "Move it aside inside the project, or delete only files that this session made.",
    ("fs:delete", "uncommitted"): "Commit the file or move it aside inside the project first.",
    ("exec:finding", "written-here"): "Do without this line, or tell the person what it is for.",
    ("fs:read", "sends"): "Keep the file here, or tell the person what you want to send and where.",
    ("net:send", "external"): "Tell the person what you want to send and where; they can send it.",
}

# action -> a command that shows what it would do, and does nothing
COMMANDS: dict[str, str] = {
    "cargo:publish": "cargo publish --dry-run",
    "git:clean": "git clean -n",
    "git:push": "git log --oneline --branches --not --remotes",
    "git:reset": "git diff HEAD",
    "npm:publish": "npm pack --dry-run",
}


# (action, mark) -> what is graver than the mark alone says
OF_ACTIONS: dict[tuple[str, str], str] = {
    ("git:push", "destructive"): "it rewrites history that others may have; it cannot be fully undone",
    ("net:send", "external"): "data leaves this machine",
    ("fs:read", "sends"): "its content leaves this machine",
    ("proc:kill", "machine"): "it may end programs that this session did not start",
    ("tmux:capture-pane", "machine"): "it shows what stands on a terminal, passwords among it",
    ("sql:update", "destructive"): "every row loses what it held; it cannot be undone",
    ("git:symbolic-ref", "redirects"): "the next commit goes to another branch, with the files of this one",
    ("compose:config", "secret"): "it shows the values of files and variables, passwords among them",
    ("terraform:output", "secret"): "it shows values that are marked as sensitive",
    ("terraform:show", "secret"): "it shows values that are marked as sensitive",
    ("docker:run", "install"): "no file of the last commit names that image",
    ("docker:env", "secret"): "passwords or keys go into the container",
    ("docker:create", "install"): "no file of the last commit names that image",
    ("docker:run", "secret"): "passwords or keys go into the container",
    ("docker:create", "secret"): "passwords or keys go into the container",
    ("docker:exec", "secret"): "passwords or keys go into the container",
    ("docker:bake", "secret"): "whoever has the image can read it",
    ("ssh:run", "external"): "it runs on another machine",
    ("npm:publish", "external"): "anyone can install it, and the version stays taken",
    ("pypi:publish", "external"): "anyone can install it, and the version stays taken",
    ("cargo:publish", "external"): "anyone can use it, and the version stays taken",
    ("gem:push", "external"): "anyone can install it, and the version stays taken",
    ("terraform:apply", "external"): "it changes real infrastructure",
    ("terraform:destroy", "destructive"): "it destroys real infrastructure; it cannot be undone",
    ("kubectl:apply", "external"): "it changes a running cluster",
    ("kubectl:delete", "destructive"): "it is gone from the running cluster; it cannot be fully undone",
    ("agent:send", "external"): "it leaves this machine, and others may see it",
    ("agent:inbox", "external"): "it may bring instructions that others wrote, or what you keep elsewhere",
    ("agent:runners", "external"): "what runs there is outside this machine",
    ("agent:offer", "unknown"): "what you accept there gives the agent more tools",
    ("agent:code", "unknown"): "what the code does is not known",
    ("exec:finding", "written-here"): "this session wrote it, and something in it is for you to look at",
    ("gh:repo-delete", "destructive"): "the code, issues and releases are gone for everyone",
}


def why_of(mark: str, action: Action) -> str:
    own = OF_ACTIONS.get((action.name, mark))
    if own is not None:
        return own
    if mark == "secret" and (action.name == "net:search" or action.name.startswith("mcp:")):
        return "a password or key would be sent along"
    if mark == "destructive" and undo_on_record(action):
        return PARTLY
    said = MARKS.get(mark)
    if said is None:
        return f"your policy asks about what is marked `{mark}`"
    if mark == "install" and "locked" in action.target:
        return f"{said.person}, and the project has {quoted(action.target['locked'])} of it"
    return _filled(said.person, action) if "{" in said.person else said.person


def _filled(text: str, action: Action) -> str:
    """With the fields of the target that the text names; where one is missing, it says `another one`."""
    for field in ("like", "via"):
        if field in action.target:
            text = text.replace(f"{{{field}}}", quoted(action.target[field]))
    return text.replace("{like}", "another one").replace("{via}", "another place")


def undo_on_record(action: Action) -> str:
    """How an action is taken back, as far as it can be; empty where nobody knows."""
    return filled(action.compensator or undo_of(action.name, action.target) or "", action.target)


def instead_of(mark: str, action: Action) -> str:
    """What the agent does instead of this action."""
    said = _OF_AGENTS.get((action.name, mark)) or MARKS.get(mark, MARKS[BY_ENTRY]).agent
    look = COMMANDS.get(action.name)
    return f"{said} `{look}` shows what would happen, and is allowed." if look else said


def gravity(mark: str) -> int:
    """Smaller is graver."""
    return _ORDER.get(mark, len(_ORDER))
