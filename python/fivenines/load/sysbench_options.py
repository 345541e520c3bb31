"""Options of sysbench, and settings that it does not support.

Its options have the names of the workload's settings, as that workload follows sysbench's scripts. Source:
sysbench 1.0.20 as Debian 12 has it, `sysbench --help` and `sysbench oltp_read_write help`.
"""

from collections.abc import Iterator, Sequence

from fivenines.base.errors import FiveninesError
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.settings import WorkloadSettings

# Settings with the same name in its scripts. `secondary_indexes` concerns only the data.
_SCRIPT = (
    "tables",
    "table_size",
    "range_size",
    "point_selects",
    "simple_ranges",
    "sum_ranges",
    "order_ranges",
    "distinct_ranges",
    "index_updates",
    "non_index_updates",
    "delete_inserts",
    "skip_trx",
    "auto_inc",
    "secondary",
)

_RANDOM = {
    "distribution": "rand-type",
    "rand_spec_iter": "rand-spec-iter",
    "rand_spec_pct": "rand-spec-pct",
    "rand_spec_res": "rand-spec-res",
    "rand_pareto_h": "rand-pareto-h",
}

_READ_ONLY = ("oltp_point_select", "oltp_read_only")

OUR_OWN = "leave it out, or set `program: fivenines`"

# Settings of the load that it supports, and those that have no effect alone.
_MAPPED = ("program", "rate", "arrivals", "spread", "think_distribution", "retry_on")

# Why it does not support values other than the default.
_NOT_THERE = {
    "steps": "sysbench supports only one rate per run",
    "think_time": "sysbench supports no pauses",
    "burst": "sysbench connects before the measurement starts",
    "retries": "sysbench retries deadlocks, conflicts and lock waits until it succeeds",
    "reconnect": "sysbench 1.0 does not reconnect",
    "protocol": "sysbench prepares its statements",
    "read_share": "sysbench does not support endpoints for reads",
    "answer_timeout": "sysbench waits forever",
    "connect_timeout": "sysbench has no connect timeout",
    "keepalive": "sysbench uses the kernel's defaults",
    "tcp_user_timeout": "sysbench uses the kernel's defaults",
    "tls": "fivenines runs sysbench without encryption",
    "tls_ca": "fivenines runs sysbench without encryption",
    "transactions": "fivenines runs sysbench for a fixed time",
}

# Other values that correspond to its behaviour.
_LIKE_SYSBENCH: dict[str, tuple[object, ...]] = {
    "reconnect": (0, "session"),
    "answer_timeout": (None,),
    "connect_timeout": (None,),
    "tcp_user_timeout": (None,),
}


def writes(workload: WorkloadSettings) -> bool:
    """Return whether the workload's transactions write."""
    return workload.workload not in _READ_ONLY


def workload_problems(workload: WorkloadSettings) -> Iterator[tuple[str, str]]:
    """Yield the settings of a workload that sysbench does not support, with the reason."""
    if not isinstance(workload, Oltp):
        yield "workload", f"sysbench does not support {workload.workload}, only oltp_*"
        return
    if workload.distribution == "zipfian":
        yield "distribution", "Debian's sysbench 1.0.20 does not support zipfian"
    if workload.workload == "oltp_insert" and not workload.auto_inc:
        yield ("auto_inc", "sysbench's oltp_insert chooses ids that may already exist in the tables")


def load_problems(load: LoadSettings) -> Iterator[tuple[str, str]]:
    """Yield the settings of the load that sysbench does not support, with the reason."""
    for name, field in type(load).model_fields.items():
        value = getattr(load, name)
        usual = field.get_default(call_default_factory=True, validated_data={})
        if name in _MAPPED or value == usual or value in _LIKE_SYSBENCH.get(name, ()):
            continue
        # Also refuses settings added later, as unknown settings must not be ignored.
        yield name, f"{_NOT_THERE.get(name, 'sysbench does not support it')}: {OUR_OWN}"
    if load.rate is not None and load.arrivals != "poisson":
        yield "rate", "sysbench supports only Poisson arrivals: write `arrivals: poisson`"
    if load.rate is not None and load.rate != int(load.rate):
        yield "rate", "sysbench supports only whole numbers of transactions per second"
    if load.spread == "random":
        yield "spread", f"sysbench uses the endpoints in turn: {OUR_OWN}"


def script_flags(workload: WorkloadSettings) -> list[str]:
    """Return the options of sysbench and of its script for a workload."""
    given = {name: getattr(workload, name) for name in _SCRIPT}
    given |= {flag: getattr(workload, name) for name, flag in _RANDOM.items()}
    return [f"--{name}={_word(value)}" for name, value in given.items()]


def run_flags(load: LoadSettings, connections: int, seed: int, warmup: float, seconds: float) -> list[str]:
    """Return the options for duration, rate and reports, with a separate report of the warm-up."""
    flags = [f"--threads={connections}", f"--time={seconds:.0f}", "--events=0"]
    flags += [f"--rate={load.rate:.0f}"] if load.rate is not None else []
    flags += [f"--report-checkpoints={warmup:.0f}"] if warmup else []
    # A seed of 0 would mean the time of day.
    return [*flags, f"--rand-seed={max(1, seed)}", "--report-interval=1", "--percentile=95", "--histogram=on"]


def address_flags(driver: str, endpoints: Sequence[str], user: str, database: str) -> list[str]:
    """Return the options for addresses and account; only its MySQL driver supports several addresses.

    Raises:
        FiveninesError: it cannot connect to all endpoints.
    """
    pairs = [address.rsplit(":", 1) for address in endpoints]
    hosts, ports = [host.strip("[]") for host, _ in pairs], {port for _, port in pairs}
    kind = "pgsql" if driver == "postgres" else "mysql"
    if len(pairs) > 1 and (kind == "pgsql" or len(ports) > 1):
        raise FiveninesError(
            f"sysbench cannot distribute its connections over {', '.join(endpoints)}: add an access layer "
            "to the solution, or set `load.program: fivenines`"
        )
    return [
        f"--db-driver={kind}",
        f"--{kind}-host={','.join(hosts)}",
        f"--{kind}-port={min(ports)}",
        f"--{kind}-user={user}",
        f"--{kind}-db={database}",
    ]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
