"""Custom failover managers: a script by its recipe, and one with its own root."""

import time
from pathlib import Path

import pytest
from lab_support import LIMIT, deployed_small, run_one, short_recipe

from fivenines.base.waiting import wait_until
from fivenines.failover.managers.program import ProgramManager
from fivenines.software.store import engine
from fivenines.solutions.replication.settings import ReplicationSettings

_WATCH = r"""
ask() { timeout 10 mariadb --defaults-extra-file={{ files }}/client.cnf --skip-ssl -Nse "$2" -h "$1" 2>&1; }
nodes="{{ nodes | map(attribute='address') | join(' ') }}"
primary={{ primary.address }}
promote() {
  ask "$1" 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0' && primary=$1 && echo "promoted $1"
}
attach() {
  ask "$1" "SET GLOBAL read_only = 1; STOP SLAVE; CHANGE MASTER TO MASTER_HOST = '$primary',
    MASTER_USER = '{{ manager.user }}', MASTER_PASSWORD = '{{ manager.password }}',
    MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos; START SLAVE" && echo "repointed $1"
}
follows() { ask "$1" "SHOW SLAVE STATUS\G" | grep -qx "$primary"; }
other() { for node in $nodes; do [ "$node" = "$primary" ] || { echo "$node"; return; }; done; }
if [ "$(ask "$primary" 'SELECT 1')" = 1 ]; then echo "watching $primary"; fi
while sleep 0.2; do
  if [ -e {{ run }}/asked ]; then
    rm {{ run }}/asked
    new=$(other)
    ask "$primary" 'SET GLOBAL read_only = 1'
    at=$(ask "$primary" 'SELECT @@gtid_binlog_pos')
    [ "$(ask "$new" "SELECT MASTER_GTID_WAIT('$at', 5)")" = 0 ] && promote "$new"
  elif [ "$(ask "$primary" 'SELECT 1')" != 1 ]; then
    echo "gives up $primary"
    promote "$(other)"
  fi
  for node in $nodes; do
    [ "$node" = "$primary" ] || [ "$(ask "$node" 'SELECT 1')" != 1 ] || follows "$node" || attach "$node"
  done
done
"""


@pytest.mark.lasts(45)
def test_a_custom_script_promotes_a_standby(tmp_path: Path) -> None:
    # Long enough for a second check: a standby on a busy machine may answer the first one too late.
    recipe = short_recipe("script").replace("restart_after: 3s", "restart_after: 15s")
    run = run_one(tmp_path, recipe, {})
    (trial,) = run.complete
    record = trial.record
    assert record.fault is not None and record.fault.verified and record.fault.rejoined
    # The first event of each kind counts: on a busy machine a later check of a healthy primary may fail.
    events = {event.kind: event for event in reversed(record.events)}
    assert events.keys() >= {"missed", "decided", "promoted", "repointed"}
    assert events["promoted"].node in ("node2", "node3")
    assert events["missed"].t < events["decided"].t < events["promoted"].t
    check = record.check
    assert check is not None and check.acknowledged > 0
    assert {node.lost for node in check.nodes} == {0}


def test_it_switches_over_dies_and_rejoins_nodes_by_itself(tmp_path: Path) -> None:
    root = engine("mariadb-10.11").root().lower
    settings = ReplicationSettings.model_validate(
        {
            "solution": "replication",
            "replicas": 2,
            "manager": {
                "kind": "program",
                "name": "watch",
                "command": ["sh", "{{ files }}/watch.sh"],
                "root": str(root),
                "rejoins": True,
                "switchover": ["touch", "{{ run }}/asked"],
                "ready": {"says": "^watching"},
                "marks": [
                    {"says": "^gives up", "means": "decided"},
                    {"says": r"^promoted (?P<node>\S+)", "means": "promoted"},
                    {"says": r"^repointed (?P<node>\S+)", "means": "repointed"},
                ],
                "files": {
                    "watch.sh": _WATCH,
                    "client.cnf": "[client]\nuser={{ manager.user }}\npassword={{ manager.password }}\n",
                },
            },
        }
    )
    assert settings.manager.problems() == []
    with deployed_small(tmp_path, settings) as made:
        solution, manager = made.solution, made.manager
        assert isinstance(manager, ProgramManager) and manager.alive

        def astray() -> str:
            return next(filter(None, map(solution.membership.not_joined_reason, solution.nodes)), "")

        new = manager.switch_over()
        assert new == solution.roles.primary_of_record.name == "node2"
        wait_until(astray, LIMIT, "not all follow the new primary")
        # A killed manager is restarted with the current primary.
        manager.kill()
        assert not manager.alive
        manager.restart()
        assert manager.alive
        assert f"watching {solution.node('node2').host.address}" in _log(manager)
        process = solution.node("node2").process
        assert process is not None
        process.gone(process.kill())
        wait_until(lambda: "" if _promoted(manager) > 1 else "no node was promoted", LIMIT, "no failover")
        assert solution.roles.primary_of_record.name == "node1"
        assert not manager.at_work
        manager.start_node(solution.node("node2"))
        wait_until(astray, LIMIT, "node2 was not made a member")
        assert not any(event.kind == "failed" for event in manager.events())
        _ends_by_itself(manager)


def _promoted(manager: ProgramManager) -> int:
    return sum(event.kind == "promoted" for event in manager.events())


def _log(manager: ProgramManager) -> str:
    return (manager._running.host.node / "log" / "watch.out").read_text()


def _ends_by_itself(manager: ProgramManager) -> None:
    """Check that an unexpected end of the manager is reported."""
    manager._running.process.interrupt(15)  # type: ignore[arg-type]
    until = time.monotonic() + LIMIT
    while manager.alive or not any(event.kind == "failed" for event in manager.events()):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert "watch ended with status" in manager.events()[-1].detail
