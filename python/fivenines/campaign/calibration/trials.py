"""Trials of calibrators: run as in an experiment, with access to the deployment."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from fivenines.base.errors import FiveninesError
from fivenines.campaign.calibration.base import CalibrationContext
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.load import dataset
from fivenines.results import layout
from fivenines.results.store import StoredTrial
from fivenines.servers.base import Server
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed, data_set
from fivenines.trial.progress import Progress, TrialPhase
from fivenines.trial.trial import run_trial

D = TypeVar("D", bound=Deployed)

UNDER_LOAD = "warm-up and steady load"
# Phases of a trial, at whose beginning effects can be planted.
CHECKING = "checking"

# A small data set for all calibrators; rows are chosen uniformly, so that clients rarely conflict.
DATA = "tables: 1, table_size: 10000, distribution: uniform"


class Planting(Generic[D]):
    """A listener that plants effects: it calls `actions[phase]` with the deployment at the phase's
    beginning.
    """

    def __init__(self, kind: Callable[..., D], actions: Mapping[str, Callable[[D], None]]) -> None:
        self._kind = kind
        self._actions = actions
        self._deployed: D | None = None

    def deploy(self, *arguments: Any) -> D:
        """Create the deployment, and remember it."""
        self._deployed = self._kind(*arguments)
        return self._deployed

    def __call__(self, event: Progress) -> None:
        if isinstance(event, TrialPhase) and event.phase in self._actions and self._deployed:
            self._actions[event.phase](self._deployed)


@contextmanager
def data_of(context: CalibrationContext, experiment: Experiment) -> Iterator[Path]:
    """Provide the data set of an experiment with one solution and workload, locked together with the
    engine.
    """

    def report(message: str, _fraction: float | None) -> None:
        context.tell(message)

    (solution,), (workload,) = experiment.solutions, experiment.workloads
    make = partial(data_set, solution, workload, report)
    with engine(solution.engine).used(report), dataset.used(make, report) as folder:
        yield folder


def change(node: Server, *statements: str) -> None:
    """Run statements in the workload's database of a node."""
    with node.sql.open_data(10.0) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def planted_trial(
    context: CalibrationContext, text: str, kind: Callable[..., D], actions: Mapping[str, Callable[[D], None]]
) -> StoredTrial:
    """Run the only trial of an experiment in the context's folder, and plant effects in it.

    Raises:
        FiveninesError: the trial is broken; the message has the reason.
    """
    experiment = parse_experiment(text, "calibration")
    (trial,) = plan(experiment)
    planting = Planting(kind, actions)
    with data_of(context, experiment):
        record = run_trial(trial, experiment, context.folder, 1, planting, planting.deploy)
    if record.status != "complete":
        raise FiveninesError(f"the trial is broken: {record.reason}")
    return StoredTrial(layout.trial_folder(context.folder, trial.id), record)
