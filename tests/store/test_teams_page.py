"""docs/teams.md is true: its commands, one after the other, against a server with TLS, passwords and host names."""

from __future__ import annotations

import datetime
import os
import re
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from machine import Machine, Run
from postgres_server import Server, server_programs, started_server

PAGE = Path(__file__).parents[2] / "docs/teams.md"


def certificates(folder: Path, name: str) -> None:
    """An authority (`ca.crt`) and a server's certificate for this name alone."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in ("a test authority", name)]
    for at, file in ((0, "ca"), (1, "server")):
        built = (
            x509.CertificateBuilder()
            .subject_name(names[at])
            .issuer_name(names[0])
            .public_key(keys[at].public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=at == 0, path_length=None), critical=True)
        )
        if at == 1:
            built = built.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        made = built.sign(keys[0], hashes.SHA256())
        (folder / f"{file}.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
        private = keys[at].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (folder / f"{file}.key").write_bytes(private)


class Tls:
    """A server that speaks TLS as `localhost`, and takes passwords."""

    def __init__(self) -> None:
        started_server()  # skips, or fails in CI, where there is none
        programs = server_programs()
        assert programs is not None
        self.server = Server(programs)
        self.folder = self.server.folder
        certificates(self.folder, "localhost")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        for name in ("server.key", "server.crt"):
            os.chmod(self.folder / name, 0o600)
            owner = self.server.owner()
            if owner:
                os.chown(self.folder / name, owner["user"], owner["group"])
        self.server.stop()
        with open(self.folder / "data/pg_hba.conf", "w") as rules:
            rules.write("local all interlock trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
        with open(self.folder / "data/postgresql.auto.conf", "a") as settings:
            files = f"ssl_cert_file = '{self.folder}/server.crt'\nssl_key_file = '{self.folder}/server.key'\n"
            settings.write(f"ssl = on\n{files}")
        self.server.settings = {"listen_addresses": "127.0.0.1", "port": str(self.port)}
        self.server.start()
        self.sql("CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'the-password'")
        self.sql("CREATE DATABASE interlock OWNER owner")

    def sql(self, statement: str, database: str = "postgres") -> None:
        import psycopg

        with psycopg.connect(self.server.url(database), autocommit=True) as connection:
            connection.execute(statement)


@pytest.fixture(scope="module")
def tls() -> Iterator[Tls]:
    found = Tls()
    yield found
    found.server.remove()


class Desk(Machine):
    """A machine whose HOME is its own: where libpq looks for the authority's certificate."""

    def run_line(self, line: str) -> Run:
        words = shlex.split(line, comments=True)
        assert words[0] == "interlock"
        os.environ["HOME"] = str(self.home)
        return self.run(*words[1:])


def desk_at(folder: Path, tls: Tls, *, account: str, host: str = "localhost", trusts: bool = True) -> Desk:
    desk = Desk(folder)
    url = f"postgresql://{account}@{host}:{tls.port}/interlock?sslmode=verify-full"
    desk.user_policy(f'version = 1\n[approvals]\nby = ["terminal"]\n[store]\nurl = "{url}"\n')
    passwords = desk.home / ".config/interlock/store.pgpass"
    passwords.write_text(f"{host}:{tls.port}:interlock:{account}:the-password\n")
    passwords.chmod(0o600)
    if trusts:
        (desk.home / ".postgresql").mkdir()
        (desk.home / ".postgresql/root.crt").write_bytes((tls.folder / "ca.crt").read_bytes())
    return desk


def commands_of_the_page() -> list[str]:
    found = re.findall(r"^    (interlock .*)$", PAGE.read_text(), re.MULTILINE)
    assert len(found) >= 10
    return found


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", os.environ.get("HOME", "/"))  # put back afterwards


@pytest.mark.slow
def test_the_commands_of_the_page_work_one_after_the_other(tls: Tls, tmp_path: Path) -> None:
    desk = desk_at(tmp_path / "owner", tls, account="owner")
    hook = {"tool": "Bash", "input": {"command": "git push --force origin main"}, "cwd": str(desk.project)}
    asked = given = ""
    done = []
    for line in commands_of_the_page():
        if "approvals list" in line:
            desk.run("decide", "--record", stdin={**hook, "session": "s"})
            desk.run("store", "sync")
            (found,) = desk.run("approvals", "list", "--team", "--json").json
            asked = found["id"]
        if line.endswith("--follow    # go on; for a service manager"):
            continue  # it does not end; tests/store/test_sync.py follows it
        line = re.sub(r"ap_\w+", asked, re.sub(r"team:\w+", given, line))
        line = line.replace("interlock@db.example/", f"owner@localhost:{tls.port}/")
        if "approve" in line:
            from person import at_a_terminal

            told = at_a_terminal(desk.home, *shlex.split(line)[1:], "--yes")
            assert told.code == 0, told.out
        else:
            run = desk.run_line(line)
            assert run.code == 0, (line, run.out, run.err)
            if "store grant" in line:
                given = re.findall(r"team:[0-9a-f]{12}", run.out)[0]
        done.append(line)
    assert {line.split()[1] for line in done} == {"store", "approvals", "audit"}


def test_verify_full_refuses_the_wrong_host_and_an_unknown_authority_and_says_all_of_it(
    tls: Tls, tmp_path: Path
) -> None:
    wrong = desk_at(tmp_path / "wrong", tls, account="owner", host="127.0.0.1").run_line("interlock store status")
    assert wrong.code != 0
    assert 'server certificate for "localhost"' in wrong.err
    assert 'does not match host name "127.0.0.1"' in wrong.err
    unknown = desk_at(tmp_path / "unknown", tls, account="owner", trusts=False)
    told = unknown.run_line("interlock store status")
    assert told.code != 0
    assert f"{unknown.home}/.postgresql/root.crt" in told.err
    assert "Either provide the file" in told.err  # not its last line alone
    policy = Path(unknown.home / ".config/interlock/policy.toml")
    policy.write_text(policy.read_text().replace("verify-full", f"verify-full&sslrootcert={tls.folder}/ca.crt"))
    said = unknown.run_line("interlock store status")
    assert "root.crt" not in said.err


def test_a_wrong_password_is_told_without_it(tls: Tls, tmp_path: Path) -> None:
    desk = desk_at(tmp_path, tls, account="owner")
    passwords = desk.home / ".config/interlock/store.pgpass"
    passwords.write_text(passwords.read_text().replace("the-password", "hunter2-not-it"))
    told = desk.run_line("interlock store status")
    assert "password authentication failed" in told.err
    assert "hunter2" not in told.err
