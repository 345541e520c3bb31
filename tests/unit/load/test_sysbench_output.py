"""What sysbench says, read: made-up runs in its own format, and a real run of it without a server."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.load.sysbench_output import RESOLUTION, Output

REPORT = """\
SQL statistics:
    queries performed:
        read:                            {reads}
        write:                           12
        other:                           4
        total:                           99
    transactions:                        {transactions} (213.71 per sec.)
    queries:                             {queries} (4274.15 per sec.)
    ignored errors:                      {ignored} (0.00 per sec.)
    reconnects:                          {reconnects} (0.00 per sec.)

General statistics:
    total time:                          {at:.4f}s
    total number of events:              {transactions}

Latency (ms):
         min:                                  {low:.2f}
         avg:                                  {mean:.2f}
         max:                                  {high:.2f}
         95th percentile:                      0.39
         sum:                                 67.78

Threads fairness:
    events (avg/stddev):           214.0000/6.00
    execution time (avg/stddev):   0.0339/0.01

"""
HEAD = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 2

Initializing worker threads...

Threads started!

"""
SECOND = (
    "[ {at}s ] thds: 8 tps: {tps:.2f} qps: {qps:.2f} (r/w/o: {reads:.2f}/2.00/1.00) "
    "lat (ms,95%): {p95:.2f} err/s: {errors:.2f} reconn/s: 0.00"
)

COUNTS = st.integers(0, 10**9)
RATES = st.integers(0, 10**8).map(lambda value: value / 100)
TIMES = st.integers(0, 10**7).map(lambda value: value / 100)


@st.composite
def reports(draw: st.DrawFn) -> dict[str, float]:
    names = ("transactions", "queries", "reads", "ignored", "reconnects")
    found: dict[str, float] = {name: draw(COUNTS) for name in names}
    found |= {name: draw(TIMES) for name in ("low", "mean", "high")}
    return found | {"at": draw(st.integers(0, 10**8)) / 10_000}


@st.composite
def seconds(draw: st.DrawFn) -> dict[str, float]:
    found = {name: draw(RATES) for name in ("tps", "qps", "reads", "errors")}
    return found | {"p95": draw(TIMES), "at": draw(st.integers(1, 10**6))}


def read(text: str) -> Output:
    output = Output()
    for line in text.splitlines(keepends=True):
        output.read(line)
    return output


@given(
    st.lists(seconds(), max_size=8),
    reports(),
    reports(),
    st.lists(st.tuples(st.integers(1, 10**8), st.integers(1, 10**12)), max_size=8),
)
def test_all_that_a_run_says_is_read(
    seconds: list[dict[str, float]],
    warmup: dict[str, float],
    last: dict[str, float],
    histogram: list[tuple[int, int]],
) -> None:
    lines = [SECOND.format(**one) for one in seconds]
    buckets = [f"{value / 1000:12.3f} |{'***':<40} {count}" for value, count in histogram]
    text = HEAD + "\n".join(lines) + "\n[ 2s ] Checkpoint report:\n" + REPORT.format(**warmup)
    text += "       value  ------------- distribution ------------- count\n" + "\n".join(buckets)
    output = read(text + "\n \n" + REPORT.format(**last))
    assert output.started and not output.fatal
    assert [(one.at, one.tps, one.qps, one.reads, one.p95_ms, one.errors) for one in output.seconds] == [
        (one["at"], one["tps"], one["qps"], one["reads"], one["p95"], one["errors"]) for one in seconds
    ]
    assert output.histogram == [(value / 1000, count) for value, count in histogram]
    for report, wanted in zip(output.reports, (warmup, last), strict=True):
        assert report.transactions == wanted["transactions"]
        assert (report.queries, report.reads) == (wanted["queries"], wanted["reads"])
        assert (report.ignored, report.reconnects) == (wanted["ignored"], wanted["reconnects"])
        assert report.at == pytest.approx(wanted["at"], abs=1e-4)
        assert (report.min_ms, report.avg_ms, report.max_ms) == (
            wanted["low"],
            wanted["mean"],
            wanted["high"],
        )


@given(st.lists(seconds(), min_size=1, max_size=3), reports(), st.integers(0, 30))
def test_lines_of_seconds_may_stand_in_the_midst_of_a_report(
    seconds: list[dict[str, float]], report: dict[str, float], at: int
) -> None:
    lines = REPORT.format(**report).splitlines()
    lines[at:at] = [SECOND.format(**one) for one in seconds]
    output = read("\n".join(lines))
    assert len(output.seconds) == len(seconds)
    assert [one.transactions for one in output.reports] == [report["transactions"]]


@given(st.text(max_size=200))
def test_no_line_is_too_odd_to_be_passed_over(text: str) -> None:
    read(text)


def test_a_report_that_is_cut_off_is_none() -> None:
    whole = REPORT.format(
        transactions=5, queries=9, reads=3, ignored=0, reconnects=0, at=1, low=1, mean=1, high=1
    )
    assert len(read(whole).reports) == 1
    assert not read(whole[: whole.index("Threads fairness")]).reports


def test_what_ended_it_is_kept() -> None:
    output = read("FATAL: error 2002: Can't connect to server on '10.0.0.1' (115)\n")
    assert output.fatal == ["error 2002: Can't connect to server on '10.0.0.1' (115)"]
    assert not output.started


def test_the_histogram_is_as_fine_as_is_reported() -> None:
    # neighbours among the 1,024 values are 1.8 % apart, and a time is counted at the nearest
    assert pytest.approx((100_000 / 0.001) ** (1 / 1023)) == (1 + RESOLUTION) ** 2
    assert 0.008 < RESOLUTION < 0.01


def test_a_real_sysbench_without_a_server_is_read() -> None:
    program = shutil.which("sysbench")
    assert program, "sysbench is missing: run `make tools`"
    command = [program, "oltp_read_write", "--mysql-dry-run=on", "--threads=2", "--time=3"]
    command += ["--rate=200", "--report-interval=1", "--report-checkpoints=1", "--histogram=on"]
    apart: list[int] = []
    while not apart or (apart[-1] > 2 and len(apart) < 10):
        done = subprocess.run([*command, "run"], capture_output=True, text=True, check=True)
        output = read(done.stdout)
        assert output.started
        warmup, last = output.reports
        assert warmup.transactions > 0
        assert last.queries == last.transactions * 20
        assert output.seconds and all(one.tps > 0 for one in output.seconds)
        assert warmup.at < last.at
        apart.append(abs(sum(count for _, count in output.histogram) - last.transactions))
    # what ends between the two counts of a checkpoint is in one of them alone: at most the two threads' own,
    # unless a busy machine holds sysbench up just there, which it does not do each time
    assert apart[-1] <= 2
