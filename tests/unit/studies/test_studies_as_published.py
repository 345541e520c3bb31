"""What the packaged studies say of their publications: titles, set-ups, bounds."""

from typing import Any

import pytest

from fivenines.experiment.defaults import as_dict
from fivenines.studies import found
from fivenines.studies.source import FORMS, Loaded, load_study

CITED = {
    "aanby-2014": "Cluster Replication. Comparison of cluster topologies in a simulated telecom environment",
    "mohsen-2020": "Performance Comparison for High Availability Solutions of MySQL Database",
    "shrestha-2017": "High Availability and Performance of Database in the Cloud: Traditional Master-slave "
    "Replication versus Modern Cluster-based Solutions",
    "tusa-2015": "AWS Aurora Benchmarking - Blast or Splash?",
    "tusa-2016": "AWS Aurora Benchmark - Choose the right tool for the job",
    "wolski-2006": "Performance Measurement and Tuning of Hot-Standby Databases",
}

# Options of DRBD that the thesis recommends.
RECOMMENDED: dict[str, dict[str, Any]] = {
    "net": {"max_buffers": 8000, "max_epoch_size": 8000, "sndbuf_size": 0},
    "disk": {"disk_barrier": False, "disk_flushes": False, "al_extents": 3389},
}


def packaged(name: str) -> Loaded:
    return load_study(found.FOLDER / f"{name}.yaml")


def solutions(study: Loaded, kind: str) -> list[dict[str, Any]]:
    """Return the solutions of a kind in all parts and forms, as plain values."""
    every = [as_dict(part.experiment) for form in FORMS for part in study.experiments[form]]
    return [item for data in every for item in data["solutions"] if item["solution"] == kind]


@pytest.mark.parametrize("name", found.names())
def test_a_study_has_its_own_title(name: str) -> None:
    assert packaged(name).study.cite.title == CITED[name]


@pytest.mark.parametrize("name", found.names())
def test_more_than_is_a_bound(name: str) -> None:
    published = packaged(name).study.published
    assert all(item.bound == ("more than" in item.source) for item in published)


def test_drbd_has_the_options_that_the_thesis_recommends() -> None:
    drbd = solutions(packaged("mohsen-2020"), "drbd")
    assert len(drbd) > 10
    for item in drbd:
        options, swept = item["drbd"], item["variant"] is not None
        assert options["net"] == RECOMMENDED["net"] | {
            "unplug_watermark": options["net"]["unplug_watermark"] if swept else 32
        }
        assert options["disk"] == RECOMMENDED["disk"]


def test_only_2_safe_durable_flushes_at_the_active_server_where_it_runs_as_published() -> None:
    durability = {
        item["name"]: item["durability"]
        for item in solutions(packaged("wolski-2006"), "replication")
        if "safe" in item["name"]
    }
    relaxed = {"primary": "relaxed", "standby": "strict"}
    assert durability == {"1-safe": relaxed, "2-safe received": relaxed, "2-safe durable": "strict"}
