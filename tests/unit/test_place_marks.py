"""What a path means beyond guard, secret and outside, and for which of the things that are done with it."""

from __future__ import annotations

import pytest

from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.processes import watches_over
from interlock.reading.places.kinds import kinds_of, place_at
from interlock.reading.places.marks import Place, counted, marks_for
from interlock.reading.places.place_folders import holds_secret
from interlock.reading.places.places import marks_of
from interlock.reading.places.secret_words import hunted
from interlock.reading.places.system_places import address_marks
from interlock.testing import assert_allows, assert_asks, assert_denies, decide_call

FACTS = Facts(root="/repo", home="/home/user")


def marks(role: str, path: str, real: str | None = None, *, new: bool = False) -> list[str]:
    return sorted(marks_for(role, place_at(role, path, real, FACTS, new=new)))


@pytest.mark.parametrize(
    ("path", "marks"),
    [
        ("/repo/src/a.py", []),
        ("/repo/.github/workflows/ci.yml", ["obeyed-asked", "obeyed"]),
        ("/repo/sub/package-lock.json", ["obeyed-asked", "obeyed"]),
        ("/repo/node_modules/a/b.js", ["vendored"]),
        ("/repo/--exec=x", ["disguised"]),
        ("/etc/passwd", ["outside", "accounts"]),
        ("/etc/hosts", ["outside"]),
        ("/proc/cpuinfo", ["outside"]),
        ("/proc/keys", ["outside", "machine"]),
        ("/root/a", ["outside", "machine"]),
        ("/home/other/.netrc", ["outside", "secret", "machine"]),
        ("/home/other/a.txt", ["outside"]),
        ("/home/user/.vimrc", ["obeyed-asked", "obeyed", "outside"]),
        ("/var/run/docker.sock", ["outside", "privileged"]),
        ("/private/tmp/a", []),
    ],
)
def test_a_path_says_what_kind_of_place_it_is(path: str, marks: list[str]) -> None:
    assert marks_of(path, FACTS) == marks


@pytest.mark.parametrize(
    ("pattern", "marks"),
    [
        # A bare star takes the file that its folder is known for.
        ("/repo/.claude/*", ["guard", "obeyed"]),
        ("/home/user/.cursor/*", ["guard", "obeyed", "outside"]),
        ("/home/user/.codeium/windsurf/*", ["guard", "obeyed", "outside"]),
        ("/home/user/.aws/*", ["outside", "secret"]),
        ("/home/user/.config/gh/*", ["outside", "secret"]),
        ("/home/other/.kube/*", ["outside", "secret", "machine"]),
        # Elsewhere it says nothing of what is there.
        ("/repo/*", []),
        ("/repo/.aws/*", []),
        ("/repo/.circleci/*", ["obeyed-asked", "obeyed"]),
        ("/repo/.github/*", ["obeyed-asked", "obeyed"]),
        ("/repo/.claude/agents/*", ["obeyed-asked", "obeyed"]),
        ("/repo/.config/*", []),
        ("/home/user/.config/*", ["outside"]),
    ],
)
def test_a_bare_star_means_what_its_folder_is_known_for(pattern: str, marks: list[str]) -> None:
    assert marks_of(pattern, FACTS, glob=True) == marks


@pytest.mark.parametrize(
    "command",
    [
        "mv .claude/* /tmp/x",
        "truncate -s 0 .claude/*",
        "sed -i s/a/b/ .claude/*",
        "chmod 000 .claude/*",
        "find .claude -type f -exec sed -i s/a/b/ {} +",
        "find .cursor -delete",
        "tee .gemini/* < mine.json",
    ],
)
def test_settings_are_not_changed_under_a_star_either(command: str) -> None:
    assert assert_denies(command).reasons[0].layer == "floor"


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("cp x/opencode.json .", True),
        ("cp x/a x/opencode.json b", True),
        ("ln -s x/opencode.json ./", True),
        ("install x/.bashrc ~", True),
        ("cp opencode.json opencode.json.bak", False),
        ("cp opencode.json /tmp/mine", False),
        ("ln -s dotfiles/.bashrc mine", False),
        ("cp x/a.json .", False),
    ],
)
def test_what_is_put_into_a_folder_has_its_name_there(command: str, denied: bool) -> None:
    found = decide_call(command)
    assert any(finding.layer == "floor" for finding in found.reasons) is denied
    assert (found.verdict.name == "allow") is not denied


