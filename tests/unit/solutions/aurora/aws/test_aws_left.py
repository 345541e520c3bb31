"""Leftovers at Amazon: owner and deletion."""

import os
import platform
from dataclasses import replace

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws import left
from fivenines.solutions.aurora.aws.api import Access, Described, Instance
from fivenines.solutions.aurora.aws.left import Left, command, delete, find, named
from fivenines.solutions.aurora.aws.tags import RUN, origin, tags_of

OURS = tags_of("1a2b")


def test_tags_name_the_owner_and_the_process() -> None:
    made = origin(OURS)
    assert made is not None and made.run == "1a2b" and made.in_use
    assert made.host == platform.node() and made.pid == os.getpid() and made.is_mine
    dead = origin({**OURS, "fivenines:born": "1"})
    elsewhere = origin({**OURS, "fivenines:host": "another"})
    assert dead is not None and not dead.in_use
    assert elsewhere is not None and not elsewhere.in_use and not elsewhere.is_mine
    assert origin({"Name": "shop"}) is None


class Cloud:
    """An API with these clusters and instances, which refuses some deletions a number of times."""

    def __init__(self, refused: dict[str, int] | None = None) -> None:
        self.refused = refused or {}
        self.done: list[str] = []

    def clusters(self) -> list[Described]:
        members = (Instance("a-1", "", True), Instance("a-2", "", False))
        return [
            Described("a", "aurora-mysql", "", "available", "", "", 1, members, tags=OURS),
            Described("shop", "aurora-mysql", "", "available", "", "", 1, (Instance("s", "", True),)),
        ]

    def instances(self) -> dict[str, dict[str, str]]:
        return {"a-1": OURS, "a-2": OURS, "s": {}, "lonely": {RUN: "9"}}

    def delete_instance(self, name: str) -> None:
        if self.refused.get(name, 0):
            self.refused[name] -= 1
            raise FiveninesError(f"{name} is creating")
        self.done.append(name)

    delete_cluster = delete_instance


def test_only_tagged_resources_are_listed() -> None:
    found = find(Cloud())  # type: ignore[arg-type]
    assert [(one.cluster, one.instances) for one in found] == [("a", ("a-1", "a-2")), ("", ("lonely",))]
    assert found[1].origin.owner == "?" and not found[1].origin.in_use


def test_instances_are_deleted_first_and_refused_deletions_are_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(left, "_EVERY", 0.0)
    cloud = Cloud({"a-2": 2, "a": 1})
    (one, _) = find(cloud)  # type: ignore[arg-type]
    messages: list[str] = []
    assert delete(cloud, one, 60, messages.append) == []  # type: ignore[arg-type]
    assert cloud.done == ["a-1", "a", "a-2"] and messages == ["a-2 is creating", "a-2 is creating"]


def test_a_multi_az_cluster_is_deleted_with_its_instances() -> None:
    cloud = Cloud()
    (one, _) = find(cloud)  # type: ignore[arg-type]
    assert delete(cloud, replace(one, whole=True)) == []  # type: ignore[arg-type]
    assert cloud.done == ["a"] and not one.whole


def test_remaining_resources_are_reported_with_the_command() -> None:
    cloud = Cloud({"a": 9})
    one: Left = find(cloud)[0]  # type: ignore[arg-type]
    access = Access("eu-central-1", "work")
    reasons = delete(cloud, one)  # type: ignore[arg-type]
    assert reasons == ["a is creating"]
    assert command(access) == "fivenines aws sweep --region eu-central-1 --profile work --yes"
    assert named(reasons, access).startswith(
        "a is creating. It costs money until it is deleted: fivenines aws"
    )
