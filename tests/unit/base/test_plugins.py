"""Kinds that register themselves by standing in a package."""

import pytest
from pydantic import TypeAdapter, ValidationError

from fivenines.base import plugins
from fivenines.base.settings import Settings
from fivenines.failover.proxies.haproxy import HaproxySettings
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.faults.settings import FaultSettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.solutions.settings import SolutionSettings


def test_the_kinds_of_a_package_are_found_by_their_words() -> None:
    solutions = plugins.kinds("fivenines.solutions", SolutionSettings, "solution")
    assert set(solutions) >= {"standalone", "hot-standby", "replication", "galera"}
    assert all(issubclass(model, SolutionSettings) for model in solutions.values())


def test_kinds_in_the_folders_of_a_package_are_found_too_and_sorted_by_name() -> None:
    faults = list(plugins.kinds("fivenines.faults", FaultSettings, "fault"))
    assert faults == sorted(faults)
    assert {"kill", "partition", "slow-disk", "proxy", "none"} <= set(faults)
    single = plugins.kinds("fivenines.faults", FaultSettings, "fault", without=("repeat", "kill"))
    assert set(faults) - set(single) == {"repeat", "kill"}


def test_one_model_may_stand_for_many_words() -> None:
    workloads = plugins.kinds("fivenines.load.workloads", WorkloadSettings, "workload")
    assert workloads["oltp_read_only"] is workloads["oltp_read_write"] is Oltp


def test_a_word_stands_for_a_kind_with_all_its_defaults() -> None:
    access = TypeAdapter(plugins.settings_union("fivenines.failover.proxies", AccessSettings, "kind"))
    assert access.validate_python("haproxy") == HaproxySettings(kind="haproxy")
    assert access.validate_python({"kind": "haproxy", "fall": 3}).fall == 3
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        access.validate_python("nonesuch")


def test_a_package_without_kinds_is_reported_at_once() -> None:
    class Unused(Settings):
        """No file defines a kind of it."""

    with pytest.raises(TypeError) as refused:
        plugins.settings_union("fivenines.failover.proxies", Unused, "kind")
    assert str(refused.value) == "fivenines.failover.proxies defines no kind of Unused"
