"""What a command does in its view, and what is told of it. The project itself stays as it is."""

from __future__ import annotations

import os
from uuid import uuid4

import pytest

from previewing import Project, needs_views, tree_of

pytestmark = needs_views


def paths(found: dict[str, object]) -> list[tuple[str, str]]:
    changes = found["changes"]
    assert isinstance(changes, list)
    return [(change["kind"], change["path"]) for change in changes]


def test_changes_are_told_and_the_project_stays_as_it_is(project: Project) -> None:
    project.write("kept.txt", "kept\n")
    project.write("old.txt", "old\n")
    project.write("lib/a.py", "a\n")
    project.write("run.sh", "#!/bin/sh\n")
    before = tree_of(project.root)
    found = project.preview(
        "rm old.txt; echo more >> lib/a.py; mkdir new; echo hi > new/file; chmod +x run.sh; ln -s a l"
    )
    assert tree_of(project.root) == before
    assert paths(found) == [
        ("added", "l"),
        ("changed", "lib/a.py"),
        ("added", "new"),
        ("added", "new/file"),
        ("removed", "old.txt"),
        ("mode", "run.sh"),
    ]
    assert (found["exit"], found["output"], found["hindrances"]) == (0, "", [])


def test_a_file_that_is_only_touched_is_no_change(project: Project) -> None:
    project.write("a", "same\n")
    found = project.preview("touch a; printf 'same\\n' > a; chmod 644 a")
    assert paths(found) == []


def test_a_folder_that_is_made_anew_hides_what_lay_in_it(project: Project) -> None:
    project.write("build/old/deep.o", "1")
    project.write("build/same.o", "2")
    found = project.preview("rm -rf build && mkdir build && printf 2 > build/same.o && mkdir build/old")
    assert paths(found) == [("removed", "build/old/deep.o")]


def test_a_file_takes_the_place_of_a_folder_and_a_folder_that_of_a_file(project: Project) -> None:
    project.write("folder/inner", "1")
    project.write("file", "2")
    found = project.preview("rm -r folder && echo x > folder; rm file && mkdir file && echo y > file/inner")
    assert paths(found) == [
        ("changed", "file"),
        ("added", "file/inner"),
        ("changed", "folder"),
        ("removed", "folder/inner"),
    ]


def test_exit_code_and_output_are_told(project: Project) -> None:
    found = project.preview("echo out; echo err >&2; exit 7")
    assert (found["exit"], found["output"], found["dropped"]) == (7, "out\nerr\n", 0)


def test_output_beyond_its_limit_is_counted_and_not_kept(project: Project) -> None:
    found = project.preview("head -c 3000000 /dev/zero | tr '\\0' x")
    assert (len(found["output"]), found["dropped"]) == (1 << 20, 3000000 - (1 << 20))


def test_what_it_tried_to_reach_is_told_by_name(project: Project) -> None:
    script = (
        "import socket\n"
        "for name, port in (('registry.example.com', 443), ('10.1.2.3', 80)):\n"
        "    try: socket.create_connection((name, port), timeout=2)\n"
        "    except OSError as error: print(name, type(error).__name__)\n"
    )
    project.write("reach.py", script)
    found = project.preview("/usr/bin/python3 reach.py")
    assert found["reached"] == ["registry.example.com:443", "10.1.2.3:80"]
    assert "OSError" in found["output"]


def test_a_datagram_without_a_connection_is_told_too(project: Project) -> None:
    script = "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'x', ('192.0.2.9', 514))\n"
    project.write("send.py", script)
    found = project.preview("/usr/bin/python3 send.py 2>/dev/null")
    assert found["reached"] == ["192.0.2.9:514"]


def test_what_it_tried_to_run_is_told(project: Project) -> None:
    found = project.preview("./missing; /opt/none/tool; true")
    assert found["not_run"] == ["./missing", "/opt/none/tool"]


def test_a_server_of_its_own_can_be_reached(project: Project) -> None:
    """Loopback is there, and is the view's own."""
    script = (
        "import socket, threading\n"
        "s = socket.create_server(('127.0.0.1', 8123))\n"
        "threading.Thread(target=lambda: s.accept()[0].sendall(b'own')).start()\n"
        "print(socket.create_connection(('127.0.0.1', 8123)).recv(9).decode())\n"
    )
    project.write("serve.py", script)
    found = project.preview("/usr/bin/python3 serve.py")
    assert (found["output"], found["reached"]) == ("own\n", [])


def test_home_secrets_and_variables_are_masked(project: Project) -> None:
    (project.home / ".ssh").mkdir()
    (project.home / ".ssh/id_ed25519").write_text("HOME-SECRET")
    project.write(".env", "PROJECT-SECRET")
    project.write("config/.env.example", "fine")
    project.owned()
    found = project.preview(f"cat {project.home}/.ssh/id_ed25519 .env config/.env.example; ls -A {project.home}; env")
    assert "SECRET" not in found["output"]
    assert "fine" in found["output"]
    assert ".env: Permission denied" in found["output"]
    assert [path for path in found["masked"] if path.startswith(str(project.root))] == [f"{project.root}/.env"]


