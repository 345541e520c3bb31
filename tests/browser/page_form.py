"""Tests that every page must pass."""

import pytest
from driven import Driven
from page_checks import defects, unfold, unreached

LAPTOP, PHONE = (1280, 800), (390, 844)


class PageForm:
    """Tests to inherit; a fixture `address` names the page."""

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("window", [LAPTOP, PHONE])
    def test_nothing_is_cut_or_overlaps_and_nothing_is_fetched(
        self, page: Driven, address: str, window: tuple[int, int], scheme: str
    ) -> None:
        page.asked.clear()
        page.errors.clear()
        page.window(*window, dark=scheme == "dark")
        page.open(address)
        assert defects(page) == []
        unfold(page)
        assert defects(page) == []
        assert (page.asked, page.errors) == ([address], [])

    def test_the_keyboard_reaches_everything(self, page: Driven, address: str) -> None:
        page.window(*LAPTOP)
        page.open(address)
        assert unreached(page) == []

    def test_it_prints_on_paper(self, page: Driven, address: str) -> None:
        page.window(*LAPTOP)
        page.open(address)
        assert page.print().startswith(b"%PDF")
        page.paper()
        assert defects(page) == []
