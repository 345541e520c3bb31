"""How to read the report: each measure in words, with its resolution."""

from collections.abc import Iterable

from fivenines.analysis.interruptions import REACH_MS
from fivenines.analysis.ordinary import FLOOR_FACTOR, FLOOR_MS
from fivenines.analysis.recovery import BACK_SHARE
from fivenines.analysis.stall_causes import LEAST_MS
from fivenines.results.layout import SLOT_MS


def used(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The definitions whose terms stand in the texts of a page."""
    said = "\n".join(texts).lower()
    return [(term, text) for term, text in DEFINITIONS if any(word in said for word in _words(term))]


def _words(term: str) -> list[str]:
    """What a page says of a term: "Phases of a failover" is about "failover"."""
    parts = [part.lower() for part in term.split(", ")]
    return [*parts, *(part.rpartition(" ")[2] for part in parts if " of a" in part)]


DEFINITIONS: tuple[tuple[str, str], ...] = (
    (
        "Trial, cell",
        "A cell is one combination of solution, workload, connections, network and fault; a"
        " trial is one run of it from a fresh copy of the data. Trials of all cells are"
        " interleaved in a seeded random order, so that a drift of the machine touches all"
        " alike.",
    ),
    (
        "Sweep, variant, best case",
        "A sweep measures a solution with several values of its settings; each is a variant. The best"
        " case is the variant that is best on the trials with odd numbers; its figures are those of the"
        " trials with even numbers, so that choosing did not flatter them. Other solutions have"
        ' figures of all their trials. One that is called "best of n on the same trials" was chosen on all of'
        " its trials and has the figures of the same ones, which flatters it.",
    ),
    (
        "Throughput",
        "Transactions (and queries) of the load that succeeded in the steady window, divided"
        " by its length. The window begins after the warm-up and ends before the fault. The"
        " ledger is not counted.",
    ),
    (
        "Response time",
        "Of each transaction from its intended start to its end, in the whole seconds of the"
        " steady window, from HdrHistograms with three significant digits. A percentile is"
        " taken in each trial; the table shows the mean of the trials' percentiles.",
    ),
    (
        "Types of transactions, tpmC, MQTh",
        "Rates and response times of each type are of the steady window, counts of the whole load."
        " Expected failures ended without effect as the workload's specification demands of some;"
        " they are neither successes nor errors. Retries are attempts after the first; response"
        " times span all attempts. tpmC: committed New-Order transactions per minute. MQTh:"
        " successful TATP transactions per second. Neither is an official result.",
    ),
    (
        "Open loop, backlog",
        "Transactions begin at intended times, whatever became of those before; response times"
        " count from there, so that waiting for a free connection is part of them. Backlog: begun"
        " in intention, but still waiting for a connection. Lateness and backlog are those of the"
        " worst trial. Kept: transactions that ended, expected failures included, in per cent of"
        " those that were offered in the steady window.",
    ),
    (
        "Interruption, outage, total",
        "Interruption: a time without a success that ends after the fault and is longer than the ordinary"
        f" gaps of the same trial's steady window: more than {FLOOR_FACTOR:g} times what these lead to"
        f" expect, and {FLOOR_MS:g} ms. One that is no longer than {FLOOR_FACTOR:g} times the longest gap"
        " of the steady window counts only if it covers the moment of an event. Outage: the longest"
        " interruption; total: all of a trial together, from which the downtime a year is computed. Without"
        " any, none is noticed, and the longest gap is said. Successes of load and ledger count together, in"
        f" slots of {SLOT_MS} ms: exact to one slot either way. These are established sessions: how long"
        " they wait depends on their time-outs, too.",
    ),
    (
        "Event of an interruption",
        "The fault whose moment it covers; else a switch back (who took the writes before takes them again);"
        " else what was the last to begin before it and was over for at most"
        f" {REACH_MS / 1000:g} s: the fault while it lasts, or the return of a node until it is a member."
        " No event: none of these.",
    ),
    (
        "Outage of new connections",
        "Beside the load, fresh connections are tried, each with one small write. Their outage is the time"
        " from the last attempt that succeeded to the end of the first one that succeeded after it, at"
        " whichever endpoint: exact to the time between two attempts, and free of how long a session"
        " waits for an answer.",
    ),
    (
        "Stall",
        "A time of the steady window, without any fault, in which no transaction of the load succeeded:"
        " longer than its ordinary gaps, by the same rule as an interruption.",
    ),
    (
        "Stalled time",
        f"Stalls, and times of {LEAST_MS:g} ms and more (exact to 100 ms) of the steady window in which less"
        " than a tenth of the usual throughput got through: what nine in ten slots of 100 ms do not exceed."
        " Its causes are what servers say of that time: deadlocks, lock waits, checkpoints, flow control,"
        " time-outs; not known where they say nothing.",
    ),
    (
        "At least, not back, not ended",
        "Service that is unavailable when the load ends (or the next fault begins) is not back: what was"
        ' seen is a lower bound. It is never left out: it counts as it stands, the mean is called "at least",'
        " and how many trials were not back is said. Such a mean has no interval. A comparison with it"
        " says only what no longer outage could change: the lower end of the interval of the"
        " difference.",
    ),
    (
        "Failover time",
        "From the fault to the first successful write after the first interruption of writes;"
        " 0 without an interruption. The outage may be longer (if service returns and stops"
        " again) or begin slightly later than the fault (the last commits in flight).",
    ),
    (
        "Phases of a failover",
        "Each phase ends with a mark and begins where the one before ended, the first at the fault."
        " Detect: the manager, or the group of primaries, decides. Promote: a node accepts writes,"
        f" asked directly every {SLOT_MS} ms. Route: a write is acknowledged through the write"
        " endpoint, of a new connection where these are tried. Client: service was there, and a session"
        " still waited for an answer until a time-out of the client's own. Reconnect: a write of the load"
        " succeeds. Catch up: throughput is back at"
        f" {100 * BACK_SHARE:g} % of the steady rate over a second, and no surviving replica is"
        " behind. A phase without a mark is absent, and its time belongs to the next; what had not"
        " ended is a lower bound. Where new connections are not tried, the first three add up to the failover"
        " time.",
    ),
    (
        "Brown-out",
        f"Time after the fault and outside the interruptions with less than {100 * BACK_SHARE:g} % of the"
        " steady rate, in bins of about a second. By chance: the share of the undisturbed steady"
        " window that counts so.",
    ),
    (
        "Work lost",
        "Transactions that the steady rate would have done from the fault until caught up, or to"
        " the end, less those done. Failed and in-doubt operations count the load's until the next"
        " fault or the end.",
    ),
    (
        "Availability, nines",
        "A = MTBF / (MTBF + MTTR). The time between failures (MTBF) is an assumption of the"
        " experiment, the time to recovery (MTTR) the mean of all interruptions of writes together."
        " Nines: -log10(1 - A). Several faults together: their rates add up. Downtime: of a year of"
        " 365.25 days.",
    ),
    (
        "Lost, phantom, duplicate, out of order, in doubt",
        "The ledger writes rows with unique ids beside the load. After the trial every"
        " surviving node is read. Lost: acknowledged, but absent. Phantom: refused, but"
        " present. Duplicate: present more than once. Out of order: present, although an earlier"
        " acknowledged row of the same client is absent. In doubt: the reply to the commit was"
        " lost, so that either is right; which it was is counted. All are judged on the primary of"
        " record, the node that serves writes in the end.",
    ),
    (
        "Stale, age",
        "A read is stale if it misses a row that was acknowledged before it began and that is there"
        " in the end. Its age: from the acknowledgement of the oldest row that it missed to its"
        " beginning. Rows that were lost for good would make every later read stale; they count as"
        " lost, and reads that missed nothing else stand apart. Percentiles are of the stale reads"
        " alone, taken in each trial; the table shows the mean over the trials.",
    ),
    (
        "Own write missed, backwards",
        "Own write missed: a client's read missed a row that the client itself had been assured was"
        " written (read-your-writes). Backwards: in a session, that is one client at one endpoint, a"
        " read shows less than an earlier one (monotonic reads); by loss: only because rows had been"
        " lost for good.",
    ),
    (
        "Replication delay in truth",
        "Each node is asked ten times a second, beside the network, which rows of the ledger it"
        " holds. Its delay is the age of the oldest acknowledged row that it lacks, and 0 if it lacks"
        " none. Exact to the time between two writes of the ledger.",
    ),
    (
        "Nodes that differ",
        "After the nodes have settled, every table is compared between all nodes that are members"
        " and have applied everything: number of rows and checksums by chunks of primary keys, and"
        " key by key where chunks differ. Nodes that were left out are named with the reason.",
    ),
    (
        "Execution latency",
        "From the moment a client of the ledger sends a write to the server's own clock when it"
        " executes it, in the steady window: the way to the server and the wait there, without the"
        " commit. Client and servers share one clock in the lab.",
    ),
    (
        "Violations of isolation",
        "Transactions append numbers to lists and read lists, so that reads tell the order of"
        " writes; from it follow dependencies, and a cycle of dependencies is an anomaly (Adya 1999;"
        " Kingsbury and Alvaro 2020). ww: wrote behind it; wr: read what it wrote; rw: read what it"
        " had not yet written. G0, G1c: at most one of each group of entangled transactions is"
        " counted. G-single, G2-item: distinct shortest cycles. The bank: transfers keep the sum of"
        " all balances, so every audit must find it.",
    ),
    (
        "Distance, bytes on the wire",
        "The round trip is the one that the network's links are set to; of more than two sites the"
        " longest. Bytes and frames are counted by the link emulator as they arrive at the other"
        " site, Ethernet headers included, from the start of the load to its end; divided by the"
        " load's successful transactions. The ledger's rows and the servers' own messages are in"
        " them.",
    ),
    (
        "Invariants",
        "What the workload's specification demands of the data, asked by SQL on the primary of"
        " record after the load and the settling; and numbers of rows, which may differ from those"
        " before the load only by what was acknowledged to the load. Commits in doubt widen the"
        " number to a range. Not known: there was no primary, or no time.",
    ),
    (
        "95 % interval",
        "Student's t interval of the mean over the trials (NIST/SEMATECH e-Handbook 1.3.5.2)."
        " It covers the variation between trials on this machine, not that between machines."
        " Of times that vary much and have a long tail, as outages do, an interval of 3 to 10"
        " trials holds the mean in about 90 of 100 campaigns, not 95: its upper end is too low."
        " With one trial there is none.",
    ),
    (
        "Differences",
        "Welch's interval of the difference of two means with unequal variances; in per cent"
        " by Fieller's interval of their ratio with the same degrees of freedom. Not shown to"
        " differ: the interval contains no difference, which does not prove equality. Each"
        " interval stands by itself: of twenty comparisons without any true difference, about"
        " one appears as one.",
    ),
    (
        "Never seen",
        "If none of n trials shows a loss, a loss in up to 1 - 0.05^(1/n) of trials is still"
        " compatible with that (Clopper and Pearson, one-sided 95 %): 63 % for 3 trials, 10 %"
        " for 29.",
    ),
)
"""Pairs of a term and its definition."""
