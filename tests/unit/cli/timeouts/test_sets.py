"""The sets of timeouts of each solution and manager."""

import pytest

from fivenines.base import plugins
from fivenines.base.errors import UsageError
from fivenines.base.units import parse_duration
from fivenines.cli.timeouts.sets import GIVEN, sets_of
from fivenines.failover.managers.settings import ManagerSettings

TUNED = {
    "hot-standby": [],
    "replication": [],
    "replication with MHA": ["manager=mha", "mode=after_sync"],
    "replication with Pacemaker": ["manager=pacemaker", "mode=after_sync"],
    "patroni": [],
    "galera": [],
    "group-replication": [],
    "innodb-cluster": [],
}


@pytest.mark.parametrize("name", TUNED)
def test_every_set_is_permitted(name: str) -> None:
    _, sets = sets_of(name.partition(" ")[0], TUNED[name])
    # All of them: a set that its own rules refuse would be left out.
    assert len(sets) == 6


def test_every_manager_with_timeouts_is_tested() -> None:
    kinds = plugins.kinds("fivenines.failover.managers", ManagerSettings, "kind")
    assert {kind for kind, model in kinds.items() if model.timeouts} == {"mha", "operator", "pacemaker"}


def test_sets_wait_longer_and_longer() -> None:
    for name, settings in TUNED.items():
        _, sets = sets_of(name.partition(" ")[0], settings)
        for key in sets[0].values:
            values = [one.values[key] for one in sets]
            numbers = [value if isinstance(value, int) else parse_duration(value) for value in values]
            if key != "loop_wait":  # Patroni's loop must fit into ttl
                assert numbers == sorted(numbers), (name, key)


def test_given_settings_are_part_of_the_sets_where_they_are_equal() -> None:
    given, sets = sets_of("galera", ["suspect_timeout=5s", "inactive_timeout=15s", "size=3"])
    assert given in sets and given.name == GIVEN and sets.index(given) == 3
    assert all(one.entry["size"] == 3 for one in sets)
    other, sets = sets_of("galera", ["suspect_timeout=4s"])
    assert other not in sets and other.values["suspect_timeout"] == "4s"


def test_sets_that_contradict_the_given_settings_are_left_out() -> None:
    # A keepalive of 1 s needs a suspect_timeout of 3 s or more.
    _, sets = sets_of("galera", ["keepalive_period=1s"])
    assert [one.name for one in sets] == ["set 3", GIVEN, "set 5", "set 6"]


@pytest.mark.parametrize(
    ("solution", "settings", "message"),
    [
        ("standalone", [], "it has no timeouts to choose\n    allowed: "),
        ("hot-standby", ["manager=none"], "it has no timeouts to choose"),
        ("patron", [], "did you mean 'patroni'"),
        ("patroni", ["tll=3s"], "tll"),
    ],
)
def test_wrong_solutions_are_refused(solution: str, settings: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        sets_of(solution, settings)
    assert message in str(caught.value)
