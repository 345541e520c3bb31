"""The program that makes the load of a trial."""

from collections.abc import Callable
from pathlib import Path

from fivenines.cluster.endpoints import Endpoints
from fivenines.lab.host import Host
from fivenines.load.run import Live, LoadPlan, RunningLoad
from fivenines.load.sysbench import SysbenchLoad
from fivenines.servers.base import Server
from fivenines.software.base import Engine
from fivenines.software.sysbench_root import SysbenchRoot
from fivenines.workloads.program import Program

_LOADS: dict[Program, type[RunningLoad]] = {"fivenines": RunningLoad, "sysbench": SysbenchLoad}


def start_load(
    host: Host, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path, live: Live
) -> RunningLoad:
    """Start the load with the program that its workload names; `out` is the folder of its files.

    Raises:
        FiveninesError: the program cannot reach the endpoints.
    """
    return _LOADS[plan.workload.program](host, server, endpoints, plan, out, live)


def software_of(program: Program) -> Engine | None:
    """Where the program comes from; None: it is our own."""
    return SysbenchRoot() if program == "sysbench" else None


def endpoints_for(program: Program, endpoints: Endpoints, primary: Callable[[], Server | None]) -> Endpoints:
    """The endpoints as a program can use them: one that cannot look for the primary is told where it is."""
    if program == "fivenines" or endpoints.find == "any" or endpoints.spread == "all":
        return endpoints
    found = primary()
    return Endpoints.of_one(found.endpoint) if found is not None else endpoints
