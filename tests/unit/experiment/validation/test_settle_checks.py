"""A delayed standby has the last writes only after its delay."""

from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import load_experiment

TEXT = """name: x
solutions: [{{solution: hot-standby, standbys: 2, delay: 30s}}]
workloads: [oltp_read_only]
timing:
  settle: {}
"""


def test_the_settling_is_longer_than_the_delay(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(TEXT.format("20s"))
    with pytest.raises(UsageError) as caught:
        load_experiment(file)
    assert "x.yaml:5" in str(caught.value)
    assert "only after 30s: write 35s or more" in str(caught.value)
    file.write_text(TEXT.format("35s"))
    load_experiment(file)
