"""The machine in the place of a lab: what runs is a process like any other, and nothing can be cut."""

from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.processes.process import OwnProcess
from fivenines.lab.settings import LinkSettings
from fivenines.lab.this_machine import ThisMachine


def test_programs_run_on_the_machine_and_end_by_pid(tmp_path: Path) -> None:
    with ThisMachine(tmp_path / "here") as here:
        client = here.add_host("client", Root())
        running = client.spawn_outside(["sleep", "600"], log="sleep.out")
        assert isinstance(running, OwnProcess) and running.alive
        (own,) = running.members()
        assert own.pid == running.popen.pid
        assert (running.gone(running.kill()) and not running.alive) or running.wait(5.0)
        assert running.members() == []
        assert (client.node / "log" / "sleep.out").exists()
    assert not (tmp_path / "here").exists()


def test_a_program_ends_politely(tmp_path: Path) -> None:
    with ThisMachine(tmp_path / "here") as here:
        running = here.add_host("client", Root()).spawn_outside(["sleep", "600"], log="x")
        running.terminate(10.0)
        assert not running.alive


def test_refuses_actions_that_need_a_lab(tmp_path: Path) -> None:
    with ThisMachine(tmp_path / "here") as here:
        place = here.add_external("db1", "192.0.2.1")
        assert (place.address, here.sites) == ("192.0.2.1", {"site": ["db1"]})
        here.require_sound()
        for refused in (
            lambda: here.cut([("db1", "client")]),
            lambda: here.heal([]),
            lambda: here.impair("db1", LinkSettings(rtt=0.1)),
            lambda: here.restore("db1"),
            lambda: here.reaches("db1", "client"),
            lambda: place.pid,
            lambda: place.inside(["true"], None),
        ):
            with pytest.raises(FiveninesError, match=r"does not control|not a host of the lab"):
                refused()
