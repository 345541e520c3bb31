"""Sites, links and cuts in real worlds."""

from collections.abc import Iterator
from itertools import permutations

import pytest

from fivenines.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.world import World

NAMES = ("node1", "node2", "client")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with World(tmp_path_factory.mktemp("plain") / "lab") as world:
        for name in NAMES:
            world.add_host(name, Root())
        yield world


def _unreached(world: World) -> set[tuple[str, str]]:
    return {pair for pair in permutations(NAMES, 2) if not world.reaches(*pair)}


def test_hosts_of_one_site_reach_each_other(plain: World) -> None:
    assert plain.frames_cut() == 0
    assert _unreached(plain) == set()
    assert list(plain.sites.values()) == [list(NAMES)]


def test_a_cut_works_one_way_and_is_counted(plain: World) -> None:
    before = plain.frames_cut()
    plain.cut([("node1", "node2")])
    assert _unreached(plain) == {("node1", "node2")}
    assert plain.frames_cut() > before
    plain.heal([("node1", "node2")])
    assert _unreached(plain) == set()
    after = plain.frames_cut()
    assert plain.reaches("node1", "node2") and plain.frames_cut() == after


def test_two_cuts_of_one_pair_are_healed_one_by_one(plain: World) -> None:
    alone = {pair for pair in permutations(NAMES, 2) if "node1" in pair}
    plain.cut(alone)
    plain.cut([("node1", "client")])
    assert _unreached(plain) == alone
    plain.heal(alone)
    plain.heal([("node2", "client")])
    assert _unreached(plain) == {("node1", "client")}
    plain.heal([("node1", "client")])
    assert _unreached(plain) == set()


def test_a_host_that_is_not_there_is_named(plain: World) -> None:
    with pytest.raises(FiveninesError, match="no host is called 'node9'; there are: node1, node2"):
        plain.cut([("node1", "node9")])


def test_without_nft_the_message_says_what_to_install(
    plain: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FiveninesError, match="apt-get install nftables"):
        plain.cut([("node1", "node2")])
    monkeypatch.undo()
    assert _unreached(plain) == set()
