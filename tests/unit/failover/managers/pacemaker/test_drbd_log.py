"""Resynchronisations in the kernel's log."""

from fivenines.failover.managers.pacemaker.drbd_log import resyncs

LOG = """\
[   12.340000] block drbd0: Began resync as SyncTarget (will sync 49152 KB [12288 bits set]).
[   58.120000] block drbd0: Resync done (total 45 sec; paused 0 sec; 1088 K/sec)
[   58.130000] block drbd0: conn( SyncTarget -> Connected ) disk( Inconsistent -> UpToDate )
[   90.000000] block drbd0: Resync done (total 1 sec; paused 0 sec; 4 K/sec)
"""


def test_finished_resynchronisations_have_time_and_rate() -> None:
    first, second = resyncs(LOG)
    assert (first.seconds, first.rate) == (45, 1088 * 1024)
    assert first.detail == "resynchronisation: 45 s, 1.1 MB/s"
    assert first.stamp != second.stamp


def test_a_running_resynchronisation_is_left_out() -> None:
    assert resyncs(LOG.partition("\n")[0]) == []
    assert resyncs("") == []
