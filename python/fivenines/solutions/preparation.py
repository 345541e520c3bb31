"""What a run prepares for a solution before its trials: the data set, and what lasts for the whole run."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import ClassVar, Generic

from fivenines.load import dataset
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.software.base import Report
from fivenines.software.store import engine
from fivenines.solutions.settings import S


class Preparation(Generic[S]):
    """Prepares runs of one solution; nothing of it is deployed.

    Args:
        settings: from the experiment file.
    """

    # Name of a step after loading that makes the data of one server usable; see `dataset.ensure`.
    bootstrap: ClassVar[tuple[str, dataset.Bootstrap] | None] = None

    def __init__(self, settings: S) -> None:
        self.settings = settings

    def data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        """Return the folder of its data set for this workload; create the data set if it is not in the cache.

        Args:
            workload: the workload of the data.
            report: callback for progress messages.
            begun: whether a run is continued that began earlier.

        Raises:
            FiveninesError: it could not be created.
        """
        return dataset.ensure(
            engine(self.settings.engine), workload, report, self.bootstrap, self.settings.data_settings
        )

    def lasting(self, report: Report) -> AbstractContextManager[None]:
        """Provide what lasts for a whole run while the context is open.

        Raises:
            FiveninesError: it could not be created or removed.
        """
        return nullcontext()

    def over_budget(self, seconds: float) -> str:
        """Return why a trial of this length would exceed the budget; empty if it may begin."""
        return ""
