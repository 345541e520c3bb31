"""Galera, replication and an external cluster fulfil `deployment_contract`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import lab_external_servers
import psutil
import pytest
from deployment_contract import DeploymentContract, Left, OwnedContract
from lab_external_servers import PASSWORD, WORKLOAD, ExternalServer, running

from fivenines.experiment.source import solution_from
from fivenines.trial.deployment.deployed import Deployed, data_set


@pytest.fixture
def left(tmp_path: Path) -> Left:
    """Return the deployment's remaining scratch folder and processes."""

    def found() -> list[str]:
        lines = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
        folders = [str(tmp_path / "lab")] if (tmp_path / "lab").exists() else []
        return folders + [line for line in lines if str(tmp_path / "lab") in line]

    return found


def made(written: Mapping[str, Any], folder: Path) -> Deployed:
    """Return a deployment of this solution with the small data set, not started yet."""
    settings = solution_from({**written, "name": "contract"}, "contract")
    data = data_set(settings, WORKLOAD, lambda _message, _fraction: None)
    return Deployed(settings, data, folder / "lab")


@pytest.mark.lasts(60)
class TestGalera(OwnedContract):
    size = 3

    @pytest.fixture
    def deployed(self, tmp_path: Path) -> Deployed:
        return made({"solution": "galera", "size": 3}, tmp_path)


@pytest.mark.lasts(30)
class TestReplication(OwnedContract):
    size = 2

    @pytest.fixture
    def deployed(self, tmp_path: Path) -> Deployed:
        return made({"solution": "replication", "replicas": 1}, tmp_path)


@pytest.mark.lasts(30)
class TestExternal(DeploymentContract):
    size = 2

    @pytest.fixture
    def pair(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ExternalServer]]:
        """Provide a PostgreSQL primary with a standby, which outlive the deployment."""
        monkeypatch.setenv(PASSWORD, "app")
        first = lab_external_servers.postgres(tmp_path, "db1")
        second = lab_external_servers.postgres(tmp_path, "db2", first.port)
        with running(first, second):
            yield [first, second]
            assert all(deployment.query("SELECT 1") == [(1,)] for deployment in (first, second))

    @pytest.fixture
    def deployed(self, tmp_path: Path, pair: list[ExternalServer]) -> Deployed:
        members = {deployment.name: deployment.at for deployment in pair}
        return made(
            {
                "solution": "external",
                "engine": "external-postgres",
                "members": members,
                "user": "app",
                "password_env": PASSWORD,
                "database": "sbtest",
                "existing": "reuse",
            },
            tmp_path,
        )