def test_a_masked_file_can_be_neither_changed_nor_removed(project: Project) -> None:
    project.write(".env", "SECRET")
    found = project.preview("rm -f .env; echo x > .env; mv .env other; chmod 644 .env; cat .env")
    assert paths(found) == []


def test_variables_are_passed_by_name_only(project: Project) -> None:
    os.environ["PREVIEW_TOKEN"], os.environ["PREVIEW_PLAIN"] = "token", "plain"
    found = project.preview("env", passes=["PREVIEW_PLAIN"])
    assert "PREVIEW_PLAIN=plain" in found["output"]
    assert "PREVIEW_TOKEN" not in found["output"]


def test_a_folder_outside_is_read_where_it_is_shown(project: Project) -> None:
    (project.beside / "data").write_text("shown")
    (project.beside / ".env").write_text("SECRET")
    project.owned()
    command = f"cat {project.beside}/data {project.beside}/.env; echo x > {project.beside}/data"
    assert "shown" not in project.preview(command)["output"]
    found = project.preview(command, shows=[str(project.beside)])
    assert "shown" in found["output"]
    assert "SECRET" not in found["output"]
    assert "Read-only file system" in found["output"]
    assert (project.beside / "data").read_text() == "shown"


def test_a_commit_is_made_by_the_person(project: Project) -> None:
    (project.home / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.com\n[alias]\n\tx = !id\n")
    project.owned()
    command = (
        "git init -q . && echo a > a && git add a && git commit -qm first && git log --format=%an; git config alias.x"
    )
    found = project.preview(command)
    assert found["output"] == "Ann\n"
    assert found["exit"] == 1


def test_what_is_left_outside_is_told(project: Project) -> None:
    made = f"/tmp/made-{uuid4().hex}"  # nobody else's
    found = project.preview(f"echo x > {made}; echo y > ~/note")
    assert found["outside"] == [made, f"{project.home}/note"]
    assert found["changes"] == []
    assert not os.path.exists(made)


def test_what_still_runs_is_stopped_and_counted(project: Project) -> None:
    found = project.preview("sleep 60 & sleep 60 & echo started")
    assert (found["exit"], found["left_running"], found["output"]) == (0, 2, "started\n")


@pytest.mark.slow
def test_time_bytes_and_processes_are_limited(project: Project) -> None:
    slow = project.preview("sleep 30", limits={"seconds": 1})
    assert (slow["exit"], slow["stopped"]) == (None, "time")
    assert slow["seconds"] < 5
    big = project.preview("head -c 50000000 /dev/zero > big; echo $?", limits={"bytes": 1 << 20})
    assert "No space left on device" in big["output"] or "File size limit" in big["output"]
    many = project.preview("for i in $(seq 300); do sleep 20 & done; wait", limits={"processes": 20, "seconds": 15})
    assert many["stopped"] == "processes" or "fork: " in many["output"]


@pytest.mark.slow
def test_what_was_stopped_cannot_be_applied(project: Project) -> None:
    found = project.asked(command="echo x > a; sleep 30", limits={"seconds": 1}, apply=True)
    assert "was stopped before it had ended" in found["error"]
    assert not (project.root / "a").exists()


def test_folders_that_are_no_project_are_refused(project: Project) -> None:
    for root in ("/", "/usr", "/tmp", str(project.home), str(project.folder)):
        assert project.asked(command="true", root=root)["kind"] == "NoPreviewError"
    assert project.asked(command="true", cwd="/usr")["kind"] == "InputError"
    assert project.asked(command="  ")["kind"] == "InputError"


def test_folders_of_secrets_are_not_shown(project: Project) -> None:
    (project.home / ".local/state/interlock").mkdir(parents=True)
    (project.home / ".ssh").mkdir()
    project.owned()
    for place in (".", ".ssh", ".local", ".local/state/interlock"):
        found = project.asked(command="true", shows=[str(project.home / place)])
        assert "is not shown to a command" in found["error"]
    assert "what lies there are no files" in project.asked(command="true", shows=["/proc"])["error"]


@pytest.mark.slow
def test_folders_that_are_nested_without_end_are_refused_or_told(project: Project) -> None:
    deep = "for i in $(seq 1200); do mkdir d && cd d || exit; done; cd / "
    found = project.asked(command=deep)
    assert "error" in found or found["changes"] or found["hindrances"]
    assert os.listdir(project.root) == []


def test_odd_names_of_the_project_are_no_hindrance(project: Project) -> None:
    """Colons and commas mean something in the options of an overlay."""
    odd = project.folder / "a:b,c\\d e"
    odd.mkdir()
    (odd / "file").write_text("1")
    project.owned()
    found = project.preview("echo 2 > file", root=str(odd), cwd=str(odd))
    assert paths(found) == [("changed", "file")]
