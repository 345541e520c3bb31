"""The end of a deployment is complete, even if steps fail."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.trial.deployment import deployed
from fivenines.trial.deployment.deployed import Deployed


@pytest.mark.parametrize("fails", ["", "durability", "manager", "leave", "access"])
def test_a_failure_to_end_a_part_does_not_stop_the_rest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: str
) -> None:
    done: list[str] = []

    def ending(name: str) -> Any:
        def end() -> None:
            done.append(name)
            if name == fails:
                raise RuntimeError(name)

        return end

    lab = SimpleNamespace(close=ending("lab"))
    solution = SimpleNamespace(leave=ending("leave"))
    manager = SimpleNamespace(stop=ending("manager"))
    made: dict[str, Any] = {
        "_around": lab,
        "manager_of": manager,
        "access_of": SimpleNamespace(stop=ending("access")),
        "_keeper": SimpleNamespace(stop=ending("durability")),
        "engine": None,
    }
    for name, value in made.items():
        monkeypatch.setattr(deployed, name, lambda *_, value=value: value)
    monkeypatch.setattr(deployed.plugins, "implementation", lambda *_: lambda *_: solution)
    settings: Any = SimpleNamespace(engine="", access=None)
    one = Deployed(settings, tmp_path, tmp_path / "lab")
    one._managed = True
    if fails:
        with pytest.raises(RuntimeError, match=fails):
            one.close()
    else:
        one.close()
    assert done == ["durability", "manager", "access", "leave", "lab"]
