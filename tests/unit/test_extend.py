"""What `docs/extend` says of adding something: all that a class must have, and no file that is not there."""

import re
from abc import ABCMeta
from pathlib import Path

import pytest
from repository import ROOT

import fivenines
from fivenines.failover.managers.base import Manager
from fivenines.failover.proxies.base import Access
from fivenines.faults.base import Fault
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.console import Console
from fivenines.servers.introspection import Introspection
from fivenines.servers.local import LocalServer
from fivenines.servers.monitoring import Monitoring
from fivenines.servers.setup import Setup
from fivenines.servers.sql import Sql
from fivenines.solutions.base import Solution
from fivenines.solutions.configuration import Configuration
from fivenines.trial.observers.base import Observer

EXTEND = ROOT / "docs" / "extend"
PYTHON = Path(fivenines.__file__).parent
PAGES = sorted(EXTEND.glob("add-*.md"))
ROOTS = (PYTHON, ROOT, ROOT / "crates/workloads/src", PYTHON / "report/charts", PYTHON / "failover/managers")


def _must_have(kind: ABCMeta) -> frozenset[str]:
    return frozenset(getattr(kind, "__abstractmethods__", ()))


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("add-a-solution", Solution),
        ("add-a-solution", Configuration),
        ("add-a-solution", Membership),
        ("add-a-family-of-servers", LocalServer),
        ("add-a-family-of-servers", Sql),
        ("add-a-family-of-servers", Monitoring),
        ("add-a-family-of-servers", Introspection),
        ("add-a-family-of-servers", Setup),
        ("add-a-family-of-servers", Console),
        ("add-a-proxy", Access),
        ("add-a-manager", Manager),
        ("add-a-fault", Fault),
        ("add-an-observer", Observer),
    ],
)
def test_a_page_names_all_that_its_class_must_have(page: str, kind: ABCMeta) -> None:
    text = (EXTEND / f"{page}.md").read_text()
    missing = [name for name in sorted(_must_have(kind)) if not re.search(rf"\b{name}\b", text)]
    assert _must_have(kind) and missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_files_that_a_page_names_are_there(page: Path) -> None:
    named = set(re.findall(r"`([\w./-]+/|[\w./-]+\.(?:py|rs|json|md))`", page.read_text()))
    # a table of files that a family of servers has, and files of the examples themselves
    own = {"server.py", "replication.py", "control.py", "counters.py", "lag.py", "checksums.py"}
    own |= {"session.py", "roles.py", "incidents.py", "channel.py", "uptime.csv"}
    gone = [name for name in sorted(named - own) if not any((root / name).exists() for root in ROOTS)]
    assert named and gone == []


def test_every_page_can_be_found() -> None:
    index = (EXTEND / "add-a-solution.md").read_text() + (ROOT / "docs/README.md").read_text()
    assert [page.name for page in PAGES if page.name not in index] == []
    links = re.findall(r"\]\(([^)#:]+)\)", "".join(page.read_text() for page in PAGES))
    assert [link for link in links if not (EXTEND / link).resolve().exists()] == []
