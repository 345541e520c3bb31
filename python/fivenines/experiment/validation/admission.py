"""Refuse server settings under which the load's connections are not let in.

The server starts with them, and each trial would break: too few connections, or only encrypted ones.
"""

from collections.abc import Iterator

from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, dotted
from fivenines.servers.spelled import canonical, is_on

_LIMITS = ("max_connections", "max_user_connections")


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return one error for each such setting of a solution."""
    most = max(experiment.connections)
    tls = [
        experiment.load.tls,
        *(client.load.tls for client in experiment.clients if client.load is not None),
    ]
    for index, solution in enumerate(experiment.solutions):
        for name, value in {} if solution.external else solution.server.items():
            path: KeyPath = ("solutions", index, "server", name)
            setting = canonical(name, solution.family)
            if setting in _LIMITS and 0 < _whole(value) < most:
                text = f"{value}: the load has {most} connections: raise it, or lower `connections`"
                yield Mistake(None, path, f"{dotted(path)}: {text}")
            if setting == "require_secure_transport" and is_on(value) and "disable" in tls:
                text = (
                    "the load's connections are not encrypted: write `load: {tls: require}`, or leave it out"
                )
                yield Mistake(None, path, f"{dotted(path)}: {text}")


def _whole(value: object) -> int:
    """Return a setting as a whole number; 0 if it is none."""
    text = str(value).strip()
    return int(text) if text.isdigit() else 0
