"""Start the program that generates the load of a trial."""

from collections.abc import Callable
from pathlib import Path

from fivenines.lab.host import Host
from fivenines.load.run import Live, LoadPlan, RunningLoad
from fivenines.load.sysbench import SysbenchLoad
from fivenines.load.workloads.program import Program
from fivenines.servers.base import Server
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.software.base import Engine
from fivenines.software.engines.sysbench_root import SysbenchRoot

_LOADS: dict[Program, type[RunningLoad]] = {"fivenines": RunningLoad, "sysbench": SysbenchLoad}


def start_load(
    host: Host, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path, live: Live
) -> RunningLoad:
    """Start the load with the program of its workload; `out` is the folder of its files.

    Raises:
        FiveninesError: the program cannot reach the endpoints.
    """
    return _LOADS[plan.workload.program](host, server, endpoints, plan, out, live)


def software_of(program: Program) -> Engine | None:
    """Return the engine with the program; None for fivenines itself."""
    return SysbenchRoot() if program == "sysbench" else None


def endpoints_for(program: Program, endpoints: Endpoints, primary: Callable[[], Server | None]) -> Endpoints:
    """Return the endpoints for a program; one that cannot find the primary gets its address."""
    if program == "fivenines" or endpoints.find == "any" or endpoints.spread == "all":
        return endpoints
    found = primary()
    return Endpoints.of_one(found.endpoint) if found is not None else endpoints
