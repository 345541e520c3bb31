"""`up`, `status`, `sql`, `kill`, `down`: what they ask of the playground, and what they show."""

import json
from dataclasses import replace
from typing import Any

import pytest
from cli_support import Fivenines, Pretend

from fivenines.base.errors import UsageError
from fivenines.base.plugins import kinds
from fivenines.cli.deployment.up import wanted_network, wanted_solution
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.manual.request import Request
from fivenines.trial.manual.state import Done, LoadStatus, Login, NodeStatus, Status, Way

SOLUTION_KINDS = ", ".join(kinds("fivenines.solutions", SolutionSettings, "solution"))


DSN = "postgresql://app:0a@127.0.0.1:4001,127.0.0.1:4002/sbtest?target_session_attrs=read-write"

STATUS = Status(
    "hot-standby on",
    [
        NodeStatus("node1", "10.0.0.1:5432", "primary", True, "", "127.0.0.1:4001"),
        NodeStatus("node2", "10.0.0.2:5432", "standby", False, "not running", "127.0.0.1:4002"),
    ],
    ["writes: 10.0.0.1:5432"],
    ["promoted node1"],
    [
        Way("node1", "10.0.0.1:5432", "127.0.0.1:4001", "node1"),
        Way("node2", "10.0.0.2:5432", "127.0.0.1:4002", "node2"),
    ],
    Login("app", "0a", "sbtest", DSN, f'psql "{DSN}"'),
)


@pytest.fixture
def calls(pretend: Pretend) -> list[Any]:
    """What the playground was asked."""
    asked: list[Any] = []
    ups = iter((True, False))
    pretend(
        "fivenines.trial.manual",
        up=lambda wanted, listener: asked.append(wanted),
        down=lambda: next(ups),
        status=lambda: STATUS,
        sql=lambda node, statement: (["a", "b"], [["t", "1"]]),
        connect=lambda node="": 3 if node == "node1" else 4,
        execute=lambda host, command: len(command),
        kill=lambda node: Done(f"{node}: 7 processes killed"),
        restart=lambda node: Done(f"{node}: back as standby"),
    )
    return asked


