"""What is asked of a playground, as its keeper reads it from standard input."""

from pydantic import BaseModel, ConfigDict

from fivenines.experiment.spec import AnySolution, AnyWorkload
from fivenines.lab.settings import NetworkSettings
from fivenines.workloads.oltp import Oltp


class Wanted(BaseModel):
    """A solution, and what is around it.

    Attributes:
        solution: what is brought up.
        network: where; without it on one plain site.
        workload: whose data it starts with, and what a load runs.
        rate: of the load, in transactions per second; 0: there is no load.
        port: the first port on 127.0.0.1; None: any that are free.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    solution: AnySolution
    network: NetworkSettings = NetworkSettings()
    workload: AnyWorkload = Oltp(workload="oltp_read_write")
    rate: float = 0.0
    port: int | None = None
