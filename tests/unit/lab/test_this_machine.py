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
        running = client.commands.spawn_outside(["sleep", "600"], log="sleep.out")
        assert isinstance(running, OwnProcess) and running.alive
        (own,) = running.members()
        assert own.pid == running.popen.pid
        assert (running.gone(running.kill()) and not running.alive) or running.wait(5.0)
        assert running.members() == []
        assert (client.node / "log" / "sleep.out").exists()
    assert not (tmp_path / "here").exists()


def test_a_program_ends_politely(tmp_path: Path) -> None:
    with ThisMachine(tmp_path / "here") as here:
        running = here.add_host("client", Root()).commands.spawn_outside(["sleep", "600"], log="x")
        running.terminate(10.0)
        assert not running.alive


def test_refuses_actions_that_need_a_lab(tmp_path: Path) -> None:
    with ThisMachine(tmp_path / "here") as here:
        place = here.add_external("db1", "192.0.2.1")
        assert (place.address, here.sites.members()) == ("192.0.2.1", {"site": ["db1"]})
        here.require_sound()
        for refused in (
            lambda: here.network.cut([("db1", "client")]),
            lambda: here.network.heal([]),
            lambda: here.network.impair("db1", LinkSettings(rtt=0.1)),
            lambda: here.network.restore("db1"),
            lambda: here.network.reaches("db1", "client"),
            lambda: place.pid,
            lambda: place.port.ear(here.pid),
            place.processes.kill_all,
            lambda: place.addresses.give("192.0.2.2"),
            lambda: place.commands.inside(["true"], None),
        ):
            with pytest.raises(FiveninesError, match=r"does not control|not a host of the lab"):
                refused()


def test_what_an_external_cluster_does_not_have_is_absent(tmp_path: Path) -> None:
    with ThisMachine(tmp_path / "here") as here:
        client = here.add_host("client", Root())
        here.network.begin()
        here.network.add_addresses(client, 3)
        here.network.end()
        assert here.network.traffic() == {} and here.network.frames_cut() == 0
        assert client.addresses.extra == [] and here.sites.of("client") == "site"
        assert not here.clocks.differ and here.clocks.records() == {}
        assert not here.power.available
        for refused in (lambda: here.power.off(["client"]), lambda: here.power.on(["client"])):
            with pytest.raises(
                FiveninesError, match=r"^these hosts are not machines that can be switched off$"
            ):
                refused()
