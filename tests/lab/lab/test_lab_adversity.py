"""A full disk, a full cache, a clock that is set, a machine that sleeps, a controller that is stopped:
finished trials stay, one line says what to do, and the run can be resumed.

The disks are small file systems in a separate mount namespace. The machine's clock is shared and is not set
here. Clocks are read only by `machine_watch.read`, which returns what a machine would whose clock was set, or
that slept.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from lab_leftovers import RunTraces
from lab_support import GENTLE, HEAD, LIMIT, STANDSTILL, fivenines, program, timing

from fivenines.base import paths
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.lab import limits
from fivenines.results import store
from fivenines.software.store import engine
from fivenines.trial import machine_watch
from fivenines.trial.progress import Progress, TrialPhase

_STANDALONE = "solutions: [{solution: standalone, engine: postgres-18}]\n"
_TWO = HEAD.replace("trials: 1", "trials: 2")
_PRIVATE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-rm"]


def test_a_trial_in_which_the_clock_was_set_or_the_machine_slept_is_broken_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fail both attempts at the trial by an incident each, and resume the run without any."""
    (tmp_path / "tiny.yaml").write_text(HEAD + _STANDALONE + GENTLE + timing(recovery=1, steady=1))
    experiment, source = load_experiment(tmp_path / "tiny.yaml")
    real, ahead = machine_watch.read, {"real": 0.0, "boot": 0.0}

    def read() -> machine_watch.Clocks:
        now = real()
        return replace(now, real=now.real + ahead["real"], boot=now.boot + ahead["boot"])

    attempts: list[str] = []

    def strike(event: Progress) -> None:
        if isinstance(event, TrialPhase) and event.phase == "warm-up and steady load":
            attempts.append(event.trial_id)
            # The clock is set by an hour; in the second attempt the machine sleeps for a minute.
            ahead["real"] += 3600 if len(attempts) == 1 else 60
            ahead["boot"] += 0 if len(attempts) == 1 else 60

    def go(resume: bool, listener: object) -> list[str]:
        trials = plan(experiment)
        return run_campaign(experiment, source, trials, tmp_path / "run", resume, listener)  # type: ignore[arg-type]

    monkeypatch.setattr(machine_watch, "read", read)
    # A busy machine may suspend this process: no third incident may be reported.
    monkeypatch.setattr(machine_watch, "PAUSE", STANDSTILL)
    assert go(False, strike) == ["0001"]
    run = store.open_run(tmp_path / "run")
    assert run.complete == []
    assert [trial.record.reason for trial in run.broken] == [
        "the machine's clock was set forward by 3600.00 s",
        "the machine was suspended for 60.00 s",
    ]
    assert go(True, lambda _event: None) == []
    assert len(store.open_run(tmp_path / "run").complete) == 1


