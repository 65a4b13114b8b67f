"""What `interlock launch` refuses, clears and puts on top, client by client; and the levels."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from interlock.hosts import HOSTS, host_named
from interlock.install.launching import ALIASES, LAUNCHING, cleared_by, holding_settings, refused_words
from interlock.model.level import ABOUT, Level, level_of
from interlock.store.home.folders import folders_for
from interlock.store.home.launched import keep_launch, launches_now, was_launched

REFUSED = {
    "claude-code": [
        *("--bare", "--safe-mode", "--safe-mode=true", "--restricted", "--settings={}", "--plugin-dir", "--bg"),
        "--setting-sources=project",
    ],
    "codex": [
        *("--dangerously-bypass-hook-trust", "--ignore-user-config", "-cfeatures.hooks=false", "-c=features={}"),
        *("--config=features.hooks=false", "--disable=hooks", "--config=hooks.state.x=1", "--config=profile=x"),
        '--config="features"."hooks"=false',
    ],
    "qwen-code": ["--bare", "--safe-mode", "--safeMode", "--safe-mode=1"],
    "copilot-cli": ["-C", "-C../other", "--connect=x"],
    "opencode": ["--pure", "--pure=true", "--attach=http://localhost:1"],
}
ALLOWED = {
    "claude-code": ["-p", "--model=opus", "--permission-mode=plan", "--safe", "--continue"],
    "codex": ["exec", "--config=model=x", "-cfeatures.hooks=true", "--enable=hooks", "--disable=web_search"],
    "gemini-cli": ["--yolo", "-p"],
    "qwen-code": ["--yolo"],
    "copilot-cli": ["-c", "--continue", "--yolo"],
    "opencode": ["run", "--continue"],
}


@pytest.mark.parametrize(("host", "word"), [(host, word) for host, words in REFUSED.items() for word in words])
def test_words_that_would_switch_the_check_off_are_refused_wherever_they_stand(host: str, word: str) -> None:
    assert refused_words(host, (word,))
    assert refused_words(host, ("do", "it", word))


@pytest.mark.parametrize(("host", "word"), [(host, word) for host, words in ALLOWED.items() for word in words])
def test_other_words_are_not_refused(host: str, word: str) -> None:
    assert refused_words(host, (word,)) == []


def test_a_value_that_follows_its_option_counts() -> None:
    assert refused_words("codex", ("-c", "features.hooks=false")) == [
        ("-c features.hooks", "it can switch hooks off, or bring others")
    ]
    assert refused_words("codex", ("exec", "--disable", "hooks"))
    assert refused_words("codex", ("-c", "features.hooks = true")) == []


def test_commands_whose_session_runs_elsewhere_are_refused_as_the_first_word_only() -> None:
    assert [word for word, _ in refused_words("opencode", ("attach", "http://localhost"))] == ["attach"]
    assert refused_words("opencode", ("run", "attach")) == []


@pytest.mark.parametrize("host", LAUNCHING)
def test_variables_that_load_code_are_not_handed_on(host: str) -> None:
    loads = {"LD_PRELOAD": "x", "NODE_OPTIONS": "--require ./x.js", "BUN_OPTIONS": "--preload=x"}
    assert cleared_by(host, {**loads, "PATH": "/bin"}) == sorted(loads)
    assert cleared_by(host, {"NODE_OPTIONS": "--max-old-space-size=8192"}) == []


def test_variables_of_a_client_that_leave_hooks_out_are_not_handed_on() -> None:
    given = {"CLAUDE_CODE_SAFE_MODE": "1", "CLAUDE_CODE_PLUGIN_DIRS": "/x", "CLAUDE_CONFIG_DIR": "/y"}
    assert cleared_by("claude-code", given) == ["CLAUDE_CODE_PLUGIN_DIRS", "CLAUDE_CODE_SAFE_MODE"]


def test_settings_of_an_administrator_stay_and_what_holds_is_added() -> None:
    told = holding_settings("gemini-cli", {"hooksConfig": {"notifications": False}, "ui": {}})
    assert json.loads(told or "") == {"hooksConfig": {"enabled": True, "notifications": False}, "ui": {}}
    told = holding_settings("qwen-code", {"ui": {}})
    assert json.loads(told or "") == {"disableAllHooks": False, "ui": {}}


@pytest.mark.parametrize(
    ("host", "settings"),
    [
        ("gemini-cli", {"hooksConfig": {"enabled": False}}),
        ("gemini-cli", {"hooksConfig": "x"}),
        ("qwen-code", {"disableAllHooks": True}),
    ],
)
def test_an_administrator_who_switches_hooks_off_is_not_overruled(host: str, settings: dict[str, object]) -> None:
    assert holding_settings(host, settings) is None


def test_every_proven_host_has_a_row_and_an_alias() -> None:
    proven = [name for name in HOSTS if host_named(name).TRAITS.proven]
    assert sorted(LAUNCHING) == sorted(ALIASES.values()) == sorted(proven)
    assert [name for name, row in LAUNCHING.items() if not row.outranks] == ["copilot-cli"]


def test_a_level_holds_all_below_it() -> None:
    found = {
        given: level_of(managed=given[0], launched=given[1], shielded=given[2], has_mods=True).name
        for given in itertools.product((False, True), repeat=3)
    }
    assert found == {
        (False, False, False): "hook_only",
        (False, False, True): "shielded",
        (False, True, False): "hook_only",  # mods of the repository still load
        (False, True, True): "launched",
        **{(True, *rest): "managed" for rest in itertools.product((False, True), repeat=2)},
    }
    assert level_of(managed=False, launched=True, shielded=False, has_mods=False) is Level.LAUNCHED
    assert {*ABOUT} == {*Level.members}


def test_a_note_alone_makes_no_process_a_launched_one(tmp_path: Path) -> None:
    """This process was not started with the words of the note, so the note is worth nothing."""
    import os

    folders = folders_for(str(tmp_path))
    keep_launch(folders, "codex", ["-c", "features.hooks=true"], {})
    assert launches_now(folders) == {"codex": 1}
    assert not was_launched(folders, "codex", os.getpid())