def test_they_are_read_under_one_and_secrets_are_asked_about() -> None:
    for command in (
        "cat .claude/*",
        "ls ~/.aws/*",
        "grep -n x .claude/*",
        "cat .circleci/*",
        "cat .claude/agents/*",
    ):
        assert_allows(command)
    for command in ("cat ~/.aws/*", "grep x ~/.kube/*", "find ~/.docker -type f -exec cat {} +"):
        assert_asks(command)


@pytest.mark.parametrize(
    ("role", "kept"),
    [
        ("list", ["guard"]),
        ("search", ["guard", "secret"]),
        ("read", ["accounts", "guard", "machine", "privileged", "secret"]),
        ("write", ["disguised", "guard", "obeyed", "privileged", "secret", "vendored"]),
        ("delete", ["guard", "obeyed", "privileged", "secret"]),
    ],
)
def test_only_marks_that_concern_the_action_are_kept(role: str, kept: list[str]) -> None:
    every = {"accounts", "disguised", "guard", "machine", "obeyed", "privileged", "secret", "vendored"}
    place = Place(path="/repo/a", kinds=kinds_of({"/repo/a": every}, every, counted(role), FACTS))
    assert sorted(marks_for(role, place)) == kept


def test_the_public_half_of_a_key_is_read_freely_and_changed_as_a_secret() -> None:
    assert marks("read", "/home/user/.ssh/id_rsa.pub") == ["outside"]
    assert marks("read", "/home/user/.ssh/config") == ["outside"]
    assert "secret" in marks("write", "/home/user/.ssh/config")
    assert marks("read", "/home/user/.ssh/id_rsa") == ["outside", "secret"]


def test_a_link_is_public_only_if_what_it_leads_to_is() -> None:
    key, public, other = "/home/user/.ssh/id_rsa", "/home/user/.ssh/id_rsa.pub", "/repo/notes"
    assert "secret" in marks("read", public, real=key)
    assert "secret" in marks("read", key, real=public)
    assert "secret" in marks("read", public, real=other)
    assert marks("read", other, real=public) == ["outside"]


@pytest.mark.parametrize(
    ("path", "holds"),
    [("/", True), ("/home/user", True), ("/home/user/.aws", True), ("/etc", True), ("/usr", False), ("/repo", False)],
)
def test_a_folder_that_holds_secrets_is_known(path: str, holds: bool) -> None:
    assert holds_secret(path, FACTS) is holds


def test_a_project_that_is_the_home_is_read_as_a_project() -> None:
    assert not holds_secret("/home/user", Facts(root="/home/user", home="/home/user"))


@pytest.mark.parametrize(
    ("target", "marks"),
    [
        ({"host": "169.254.169.254"}, ["secret"]),
        ({"host": "localhost", "url": "http://localhost:2375/x"}, ["privileged"]),
        ({"host": "localhost", "url": "http://localhost:8080/actuator/env"}, ["secret"]),
        ({"host": "x.example", "url": "https://x.example/actuators"}, []),
        ({"host": ("a", "b")}, []),
    ],
)
def test_an_address_can_be_a_secret_place(target: dict[str, object], marks: list[str]) -> None:
    assert address_marks(target) == marks


@pytest.mark.parametrize("pattern", ["password", "Passwd", "(api_key|x)", r"secret\|token", "^AWS_SECRET_ACCESS_KEY="])
def test_a_search_for_secrets_is_known_by_its_words(pattern: str) -> None:
    assert hunted(pattern)


