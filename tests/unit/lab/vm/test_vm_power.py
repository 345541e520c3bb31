"""When a virtual machine starts and ends, with a pretended kernel."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.vm.files import VmFiles
from fivenines.lab.vm.power import VmPower


class Kernel:
    """A kernel that counts its starts."""

    def __init__(self) -> None:
        self.boots, self.runs = 0, False

    @property
    def started(self) -> bool:
        return self.boots > 0

    def boot(self) -> None:
        self.boots, self.runs = self.boots + 1, True

    def await_end(self) -> None:
        self.runs = False


class Outer:
    """The namespaces around it, without processes."""

    def kill_all(self) -> list[Any]:
        return []


def make() -> tuple[VmPower, Kernel]:
    kernel = Kernel()
    return VmPower("node1", kernel, Outer()), kernel  # type: ignore[arg-type]


def test_the_first_use_starts_it_and_a_loss_of_power_is_not_repaired() -> None:
    power, kernel = make()
    assert not power.is_on and not power.was_switched_off
    power.require()
    power.require()
    assert power.is_on and kernel.boots == 1
    assert power.off() == [] and not power.is_on and power.was_switched_off
    with pytest.raises(FiveninesError, match=r"^node1 is switched off$"):
        power.require()
    power.on()
    power.on()
    assert power.is_on and kernel.boots == 2


def test_sockets_are_relayed_again_after_each_start(tmp_path: Path) -> None:
    power, _ = make()
    relays: list[str] = []

    class Commands:
        def spawn_outside(self, command: list[str], *, log: str) -> str:
            relays.append(next(word for word in command if word.startswith("--name=")))
            return log

    files = VmFiles(tmp_path, Commands(), None, power)  # type: ignore[arg-type]
    files.show_socket("early")
    assert relays == [], "without its kernel nothing is relayed"
    power.on()
    files.show_socket("late")
    assert relays == ["--name=early", "--name=late"]
    power.off()
    power.on()
    assert relays[2:] == ["--name=early", "--name=late"]
