"""The fixture of browser tests."""

from collections.abc import Iterator

import pytest
from driven import Driven, browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    """Run one browser for all tests of a file."""
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found
