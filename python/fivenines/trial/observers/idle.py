"""Measure the idle resource usage of each host, between deployment and load."""

import time
from collections.abc import Mapping

from fivenines.lab.host import Host
from fivenines.results.records import IdleUsage
from fivenines.trial.observers.hosts import first_processes
from fivenines.trial.observers.processes import Processes, Total, memory, proportional


def idle_usage(hosts: Mapping[str, Host], seconds: float) -> dict[str, IdleUsage]:
    """Measure CPU and memory of each host for `seconds`; return an empty mapping for 0 seconds.

    The result includes work that servers do after their start, such as clean-up and catch-up.
    """
    firsts = first_processes(hosts) if seconds > 0 else {}
    if not firsts:
        return {}
    processes = Processes()
    totals = {name: Total() for name in firsts}
    before = {name: totals[name].update(seen).cpu for name, seen in processes.look(firsts).hosts.items()}
    began = time.monotonic()
    time.sleep(seconds)
    after = processes.look(firsts).hosts
    took = time.monotonic() - began
    return {
        name: IdleUsage(
            seconds=round(took, 3),
            cpu_cores=round((totals[name].update(seen).cpu - before[name]) / took, 4),
            memory_bytes=memory(seen.values()),
            pss_bytes=proportional(seen),
        )
        for name, seen in after.items()
    }
