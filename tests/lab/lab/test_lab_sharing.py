"""Use of the machine: servers under test are expected to use it, other processes are named with a bound."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from lab_support import HEAD, fivenines, timing

from fivenines.analysis.cells import analyse
from fivenines.analysis.resources.machine import LEAST, Sharing
from fivenines.report.groups import names_of
from fivenines.report.sentences.sharing import cautions, table
from fivenines.results.store import open_run

HOG = "hogs_the_cpu"
TEXT = (
    HEAD
    + "solutions: [{solution: standalone, engine: postgres-18}]\n"
    + "observe: {interval: 250ms, counters: false, lag: false}\nfaults: [none]\n"
    + timing(recovery=1, steady=6)
)


@contextmanager
def _hogs() -> Iterator[None]:
    """Start one busy process per processor, outside the run."""
    spin = f"open('/proc/self/comm', 'w').write('{HOG}')\nwhile True: pass"
    hogs = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def _measured(folder: Path) -> tuple[Sharing, list[str], str]:
    folder.mkdir()
    (folder / "experiment.yaml").write_text(TEXT)
    done = fivenines("run", "experiment.yaml", "--out", "run", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    cells = analyse(open_run(folder / "run"))
    (trial,) = cells[0].trials
    assert trial.sharing is not None
    drawn = table(cells, names_of(cells)).rows
    assert len(drawn) == 1 and drawn[0][2] == f"{trial.sharing.lab:.2f}"
    return trial.sharing, cautions(cells), trial.bottleneck


# Its busy processes slow down all concurrent tests.
@pytest.mark.long
def test_servers_next_to_the_generator_are_expected_and_other_processes_are_named(tmp_path: Path) -> None:
    before = _everybody()
    alone, sentences, limit = _measured(tmp_path / "alone")
    others = _everybody() - before
    # The load waits for its own servers in any case, which is no reason for a caution.
    assert alone.lab > 0 and alone.waited is not None and alone.waited.n > 5
    assert "had no processor" not in limit
    # If other processes work during the test, the caution is right, and this process saw them, too.
    assert not sentences or others > 0.5 * LEAST, (sentences, others)
    assert HOG not in " ".join(sentences)

    with _hogs():
        shared, sentences, limit = _measured(tmp_path / "shared")
    assert "had no processor" not in limit
    assert f"{HOG} (user {psutil.Process().username()})" in dict(shared.named), shared.named
    assert shared.others > 0.25 * shared.cores and shared.disturbed
    assert shared.waited is not None and shared.latency is not None
    assert 0 < shared.waited.p99 <= shared.latency.max
    (sentence,) = sentences
    assert HOG in sentence and "contain at most" in sentence and "ms" in sentence
    assert "standalone" in sentence and "postgres (" not in sentence.split(HOG)[0]


def _everybody() -> float:
    """Return the CPU seconds of all processes except this one and its children, and the stolen time."""
    own = {process.pid for process in psutil.Process().children(recursive=True)} | {os.getpid()}
    total = psutil.cpu_times().steal
    for process in psutil.process_iter(["pid", "cpu_times"]):
        times = process.info["cpu_times"]
        if process.pid not in own and times is not None:
            total += times.user + times.system + times.children_user + times.children_system
    return total
