"""Read the clocks of all hosts on machines of an inventory."""

from collections.abc import Mapping

from fivenines.lab.lab_clocks import LabClocks
from fivenines.lab.ssh.host import SshHost
from fivenines.results.basics import ClockRecord


class SshLabClocks(LabClocks):
    """The clocks of the hosts' machines.

    Args:
        hosts: the hosts by name, with those that are added later.
    """

    differ = True

    def __init__(self, hosts: Mapping[str, SshHost]) -> None:
        self._hosts = hosts

    def records(self) -> dict[str, ClockRecord]:
        records = {}
        for name, host in self._hosts.items():
            if not host.power.is_on:
                continue
            clock = host.clock.measured
            clock.look()
            records[name] = ClockRecord(
                machine=host.connection.name,
                ahead_ms=round(clock.day_ahead() / 1e6, 3),
                error_ms=round(clock.worst() / 1e6, 3),
                drift_ms=round(clock.drift() / 1e6, 3),
                asked=len(clock.readings),
            )
        return records
