"""What a search finds counts at any depth: for files that somebody obeys, and for the guard's own keys.

`find`, `fd`, `grep -l`, `git ls-files` print names that the disk decides. Whatever changes or reads those names must be
judged by what is there: denied for a denied file that is certainly among them, asked where it may be, free elsewhere.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hook_process import made
from interlock.calls.world import Outcome, World
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.session import Session
from interlock.runtime import judge
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.value import FrozenMap

SETTINGS, WORKFLOW = ".claude/settings.json", ".github/workflows/ci.yml"


class Site:
    """A repository in a home in which the guard keeps its keys, all on a real disk."""

    def __init__(self, folder: Path) -> None:
        self.home = made(folder / "home")
        self.project = made(self.home / "work/app")
        for place in (".config/interlock", ".local/state/interlock"):
            made(self.home / place)
        for name in (".config/interlock/ledger.key", ".local/state/interlock/proof.key"):
            (self.home / name).write_text("hush")
        self.write("README.md", "see src\n")
        self.write("src/a.py", "old_name = 1\n")
        self.write("src/settings.json", "{}\n")
        self.write("off.json", '{"disableAllHooks": true}\n')
        self.git("init", "-q")
        self.folders = folders_for(str(self.home))
        self.policy = load_policy(self.folders, str(self.project))

    def write(self, name: str, text: str) -> None:
        made((self.project / name).parent)
        (self.project / name).write_text(text)

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.project, check=True, capture_output=True)

    def judge(self, command: str) -> Decision:
        return self.outcome(command).decision

    def outcome(self, command: str) -> Outcome:
        command = command.replace("@HOME", str(self.home))
        call = Call(
            tool="Bash",
            input=FrozenMap({"command": command}),
            cwd=str(self.project),
            host="claude-code",
            session="s1",
        )
        return judge(call, World(folders=self.folders, root=str(self.project), policy=self.policy), Session())

    def verdict(self, command: str) -> str:
        return str(self.judge(command).verdict)

    def named(self, command: str) -> set[str]:
        """The files of the project that the reasons name."""
        outcome = self.outcome(command)
        actions = outcome.reading.actions
        paths = [str(actions[at].target.get("path")) for one in outcome.decision.reasons for at in one.actions]
        return {path.removeprefix(f"{self.project}/") for path in paths}


@pytest.fixture
def bare(home_folder: Path) -> Site:
    """Nothing in it is obeyed but what git itself brings."""
    site = Site(home_folder)
    site.git("add", "-A")
    return site


@pytest.fixture
def obeyed(bare: Site) -> Site:
    bare.write(SETTINGS, '{"hooks": {}}\n')
    bare.write(WORKFLOW, "run: make\n")
    bare.git("add", "-A")
    return bare


REACH_SETTINGS = r"""
find . -name settings.json -exec cp off.json {} \;
find . -name settings.json -exec cp off.json {} +
find . -name settings.json | xargs cp off.json
find . -name settings.json -print0 | xargs -0 -I{} cp off.json {}
find . -name settings.json | while read f; do cp off.json "$f"; done
for f in $(find . -name settings.json); do cp off.json $f; done
find . -name settings.json -exec sh -c 'cp off.json "$1"' _ {} \;
find . -path '*claude*' -type f -exec cp off.json {} \;
find . -ipath '*CLAUDE/SETT*' -exec cp off.json {} \;
find . -regex '.*settings.json' -exec cp off.json {} \;
find . -regextype posix-extended -regex '.*/(a|settings)\.json' -exec cp off.json {} \;
find . -mindepth 2 -maxdepth 2 -type f -exec sed -i s/hooks/x/ {} +
find . -path ./src -prune -o -name '*.json' -print | xargs sed -i s/hooks/x/
find . \( -name '*.py' -o -name '*.json' \) -not -path './src/*' -exec sed -i s/hooks/x/ {} +
find . -name '*.json' -exec rm {} +
find . -name '*.json' -delete
find .. -name settings.json -exec cp off.json {} \;
find . -type d -name .claude -exec cp off.json {}/settings.json \;
find . -name README.md -execdir cp off.json .claude/settings.json \;
grep -rl hooks . | xargs sed -i s/hooks/x/
grep -rlF '"hooks"' . --include='*.json' | xargs sed -i s/hooks/x/
grep -rlE 'hooks|nothing' . --exclude-dir=.git | xargs sed -i s/hooks/x/
sed -i s/hooks/x/ $(grep -rl hooks .)
rg -l --hidden hooks | xargs sed -i s/hooks/x/
rg --files -uuu | xargs sed -i s/hooks/x/
git grep -l hooks | xargs sed -i s/hooks/x/
git ls-files '*.json' | xargs sed -i s/hooks/x/
git ls-files .claude | xargs sed -i s/hooks/x/
fd -H settings.json -x cp off.json {}
fd -H settings.json -X cp off.json
fd -H -e json | xargs sed -i s/hooks/x/
fd -uu '^settings' . -x cp off.json
find .claude/settings.json -exec cp off.json {} \;
find .claude/settings.json | xargs sed -i s/hooks/x/
find .claude/settings.json src -delete
grep -l hooks .claude/settings.json | xargs sed -i s/hooks/x/
grep -l hooks src/*.py .claude/settings.json | xargs sed -i s/hooks/x/
grep -rl hooks src .claude | xargs sed -i s/hooks/x/
rg -l hooks .claude/settings.json src | xargs sed -i s/hooks/x/
for f in $(grep -l hooks .claude/settings.json); do cp off.json $f; done
sed -i s/hooks/x/ $(grep -l hooks src/a.py .claude/settings.json)
find . -name settings.json | xargs sh -c 'cp off.json "$1"'
find . -name settings.json | xargs -n1 sh -c 'cp off.json "$0"'
find . -name settings.json -exec sh -c 'cp off.json "$2"' _ {} +
""".strip().splitlines()


@pytest.mark.parametrize("command", REACH_SETTINGS)
def test_a_denied_file_among_what_is_found_is_denied(obeyed: Site, command: str) -> None:
    assert (obeyed.verdict(command), SETTINGS in obeyed.named(command)) == ("deny", True)


@pytest.mark.parametrize("command", [command for command in REACH_SETTINGS if ".claude" not in command])
def test_where_no_such_file_is_the_same_search_is_not_denied(bare: Site, command: str) -> None:
    assert bare.verdict(command) != "deny"
    assert not any(".claude" in name for name in bare.named(command))


MAY_REACH = {
    "git ls-files | xargs sed -i s/a/b/": {SETTINGS, WORKFLOW},
    "git ls-files -z | xargs -0 sed -i s/a/b/": {SETTINGS, WORKFLOW},
    "git ls-files -m | xargs sed -i s/a/b/": {SETTINGS, WORKFLOW},
    "git ls-files ':!.claude' | xargs sed -i s/a/b/": {WORKFLOW},
    "find . -name '*.json' -newer README.md -exec cp off.json {} +": {SETTINGS},
    "find . -name '*.y*ml' -exec sed -i s/a/b/ {} +": {WORKFLOW},
    "find . -regex '.*[.]json' -exec cp off.json {} +": {SETTINGS},
    "grep -rlv nothing . --include='*.json' | xargs sed -i s/a/b/": {SETTINGS},
    "grep -rl make . | xargs sed -i s/make/true/": {WORKFLOW},
}


@pytest.mark.parametrize("command", MAY_REACH)
def test_a_file_that_may_be_among_them_is_asked_about_by_name(obeyed: Site, command: str) -> None:
    assert (obeyed.verdict(command), obeyed.named(command)) == ("ask", MAY_REACH[command])


FREE = r"""
find . -name '*.py' | xargs sed -i s/a/b/
find . -name '*.py' -exec sed -i s/a/b/ {} +
find src -type f | xargs sed -i s/a/b/
find src -name settings.json -exec cp off.json {} \;
find . -path ./node_modules -prune -o -name '*.py' -print | xargs sed -i s/a/b/
find . -type f -name '*.md' -not -path './.git/*' -exec sed -i s/a/b/ {} +
find . -type f -not -path './.*' -exec sed -i s/a/b/ {} +
find . -maxdepth 1 -type f -exec sed -i s/a/b/ {} +
find . -regex '.*\.\(c\|h\)' -exec sed -i s/a/b/ {} +
find . -regextype posix-extended -regex '.*\.(c|h|cpp)' | xargs sed -i s/a/b/
find . -name '*.pyc' -delete
find . -name __pycache__ -type d -exec rm -rf {} +
find . -name package.json -execdir cat {} \;
find . -type f | wc -l
find . -type f | grep -v '^\./\.' | xargs sed -i s/a/b/
find . -name settings.json | xargs cat
grep -rl old_name src | xargs sed -i s/old_name/new_name/
grep -rl old_name src docs | xargs sed -i s/old_name/new_name/
rg -l old_name src README.md | xargs sed -i s/old_name/new_name/
find src/a.py -exec sed -i s/a/b/ {} +
grep -rl old_name . | xargs sed -i s/old_name/new_name/
grep -rl --include='*.py' 'name.*=' . | xargs sed -i s/old_name/new_name/
grep -rlE '(old|older)_name' --exclude-dir=.git . | xargs sed -i s/old_name/new_name/
sed -i s/old_name/new_name/ $(grep -rl old_name .)
rg -l hooks | xargs sed -i s/a/b/
rg -l old_name -t py | xargs sed -i s/a/b/
rg -l --hidden run -g '*.py' | xargs sed -i s/a/b/
git grep -l old_name | xargs sed -i s/old_name/new_name/
git grep -lz old_name | xargs -0 sed -i s/old_name/new_name/
git ls-files '*.py' | xargs sed -i s/a/b/
git ls-files src | xargs sed -i s/a/b/
git ls-files | grep '\.py$' | xargs sed -i s/a/b/
git ls-files | xargs wc -l
git ls-files | xargs cat
for f in $(git ls-files '*.py'); do sed -i s/a/b/ $f; done
fd -e py -x sed -i s/a/b/ {}
fd '\.py$' | xargs sed -i s/a/b/
fd settings.json -x cp off.json {}
fd -H -E .claude settings.json -x cp off.json {}
""".strip().splitlines()


@pytest.mark.parametrize("command", FREE)
def test_everyday_searches_stay_free(obeyed: Site, command: str) -> None:
    assert obeyed.verdict(command) == "allow"


@pytest.mark.parametrize("command", ["git ls-files | xargs sed -i s/a/b/", "git ls-files -m | xargs sed -i s/a/b/"])
def test_tracked_files_without_an_obeyed_one_stay_free(bare: Site, command: str) -> None:
    bare.write(SETTINGS, "{}\n")  # there, but not tracked
    assert bare.verdict(command) == "allow"


HOOKS = r"""
find .git -name pre-commit.sample -execdir cp {} pre-commit \;
find . -type d -name hooks -exec cp off.json {}/pre-commit \;
find . -type d -name hooks -execdir cp ../off.json hooks/pre-commit \;
fd -uu -t d hooks . -x cp off.json {}/pre-commit
""".strip().splitlines()


@pytest.mark.parametrize("command", HOOKS)
def test_git_hooks_are_reached_by_no_search(bare: Site, command: str) -> None:
    assert (bare.verdict(command), ".git/hooks/pre-commit" in bare.named(command)) == ("deny", True)


def test_a_sample_of_a_hook_is_asked_about(bare: Site) -> None:
    command = r"find . -name 'pre-commit.*' -exec cp off.json {} \;"
    assert (bare.verdict(command), bare.named(command)) == ("ask", {".git/hooks/pre-commit.sample"})


def test_a_hook_that_runs_is_denied(bare: Site) -> None:
    bare.write(".git/hooks/pre-commit", "#!/bin/sh\n")
    assert bare.verdict(r"find . -name 'pre-commit*' -exec cp off.json {} \;") == "deny"


def test_settings_that_nobody_obeys_now_are_asked_about(bare: Site) -> None:
    bare.write("tests/data/.claude/settings.json", "{}\n")
    assert bare.verdict(r"find tests -name settings.json -exec cp off.json {} \;") == "ask"


def test_a_link_to_settings_is_known_by_where_it_leads(obeyed: Site) -> None:
    (obeyed.project / "notes.json").symlink_to(SETTINGS)
    assert obeyed.verdict(r"find . -name notes.json -exec cp off.json {} \;") == "deny"


def test_what_packages_bring_along_is_not_asked_about(bare: Site) -> None:
    bare.write("node_modules/x/.github/workflows/ci.yml", "run: make\n")
    assert bare.verdict("find . -name '*.yml' -exec sed -i s/a/b/ {} +") == "allow"


def test_many_files_do_not_hide_the_settings(obeyed: Site) -> None:
    for number in range(60):
        folder = made(obeyed.project / f"-{number}")
        for name in range(400):
            (folder / f"{name}.txt").touch()
    assert obeyed.verdict(r"find . -name settings.json -exec cp off.json {} \;") == "deny"


READ_KEYS = r"""
find @HOME -path '*interlock*' -type f -exec cat {} +
find @HOME -wholename '*interlock*' -type f -exec cat {} +
find @HOME -ipath '*INTERLOCK*' -type f -exec cat {} +
find @HOME -regex '.*interlock.*' -type f -exec cat {} +
find @HOME -type f -exec cat {} +
find @HOME/.local -type f | xargs base64
find @HOME -maxdepth 3 -type f | xargs cat
find @HOME -name 'proof*' | while read f; do cat "$f"; done
find / -name ledger.key -exec cp {} . \;
find @HOME -type d -name interlock -exec cp -r {} . \;
cat $(find @HOME -path '*state/inter*')
fd -H ledger @HOME -x cat
fd -H -e key . @HOME | xargs cat
fd -H . @HOME/.config -x cat
rg --files -uuu @HOME | xargs cat
cd @HOME/.config/interlock && git grep --no-index .
git -C @HOME/.config/interlock grep --no-index .
git -C @HOME/.config/interlock grep --no-index hush .
""".strip().splitlines()


@pytest.mark.parametrize("command", READ_KEYS)
def test_the_guards_keys_are_found_by_no_search(bare: Site, command: str) -> None:
    decision = bare.judge(command)
    assert (str(decision.verdict), "guard-secrets" in {one.rule for one in decision.reasons}) == ("deny", True)


def test_a_search_that_may_find_a_key_asks(bare: Site) -> None:
    assert bare.verdict("find @HOME -type f -newer README.md -exec cat {} +") == "ask"


KEYS_LEFT_ALONE = """
find @HOME -name '*.py' | xargs wc -l
find @HOME -maxdepth 1 | xargs ls -ld
find @HOME -type d -name .git
find @HOME/work -type f | xargs wc -l
git grep --no-index old_name
git grep --no-index old_name src
""".strip().splitlines()


@pytest.mark.parametrize("command", KEYS_LEFT_ALONE)
def test_searches_that_leave_the_keys_alone_stay_free(bare: Site, command: str) -> None:
    assert bare.verdict(command) == "allow"


@pytest.mark.parametrize("command", ["tar cf x.tar -T list", "sort --files0-from=list", "zip x.zip -@ < list"])
def test_a_list_of_files_is_read_for_what_it_names(bare: Site, command: str) -> None:
    bare.write("list", f"{bare.home}/.config/interlock/ledger.key\n")
    assert bare.verdict(command) in (("ask", "deny") if "<" in command else ("deny",))


@pytest.mark.parametrize("command", ["tar cf x.tar -T list", "sort --files0-from=list"])
def test_a_list_of_the_projects_own_files_stays_free(bare: Site, command: str) -> None:
    bare.write("list", "src/a.py\nREADME.md\n")
    assert bare.verdict(command) == "allow"