# The watch has unit tests, and calibration plants standstills.
@pytest.mark.long
def test_a_trial_in_which_the_controller_stood_still_is_broken_and_tried_again(tmp_path: Path) -> None:
    """Stop the controller as Ctrl-Z or a paused virtual machine would: the clocks go on."""
    (tmp_path / "tiny.yaml").write_text(HEAD + _STANDALONE + GENTLE + timing(recovery=1, steady=3))
    with (tmp_path / "output").open("wb") as log:
        running = subprocess.Popen(
            program("run", "tiny.yaml", "--out", "run"),
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    deadline = time.monotonic() + LIMIT
    while not (tmp_path / "run/trials/.0001.part/observed/hosts.csv").exists():
        assert running.poll() is None, (tmp_path / "output").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    running.send_signal(signal.SIGSTOP)
    time.sleep(machine_watch.PAUSE + 2)
    running.send_signal(signal.SIGCONT)
    assert running.wait(LIMIT) == 0, (tmp_path / "output").read_text()
    run = store.open_run(tmp_path / "run")
    assert len(run.complete) == 1
    (broken,) = run.broken
    assert broken.record.reason.startswith("fivenines paused for "), broken.record.reason


_GREEDY = """
import time
taken = []
while True:
    taken.append(b"x" * 4_000_000)
    time.sleep(0.005)
"""


def _killed_for_memory(folder: Path) -> int:
    text = "".join(
        (folder / name).read_text()
        for name in ("memory.events", "memory.oom_control")
        if (folder / name).exists()
    )
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill "))


# kill -9 does the same and has a test.
@pytest.mark.long
def test_a_controller_that_the_kernel_kills_for_want_of_memory_leaves_nothing(tmp_path: Path) -> None:
    """Let memory run out in a control group, so that the kernel kills the controller first."""
    groups = limits.detect()
    if not groups.usable:
        pytest.skip(f"NOT TESTED: {groups.reason}")
    (tmp_path / "tiny.yaml").write_text(HEAD + _STANDALONE + GENTLE + timing(recovery=1, steady=15))
    group, made = limits.HostGroup(groups, "memory", 1_500_000_000, None), RunTraces()
    memory = next(path for path in group.folders if path.parent == groups.parents["memory"])
    running = subprocess.Popen(
        group.wrap(program("run", "tiny.yaml", "--out", "run")),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    greedy = None
    try:
        deadline = time.monotonic() + LIMIT
        while not (tmp_path / "run/trials/.0001.part/observed/hosts.csv").exists():
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        made.note(running.pid)
        Path(f"/proc/{running.pid}/oom_score_adj").write_text("1000")
        greedy = subprocess.Popen(group.wrap([sys.executable, "-c", _GREEDY]))
        assert running.wait(LIMIT) == -signal.SIGKILL
        assert _killed_for_memory(memory) >= 1
    finally:
        for process in filter(None, (greedy, running)):
            process.kill()
            process.wait()
        group.remove()
    assert made.left(60.0) == []
    again = fivenines("run", "tiny.yaml", "--out", "run", "--resume", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert len(store.open_run(tmp_path / "run").complete) == 1


# Two trials: the disk of the run is filled while the second trial is under load.
_FULL_RUN = """\
set -e
mount -t tmpfs -o size={size} tmpfs disk
{run} > output1 2>&1 & program=$!
while [ ! -e disk/run/trials/.0002.part/observed/hosts.csv ]; do
  kill -0 $program || exit 9
  sleep 0.05
done
# in one go: to write as much takes longer than the trial; a little less where a server was quicker
for less in 0 20000000 40000000; do
  left=$(df --output=avail -B1 disk | tail -n 1)
  fallocate -l $((left - less)) disk/filler && break
done
# also what becomes free meanwhile, as a server's log does
while kill -0 $program 2> /dev/null; do
  dd if=/dev/zero bs=64k 2> /dev/null >> disk/filler || true
  sleep 0.05
done
code=0; wait $program || code=$?
echo $code > code1
ls -A disk/run disk/run/trials > left
cp disk/run/trials/0001/trial.json before.json
rm disk/filler
code=0; {run} --resume > output2 2>&1 || code=$?
echo $code > code2
cmp before.json disk/run/trials/0001/trial.json
cp -r disk/run kept
"""


def _in_private(folder: Path, script: str, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        [*_PRIVATE, "sh", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env={**os.environ, "COLUMNS": "200", **(env or {})},
    )
    words = [path.read_text() for path in folder.glob("output*")]
    assert done.returncode == 0, (done.stderr, words)


def test_a_full_disk_stops_the_run_and_finished_trials_stay(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "tiny.yaml").write_text(_TWO + _STANDALONE + GENTLE + timing(recovery=1, steady=4))
    command = shlex.join([sys.executable, "-m", "fivenines", "run", "tiny.yaml", "--out", "disk/run"])
    _in_private(tmp_path, _FULL_RUN.format(size="1200m", run=command))
    output = (tmp_path / "output1").read_text()
    last = output.splitlines()[-1]
    assert (tmp_path / "code1").read_text() == "1\n", output
    # The error names the free space only if the failed program has not freed space again.
    assert last.startswith("error: the disk under ") and "disk/run is full" in last, output
    assert "finished trials are kept" in last and "--resume --out disk/run" in last, output
    assert "0002.broken" not in (tmp_path / "left").read_text()
    assert (tmp_path / "code2").read_text() == "0\n", (tmp_path / "output2").read_text()
    run = store.open_run(tmp_path / "kept")
    assert (len(run.complete), run.broken, run.missing) == (2, [], [])


# A data set is loaded into a cache without space for it, until it gets some.
_FULL_CACHE = """\
set -e
mount -t tmpfs -o size=24m,mode=700 tmpfs cache
ln -s {engines} cache/engines
code=0; {run} > output1 2>&1 || code=$?
echo $code > code1
ls -A cache/data > left || true
mount -o remount,size=1g cache
code=0; {run} --resume > output2 2>&1 || code=$?
echo $code > code2
cp -r run kept
"""


def test_a_full_cache_is_reported_and_the_run_resumes_with_space(tmp_path: Path) -> None:
    engine("postgres-18").require(lambda _message, _fraction: None)
    (tmp_path / "cache").mkdir()
    (tmp_path / "tiny.yaml").write_text(HEAD + _STANDALONE + GENTLE + timing(recovery=1, steady=1))
    command = shlex.join([sys.executable, "-m", "fivenines", "run", "tiny.yaml", "--out", "run"])
    script = _FULL_CACHE.format(run=command, engines=shlex.quote(str(paths.cache() / "engines")))
    _in_private(tmp_path, script, {"FIVENINES_CACHE": str(tmp_path / "cache")})
    output = (tmp_path / "output1").read_text()
    last = output.splitlines()[-1]
    assert (tmp_path / "code1").read_text() == "1\n", output
    assert last.startswith("error: the disk under ") and "cache/data is full" in last, output
    assert "--resume --out run" in last, output
    # Nothing looks like a data set, and nothing occupies space.
    assert not [name for name in (tmp_path / "left").read_text().split() if ".lock" not in name]
    assert (tmp_path / "code2").read_text() == "0\n", (tmp_path / "output2").read_text()
    assert len(store.open_run(tmp_path / "kept").complete) == 1
