"""Seconds of a trial: a response time belongs to a second only if it is one second's."""

from pathlib import Path

from two_programs import two_programs

from fivenines.load.sysbench_output import Output
from fivenines.load.sysbench_time_line import write_latencies
from fivenines.report.export.attempts import attempts, named
from fivenines.report.export.second_table import time_course


def test_a_histogram_of_the_whole_window_is_no_seconds(tmp_path: Path) -> None:
    speeds = {"fivenines": {"a": 900.0}, "sysbench": {"a": 900.0}}
    run = two_programs(tmp_path / "run", speeds, trials=1)
    (of_run,) = named([run])
    for one in attempts(of_run):
        assert one.stored is not None
        ours = "sysbench" not in one.cell.workload
        if not ours:
            write_latencies(one.stored.folder, Output(histogram=[(5.0, 70), (9.0, 30)]), 1e9, 1, 5)
        course = time_course(one)
        assert len(course.seconds) >= 5 and not course.notes
        assert any(second.latency for second in course.seconds) is ours
        merged = {(each.kind, each.part): each.merged for each in course.histograms}
        n = merged["transaction", "steady"].n
        assert n > 0 if ours else n == 100
