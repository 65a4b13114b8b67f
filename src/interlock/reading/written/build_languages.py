"""Languages in which builds, environments and tests are described, and that run commands as they are read or built.

Most of what such a file says is data, and a command in it is ordinary. So a command line counts by its words, and
what is brought from another machine counts as code.
"""

from __future__ import annotations

from .language import SHELL_WORDS, Language

__all__ = ["BUILD_LANGUAGES"]


def _keywords(*names: str) -> str:
    """Names in which neither case nor spaces count."""
    return "|".join(
        ["".join([f"[{char}{char.upper()}]" if char != " " else "[ _]?" for char in name]) for name in names]
    )


BUILD_LANGUAGES = (
    Language(
        name="bazel",
        endings=tuple("/BUILD /BUILD.bazel /WORKSPACE /WORKSPACE.bazel /MODULE.bazel .bzl .buck /BUCK".split()),
        comment="#",
        runs=rf"\b(?:repository_ctx|rctx|module_ctx|mctx)\.(?:execute|download\w*)\b|{SHELL_WORDS}"
        r"|\b(?:http_archive|http_file|git_repository|new_git_repository|http_jar)\s*\("
        r"|\b(?:cmd|cmd_bash|command)\s*=\s*['\"][^\n]*(?<![\w.$@)])(?:~|/(?:home|Users|root|etc|tmp))\b"
        r"|\b(?:local_path_override|local_repository|new_local_repository)\s*\([^)]*['\"](?:/|~|\.\./)",
        told="runs a command, or brings in what others made",
    ),
    Language(
        name="nix",
        endings=(".nix",),
        comment="#",
        runs=rf"{SHELL_WORDS}|\bbuiltins\.(?:exec|importNative|storePath|fetch\w+)\b|\bfetch(?:Tarball|Git|url)\b"
        r"|\b__(?:noChroot|impureHostDeps)\b|(?:^|[\s(])(?:/(?:home|Users|root|tmp)|~)/\w|\bbuilder\s*=\s*['\"]"
        r"|\burl\s*=\s*['\"](?!(?:github:|https://github\.com/)(?:NixOS|nixos|numtide|nix-community|hercules-ci)/"
        r"|nixpkgs|path:\./|https://flakehub\.com/f/(?:NixOS|numtide)/)",
        told="runs a command, or brings in what others made",
    ),
    Language(
        name="nim",
        endings=(".nim", ".nims", ".nimble"),
        comment="#",
        runs=r"\b(?:self)?[eE]xec\s*[(\"]|\bexec(?:ShellCmd|Cmd|CmdEx|Process|Processes)\b|\bstartProcess\b"
        r"|\bgorge(?:Ex)?\b|\bstaticExec\b",
        computes=r"\bloadLib\b|\bdynlib\b|\bimportc\b|\bemit\s*:",
        removes=r"\b(?:removeDir|removeFile|rmDir|rmFile|tryRemoveFile)\s*[( ]",
        writes=r"\b(?:writeFile|moveFile|copyFile|createSymlink|cpFile|mvFile)\s*[( ]",
        net=r"\bhttpclient\b|\basyncnet\b|\bnewSocket\b",
        makes=r"\b(?:createTempDir|getTempDir|genTempPath)\b",
    ),
    # settings of Rails, in which a template runs Ruby
    Language(
        name="erb",
        endings=tuple("/database.yml /cable.yml /storage.yml /cache.yml /queue.yml /sidekiq.yml".split()),
        comment="#",
        runs=r"<%[^%]*(?:`|%x|\b(?:system|exec|spawn|eval|popen|fork|load|require|send|const_get|open)\b"
        r"|\b(?:IO|Open3|Kernel|Process|File|FileUtils|Dir|Net|URI|Object|Marshal)\b)",
        told="runs Ruby where the settings are data",
    ),
    Language(
        name="robot",
        endings=(".robot", ".resource"),
        comment="#",
        runs=rf"{_keywords('run process', 'start process', 'run and return', 'execute command')}"
        rf"|(?:{_keywords('remove director', 'empty director', 'remove file', 'create file')})"
        r"[^\n]*(?:[ \t](?:/|~)|HOME)"
        rf"|{_keywords('evaluate')}[^\n]*(?:\bmodules=|__import__|\bos\.|\bsubprocess\b|\bshutil\b|\bexec\b|\beval\b"
        r"|\bopen\b)",
    ),
)
