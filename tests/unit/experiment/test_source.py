"""Reading experiment files: what is right is filled in, what is wrong is one readable message."""

from pathlib import Path

import pytest
from repository import ROOT

from fivenines.base.errors import UsageError
from fivenines.base.plugins import kinds
from fivenines.experiment.source import load_experiment, parse_experiment, solution_from
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.faults.settings import FaultSettings
from fivenines.solutions.settings import SolutionSettings

EXAMPLES = ROOT / "examples"

HEAD = "name: x\n"
SOLUTIONS = "solutions: [standalone]\n"
WORKLOADS = "workloads: [oltp_read_only]\n"
VALID = HEAD + SOLUTIONS + WORKLOADS
SOLUTION_KINDS = ", ".join(kinds("fivenines.solutions", SolutionSettings, "solution"))
KINDS = (
    "append, bank, bulkload, crud, iibench, imsi, ingest, mix, oltp_point_select, oltp_read_only, "
    "oltp_write_only, oltp_read_write, oltp_update_index, oltp_update_non_index, oltp_insert, "
    "oltp_delete, registers, script, tatp, tpcc"
)

FAULTS = ", ".join(kinds("fivenines.faults", FaultSettings, "fault"))


def refusal(text: str) -> str:
    """The message for a file `x.yaml` with this text."""
    with pytest.raises(UsageError) as refused:
        parse_experiment(text, "x.yaml")
    return str(refused.value)


def test_the_shortest_file_gets_all_defaults() -> None:
    experiment = parse_experiment(VALID, "x.yaml")
    assert [one.name for one in experiment.solutions] == ["standalone"]
    assert [one.name for one in experiment.workloads] == ["oltp_read_only"]
    assert experiment.connections == [8]
    assert [one.fault for one in experiment.faults] == ["none"]


@pytest.mark.parametrize("name", ["quickstart.yaml", "mariadb-ha.yaml"])
def test_the_examples_are_valid(name: str) -> None:
    experiment, source = load_experiment(EXAMPLES / name)
    assert source == (EXAMPLES / name).read_text()
    assert experiment.name == name.removesuffix(".yaml")
    assert all(one.name for one in experiment.solutions)
    assert all(one.name for one in experiment.workloads)


def test_anchors_and_merge_keys_save_repetition() -> None:
    experiment = parse_experiment(
        HEAD + WORKLOADS + "solutions:\n"
        "  - &first {solution: hot-standby, name: a, standbys: 2}\n"
        "  - {<<: *first, name: b, synchronous_commit: on}\n",
        "x.yaml",
    )
    first, second = experiment.solutions
    assert (first.name, second.name, first.traits.nodes, second.traits.nodes) == ("a", "b", 3, 3)
    assert second.model_dump()["synchronous_commit"] == "on"


