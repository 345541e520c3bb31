"""The glossary of the report: each measure in words, with its resolution."""

from collections.abc import Iterable

from fivenines.analysis.availability.interruptions import REACH_MS
from fivenines.analysis.availability.ordinary import FLOOR_FACTOR, FLOOR_MS
from fivenines.analysis.availability.recovery import BACK_SHARE
from fivenines.analysis.availability.stall_causes import LEAST_MS
from fivenines.analysis.measures.measures import title
from fivenines.results.layout import SLOT_MS


def used(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the definitions whose terms occur in the texts of a page."""
    page = "\n".join(texts).lower()
    return [(term, text) for term, text in DEFINITIONS if any(word in page for word in _words(term))]


def _words(term: str) -> list[str]:
    """Return the words to search for: "Phases of a failover" also applies to a page with "failover"."""
    parts = [part.lower() for part in term.split(", ")]
    return [*parts, *(part.rpartition(" ")[2] for part in parts if " of a" in part)]


# Pairs of a term and its definition.
DEFINITIONS: tuple[tuple[str, str], ...] = (
    (
        "Trial, cell",
        "A cell is one combination of solution, workload, connections, network and fault. A trial is one run"
        " of a cell from a fresh copy of the data. Trials of all cells run in a seeded random order, so that"
        " a drift of the machine affects all cells alike.",
    ),
    (
        "Sweep, variant, best case",
        "A sweep measures a solution with several values of its settings; each is a variant. The best case is"
        " the variant that is best on the trials with odd numbers. Its figures come from the trials with even"
        " numbers, so that the choice does not flatter them. Other solutions have figures of all their"
        ' trials. A "best of n on the same trials" was chosen and reported on the same trials, which'
        " flatters it.",
    ),
    (
        "Throughput",
        "Successful transactions (and queries) of the load in the steady window, divided by its length. The"
        " window begins after the warm-up and ends before the fault. The ledger does not count.",
    ),
    (
        "Response time",
        "Time from a transaction's intended start to its end, in the whole seconds of the steady window, from"
        " HdrHistograms with three significant digits. Percentiles are taken in each trial; tables show the"
        " mean of the trials' percentiles.",
    ),
    (
        "Types of transactions, tpmC, MQTh",
        "Rates and response times of each type are those of the steady window; counts cover the whole load."
        " Expected failures ended without effect, as the workload's specification demands of some"
        " transactions; they are neither successes nor errors. Retries are attempts after the first; response"
        " times span all attempts. tpmC: committed New-Order transactions per minute. MQTh: successful TATP"
        " transactions per second. Neither is an official result.",
    ),
    (
        "Open loop, backlog",
        "Transactions start at intended times, independent of earlier transactions. Response times count from"
        " the intended start, so they include waiting for a free connection. Backlog: transactions that"
        " should have started but still wait for a connection. Lateness and backlog are those of the worst"
        " trial. Rate met: transactions that ended, expected failures included, in per cent of those offered"
        " in the steady window.",
    ),
    (
        "Interruption, outage, total",
        "Interruption: a period without a success that ends after the fault and is longer than the ordinary"
        f" gaps of the same trial's steady window: more than {FLOOR_FACTOR:g} times the expected gap, and"
        f" more than {FLOOR_MS:g} ms. If it is at most {FLOOR_FACTOR:g} times the longest gap of the steady"
        " window, it counts only if it covers the moment of an event. Outage: the longest interruption."
        " Total: the sum of all interruptions of a trial; the downtime per year is computed from it. Without"
        " an interruption, tables show the longest gap. Successes of load and ledger count together, in slots"
        f" of {SLOT_MS} ms, so times are exact to one slot. These are established sessions: how long they"
        " wait also depends on their time-outs.",
    ),
    (
        "Event of an interruption",
        "The fault whose moment it covers; otherwise a switch-back, where the former primary accepts writes"
        " again; otherwise the last event that began before it and ended at most"
        f" {REACH_MS / 1000:g} s earlier: the fault while it lasts, or the return of a node until it is a"
        " member. No event: none of these.",
    ),
    (
        "Outage of new connections",
        "In addition to the load, a probe opens fresh connections with one small write each. Their outage is"
        " the time from the last successful attempt to the end of the next successful one, at any endpoint."
        " It is exact to the time between two attempts, and independent of how long a session waits for an"
        " answer.",
    ),
    (
        "Stall",
        "A period of the steady window, without any fault, in which no transaction of the load succeeded, and"
        " which is longer than ordinary gaps by the same rule as an interruption.",
    ),
    (
        "Stalled time",
        f"Stalls, and periods of {LEAST_MS:g} ms and more (exact to 100 ms) of the steady window with less"
        " than a tenth of the usual throughput, which is the level that nine in ten slots of 100 ms do not"
        " exceed. Causes come from the servers' logs and counters for that time: deadlocks, lock waits,"
        " checkpoints, flow control, time-outs. A cause is not known if these show nothing.",
    ),
    (
        "At least, not recovered, not ended",
        "A service that is still unavailable when the load ends (or the next fault begins) is not recovered:"
        " the observed outage is a lower bound. It is never left out, but counts with its observed length."
        " The"
        ' mean is then "at least", with the number of trials that did not recover, and has no interval. A'
        " comparison with it states only what a longer outage could not change: the lower end of the interval"
        " of the difference.",
    ),
    (
        title("failover"),
        "Time from the fault to the first successful write after the first interruption of writes; 0 without"
        " an interruption. The outage may be longer (if service returns and stops again) or begin slightly"
        " later than the fault (the last commits in flight).",
    ),
    (
        "Phases of a failover",
        "Each phase starts where the previous one ended, the first at the fault. Detect: the manager, or the"
        f" group of primaries, decides. Promote: a node accepts writes, probed directly every {SLOT_MS} ms."
        " Route: the write endpoint acknowledges a write, on a new connection if these are probed. Client:"
        " the service was available, but a session still waited for an answer until its own time-out."
        f" Reconnect: a write of the load succeeds. Catch up: throughput is at {100 * BACK_SHARE:g} % of the"
        " steady rate over a second, and no surviving replica is behind. A phase without a mark is absent,"
        " and its time belongs to the next phase. A phase that has not ended is a lower bound. If new"
        " connections are not probed, the first three phases add up to the failover time.",
    ),
    (
        "Brown-out",
        f"Time after the fault and outside the interruptions with less than {100 * BACK_SHARE:g} % of the"
        " steady rate, in bins of about a second. By chance: the share of the undisturbed steady window that"
        " meets the same condition.",
    ),
    (
        "Work lost",
        "Transactions that the steady rate would have completed from the fault until caught up, or until the"
        " end, minus those completed. Failed and in-doubt operations are those of the load until the next"
        " fault or the end.",
    ),
    (
        "Availability, nines",
        "A = MTBF / (MTBF + MTTR). The mean time between failures (MTBF) is an assumption of the experiment;"
        " the mean time to recovery (MTTR) is the mean total of all interruptions of writes. Nines:"
        " -log10(1 - A). The rates of several faults add up. Downtime: per year of 365.25 days.",
    ),
    (
        "Lost, phantom, duplicate, out of order, in doubt",
        "The ledger writes rows with unique ids alongside the load. After the trial, fivenines reads every"
        " surviving node. Lost: acknowledged, but absent. Phantom: refused, but present. Duplicate: present"
        " more than once. Out of order: present, although an earlier acknowledged row of the same client is"
        " absent. In doubt: the reply to the commit was lost, so either state is correct; tables count both."
        " All are judged on the primary of record, the node that serves writes at the end.",
    ),
    (
        "Stale, age",
        "A read is stale if it misses a row that was acknowledged before the read began and exists at the"
        " end. Its age: from the acknowledgement of the oldest missed row to the start of the read. Lost rows"
        " would make every later read stale, so they count as lost, and reads that missed nothing else are"
        " counted separately. Percentiles are those of stale reads only, taken in each trial; tables show the"
        " mean over the trials.",
    ),
    (
        "Own write missed, backwards",
        "Own write missed: a client's read missed a row whose write the same client had seen acknowledged"
        " (read-your-writes). Backwards: in a session, that is one client at one endpoint, a read shows less"
        " than an earlier one (monotonic reads). By loss: only because rows were lost.",
    ),
    (
        "Actual replication lag",
        "Outside the network under test, fivenines asks each node ten times a second which rows of the ledger"
        " it has. The node's lag is the age of the oldest acknowledged row that it lacks, and 0 if it lacks"
        " none. It is exact to the time between two writes of the ledger.",
    ),
    (
        "Nodes that differ",
        "After the nodes have settled, fivenines compares every table between all nodes that are members and"
        " have applied everything: number of rows and checksums by chunks of primary keys, and key by key"
        " where chunks differ. Nodes that were left out are named with the reason.",
    ),
    (
        "Execution latency",
        "Time from sending a write of the ledger to its execution, by the server's clock, in the steady"
        " window: the way to the server and the wait there, without the commit. Client and servers share one"
        " clock in the lab.",
    ),
    (
        "Violations of isolation",
        "Transactions append numbers to lists and read lists, so that reads reveal the order of writes. From"
        " it follow dependencies; a cycle of dependencies is an anomaly (Adya 1999; Kingsbury and Alvaro"
        " 2020). ww: wrote after it; wr: read its write; rw: did not see its write yet. G0, G1c: at most one"
        " of each group of entangled transactions is counted. G-single, G-nonadjacent, G2-item: distinct"
        " shortest cycles; snapshot isolation permits only G2-item. -process, -realtime: the cycle closes"
        " only because a transaction was acknowledged before another one began, of the same client or of any."
        " The bank: transfers keep the sum of all balances, so every audit must return it. Registers: each"
        " value is written once, so a read names the write that it saw; without a contradiction to the order"
        " of time they are linearizable (Gibbons and Korach 1997).",
    ),
    (
        "Distance, bytes on the wire",
        "The round trip is the configured latency of the network's links; with more than two sites, the"
        " longest. The link emulator counts bytes and frames when they arrive at the other site, Ethernet"
        " headers included, from the start to the end of the load; they are divided by the load's successful"
        " transactions. They include the ledger's rows and the servers' own messages.",
    ),
    (
        "Invariants",
        "Conditions on the data that the workload's specification demands, checked by SQL on the primary of"
        " record after the load and the settling; and numbers of rows, which may differ from those before the"
        " load only by what was acknowledged to the load. Commits in doubt widen the number to a range. Not"
        " known: there was no primary, or no time.",
    ),
    (
        "95 % interval",
        "Student's t interval of the mean over the trials (NIST/SEMATECH e-Handbook 1.3.5.2). It covers the"
        " variation between trials on this machine, not between machines. For times with a large variation"
        " and a long tail, such as outages, an interval of 3 to 10 trials contains the mean in about 90 of"
        " 100 campaigns, not 95: its upper end is too low. One trial has no interval.",
    ),
    (
        "Differences",
        "Welch's interval of the difference of two means with unequal variances; in per cent, Fieller's"
        " interval of their ratio with the same degrees of freedom. Not shown to differ: the interval"
        " includes no difference, which does not prove equality. Each interval stands alone: of twenty"
        " comparisons without any true difference, about one shows a difference.",
    ),
    (
        "Never seen",
        "If none of n trials shows a loss, a loss in up to 1 - 0.05^(1/n) of trials is still possible"
        " (Clopper and Pearson, one-sided 95 %): 63 % for 3 trials, 10 % for 29.",
    ),
)
