"""A custom proxy: its templates, its notifications, and refused settings."""

import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from repository import ROOT

from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.failover.proxies.program import Program, ProgramSettings
from fivenines.lab.host import Root
from fivenines.servers.secrets import Passwords

RECIPES = ROOT / "examples" / "programs"


def settings(**given: Any) -> ProgramSettings:
    least = {"kind": "program", "command": ["pgbouncer"], "write_port": 6432}
    return ProgramSettings.model_validate(least | given)


def layer(tmp_path: Path, **given: Any) -> Program:
    """Return a program whose host is a folder; commands on it are recorded."""
    nodes = [
        SimpleNamespace(
            name=f"node{number}",
            port=5432,
            endpoint=f"10.99.0.{10 + number}:5432",
            host=SimpleNamespace(address=f"10.99.0.{10 + number}"),
        )
        for number in (1, 2)
    ]
    solution: Any = SimpleNamespace(
        nodes=nodes,
        passwords=Passwords(),
        roles=SimpleNamespace(primary_of_record=nodes[0], on_appointed=[]),
        node=lambda name: next(one for one in nodes if one.name == name),
        endpoints=lambda: SimpleNamespace(read=("10.99.0.12:5432",)),
    )
    made = Program(settings(**given), solution)
    ran: list[str] = []
    (tmp_path / "conf").mkdir(parents=True)
    made._running.host = SimpleNamespace(  # type: ignore[assignment]
        address="10.99.0.13",
        node=tmp_path,
        ran=ran,
        files=SimpleNamespace(own=lambda *_parts, uid: None),
        commands=SimpleNamespace(run=lambda command, **_more: ran.append(" ".join(command))),
    )
    made._running._process = SimpleNamespace(alive=True, interrupt=lambda number: ran.append(number.name))  # type: ignore[assignment]
    made._running._root = Root()
    made._running.write_files()
    return made


def test_files_with_passwords_are_readable_by_the_program_only(tmp_path: Path) -> None:
    made = layer(tmp_path, files={"users.txt": "{{ application.user }} {{ application.password }}\n"})
    secret = made.solution.passwords.application
    assert (tmp_path / "secret" / "users.txt").read_text() == f"app {secret}\n"
    assert (tmp_path / "secret" / "users.txt").stat().st_mode & 0o077 == 0
    assert (tmp_path / "conf" / "users.txt").read_text() == "app ***\n"


@pytest.mark.parametrize(
    ("how", "done"),
    [("SIGHUP", "SIGHUP"), (["reload", "{{ primary.name }}"], "reload node2")],
    ids=["signal", "command"],
)
def test_files_are_rendered_before_the_program_is_notified(
    tmp_path: Path, how: str | list[str], done: str
) -> None:
    made = layer(tmp_path, on_promotion=how, files={"to": "{{ primary.address }}"})
    assert (tmp_path / "conf" / "to").read_text() == "10.99.0.11"
    made.solution.roles.primary_of_record = made.solution.node("node2")  # type: ignore[misc]
    made._running.follow(how)
    assert (tmp_path / "conf" / "to").read_text() == "10.99.0.12"
    assert made._running.host.ran == [done]  # type: ignore[attr-defined]
    (event,) = made.events()
    assert (event.kind, event.detail) == ("repointed", "pgbouncer was notified that node2 is the primary")


def test_a_failed_notification_does_not_stop_the_failover(tmp_path: Path) -> None:
    made = layer(tmp_path, on_promotion="SIGHUP")

    def gone(_number: signal.Signals) -> None:
        raise OSError("it has ended")

    made._running.process.interrupt = gone  # type: ignore[method-assign, assignment]
    made.solution.roles.primary_of_record = made.solution.node("node2")  # type: ignore[misc]
    made._running.follow("SIGHUP")
    (event,) = made.events()
    assert (
        event.kind == "failed"
        and "could not be notified that node2 is the primary: it has ended" in event.detail
    )


def test_reads_go_to_its_read_port_where_it_has_one(tmp_path: Path) -> None:
    one = layer(tmp_path / "one").endpoints()
    assert (one.write, one.read) == (("10.99.0.13:6432",), ())
    two = layer(tmp_path / "two", read_port=6433).endpoints()
    assert two.read == ("10.99.0.13:6433",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"files": {"a.ini": "x\n{% for node in %}\n"}}, "access.files.a.ini: line 2: "),
        ({"files": {"a.ini": "{{ primry.name }}"}}, "'primry' is undefined; known names are nodes, primary"),
        ({"files": {"a.ini": "{{ primary.nme }}"}}, "access.files.a.ini: "),
        ({"command": ["x", "{{ fles }}"]}, "access.command: 'fles' is undefined"),
        ({"root": "trees/mine"}, "access.root: write the absolute path of trees/mine"),
        ({"on_promotion": "SIGNONE"}, "there is no signal SIGNONE"),
        ({"on_promotion": ["x", "{{"]}, "access.on_promotion: line 1: "),
        ({"drain": ["out", "{{ node.name }}"]}, "access: drain and undrain go together"),
        ({"drain": ["{{ nod.name }}"], "undrain": ["x"]}, "access.drain: 'nod' is undefined"),
        ({"command": ["x", "{{ node.name }}"]}, "access.command: 'node' is undefined"),
        ({"switchover": ["now"]}, "access.switchover: the new primary would be unknown"),
        ({"files": {"a": "{{ ''.__class__.__mro__ }}"}}, "access.files.a: "),
    ],
)
def test_invalid_settings_are_reported_before_a_run(given: dict[str, Any], message: str) -> None:
    assert message in "\n".join(settings(**given).problems())


def test_a_missing_program_is_reported() -> None:
    missing = settings(command=["no-such-proxy"])
    assert missing.machine_problem().startswith("command: there is no program no-such-proxy")
    assert settings(command=["sh"]).machine_problem() == ""
    assert "no folder /nowhere" in settings(root="/nowhere").machine_problem()
    archive = settings(root={"archive": "/nowhere.tar"})
    assert "no file /nowhere.tar" in archive.machine_problem()
    assert archive.engines == ["root:archive:/nowhere.tar"] and settings().engines == []
    image = settings(root={"image": "docker.io/library/proxy:1"})
    assert image.machine_problem() == "" and image.engines == ["root:image:docker.io/library/proxy:1"]


def test_errors_in_templates_name_file_and_line() -> None:
    text = (RECIPES / "pgbouncer.yaml").read_text().replace("{{ primary.port }}", "{{ port }}")
    with pytest.raises(UsageError) as caught:
        parse_experiment(text, "mine.yaml")
    assert "mine.yaml:" in str(caught.value)
    assert "access.files.pgbouncer.ini: 'port' is undefined" in str(caught.value)


def test_the_users_command_drains_a_node(tmp_path: Path) -> None:
    assert layer(tmp_path / "none").draining is None
    made = layer(tmp_path / "one", drain=["out", "{{ node.name }}"], undrain=["in", "{{ node.name }}"])
    assert made.draining is made
    made.drain("node2")
    made.undrain("node2")
    assert made._running.host.ran == ["out node2", "in node2"]  # type: ignore[attr-defined]