@pytest.mark.parametrize("pattern", ["token", "password_field", "def secret_santa", "TODO", ""])
def test_a_search_in_code_is_none(pattern: str) -> None:
    assert not hunted(pattern)


def test_a_guard_is_known_by_a_word_of_its_name_and_not_by_a_part_of_one() -> None:
    assert watches_over("/usr/sbin/auditd")
    assert watches_over("agent-hook")
    assert not watches_over("webhook-server")
    assert not watches_over("node server.js")


def test_a_decoded_text_keeps_that_it_was_decoded_through_a_file() -> None:
    found = follow_bash("echo bHM= | base64 -d > a.sh; sh a.sh", cwd="/repo", facts=FACTS)
    assert ("exec:disguised", ("disguised",)) in [(action.name, action.tags) for action in found.actions]
    assert "decoded" not in [part.reason for part in found.opaque]


@pytest.mark.parametrize(
    ("root", "path", "marks"),
    [
        ("/", "/etc/cron.d/x", ["guard", "obeyed", "outside"]),
        ("/", "/usr/bin/ls", ["outside"]),
        ("/", "/var/www/index.html", ["outside"]),
        ("/", "/app/main.py", []),
        ("/", "/home/user/notes.txt", []),
        ("/etc", "/etc/cron.d/x", ["guard", "obeyed", "outside"]),
        ("/usr/local/lib", "/usr/local/lib/a.py", ["outside"]),
        ("/usr/src/app", "/usr/src/app/main.py", []),
        ("/var/www/shop", "/var/www/shop/index.php", []),
        ("/var/www/shop", "/var/www/other/index.php", ["outside"]),
    ],
)
def test_folders_of_the_system_are_no_project_wherever_an_agent_was_started(
    root: str, path: str, marks: list[str]
) -> None:
    assert marks_of(path, FACTS.replace(root=root)) == marks


@pytest.mark.parametrize("folder", ["/", "/etc"])
def test_all_of_the_system_holds_secrets_also_where_an_agent_was_started_in_it(folder: str) -> None:
    assert holds_secret(folder, FACTS.replace(root=folder))


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("GIT_TRACE=/home/user/.bashrc git status", ["/home/user/.bashrc"]),
        ("GIT_TRACE2_EVENT=trace.json git status", ["/repo/trace.json"]),
        ("export GIT_TRACE_PACKET=/home/user/.ssh/authorized_keys; git fetch", ["/home/user/.ssh/authorized_keys"]),
        ("env NODE_V8_COVERAGE=/etc/x node -v", ["/etc/x"]),
        ("LLVM_PROFILE_FILE=cov-%p.profraw cargo test", ["/repo/cov-%p.profraw"]),
        ("GIT_TRACE=1 git status", []),
        ("GIT_TRACE2=true git status", []),
        ("GIT_TRACE=/dev/stderr git status", []),
    ],
)
def test_a_file_that_a_variable_has_programs_write_to_is_written(command: str, written: list[str]) -> None:
    found = follow_bash(command, cwd="/repo", facts=FACTS, field="command")
    assert [action.target["path"] for action in found.actions if action.name == "fs:write"] == written


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/repo/.env", ["new", "obeyed", "obeyed-asked"]),  # unless what is written is known and harmless
        ("/repo/app/.env.local", ["new"]),
        ("/repo/.aws/credentials", ["new", "secret"]),
        ("/home/user/.env", ["new", "obeyed", "obeyed-asked", "outside", "secret"]),
    ],
)
def test_settings_that_were_not_there_are_written_freely_in_the_project(path: str, expected: list[str]) -> None:
    assert marks("write", path, new=True) == expected
    assert "secret" in marks("write", path)
    assert "secret" in marks("read", path, new=True)


