"""Those who ask cannot answer: what each role may do in a team store is refused or permitted by PostgreSQL itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engines import team_rows
from interlock.approve.grant import Grant
from interlock.bytes.canon import canonical
from interlock.model.errors import ApprovalError, InputError, StoreError
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.team.shared import redeem_shared, share
from interlock.store.team.sync import Synced, Syncing
from interlock.store.team.team import make_roles, make_team_store, open_team, team_database, verify_team_ledger
from interlock.store.team.team_answers import answer_for_team, asked_in_team, one_in_team
from interlock.store.team.team_ledger import Standing, TeamLedger, standing_of
from interlock.store.team.witness import verify_origins
from machine import Machine
from postgres_server import started_server

PUSH = Grant(id="", kind="capability", action="git:push", reach="everywhere", by="ann")
KEPT = Path(__file__).parents[1] / "fixtures/ledgers/f2d62f7"


class Store:
    """A team store with roles: its owner, two machines with agents (`one`, `two`) and a person who answers (`ann`)."""

    def __init__(self, folder: Path, *, older: bool = False) -> None:
        self.folder = folder
        self.url = started_server().new_database()
        name = self.url.partition("@/")[2].partition("?")[0]
        self.agents, self.approvers = f"{name}_agents", f"{name}_approvers"
        self.names = {word: f"{name}_{word}" for word in ("one", "two", "ann")}
        self.owner = folders_for(str(folder / "owner"))
        if older:
            self.sql((KEPT / "team.sql").read_bytes())
        database = team_database(self.url, self.owner)
        make_roles(database, self.agents, self.approvers)
        make_roles(database, self.agents, self.approvers)  # changes nothing the second time
        database.close()
        for word, group in (("one", self.agents), ("two", self.agents), ("ann", self.approvers)):
            self.sql(f"CREATE ROLE {self.names[word]} LOGIN IN ROLE {group}")

    def of(self, word: str) -> str:
        return self.url.replace("interlock@", f"{self.names[word]}@", 1)

    def folders(self, word: str) -> Folders:
        return folders_for(str(self.folder / word))

    def sql(self, statement: Any, word: str = "") -> list[tuple[Any, ...]]:
        import psycopg

        address = self.of(word) if word else self.url
        with psycopg.connect(address, options="-c search_path=interlock,pg_catalog") as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def origins(self) -> list[tuple[str, str | None]]:
        return [(name, role) for name, role in self.sql("SELECT id, role FROM origins ORDER BY id")]

    def works(self, word: str, kind: str = "decision", key: str = "r") -> None:
        ledger = Ledger(self.folders(word).ledger)
        with ledger.deciding("s") as turn:
            turn.append(kind, canonical({"expires": 0, "tool": "Bash"}), key=key)
        ledger.close()

    def synced(self, word: str) -> Synced:
        syncing = Syncing(self.folders(word), self.of(word))
        try:
            return syncing.once()
        finally:
            syncing.close()

    def shared(self, uses: int = 1) -> str:
        database = open_team(self.of("ann"), self.folders("ann"))
        try:
            return share(TeamLedger(database), PUSH, uses=uses).id
        finally:
            database.close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    for word in ("one", "two"):
        found.works(word)
        found.works(word, "prompt", "ap_1")
        found.synced(word)
    return found


ROW = "seq, kind, at, session, key, body, prev, hash"
SAID = """'\\x7b7d', repeat('0', 64), repeat('1', 64)"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("word", ["one", "ann"])
@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO ledger ({ROW}) VALUES (99, 'answer', 0, '', 'ap_1', {SAID})",
        f"INSERT INTO ledger ({ROW}) VALUES (99, 'decision', 0, '', 'r', {SAID})",
        "INSERT INTO grants VALUES ('team:x', 1, 'git:push', '', 0, 0, 0, 0)",
        "INSERT INTO origins VALUES ('x', 'm', 'a', 0, '', 0, '{}')",
        "UPDATE ledger SET at = 5",
        "UPDATE tip SET seq = 5",
        "UPDATE grants SET used = 0",
        "UPDATE origins SET role = session_user",
        "UPDATE shipped SET at = 5",
        "DELETE FROM ledger",
        "DELETE FROM grants",
        "DELETE FROM shipped",
        "DELETE FROM origins",
        "TRUNCATE shipped",
        "SELECT append_row('answer', 'ap_1', '{}')",
        "CREATE TABLE interlock.mine (n int)",
        "ALTER TABLE shipped DISABLE ROW LEVEL SECURITY",
        "CREATE OR REPLACE FUNCTION interlock.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ],
)
def test_neither_role_writes_past_the_functions(store: Store, word: str, statement: str) -> None:
    import psycopg

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        store.sql(statement, word)


