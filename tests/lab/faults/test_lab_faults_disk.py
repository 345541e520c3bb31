"""Slow and full disks: the server's log shows them, and acknowledged rows are there."""

import re
from pathlib import Path

import pytest
from lab_support import run_trial, timing

_STEPS = """
faults:
- fault: sequence
  steps:
  - {at: 0s, fault: {fault: slow-disk, delay: 100ms, duration: 1500ms}}
  - {at: 2s, fault: {fault: full-disk, duration: 5s}}
"""


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("postgres-18", "No space left on device"),
        # The error appears by number, by name or both, depending on the part of MariaDB that reports it.
        ("mariadb-10.11", r"(?i)(?:errcode|errno|error)[: ]+(?:number )?28\b|no space left"),
    ],
)
def test_a_slow_and_a_full_disk(tmp_path: Path, engine: str, words: str) -> None:
    text = f"solutions: [{{solution: standalone, engine: {engine}}}]{_STEPS}"
    outcome = run_trial(tmp_path, text + timing())
    slow, full = outcome.record.faults
    assert slow.verified and slow.ended_verified and slow.rejoined, slow
    assert "flushes were delayed" in slow.ended_detail
    assert full.verified and full.ended_verified and full.rejoined, full
    assert "writes were refused" in full.ended_detail
    logs = outcome.folder / "logs" / "node1" / "log"
    output = "".join(path.read_text(errors="replace") for path in logs.iterdir() if path.is_file())
    assert re.search(words, output), output[-2000:]
    assert outcome.record.check is not None
    assert [node.node for node in outcome.record.check.nodes if node.lost] == []
