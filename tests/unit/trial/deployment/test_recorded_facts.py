"""The record of a deployment has the facts about its solution with the user's server settings."""

from pathlib import Path

import pytest
from fake_solution import fake_deployment

from fivenines.solutions.standalone import StandaloneSettings


def test_the_record_has_the_risks_of_server_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    risky = StandaloneSettings(solution="standalone", engine="postgres-18", server={"fsync": False})
    deployed = fake_deployment(1, tmp_path, monkeypatch)
    with deployed:
        deployed.bring_up()
        settings = deployed.solution.settings
        for name in ("facts", "server", "family"):
            monkeypatch.setattr(settings, name, getattr(risky, name), raising=False)
        facts = deployed.record().facts
    assert facts is not None and facts.may_lose is not None
    assert facts.may_lose.startswith("fsync is off")
