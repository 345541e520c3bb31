"""A virtual machine's kernel and commands, without any kernel."""

import signal
from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.processes import lifeline
from fivenines.lab.vm import process as vm_process
from fivenines.lab.vm.host import VirtualMachine
from fivenines.lab.vm.machine import Machine
from fivenines.lab.vm.process import VmProcess

MACHINE = Machine(memory=512 * 2**20, disk=2**30, kernel=Path("/kernel"), modules=("drbd",))


def _vm(folder: Path, machine: Machine = MACHINE) -> VirtualMachine:
    group = HostGroup(Groups({}, 1), "node1", None, None)
    made = VirtualMachine("node1", "10.99.0.11", folder, Root(engine=Path("/engine")), group, machine)
    made.namespaces._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    made.port.plug_in(1, 3, 0, None)
    return made


def test_command_line_of_the_kernel(tmp_path: Path) -> None:
    words = _vm(tmp_path).kernel.command()
    assert words[0] == "/run/uml/linux.uml" and "mem=512M" in words
    assert "ubd0s=/run/node/disk/data.img" in words, "s: completed writes are on the disk"
    assert "vec0:transport=fd,fd={network},vec=0,mac=02:99:00:00:00:03" in words
    agent = words[words.index("--") + 1 :]
    assert agent[:2] == ["vm", "agent"]
    assert "--module=drbd" in agent and "--disk" in agent


def test_does_not_mount_a_disk_for_other_software(tmp_path: Path) -> None:
    machine = Machine(2**28, 2**28, Path("/kernel"), mounted=False)
    assert "--disk" not in _vm(tmp_path, machine).kernel.command()


def test_mounts_its_kernel_our_program_and_the_engine(tmp_path: Path) -> None:
    shown = {str(inside): source for source, inside in _vm(tmp_path).namespaces.shown.items()}
    assert shown == {
        "/run/engine": Path("/engine"),
        "/run/uml": Path("/kernel"),
        "/run/fivenines": tmp_path / "core",
    }


def test_commands_go_by_the_hosts_private_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vm = _vm(tmp_path)
    monkeypatch.setattr(vm.power, "require", lambda: None)
    way = vm.commands.inside(["mariadbd", "--x"], 999)
    assert "--target=4711" in way and "--into=user,net,pid" in way
    assert way[-6:] == ["agent", "run", "--uid=999", "--", "mariadbd", "--x"]
    assert vm.port.ear(1) == (1, "v-node1"), "what it is sent is heard at its port"


def test_two_signals_are_asked_for_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(vm_process.look, "send", lambda _process, number: sent.append(number))
    one = VmProcess(None, None)  # type: ignore[arg-type]
    process: Any = None
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT, signal.SIGTERM):
        one.send(process, number)
    assert sent == [signal.SIGRTMIN, signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM]


def test_bandwidth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="node1: `bandwidth` cannot be set for virtual machines"):
        _vm(tmp_path).port.plug_in(1, 1, 0, 1_000_000)


def test_without_power_nothing_is_killed_or_taken(tmp_path: Path) -> None:
    vm = _vm(tmp_path)
    assert not vm.power.is_on and vm.processes.kill_all() == []
    vm.addresses.keep_only_own()