# --- one mistake -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            VALID + "trails: 3\n",
            "x.yaml:4:1: unknown key 'trails'; did you mean 'trials'?\n"
            "    allowed: name, description, seed, trials, design, interleaved, until_decided, solutions, "
            "workloads, connections, "
            "load, clients, stacks, lab, network, faults, timing, ledger, observe, decide, thresholds, "
            "availability, cost",
        ),
        (
            VALID + "cost: {others: {proxy: 0.1}}\n",
            "x.yaml:4:17: cost.others: set `server_hour`, the price of all other hosts, too",
        ),
        (
            VALID + "cost: {server_hour: 1, others: {client: 0.1}}\n",
            "x.yaml:4:33: cost.others: 'client' is not a kind of host other than database servers",
        ),
        (
            VALID + "timing: {warmup: 2}\n",
            "x.yaml:4:18: timing.warmup: found 2\n    allowed: a duration, with a unit, as 500ms, 10s, 1m30s",
        ),
        (
            VALID + "timing:\n  warmup: 2.5\n",
            "x.yaml:5:11: timing.warmup: found 2.5\n"
            "    allowed: a duration, with a unit, as 500ms, 10s, 1m30s",
        ),
        (
            VALID + "trials: three\n",
            "x.yaml:4:9: trials: found 'three'\n    allowed: a whole number from 1 to 1000, or a mapping "
            "with the keys at_least, at_most, until",
        ),
        (
            VALID + "trials: 1001\n",
            "x.yaml:4:9: trials: found 1001\n    allowed: a whole number from 1 to 1000, or a mapping "
            "with the keys at_least, at_most, until",
        ),
        (
            VALID + "trials: true\n",
            "x.yaml:4:9: trials: found true\n    allowed: a whole number from 1 to 1000, or a mapping "
            "with the keys at_least, at_most, until",
        ),
        (
            VALID + "connections: []\n",
            "x.yaml:4:14: connections: found an empty list\n"
            "    allowed: a list, not empty, of: a whole number from 1 to 100000",
        ),
        (
            VALID + "connections: [8, 16, 8]\n",
            "x.yaml:4:22: connections[2]: 8 is repeated: remove one of them",
        ),
        (
            HEAD + SOLUTIONS,
            "x.yaml:1:1: the key 'workloads' is missing\n"
            "    allowed: a list, not empty, of: a mapping with `workload:` one of "
            f"{KINDS}",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - solution: galara\n",
            "x.yaml:4:15: solutions[0]: unknown solution 'galara'; did you mean 'galera'?\n"
            f"    allowed: one of {SOLUTION_KINDS}",
        ),
        (
            HEAD + WORKLOADS + "solutions: [galara]\n",
            "x.yaml:3:13: solutions[0]: unknown solution 'galara'; did you mean 'galera'?\n"
            f"    allowed: one of {SOLUTION_KINDS}",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - engine: postgres-18\n",
            "x.yaml:4:5: the key 'solution' is missing in solutions[0]\n"
            f"    allowed: one of {SOLUTION_KINDS}",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - solution: hot-standby\n    standby: 2\n",
            "x.yaml:5:5: unknown key 'standby' in solutions[0]; did you mean 'standbys'?\n"
            "    allowed: solution, name, engine, durability, access, machines, reads, limits, server, "
            "sweep, standbys, synchronous_commit, wait_for, choice, cascade, slots, delay, "
            "subscriber, manager",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - {solution: hot-standby, engine: postgress}\n",
            "x.yaml:4:37: solutions[0].engine: found 'postgress'; did you mean 'postgres-18'?\n"
            "    allowed: one of postgres-18, host-postgres, or {image: …}, {archive: …}, {path: …}",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - solution: galera\n    access: haproxi\n",
            "x.yaml:5:13: solutions[0].access: unknown kind 'haproxi'; did you mean 'haproxy'?\n"
            f"    allowed: one of {', '.join(kinds('fivenines.failover.proxies', AccessSettings, 'kind'))}",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - solution: galera\n    access: {kind: haproxy, fal: 2}\n",
            "x.yaml:5:29: unknown key 'fal' in solutions[0].access; did you mean 'fall'?\n"
            "    allowed: kind, interval, fall, rise, shutdown_sessions, entry",
        ),
        (
            HEAD + SOLUTIONS + "workloads: [oltp_read_onli]\n",
            "x.yaml:3:13: workloads[0]: unknown workload 'oltp_read_onli'; did you mean "
            f"'oltp_read_only'?\n    allowed: one of {KINDS}",
        ),
        (
            VALID + "faults: [kil]\n",
            "x.yaml:4:10: faults[0]: unknown fault 'kil'; did you mean 'kill'?\n"
            f"    allowed: one of {FAULTS}",
        ),
        (
            VALID + "faults: [kill, {fault: kill, target: primary}]\n",
            "x.yaml:4:16: faults[1] repeats faults[0]: remove one of them",
        ),
        (
            VALID + "faults: [{fault: kill, target: replica}]\n",
            "x.yaml:4:10: faults[0]: kill does not apply to 'standalone': replica: the solution "
            "has one node and no replica. Change the fault, or list the solutions that it applies "
            "to in its `only:`",
        ),
        (
            VALID + "network: [{}, {bandwidth: 1Mbit/s}]\n",
            "x.yaml:4:15: network[1] and network[0] have the same name 'lan': set another "
            "`name:` for one of them",
        ),
        (
            VALID + "network: [{bandwidth: fast}]\n",
            "x.yaml:4:23: network[0].bandwidth: found 'fast'\n"
            "    allowed: a rate, with a unit, as 57kbit/s, 100Mbit/s, or null",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - {solution: replication, mode: after_sync, replicas: 0}\n",
            "x.yaml:4:5: solutions[0]: semi-synchronous replication needs at least one replica: "
            "set replicas to 1 or more",
        ),
        (
            HEAD + WORKLOADS + "solutions:\n  - {solution: galera, size: 2}\n",
            "x.yaml:4:5: solutions[0]: a Galera cluster of 2 votes has no majority when it splits into "
            "halves: set size to 3 or 5, or to 2 or 4 with `arbiter: true`",
        ),
        (
            HEAD + WORKLOADS + "solutions: [standalone, standalone]\n",
            "x.yaml:3:25: solutions[1] and solutions[0] have the same name 'standalone': set another "
            "`name:` for one of them",
        ),
        (
            HEAD + WORKLOADS + 'solutions: [{solution: galera, name: "a\\nb"}]\n',
            "x.yaml:3:38: solutions[0].name: found 'a\\nb'; a name must be one line of printable characters",
        ),
        (VALID + "name: y\n", "x.yaml:4:1: the key 'name' is repeated, first in line 1"),
        (VALID + "seed: !secret 5\n", "x.yaml:4:7: the tag !secret is not supported"),
        (VALID + "seed: !!int five\n", "x.yaml:4:7: found 'five', which cannot be read as int"),
        (VALID + "? [a]\n: b\n", "x.yaml:4:3: a key must be plain text"),
        (
            "- a\n- b\n",
            "x.yaml:1:1: found a list of 2, but an experiment is a mapping\n"
            "    allowed: the keys name, description, seed, trials, design, interleaved, until_decided, "
            "solutions, workloads, "
            "connections, load, clients, stacks, lab, network, faults, timing, ledger, observe, decide, "
            "thresholds, availability, cost, parts",
        ),
    ],
)
def test_each_mistake_says_where_what_and_what_is_allowed(text: str, message: str) -> None:
    assert refusal(text) == message


