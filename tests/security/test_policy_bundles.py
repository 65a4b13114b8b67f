"""Signed bundles of managed policy: put in force by the real command where they really lie, seen by the real hook."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, DENY, Machine, new_machine
from interlock.record.policy_bundle import Bundle, bundle_bytes, read_bundle
from interlock.store.home.folders import folders_for
from interlock.store.team.team import make_roles, make_team_store, team_database
from interlock.value import FrozenMap
from managed import python_with_managed
from postgres_server import started_server
from ssh_keys import Key, new_key, signature_of
from web_server import Web, web_server

NO_TREES = """version = 1
[[rules]]
id = "no-trees"
when = { action = "exec:tree-planter" }
verdict = "deny"
reason = "Trees are planted by hand."
"""
NO_WRITES = """version = 1
[tools.Write]
effects = ["write"]
postures = ["locked"]
"""


@dataclass(frozen=True)
class Fleet:
    hook: Machine
    etc: Path
    key: Key

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self.hook.python, "-m", "interlock.cli", "--home", str(self.hook.home), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self.hook.project, stdin=subprocess.DEVNULL
        )

    def sign(self, number: int, policy: str, *more: str, key: Key | None = None) -> Path:
        source, out = self.etc.parent / f"p{number}.toml", self.etc.parent / f"{number}.bundle"
        source.write_text(policy)
        by = str((key or self.key).public)
        done = self.run("bundle", "sign", str(source), "--number", str(number), "--key", by, "-o", str(out), *more)
        assert done.returncode == 0, done.stderr
        return out

    def install(self, number: int, policy: str, *more: str) -> None:
        done = self.run("bundle", "install", str(self.sign(number, policy)), *more)
        assert done.returncode == 0, done.stderr

    def shown(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("bundle", "show", "--json").stdout)
        return found

    def files(self) -> dict[str, bytes]:
        names = ("policy.toml", "contracts.json", "bundle.pub", "bundle.json")
        return {name: (self.etc / name).read_bytes() for name in names if (self.etc / name).exists()}

    def started(self) -> str:
        """What the person reads at the start of a session."""
        names = ("session_id", "transcript_path", "cwd")
        event = {name: self.hook.event("Read")[name] for name in names}
        said = self.hook.run({**event, "hook_event_name": "SessionStart", "source": "startup"}).answer["systemMessage"]
        return "\n".join([line for line in said.splitlines() if "level in force: " not in line])


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    place = tmp_path / "machine"
    hook = new_machine(place)
    hook = Machine(home=hook.home, project=hook.project, python=python_with_managed(place, "version = 1\n"))
    etc = place / "etc/interlock"
    key = new_key(tmp_path / "keys/office")
    (etc / "policy.toml").unlink()
    (etc / "bundle.pub").write_text(f"# who signs our policy\n{key.line}\n")
    return Fleet(hook, etc, key)


@pytest.fixture
def web() -> Iterator[Web]:
    with web_server() as found:
        yield found


def test_a_signed_bundle_is_in_force_for_the_next_call(fleet: Fleet) -> None:
    assert fleet.hook.call("Write", file_path=str(fleet.hook.project / "a"), content="x").taken == ALLOW
    done = fleet.run("bundle", "install", str(fleet.sign(3, NO_WRITES)), "--json")
    assert (done.returncode, json.loads(done.stdout)["changes"]) == (0, ["policy.toml"])
    assert fleet.hook.call("Write", file_path=str(fleet.hook.project / "b"), content="x").taken == DENY
    assert (fleet.etc / "policy.toml").read_text() == NO_WRITES
    assert (fleet.etc / "policy.toml").stat().st_mode & 0o777 == 0o644
    shown = fleet.shown()
    assert (shown["bundle"]["number"], shown["highest_seen"], shown["troubles"]) == (3, 3, [])
    again = fleet.run("bundle", "install", str(fleet.etc.parent / "3.bundle"))
    assert again.stdout == "bundle 3 is in force already\n"
    assert fleet.started() == ""


MISTAKES = {
    "an unknown key": "version = 1\n[risks]\nmax = 'low'\n",
    "an unknown action": "version = 1\n[tiers.actions]\n'git:psuh' = 3\n",
    "an unknown setting": "version = 1\n[loop]\nenforced = true\n",
    "no policy": "version = 1\nposture = 'lokced'\n",
}


@pytest.mark.parametrize("policy", MISTAKES.values(), ids=MISTAKES)
def test_what_a_check_of_the_policy_refuses_is_not_signed(fleet: Fleet, policy: str) -> None:
    source, out = fleet.etc.parent / "p.toml", fleet.etc.parent / "p.bundle"
    source.write_text(policy)
    checked = fleet.run("policy", "check", str(source))
    assert checked.returncode == 65
    for more in ((), ("--dry-run",)):
        signed = fleet.run("bundle", "sign", str(source), "--number", "1", "--key", str(fleet.key.public),
                           "-o", str(out), *more)  # fmt: skip
        assert (signed.returncode, out.exists()) == (65, False), signed.stderr
        assert signed.stderr == checked.stderr


def test_a_doubt_is_told_of_and_signed(fleet: Fleet) -> None:
    out = fleet.sign(1, NO_TREES)  # its rule has no examples
    assert out.exists()
    source = str(fleet.etc.parent / "p1.toml")
    told = fleet.run("bundle", "sign", source, "--number", "2", "--key", str(fleet.key.public), "-o", str(out))
    assert (told.returncode, "note: doubt: " in told.stderr) == (0, True), told.stderr


@pytest.mark.slow
def test_a_dry_run_says_what_would_change_and_changes_nothing(fleet: Fleet) -> None:
    file = fleet.sign(1, NO_TREES)
    before = fleet.files()
    done = fleet.run("bundle", "install", "--dry-run", str(file))
    assert done.stdout == "bundle 1 would be in force\n  /etc/interlock/policy.toml changes\n"
    assert fleet.files() == before
    assert not (fleet.etc / "bundle.state").exists()


def _changed(bundle: Bundle, **changes: Any) -> bytes:
    return bundle_bytes(bundle.replace(**changes))


# what comes in place of bundle 8, from the one that is good -> what is said
REFUSED: dict[str, tuple[Callable[[Fleet, Bundle], bytes], str]] = {
    "another text": (
        lambda fleet, good: _changed(good, files=FrozenMap({"policy.toml": "version = 1\n"})),
        "not one of this statement by this key",
    ),
    "another number": (lambda fleet, good: _changed(good, number=9), "not one of this statement by this key"),
    "no signature": (lambda fleet, good: _changed(good, signature=""), "it is not one that `ssh-keygen -Y sign` makes"),
    "half of it": (lambda fleet, good: bundle_bytes(good)[:-40], "not a bundle, or cut off"),
    "nothing": (lambda fleet, good: b"", "not a bundle, or cut off"),
    "a file of another name": (
        lambda fleet, good: _changed(good, files=FrozenMap({**good.files, "../passwd": "x"})),
        "and nothing called `../passwd`",
    ),
    "a stranger's key": (
        lambda fleet, good: _signed(good, new_key(fleet.etc.parent / "stranger")),
        "which is not pinned here",
    ),
    "a signature for something else": (
        lambda fleet, good: _signed(good, fleet.key, namespace="git"),
        "was made for something else than Interlock",
    ),
    "an older one": (lambda fleet, good: _signed(good.replace(number=6), fleet.key), "a policy is never rolled back"),
    "the same number again": (
        lambda fleet, good: _signed(good.replace(number=7), fleet.key),
        "a number stands for one content",
    ),
    "a policy that cannot be used": (
        lambda fleet, good: _signed(good.replace(files=FrozenMap({"policy.toml": "version = 2\n"})), fleet.key),
        "`version` must be",
    ),
    "without the key that signed it": (
        lambda fleet, good: _signed(
            good.replace(files=FrozenMap({**good.files, "bundle.pub": new_key(fleet.etc.parent / "k").line})), fleet.key
        ),
        "takes away the key",
    ),
}


def _signed(bundle: Bundle, key: Key, **more: str) -> bytes:
    text = signature_of(key, bundle.message, **more)
    return bundle_bytes(bundle.replace(signature="".join(text.split("\n")[1:-2])))


@pytest.mark.slow
def test_what_does_not_hold_leaves_the_last_good_bundle_in_force_and_is_told(fleet: Fleet, web: Web) -> None:
    fleet.install(7, NO_TREES)
    before = fleet.files()
    good = read_bundle(fleet.sign(8, NO_WRITES).read_bytes())
    for name, (spoiled, said) in REFUSED.items():
        (fleet.etc / "bundle.state").unlink()
        fleet.install(7, NO_TREES)
        web.gives = spoiled(fleet, good)
        done = fleet.run("bundle", "fetch", web.url)
        assert (name, done.returncode != 0, said in done.stderr) == (name, True, True), done.stderr
        assert (name, fleet.files()) == (name, before)
        assert (name, said in "".join(fleet.shown()["troubles"])) == (name, True)
    assert "the last good one stays" in fleet.started()
    assert "no newer policy bundle was taken" in fleet.run("doctor").stdout
    # the last of them was bundle 8 with a good signature, so bundle 8 stands for that content from now on
    web.gives = bundle_bytes(read_bundle(fleet.sign(9, NO_WRITES).read_bytes()))
    assert fleet.run("bundle", "fetch", web.url).stdout.startswith("bundle 9 is in force, in the place of bundle 7\n")
    assert fleet.shown()["troubles"] == []
    assert "the last good one" not in fleet.started()


@pytest.mark.slow
def test_a_source_that_is_away_is_told_by_doctor_and_only_after_a_week_by_sessions(fleet: Fleet, web: Web) -> None:
    fleet.install(1, NO_TREES)
    for code, headers, said in (
        (404, {}, "answered 404"),
        (302, {"Location": "http://policy.example/x"}, "must begin with https://"),
        (200, {"Content-Length": "999"}, "was cut off"),
    ):
        web.gives, web.code, web.headers = b"x", code, headers
        done = fleet.run("bundle", "fetch", web.url)
        assert (done.returncode != 0, said in done.stderr) == (True, True), done.stderr
    assert "no newer policy bundle" in "".join(fleet.shown()["troubles"])
    assert "no newer policy bundle" not in fleet.started()
    state = fleet.etc / "bundle.state"
    noted = json.loads(state.read_text())
    state.write_text(json.dumps({**noted, "since": noted["since"] - 8 * 24 * 3600 * 1000}))
    assert "no newer policy bundle" in fleet.started()
    assert fleet.run("bundle", "fetch", "http://policy.example/x").returncode == 64


@pytest.mark.slow
def test_keys_that_others_could_have_written_are_believed_in_nothing(fleet: Fleet) -> None:
    file = fleet.sign(1, NO_TREES)
    (fleet.etc / "bundle.pub").chmod(0o664)
    done = fleet.run("bundle", "install", str(file))
    assert "can be changed by others than root" in done.stderr
    (fleet.etc / "bundle.pub").unlink()
    assert "no key is pinned" in fleet.run("bundle", "install", str(file)).stderr
    assert not (fleet.etc / "policy.toml").exists()


@pytest.mark.slow
def test_a_policy_that_somebody_wrote_is_replaced_only_if_told_and_kept(fleet: Fleet) -> None:
    (fleet.etc / "policy.toml").write_text("version = 1\nposture = 'locked'\n")
    file = str(fleet.sign(1, NO_TREES))
    assert "was not put there by a bundle" in fleet.run("bundle", "install", file).stderr
    assert fleet.run("bundle", "install", file, "--replace").returncode == 0
    assert (fleet.etc / "policy.toml.before-bundles").read_text() == "version = 1\nposture = 'locked'\n"


@pytest.mark.slow
def test_a_damaged_or_edited_file_is_told_and_put_back(fleet: Fleet) -> None:
    fleet.install(4, NO_TREES)
    whole = fleet.files()
    (fleet.etc / "policy.toml").write_text("version = 1\n")
    assert "policy.toml` is not as bundle 4 says" in fleet.started()
    assert fleet.run("bundle", "install", str(fleet.etc / "bundle.json")).returncode == 0, fleet.shown()
    assert fleet.files() == whole
    (fleet.etc / "bundle.json").write_bytes(whole["bundle.json"][:100])
    assert "the policy that it brought stays" in fleet.started()
    assert fleet.run("bundle", "install", str(fleet.etc.parent / "4.bundle")).returncode == 0
    assert (fleet.files(), fleet.shown()["troubles"]) == (whole, [])


@pytest.mark.slow
def test_keys_are_changed_by_bundles_in_two_steps_and_contracts_come_and_go(fleet: Fleet) -> None:
    new = new_key(fleet.etc.parent / "new")
    contracts, keys = fleet.etc.parent / "contracts.json", fleet.etc.parent / "keys"
    contracts.write_text("{}")
    keys.write_text(f"{fleet.key.line}\n{new.line}\n")
    both = fleet.sign(1, NO_TREES, "--keys", str(keys), "--contracts", str(contracts))
    assert fleet.run("bundle", "install", str(both)).returncode == 0
    assert (fleet.etc / "contracts.json").read_text() == "{}"
    keys.write_text(f"{new.line}\n")
    assert fleet.run("bundle", "install", str(fleet.sign(2, NO_TREES, "--keys", str(keys), key=new))).returncode == 0
    assert not (fleet.etc / "contracts.json").exists()
    refused = fleet.run("bundle", "install", str(fleet.sign(3, NO_WRITES)))
    assert "which is not pinned here" in refused.stderr
    assert fleet.shown()["bundle"]["number"] == 2


@pytest.mark.slow
def test_the_team_store_hands_bundles_out_and_machines_cannot_publish(fleet: Fleet) -> None:
    server = started_server()
    url = server.new_database()
    database = team_database(url, folders_for(str(fleet.hook.home)))
    make_team_store(database)
    make_roles(database, "fleet_agent", "fleet_approver")
    for name, role in (("fleet_laptop", "fleet_agent"), ("fleet_ann", "fleet_approver")):
        database.run(f"DROP ROLE IF EXISTS {name}")
        database.run(f"CREATE ROLE {name} LOGIN IN ROLE {role}")
    database.close()
    laptop, ann = _as(url, "fleet_laptop"), _as(url, "fleet_ann")
    file = str(fleet.sign(5, NO_TREES))
    refused = fleet.run("bundle", "publish", file, "--to", laptop)
    assert "may not do that" in refused.stderr, refused.stderr
    assert "holds no bundle" in fleet.run("bundle", "fetch", laptop).stderr
    assert fleet.run("bundle", "publish", file, "--to", ann).stdout == "bundle 5 is published\n"
    assert "numbers only go up" in fleet.run("bundle", "publish", file, "--to", ann).stderr
    assert fleet.run("bundle", "fetch", laptop).stdout.startswith("bundle 5 is in force\n")
    assert fleet.run("bundle", "fetch", laptop, "--quiet").stdout == ""


def _as(url: str, name: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{name}@{rest.rpartition('@')[2]}"


@pytest.mark.slow
def test_verify_says_who_signed_and_a_broken_policy_is_not_signed(fleet: Fleet) -> None:
    file = str(fleet.sign(5, NO_TREES))
    said = json.loads(fleet.run("bundle", "verify", file, "--json").stdout)
    assert (said["number"], said["files"], said["name"]) == (5, ["policy.toml"], "office@test")
    other = new_key(fleet.etc.parent / "other")
    refused = fleet.run("bundle", "verify", file, "--keys", str(other.public))
    assert "which is not pinned here" in refused.stderr
    source = fleet.etc.parent / "bad.toml"
    source.write_text("version = 1\nposture = 3\n")
    out = fleet.etc.parent / "bad.bundle"
    arguments = ["sign", str(source), "--number", "6", "--key", str(fleet.key.public), "-o", str(out)]
    assert fleet.run("bundle", *arguments).returncode == 65
    assert not out.exists()


@pytest.mark.slow
def test_a_lost_note_lets_no_older_bundle_in(fleet: Fleet) -> None:
    older = str(fleet.sign(6, NO_WRITES))
    fleet.install(7, NO_TREES)
    (fleet.etc / "bundle.state").unlink()
    assert "a policy is never rolled back" in fleet.run("bundle", "install", older).stderr
    (fleet.etc / "bundle.state").write_text("{")
    assert "bundle.state` cannot be read" in fleet.run("bundle", "install", older).stderr
    assert fleet.files()["policy.toml"].decode() == NO_TREES
