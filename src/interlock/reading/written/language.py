"""A language that is looked through: what is said of each."""

from __future__ import annotations

from ...value import Value

__all__ = ["GRAVE_SERVICES", "SHELL_WORDS", "Language"]


class Language(Value):
    """
    endings   how names of files end; one that begins with `/` is a whole name
    runs      starts programs
    computes  runs text, loads or looks up what it puts together, or reaches into memory: its words say nothing
    removes   removes files; in tests, what was made for them is removed all day, so the argument counts (look.py)
    writes    writes files, or moves and links them
    net       talks to other machines
    dumps     takes the whole environment
    makes     makes a temporary folder or file, which a test may remove again
    """

    name: str
    endings: tuple[str, ...]
    comment: str = "//"
    runs: str = ""
    computes: str = ""
    removes: str = ""
    writes: str = ""
    net: str = ""
    dumps: str = ""
    makes: str = ""
    told: str = "starts a program"  # of `runs`, for a person


# What acts on a command line, wherever one is written down.
# Services of compose that get rights over the machine: all of them, its namespaces, the engine itself.
GRAVE_SERVICES = (
    r"\bprivileged['\"]?\s*:\s*(?!['\"]?(?:false|no|off)\b)"
    r"|\b(?:pid|ipc|uts|cgroup|network_mode|userns_mode)['\"]?\s*:\s*['\"]?(?:host|container:|[*$])"
    r"|\b(?:docker|containerd|podman|crio)\.sock\b"
)
SHELL_WORDS = (
    r"\brm\s+-\w*[rf]|\|\s*(?:ba|z|da)?sh\b"
    r"|\b(?:curl|wget)\b[^\n]{0,300}(?:\s-d|\s-F|\s-T|--data|--form|--upload|--post)|\bnc\s|\bncat\s|/dev/tcp/"
    r"|\bbase64\s+(?:-d|--decode|-D)|\bcrontab\b|\bsudo\s|\bchmod\s+[ugo]*\+s|\bscp\s|\bssh\s"
)
