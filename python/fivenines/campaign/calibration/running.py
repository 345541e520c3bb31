"""A single server with a load, for calibrators without a trial."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines.campaign.calibration.base import ENGINE, CalibrationContext
from fivenines.campaign.calibration.trials import data_of
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.results.load_summary import LoadSummary
from fivenines.trial.deployment.deployed import Deployed

_EXPERIMENT = """\
name: calibration
trials: 1
solutions: [{{solution: standalone, engine: {engine}, server: {{{server}}}}}]
workloads: [{{{workload}}}]
connections: [4]
load: {{{load}}}
"""


@dataclass(frozen=True)
class Alone:
    """A server without a load."""

    deployed: Deployed
    experiment: Experiment

    def load(self, seconds: float, out: Path, seed: int) -> LoadSummary:
        """Run the load for `seconds`; return its summary, with its files in `out`.

        Raises:
            FiveninesError: the load failed.
        """
        (workload,), (connections,) = self.experiment.workloads, self.experiment.connections
        plan = LoadPlan(workload, connections, seconds, seed, self.experiment.load)
        client = self.deployed.client
        assert client is not None
        endpoints = self.deployed.access.endpoints()
        load = RunningLoad(client, self.deployed.solution.nodes[0], endpoints, plan, out, _unheard)
        try:
            load.await_start()
            return load.await_end(seconds + 30.0)
        finally:
            if not load.process.ended:
                load.stop()


@contextmanager
def alone(context: CalibrationContext, *, workload: str, load: str = "", server: str = "") -> Iterator[Alone]:
    """Deploy a server of the default engine with the calibrators' data; texts are as in an experiment
    file.
    """
    text = _EXPERIMENT.format(engine=ENGINE, server=server, workload=workload, load=load)
    experiment = parse_experiment(text, "calibration")
    with deployment_of(context, experiment) as up:
        yield Alone(up, experiment)


@contextmanager
def deployment_of(context: CalibrationContext, experiment: Experiment) -> Iterator[Deployed]:
    """Deploy the only solution of an experiment with its data."""
    with (
        data_of(context, experiment) as data,
        Deployed(experiment.solutions[0], data, context.folder / "lab") as up,
    ):
        up.bring_up()
        yield up


def _unheard(_event: dict[str, Any]) -> None:
    pass