@pytest.mark.parametrize(
    ("path", "obeyed"),
    [
        ("/repo/.git/config", True),
        ("/repo/.git/config.worktree", True),
        ("/repo/.git/modules/a/config", True),
        ("/repo/.git/worktrees/a/commondir", True),
        ("/repo/.git/info/attributes", True),
        ("/repo/sub/.git", True),
        ("/repo/.git/info/exclude", False),
        ("/repo/.git/MERGE_MSG", False),
        ("/repo/config", False),
        ("/repo/.github/config", False),
    ],
)
def test_what_git_runs_and_where_it_goes_stands_in_its_own_files(path: str, obeyed: bool) -> None:
    assert ("obeyed-asked" in marks("write", path)) is obeyed
    assert "obeyed-asked" not in marks("read", path)


@pytest.mark.parametrize(
    ("command", "marked"),
    [
        ("git remote set-url origin https://host.example/x", True),
        ("git remote set-url --push origin https://host.example/x", True),
        ("git remote rename other origin", True),
        ("git remote remove origin", True),
        ("git config remote.origin.url https://host.example/x", True),
        ("git config remote.origin.pushurl https://host.example/x", True),
        ("git remote add other https://host.example/x", False),
        ("git config --get remote.origin.url", False),
        ("git config user.name me", False),
        ("git remote -v", False),
    ],
)
def test_a_name_that_a_yes_was_given_to_does_not_lead_elsewhere_unasked(command: str, marked: bool) -> None:
    found = follow_bash(command, cwd="/repo", facts=FACTS, field="command")
    assert any("redirects" in action.tags for action in found.actions) is marked


@pytest.mark.parametrize("command", ["git status", "git diff", "git fetch", "git commit -m x"])
def test_settings_of_git_that_were_just_written_are_run_by_no_command_unseen(command: str) -> None:
    facts = FACTS.replace(written=frozenset(("/repo/.git/config",)))
    found = follow_bash(command, cwd="/repo", facts=facts, field="command")
    assert "`/repo/.git/config` was written in this session, and git may run it" in [o.reason for o in found.opaque]


@pytest.mark.parametrize(
    ("command", "understood"),
    [
        ("make -f - <<< 'a:; rm -rf x'", False),
        ("echo 'a:; rm -rf x' | make --file=- a", False),
        ("just -f - a", False),
        ("MAKEFILES=/tmp/x make", False),
        ("BUNDLE_GEMFILE=/tmp/x bundle exec rake", False),
        ("terraform -chdir=/tmp/x plan", False),
        ("terraform init -plugin-dir=/tmp/x", False),
        ("KUBECONFIG=/tmp/x kubectl get pods", False),
        ("echo x > aws.ini; AWS_CONFIG_FILE=aws.ini aws s3 ls", False),
        ("make -f build.mk", True),
        ("docker build - < Dockerfile", True),
        ("terraform -chdir=infra plan", True),
        ("export KUBECONFIG=/home/user/.kube/config; kubectl get pods", True),
    ],
)
def test_code_and_settings_that_anybody_can_have_put_there_are_not_run_unseen(command: str, understood: bool) -> None:
    found = follow_bash(command, cwd="/repo", facts=FACTS, field="command")
    assert bool([o for o in found.opaque if o.reason != "it is unclear where the path leads"]) is not understood


@pytest.mark.parametrize(
    ("command", "marked"),
    [
        ("aws --endpoint-url https://host.example s3 ls", True),
        ("aws --endpoint-url http://localhost:4566 s3 ls", False),
        ("kubectl get pods --server=https://host.example:6443", True),
        ("kubectl get pods --server=https://127.0.0.1:6443", False),
        ("AWS_ENDPOINT_URL=https://host.example aws s3 ls", True),
        ("gh api repos/a/b/issues", False),
    ],
)
def test_another_service_than_the_tools_own_is_marked(command: str, marked: bool) -> None:
    found = follow_bash(command, cwd="/repo", facts=FACTS, field="command")
    assert any("redirects" in action.tags for action in found.actions) is marked
