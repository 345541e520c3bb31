"""Render the configuration of a solution without starting anything: no processes, no data, no root."""

import tempfile
from pathlib import Path
from typing import Any

from fivenines.base import plugins
from fivenines.lab.host import Root
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.unstarted import UnstartedLab
from fivenines.results.configuration import Configuration
from fivenines.servers.cluster.topology import CLIENT
from fivenines.software.stand_in import installed_or_stand_in
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.deployment.files import WrittenFiles
from fivenines.trial.deployment.parts import access_of, manager_of


def rendered(settings: SolutionSettings, network: NetworkSettings | None = None) -> Configuration:
    """Return the files that a deployment of this solution writes before its servers start.

    The steps are those of a deployment (`Deployed.bring_up`), without data and processes. Of an engine that
    is not installed, only the paths of its programs differ.

    Args:
        settings: the solution; of an external one no file is written.
        network: sites of the hosts; None: one site.
    """
    if settings.external:
        return Configuration(files=[])
    with (
        tempfile.TemporaryDirectory(prefix="fivenines-show-") as folder,
        UnstartedLab(Path(folder) / "lab", network) as lab,
    ):
        kind: Any = plugins.implementation("fivenines.solutions", Solution, settings)
        software = installed_or_stand_in(engine(settings.engine))
        solution: Solution[Any, Any] = kind(settings, lab, software, Path(folder) / "data")
        solution.hosts.add()
        solution.configure()
        access = access_of(solution)
        access.configure()
        lab.add_host(CLIENT, Root())
        if (manager := manager_of(solution)) is not None:
            manager.entry = access.entry
            manager.configure()
        files = WrittenFiles(lab)
        files.take()
        return files.configuration(solution, access)
