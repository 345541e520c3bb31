"""Name the option of `fivenines bench` that corresponds to an option of pgbench."""

from collections.abc import Iterator, Sequence

_BUILT_IN = "write it to a file with `pgbench --show-script=NAME`, then use --script FILE"
_DATA = "create the tables with pgbench --initialize or psql, or with `setup` in an experiment file"
_DSN = "--dsn postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
_ALWAYS = "leave it out: the results always include it"

# Short and long name, number of values, what to write instead. `bench` has all other names.
_ADVICE = (
    ("-f", "--file", 1, "--script FILE[@WEIGHT]"),
    ("-b", "--builtin", 1, _BUILT_IN),
    ("-N", "--skip-some-updates", 0, _BUILT_IN),
    ("-S", "--select-only", 0, _BUILT_IN),
    ("-c", "--client", 1, "--connections N"),
    ("-j", "--jobs", 1, "leave it out: one thread runs all connections"),
    ("-T", "--time", 1, "--duration SECONDSs"),
    ("-t", None, 1, "--transactions each=N"),
    ("-D", None, 1, "--define NAME=VALUE"),
    ("-s", "--scale", 1, "--define scale=N"),
    ("-M", None, 1, "--protocol prepared (the default), extended or simple"),
    ("-R", None, 1, "--rate N --arrivals poisson"),
    (
        "-L",
        "--latency-limit",
        1,
        "leave it out: all response times are shown; --search finds the rate that meets a bound",
    ),
    ("-P", "--progress", 1, "leave it out: progress is shown each second"),
    ("-C", "--connect", 0, "--reconnect transaction"),
    ("-n", "--no-vacuum", 0, "leave it out: nothing is vacuumed"),
    ("-v", "--vacuum-all", 0, "run VACUUM with psql beforehand"),
    ("-l", "--log", 0, "--out FOLDER"),
    (None, "--log-prefix", 1, "--out FOLDER"),
    (None, "--aggregate-interval", 1, "--out FOLDER: timeline.csv has intervals"),
    (None, "--sampling-rate", 1, "leave it out: --out FOLDER writes all response times as a histogram"),
    ("-r", "--report-per-command", 0, "write each part to a separate file: files are measured separately"),
    (None, "--max-tries", 1, "--retries N, which is one less: the first attempt does not count"),
    (None, "--failures-detailed", 0, _ALWAYS),
    (None, "--verbose-errors", 0, _ALWAYS),
    (None, "--exit-on-abort", 0, "leave it out: a connection continues after an error"),
    (None, "--random-seed", 1, "--seed N"),
    (None, "--show-script", 1, _BUILT_IN),
    (None, "--progress-timestamp", 0, _ALWAYS),
    ("-i", "--initialize", 0, _DATA),
    ("-I", "--init-steps", 1, _DATA),
    ("-F", "--fillfactor", 1, _DATA),
    (None, "--foreign-keys", 0, _DATA),
    (None, "--partitions", 1, _DATA),
    (None, "--partition-method", 1, _DATA),
    (None, "--tablespace", 1, _DATA),
    (None, "--index-tablespace", 1, _DATA),
    (None, "--unlogged-tables", 0, _DATA),
    ("-h", "--host", 1, _DSN),
    ("-p", "--port", 1, _DSN),
    ("-U", "--username", 1, _DSN),
    ("-d", "--dbname", 1, _DSN),
)


def advice(arguments: Sequence[str]) -> str:
    """Return a message that translates the options of pgbench; empty if there are none.

    Args:
        arguments: the command line after `bench`.
    """
    found = dict.fromkeys(_named(arguments))
    if not found:
        return ""
    lines = [f"    {option}: {instead}" for option, instead in found]
    return "\n".join(["bench: these are options of pgbench. Use instead:", *lines])


def _named(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    left = list(arguments)
    while left:
        word = left.pop(0)
        for short, long, values, instead in _ADVICE:
            name, equals, _ = word.partition("=")
            attached = short is not None and len(word) > 2 and word.startswith(short) and values
            if word != short and name != long and not (attached and not word.startswith("--")):
                continue
            yield (name if name == long else str(short)), instead
            if values and not attached and not equals and left:
                left.pop(0)
            break
