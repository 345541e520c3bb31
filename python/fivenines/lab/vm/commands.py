"""Run commands in a virtual machine, or in the namespaces around it."""

from collections.abc import Sequence
from pathlib import Path

from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.limits import HostGroup
from fivenines.lab.vm.agent import VmAgent
from fivenines.lab.vm.power import VmPower
from fivenines.lab.vm.process import VmProcess


class VmCommands(HostCommands):
    """The commands of a virtual machine; the first one inside starts it.

    Args:
        name: name of the host.
        logs: folder of the commands' output.
        group: control groups of the local processes.
        outer: commands of the namespaces that the virtual machine is in.
        agent: its first process.
        power: its power.
    """

    process_inside = VmProcess

    def __init__(
        self, name: str, logs: Path, group: HostGroup, outer: HostCommands, agent: VmAgent, power: VmPower
    ) -> None:
        super().__init__(name, logs, group, 0o022)
        self._outer, self._agent, self._power = outer, agent, power

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        self._power.require()
        return self._agent.client(command, uid)

    def outside(self, command: Sequence[str]) -> list[str]:
        return self._outer.outside(command)
