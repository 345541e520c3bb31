"""The fake solution fulfils the contract of a deployment, see `deployment_contract`."""

from pathlib import Path
from typing import Any

import pytest
from deployment_contract import Left, OwnedContract
from fake_solution import fake_deployment

from fivenines.trial.deployment.deployed import Deployed


class TestFakeDeployment(OwnedContract):
    size = 3

    @pytest.fixture
    def deployed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deployed:
        return fake_deployment(self.size, tmp_path, monkeypatch)

    @pytest.fixture
    def left(self, deployed: Deployed) -> Left:
        lab: Any = deployed.lab
        return lambda: [server.name for server in lab.servers if server.alive]
