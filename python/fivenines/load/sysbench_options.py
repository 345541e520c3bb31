"""What sysbench is asked for, and what it cannot be asked for.

Its options have the names of our workload's settings, as that workload follows sysbench's scripts. Source:
sysbench 1.0.20 as Debian 12 has it, `sysbench --help` and `sysbench oltp_read_write help`.
"""

from collections.abc import Iterator, Sequence

from fivenines.errors import FiveninesError
from fivenines.load.settings import LoadSettings
from fivenines.workloads.oltp import Oltp
from fivenines.workloads.settings import WorkloadSettings

# Settings that its scripts have under the same name. `secondary_indexes` is a matter of the data
# alone.
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

OUR_OWN = "leave it out, or let `program` be fivenines"

# Settings of the load that it can be told, and those that say nothing without another one.
_MAPPED = ("program", "rate", "arrivals", "spread", "think_distribution", "retry_on")

# Why it cannot have what another value than the default asks for.
_NOT_THERE = {
    "steps": "sysbench has one rate for its whole run",
    "think_time": "sysbench's connections do not pause",
    "burst": "sysbench connects before its time begins, and does not time it",
    "retries": "sysbench tries deadlocks, conflicts and lock waits again until it succeeds",
    "reconnect": "sysbench 1.0 keeps its connections",
    "protocol": "sysbench prepares its statements",
    "read_share": "sysbench knows no endpoints for reads",
    "answer_timeout": "sysbench waits for ever",
    "connect_timeout": "sysbench has no bound of its own",
    "keepalive": "sysbench leaves connections as the kernel makes them",
    "tcp_user_timeout": "sysbench leaves connections as the kernel makes them",
    "tls": "sysbench is run without encryption here",
    "tls_ca": "sysbench is run without encryption here",
    "transactions": "sysbench is run for a time here, as its figures are those of a window",
}

# Values beside the default that ask for what it does anyway.
_LIKE_SYSBENCH: dict[str, tuple[object, ...]] = {
    "reconnect": (0, "session"),
    "answer_timeout": (None,),
    "connect_timeout": (None,),
    "tcp_user_timeout": (None,),
}


def writes(workload: WorkloadSettings) -> bool:
    """Whether its transactions write."""
    return workload.workload not in _READ_ONLY


def workload_problems(workload: WorkloadSettings) -> Iterator[tuple[str, str]]:
    """Why sysbench cannot run a workload as it is described: the setting, and the reason."""
    if not isinstance(workload, Oltp):
        yield "workload", f"sysbench has no {workload.workload}: it runs oltp_* alone"
        return
    if workload.distribution == "zipfian":
        yield "distribution", "Debian's sysbench 1.0.20 has no zipfian"
    if workload.workload == "oltp_insert" and not workload.auto_inc:
        yield ("auto_inc", "sysbench's oltp_insert chooses numbers that the loaded tables may hold already")


def load_problems(load: LoadSettings) -> Iterator[tuple[str, str]]:
    """Why sysbench cannot drive the load so: the setting, and the reason."""
    for name, field in type(load).model_fields.items():
        value = getattr(load, name)
        usual = field.get_default(call_default_factory=True, validated_data={})
        if name in _MAPPED or value == usual or value in _LIKE_SYSBENCH.get(name, ()):
            continue
        # also of settings that come later: what is not known here is never left out
        yield name, f"{_NOT_THERE.get(name, 'sysbench has nothing like it')}: {OUR_OWN}"
    if load.rate is not None and load.arrivals != "poisson":
        yield "rate", "sysbench's starts are spread as poisson: write `arrivals: poisson`"
    if load.rate is not None and load.rate != int(load.rate):
        yield "rate", "sysbench takes a whole number of transactions per second"
    if load.spread == "random":
        yield "spread", f"sysbench goes through the endpoints in turn: {OUR_OWN}"


def script_flags(workload: WorkloadSettings) -> list[str]:
    """The workload as options of sysbench and of its script."""
    given = {name: getattr(workload, name) for name in _SCRIPT}
    given |= {flag: getattr(workload, name) for name, flag in _RANDOM.items()}
    return [f"--{name}={_word(value)}" for name, value in given.items()]


def run_flags(load: LoadSettings, connections: int, seed: int, warmup: float, seconds: float) -> list[str]:
    """How long it runs, how fast, and what it reports; the counts of the warm-up are told apart."""
    flags = [f"--threads={connections}", f"--time={seconds:.0f}", "--events=0"]
    flags += [f"--rate={load.rate:.0f}"] if load.rate is not None else []
    flags += [f"--report-checkpoints={warmup:.0f}"] if warmup else []
    # 0 would be the time of day
    return [*flags, f"--rand-seed={max(1, seed)}", "--report-interval=1", "--percentile=95", "--histogram=on"]


def address_flags(driver: str, endpoints: Sequence[str], user: str, database: str) -> list[str]:
    """Where it connects to, and as whom; several endpoints are taken in turn, which its MySQL half alone can.

    Raises:
        FiveninesError: it cannot reach them all.
    """
    pairs = [address.rsplit(":", 1) for address in endpoints]
    hosts, ports = [host.strip("[]") for host, _ in pairs], {port for _, port in pairs}
    kind = "pgsql" if driver == "postgres" else "mysql"
    if len(pairs) > 1 and (kind == "pgsql" or len(ports) > 1):
        raise FiveninesError(
            f"sysbench cannot spread its connections over {', '.join(endpoints)}: give the solution an "
            "access layer, or let `load.program` be fivenines"
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
