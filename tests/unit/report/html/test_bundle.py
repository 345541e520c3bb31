"""The charts library is the published file, or the report says what to install."""

from pathlib import Path
from unittest.mock import patch

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.report.html import bundle


def test_the_library_is_as_published() -> None:
    text = bundle.uplot.__wrapped__()
    assert text.startswith("/*! https://github.com/leeoniya/uPlot (v1.6.31) */")


def test_another_file_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "uplot.js"
    place.write_text("window.uPlot = {}")
    with patch.object(bundle, "distribution") as found:
        found.return_value.locate_file.return_value = place
        with pytest.raises(FiveninesError, match=r"is not uPlot 1\.6\.31 as published.*pip install"):
            bundle.uplot.__wrapped__()


def test_a_missing_package_is_named() -> None:
    with (
        patch.object(bundle, "_PACKAGE", "no-such-package"),
        pytest.raises(FiveninesError, match="need the package"),
    ):
        bundle.uplot.__wrapped__()