@pytest.mark.parametrize(
    "statement",
    [
        'SELECT answer(\'ap_1\', \'{"origin": "x", "prompt": 2}\')',
        "SELECT give_grant('team:0123456789ab', '{}', 'git:push', '', 0, 0)",
        "SELECT revoke_grant('team:0123456789ab', '{}')",
    ],
)
def test_an_agent_does_not_answer_or_give(store: Store, statement: str) -> None:
    import psycopg

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        store.sql(statement, "one")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT redeem('team:0123456789ab', '{}')",
        "SELECT begin_origin('0123456789abcdef', 'm', 'a', '{}')",
        f"INSERT INTO shipped (origin, {ROW}) VALUES ('x', 99, 'decision', 0, '', 'r', {SAID})",
    ],
)
def test_an_approver_does_not_ship_or_redeem(store: Store, statement: str) -> None:
    import psycopg

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        store.sql(statement, "ann")


def test_an_agent_ships_and_reads_under_its_own_name_only(store: Store) -> None:
    import psycopg

    (theirs,) = [name for name, role in store.origins() if role == store.names["two"]]
    assert theirs.startswith(f"{store.names['two']}:")
    for statement in (
        f"INSERT INTO shipped (origin, {ROW}) VALUES ('{theirs}', 99, 'prompt', 0, '', 'ap_2', {SAID})",
        f"SELECT move_origin('{theirs}', 2, '', 99, '', 0, '{{}}')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            store.sql(statement, "one")
    assert {row[0] for row in store.sql("SELECT role FROM origins", "one")} == {store.names["one"]}
    assert len(store.sql("SELECT 1 FROM shipped", "one")) == 2
    assert len(store.sql("SELECT 1 FROM shipped", "ann")) == 4
    # the server names the origin: what a client says of itself decides nothing
    ((made,),) = store.sql("SELECT begin_origin('0123456789abcdef', 'machine-of-two', 'root', '{}')", "one")
    assert made == f"{store.names['one']}:0123456789abcdef"


def test_redeeming_is_noted_under_the_account_that_did_it_whatever_it_says(store: Store) -> None:
    name = store.shared()
    assert store.synced("one").grants == 1
    assert redeem_shared(name, canonical({"receipt": "r", "by": "two"}), store.of("one"), store.folders("one")) is None
    (row,) = team_rows(store.url, "ledger", "redemption")
    assert row["session"] == store.names["one"]
    why = redeem_shared(name, b"{}", store.of("two"), store.folders("two"))
    assert why == "it was used up, taken back or has expired in the team store"


def test_what_the_functions_wrote_is_one_chain_that_verifies(store: Store) -> None:
    first, second = store.shared(), store.shared(uses=0)
    redeem_shared(first, b"{}", store.of("one"), store.folders("one"))
    ann = open_team(store.of("ann"), store.folders("ann"))
    asked = asked_in_team(ann, 0)
    assert sorted(one.origin.partition(":")[0] for one in asked) == sorted([store.names["one"], store.names["two"]])
    mine = next(one for one in asked if one.origin.startswith(store.names["one"]))
    answer_for_team(ann, mine, yes=True, by="Ånn \\ \0", why="go \u2603 \0")
    with pytest.raises(ApprovalError, match="was answered by somebody else"):
        answer_for_team(ann, mine, yes=False, by="ann", why="")
    assert TeamLedger(ann).revoke(second, b"{}")
    assert not TeamLedger(ann).revoke(second, b"{}")
    with pytest.raises(StoreError, match="no machine asked this question"):
        answer_for_team(ann, mine.replace(seq=99), yes=True, by="ann", why="")
    ann.close()
    kinds = [(row["kind"], row["session"]) for row in team_rows(store.url, "ledger")]
    by_ann, by_one = store.names["ann"], store.names["one"]
    wanted = [("grant", by_ann), ("grant", by_ann), ("redemption", by_one), ("answer", by_ann), ("revocation", by_ann)]
    assert kinds == wanted
    for word in ("ann", "one", ""):
        place = store.folders(word) if word else store.owner
        url = store.of(word) if word else store.url
        assert verify_team_ledger(place, team_database(url, place)).damage is None
        database = open_team(url, place)
        assert [walked.damage for _, walked in verify_origins(place, database)] == [None] * (1 if word == "one" else 2)
        database.close()
    assert verify(store.folders("one")).damage is None


def test_functions_run_with_a_path_that_nobody_can_bend(store: Store) -> None:
    found = store.sql(
        "SELECT proname, prosecdef, proconfig FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE nspname = 'interlock'"
    )
    assert {name: definer for name, definer, _ in found} == {
        "append_row": False,
        **dict.fromkeys(
            (
                "redeem",
                "give_grant",
                "revoke_grant",
                "answer",
                "begin_origin",
                "move_origin",
                "publish_bundle",
                "report_machine",
            ),
            True,
        ),
    }
    assert {tuple(config) for _, _, config in found} == {("search_path=pg_catalog, pg_temp",)}
    name = store.shared()
    store.sql(
        "CREATE TEMP TABLE tip (one int, seq bigint, hash text, at bigint); SET search_path = pg_temp;"
        f" SELECT interlock.redeem('{name}', '{{}}')",
        "one",
    )
    assert [row["session"] for row in team_rows(store.url, "ledger", "redemption")] == [store.names["one"]]


@pytest.mark.slow
def test_how_an_account_stands_is_told(store: Store, tmp_path: Path) -> None:
    found = {}
    for word in ("one", "ann", ""):
        database = open_team(store.of(word) if word else store.url, store.folders(word or "owner"))
        found[word] = standing_of(database)
        database.close()
    assert {word: (one.role, one.is_weak) for word, one in found.items()} == {
        "one": ("agent", False),
        "ann": ("approver", True),
        "": ("everything", True),
    }
    assert Standing(account="x", writes_all=False, ships=True, redeems=True, answers=True).role == "everything"
    machine = Machine(tmp_path / "m")
    for url, role, weak in ((store.of("one"), "agent", False), (store.url, "everything", True)):
        said = machine.run("store", "status", "--to", url, "--json").json["standing"]
        assert (said["role"], said["weak"]) == (role, weak)
    assert "set up roles with: interlock store migrate --roles" in machine.run("store", "status", "--to", store.url).out


def test_an_answer_names_the_account_that_gave_it(store: Store) -> None:
    ann = open_team(store.of("ann"), store.folders("ann"))
    for asked in asked_in_team(ann, 0):
        answer_for_team(ann, asked, yes=True, by="ann on laptop", why="")
    ann.close()
    rows = team_rows(store.url, "ledger", "answer")
    assert {row["session"] for row in rows} == {store.names["ann"]}


@pytest.mark.parametrize(("two", "kept"), [(False, 1), (True, 3)])
def test_only_a_question_that_needs_two_takes_more_than_one_answer(store: Store, two: bool, kept: int) -> None:
    ledger = Ledger(store.folders("one").ledger)
    with ledger.deciding("s") as turn:
        turn.append(
            "prompt", canonical({"expires": 0, "tool": "Bash", "two": two, "input": {"x": "a\0b"}}), key="ap_two"
        )
    ledger.close()
    store.synced("one")
    ann = open_team(store.of("ann"), store.folders("ann"))
    asked = one_in_team(ann, "ap_two", 0)
    for _ in range(3):
        try:
            answer_for_team(ann, asked, yes=True, by="ann on laptop", why="")
        except ApprovalError:
            assert not two
    ann.close()
    assert len([row for row in team_rows(store.url, "ledger", "answer") if row["key"] == "ap_two"]) == kept


def test_a_server_that_was_set_back_is_noticed_before_a_grant_is_redeemed(store: Store) -> None:
    name = store.shared()
    store.synced("one")
    store.sql("UPDATE tip SET seq = 0, hash = repeat('0', 64)")
    store.sql("DELETE FROM ledger")
    why = redeem_shared(name, b"{}", store.of("one"), store.folders("one"))
    assert "is not the ledger that its head describes" in (why or "")


# --- older stores, and one role for all -------------------------------------------------------------------------------


def test_an_older_store_gets_roles_and_its_machines_ship_anew_under_their_names(tmp_path: Path) -> None:
    store = Store(tmp_path, older=True)
    assert [role for _, role in store.origins()] == [None]
    state, config = Path(store.folders("one").state), Path(store.folders("one").config)
    for folder, names in (
        (state, ("ledger.db", "ledger.db.head")),
        (config, ("checkpoints.jsonl", "ledger-keys.json")),
    ):
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_bytes((KEPT / name).read_bytes())
    done = store.synced("one")
    assert done.origin.startswith(store.names["one"])
    assert store.sql("SELECT DISTINCT seq, hash FROM origins") == store.sql("SELECT seq, hash FROM origins LIMIT 1")
    ann = open_team(store.of("ann"), store.folders("ann"))
    twice = [asked for asked in asked_in_team(ann, 0) if not asked.origin.startswith(store.names["one"])]
    assert twice == []  # what it asked before it had a name of its own is asked under its name now
    assert [walked.damage for _, walked in verify_origins(store.folders("ann"), ann)] == [None, None]
    ann.close()


@pytest.mark.slow
def test_a_store_that_was_not_migrated_goes_on_with_one_role(tmp_path: Path) -> None:
    import psycopg

    url = started_server().new_database()
    with psycopg.connect(url) as connection:
        connection.execute((KEPT / "team.sql").read_bytes())
    machine = Machine(tmp_path / "m")
    said = machine.run("store", "status", "--to", url, "--json").json["standing"]
    assert (said["role"], said["weak"]) == ("everything", True)
    machine.decide("Read", "--record", file_path="a")
    assert machine.run("store", "sync", "--to", url, "--json").json["shipped"] == 2
    assert machine.run("store", "migrate", "--to", url).out.startswith("up to date: ")
    assert machine.run("store", "migrate", "--to", url).code == 0
    assert machine.run("store", "sync", "--to", url).code == 0


def test_roles_are_set_up_and_taken_away_as_the_page_says(tmp_path: Path) -> None:
    import psycopg

    machine = Machine(tmp_path / "m")
    url = started_server().new_database()
    name = url.partition("@/")[2].partition("?")[0]
    names = ("--agents", f"{name}_a", "--approvers", f"{name}_b")
    assert machine.run("store", "init", "--to", url).code == 0
    printed = machine.run("store", "migrate", "--roles", "--dry-run", *names, "--to", url).out
    with psycopg.connect(url) as connection:
        assert not connection.execute(f"SELECT 1 FROM pg_roles WHERE rolname = '{name}_a'").fetchall()
        connection.execute(printed.encode())  # what is printed is what would be run
        assert len(connection.execute(f"SELECT 1 FROM pg_roles WHERE rolname ~ '^{name}_[ab]$'").fetchall()) == 2
    done = machine.run("store", "migrate", "--roles", *names, "--to", url)
    assert (done.code, f"IN ROLE {name}_a" in done.out) == (0, True), done.err
    with psycopg.connect(url) as connection:
        connection.execute(f"DROP OWNED BY {name}_a, {name}_b; DROP ROLE {name}_a, {name}_b")
        assert not connection.execute("SELECT 1 FROM pg_policies WHERE schemaname = 'interlock'").fetchall()
    machine.decide("Read", "--record", file_path="a")
    assert machine.run("store", "sync", "--to", url).code == 0


def test_names_of_roles_are_plain_words(tmp_path: Path) -> None:
    database = team_database(started_server().new_database(), folders_for(str(tmp_path)))
    make_team_store(database)
    for agents, approvers in (('a"; DROP TABLE ledger', "b"), ("a", "a"), ("pg_a", "b"), ("ä", "b"), ("a" * 64, "b")):
        with pytest.raises(InputError):
            make_roles(database, agents, approvers)
    database.close()


def test_an_account_that_may_not_make_roles_says_so_whole(store: Store) -> None:
    database = team_database(store.of("ann"), store.folders("ann"))
    with pytest.raises(StoreError, match=r"this account may not do that there \(.*permission denied"):
        make_roles(database, "a", "b")
    database.close()
    database = open_team(store.of("one"), store.folders("one"))
    with pytest.raises(ApprovalError, match="no machine of the team waits"):
        one_in_team(database, "nothing", 0)
    database.close()
