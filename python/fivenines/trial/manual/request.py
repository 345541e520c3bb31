"""The request that the keeper reads from standard input."""

from pydantic import BaseModel, ConfigDict

from fivenines.experiment.sections.workload import AnyWorkload
from fivenines.experiment.spec import AnySolution
from fivenines.lab.settings import NetworkSettings
from fivenines.load.workloads.oltp import Oltp


class Request(BaseModel):
    """A solution to deploy, with its network, workload and ports.

    Attributes:
        solution: the solution.
        network: its network; by default one site.
        workload: the workload of its data and its load.
        rate: transactions per second of the load; 0: no load.
        port: the first port on 127.0.0.1; None: free ports.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    solution: AnySolution
    network: NetworkSettings = NetworkSettings()
    workload: AnyWorkload = Oltp(workload="oltp_read_write")
    rate: float = 0.0
    port: int | None = None