# --- the file as such --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.yaml is empty. To see examples: fivenines list examples"),
        ("# nothing\n", "x.yaml is empty. To see examples: fivenines list examples"),
        (
            "name: [a\n",
            "x.yaml:2:1: not readable as YAML: expected ',' or ']', but got '<stream end>' "
            "(while parsing a flow sequence)",
        ),
        ("name: a: b\n", "x.yaml:1:8: not readable as YAML: mapping values are not allowed here"),
        ("name: *x\n", "x.yaml:1:7: not readable as YAML: found undefined alias 'x'"),
        ("name:\t x\n", "x.yaml:1:6: not readable as YAML: a tab: indent and separate with spaces"),
        ("a:\n\tb: 1\n", "x.yaml:2:1: not readable as YAML: a tab: indent and separate with spaces"),
        ("name: @x\n", "x.yaml:1:7: not readable as YAML: a value cannot begin with @: put it in quotes"),
        (
            f"{VALID}---\n{VALID}",
            "x.yaml:4:1: a second YAML document begins here (---), and only one is read: "
            "use one file for each",
        ),
        ("&a [*a]\n", "x.yaml:1:1: this value contains itself"),
        ("[" * 5000, "x.yaml: nested too deeply"),
        ("[" * 60 + "]" * 60, "x.yaml:1:52: nested more than 50 deep"),
    ],
)
def test_text_that_is_no_yaml_is_one_message(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize("number", ["0640", "010", "-007", "0_8", "00123"])
def test_a_number_with_zeros_in_front_is_refused(number: str) -> None:
    settings = f"solutions: [{{solution: standalone, server: {{log_file_mode: {number}}}}}]\n"
    assert refusal(HEAD + WORKLOADS + settings) == (
        f"x.yaml:3:60: found {number}, which YAML 1.1 and 1.2 read as different numbers: write it without "
        "zeros in front, or in quotes to pass it on as it is"
    )


def test_a_quoted_number_reaches_a_server_as_it_is_written() -> None:
    settings = "solutions: [{solution: standalone, server: {log_file_mode: '0640', work_mem: 0}}]\n"
    (solution,) = parse_experiment(HEAD + WORKLOADS + settings, "x.yaml").solutions
    assert solution.server == {"log_file_mode": "0640", "work_mem": 0}


def test_a_small_file_cannot_grow_without_end() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert refusal("\n".join(lines)).endswith("more than 100000 values")


def test_files_that_cannot_be_read_are_one_message(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_bytes(b"name: x\ndescription: caf\xe9\n")
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * 1_000_001)
    for path, message in [
        (tmp_path / "absent.yaml", f"{tmp_path}/absent.yaml: no such file"),
        (tmp_path, f"{tmp_path} is a folder, not an experiment file"),
        (bad, f"{bad}:2: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        (large, f"{large} has 1000001 bytes; an experiment file has at most 1000000"),
        (bad / "inside", f"{bad}/inside cannot be read: Not a directory"),
        (Path("a\0b"), "a\0b cannot be read: embedded null byte"),
    ]:
        with pytest.raises(UsageError) as refused:
            load_experiment(path)
        assert str(refused.value) == message


def test_all_mistakes_come_at_once_in_the_order_of_the_file() -> None:
    assert refusal(
        "name: ''\n"
        "solutions:\n"
        "  - solution: hot-standby\n"
        "    standbys: 0\n"
        "  - {solution: replication, replicas: 0}\n"
        "workloads: [oltp_read_only, oltp_read_only]\n"
        "timing: {steady: 0s}\n"
    ) == (
        "x.yaml has 5 errors:\n"
        "x.yaml:1:7: name: found ''\n"
        "    allowed: text, not empty\n"
        "x.yaml:4:15: solutions[0].standbys: found 0\n"
        "    allowed: a whole number from 1 to 8\n"
        "x.yaml:5:5: solutions[1]: replication needs at least one replica: set replicas to 1 or "
        "more\n"
        "x.yaml:6:29: workloads[1] and workloads[0] have the same name 'oltp_read_only': set another "
        "`name:` for one of them\n"
        "x.yaml:7:18: timing.steady: found '0s'\n"
        "    allowed: a duration above 0s, with a unit, as 500ms, 10s, 1m30s"
    )


# --- names -------------------------------------------------------------------------------------


def names(solutions: str) -> list[str]:
    experiment = parse_experiment(HEAD + WORKLOADS + f"solutions: {solutions}\n", "x.yaml")
    return [one.name for one in experiment.solutions]


def test_siblings_are_named_after_what_tells_them_apart() -> None:
    assert names("[{solution: galera}, {solution: galera, size: 5}]") == [
        "galera (size 3)",
        "galera (size 5)",
    ]
    assert names("[hot-standby, {solution: hot-standby, synchronous_commit: local}]") == [
        "hot-standby on",
        "hot-standby local",
    ]
    assert names("[{solution: hot-standby, manager: none}, {solution: hot-standby, name: mine}]") == [
        "hot-standby on",
        "mine",
    ]


def test_workloads_of_different_sizes_are_distinguished() -> None:
    experiment = parse_experiment(
        HEAD + SOLUTIONS + "workloads:\n"
        "  - {workload: oltp_read_only, tables: 1}\n"
        "  - {workload: oltp_read_only, tables: 2}\n",
        "x.yaml",
    )
    assert [one.name for one in experiment.workloads] == [
        "oltp_read_only (tables 1)",
        "oltp_read_only (tables 2)",
    ]


def test_siblings_that_differ_in_too_much_need_a_name() -> None:
    assert refusal(
        HEAD + WORKLOADS + "solutions:\n"
        "  - galera\n"
        "  - {solution: galera, size: 5, writes: all, appliers: 4, gcache: 1GiB}\n"
    ) == (
        "x.yaml:5:5: solutions[1] and solutions[0] have the same name 'galera': set "
        "another `name:` for one of them"
    )


# --- one solution from the command line --------------------------------------------------------


def test_a_solution_is_made_of_plain_settings() -> None:
    solution = solution_from({"solution": "hot-standby", "standbys": 2}, "up")
    assert (solution.name, solution.traits.nodes) == ("hot-standby on", 3)


def test_wrong_settings_of_a_solution_are_named() -> None:
    with pytest.raises(UsageError) as refused:
        solution_from({"solution": "hot-standby", "standby": 2, "synchronous_commit": "onn"}, "up")
    assert str(refused.value) == (
        "up: synchronous_commit: found 'onn'; did you mean 'on'?\n"
        "    allowed: one of off, local, remote_write, on, remote_apply\n"
        "up: unknown key 'standby'; did you mean 'standbys'?\n"
        "    allowed: solution, name, engine, durability, access, machines, reads, limits, server, sweep, "
        "standbys, synchronous_commit, wait_for, choice, cascade, slots, delay, subscriber, manager"
    )
    with pytest.raises(UsageError) as senseless:
        solution_from({"solution": "galera", "size": 4}, "up")
    assert str(senseless.value) == (
        "up: a Galera cluster of 4 votes has no majority when it splits into halves: "
        "set size to 3 or 5, or to 2 or 4 with `arbiter: true`"
    )
