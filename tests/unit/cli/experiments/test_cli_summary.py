"""What commands print of a run in the end: results on stdout, alarms on stderr."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_support import Pretend

from fivenines.cli.experiments import summary
from fivenines.report.terminal.terminal import Block

SAID = [Block(["workload tpcc"], ["Solution"], [["pair"]]), Block(["SPLIT BRAIN"], alarm=True)]


@pytest.mark.parametrize(
    ("blocks", "out", "err"),
    [
        (SAID, ["workload tpcc", "Solution", "pair"], "SPLIT BRAIN\n"),
        ([], [], "run: no trial is complete yet, so there is no summary\n"),
    ],
)
def test_results_are_on_stdout_and_alarms_on_stderr(
    pretend: Pretend, capsys: pytest.CaptureFixture[str], blocks: list[Block], out: list[str], err: str
) -> None:
    pretend("fivenines.report.terminal", terminal=SimpleNamespace(blocks=lambda run, width, wide: blocks))
    summary.show(Path("run"))
    message = capsys.readouterr()
    assert [line.strip() for line in message.out.splitlines()] == out
    assert message.err == err