def test_settings_of_a_link_stretch_the_playground_over_two_sites() -> None:
    assert wanted_network([]) is None
    plain = wanted_network(["rtt=10ms", "loss=0.01"])
    assert plain is not None and plain.site_names == ["east", "west"]
    assert (plain.link.rtt, plain.link.loss) == (0.01, 0.01)
    placed = wanted_network(["sites={a: [node2], b: [client]}", "link.bandwidth=1Mbit/s"])
    assert placed is not None and placed.named_hosts == {"node2": "a", "client": "b"}
    assert placed.link.bandwidth == 1_000_000


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("rtt", "up: --network rtt: write KEY=VALUE, as in --set rtt=10ms"),
        ("latency=1ms", "up: --network latency=1ms: unknown key\n    allowed: rtt, jitter"),
        ("rtt=soon", "up: --network: link.rtt: found 'soon'"),
        ("jitter=1ms", "up: --network: jitter must be at most half of rtt"),
        ("sites=[a, a]", "up: --network: sites: found a list of 2"),
    ],
)
def test_a_network_that_makes_no_sense_is_refused(assignment: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        wanted_network([assignment])
    assert str(refused.value).startswith(said)


def test_a_setting_inside_a_kind_needs_no_kind() -> None:
    wanted = wanted_solution("replication", ["manager.interval=200ms"], None, None).model_dump()
    assert (wanted["manager"]["kind"], wanted["manager"]["interval"]) == ("operator", "200ms")
    proxied = wanted_solution("galera", ["access=haproxy", "access.fall=5"], None, None)
    assert proxied.access.model_dump()["fall"] == 5
    with pytest.raises(UsageError, match="unknown key 'fall' in access"):
        wanted_solution("galera", ["access.fall=5"], None, None)


def test_up_refuses_a_host_that_the_solution_has_not(fivenines: Fivenines, calls: list[Any]) -> None:
    answer = fivenines("up", "galera", "--network", "sites={a: [nod1], b: [node3]}")
    assert answer.code == 2 and "unknown host 'nod1'; the hosts are node1 to node3" in answer.err


def test_up_brings_up_what_was_asked_and_shows_it(fivenines: Fivenines, calls: list[Any]) -> None:
    answer = fivenines("up", "hot-standby", "--nodes", "3", "--set", "synchronous_commit=on")
    assert answer.code == 0
    (wanted,) = calls
    assert (wanted.solution.traits.nodes, wanted.solution.name) == (3, "hot-standby on")
    assert (wanted.rate, wanted.port, wanted.workload.workload) == (0, None, "oltp_read_write")
    assert [line.rstrip() for line in answer.out.splitlines()] == [
        "hot-standby on",
        "node   role     healthy  in the lab     from here       detail",
        "node1  primary  yes      10.0.0.1:5432  127.0.0.1:4001",
        "node2  standby  NO       10.0.0.2:5432  127.0.0.1:4002  not running",
        "endpoint: writes: 10.0.0.1:5432",
        "event: promoted node1",
        "",
        "To connect with any client, from this account:",
        "user app, password 0a, database sbtest",
        DSN,
        f'psql "{DSN}"',
    ]
    output = json.loads(fivenines("status", "--json").out)
    assert output["nodes"][1]["role"] == "standby" and output["login"]["dsn"] == DSN


def test_up_passes_on_a_load_its_workload_and_the_ports(fivenines: Fivenines, calls: list[Any]) -> None:
    answer = fivenines("up", "standalone", "--load", "50", "--workload", "tatp", "--port", "41000")
    assert answer.code == 0, answer.err
    assert (calls[0].rate, calls[0].workload.workload, calls[0].port) == (50, "tatp", 41000)
    assert Request.model_validate_json(calls[0].model_dump_json()) == calls[0]
    wrong = fivenines("up", "standalone", "--workload", "tatpp")
    assert wrong.code == 2 and "did you mean 'tatp'" in wrong.err


def test_the_help_of_up_has_every_solution_with_a_line(fivenines: Fivenines) -> None:
    answer = fivenines("up", "--help")
    for name, model in kinds("fivenines.solutions", SolutionSettings, "solution").items():
        about = model.model_fields["solution"].description
        line = [line.split(None, 1) for line in answer.out.splitlines() if line.split()[:1] == [name]]
        assert [words[1].rstrip() for words in line] == ([] if model.external else [about]), name
    assert max(map(len, answer.out.splitlines())) <= 80


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Poll twice, then simulate Ctrl-C."""
    left = [1, 1]

    def sleep(_seconds: float) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop()

    monkeypatch.setattr("fivenines.cli.deployment.status.time.sleep", sleep)
    return left


def test_status_is_watched_line_by_line_until_ctrl_c(
    fivenines: Fivenines, pretend: Pretend, ticks: list[int]
) -> None:
    loaded = replace(STATUS, load=LoadStatus("oltp_read_write", 50.0, 49.8, 0))
    broken = replace(loaded, events=["promoted node1", "fenced node2"])
    answers = iter((loaded, loaded, broken))
    pretend("fivenines.trial.manual", status=lambda: next(answers))
    answer = fivenines("status", "--watch")
    assert (answer.code, answer.err) == (0, "")
    lines = [line.partition(" ")[2] for line in answer.out.splitlines() if line[0] != " "]
    look = (
        "node1 primary, node2 standby NOT HEALTHY; load: oltp_read_write, 50/s "
        "requested, 49.8/s achieved, 0 errors"
    )
    assert lines == [look] * 3
    events = [line.strip() for line in answer.out.splitlines() if line[0] == " "]
    assert events == ["event: promoted node1", "event: fenced node2"], "each is shown once"
    assert fivenines("status", "--watch", "--json").code == 2


def test_a_part_of_the_access_layer_is_shown_with_its_port(fivenines: Fivenines, pretend: Pretend) -> None:
    proxied = replace(
        STATUS,
        endpoints=["writes: 10.0.0.9:3306"],
        ways=[*STATUS.ways, Way("writes", "10.0.0.9:3306", "127.0.0.1:4003")],
    )
    pretend("fivenines.trial.manual", status=lambda: proxied)
    output = fivenines("status").out
    assert "writes: 10.0.0.9:3306, from here 127.0.0.1:4003" in output and "endpoint" not in output


def test_nodes_are_asked_broken_and_brought_down(fivenines: Fivenines, calls: list[Any]) -> None:
    assert fivenines("sql", "node1", "select true").out == "t\t1\n"
    assert fivenines("sql", "node1").code == 3
    assert fivenines("connect", "node1").code == 3
    assert fivenines("connect").code == 4, "on the primary"
    assert fivenines("exec", "node1", "--", "ls", "-l").code == 2
    assert fivenines("kill", "node1").out == "node1: 7 processes killed\n"
    assert fivenines("restart", "node1").out == "node1: back as standby\n"
    assert fivenines("down").out == "torn down\n"
    again = fivenines("down")
    assert (again.code, again.out) == (0, "no deployment is running\n")


def test_settings_are_read_as_in_a_file() -> None:
    wanted = wanted_solution(
        "galera", ["access=haproxy", "access.interval=500ms", "size=5", "server.wsrep_debug=NONE"], None, None
    ).model_dump()
    assert (wanted["size"], wanted["access"]["interval"]) == (5, "500ms")
    assert wanted["server"] == {"wsrep_debug": "NONE"}
    assert wanted_solution("galera", [], 5, "host-mariadb").engine == "host-mariadb"


@pytest.mark.parametrize(
    ("solution", "settings", "nodes", "message"),
    [
        (
            "galara",
            [],
            None,
            f"up: unknown solution 'galara'; did you mean 'galera'?\n    allowed: one of {SOLUTION_KINDS}",
        ),
        ("galera", ["size"], None, "up: --set size: write KEY=VALUE, as in --set synchronous_commit=on"),
        ("galera", ["=5"], None, "up: --set =5: write KEY=VALUE, as in --set synchronous_commit=on"),
        (
            "galera",
            ["size.x=5", "size=3", "size.x=5"],
            None,
            "up: --set size.x=5: size has no nested settings",
        ),
        (
            "galera",
            ["size=[5"],
            None,
            "up: --set size=[5:1:3: not readable as YAML: expected ',' or ']', but got "
            "'<stream end>' (while parsing a flow sequence)",
        ),
        (
            "galera",
            [],
            4,
            "up: --nodes 4: a Galera cluster of 4 votes has no majority when it splits into "
            "halves: set size to 3 or 5, or to 2 or 4 with `arbiter: true`",
        ),
        ("standalone", [], 2, "up: --nodes 2: standalone has 1 nodes. Leave --nodes out"),
        ("hot-standby", [], 1, "up: --nodes 1: standbys: found 0\n    allowed: a whole number from 1 to 8"),
    ],
)
def test_wrong_settings_are_refused(
    solution: str, settings: list[str], nodes: int | None, message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        wanted_solution(solution, settings, nodes, None)
    assert str(refused.value) == message
