"""Provide uPlot for browsers from an installed package, for the report and the live page."""

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fivenines.base.errors import FiveninesError

# The package that ships the file; its Python is never imported.
_PACKAGE, _FILE = "youplot", "youplot/vendor/uplot.iife.min.js"
# uPlot 1.6.31 as its author published it: `npm view uplot@1.6.31`, dist/uPlot.iife.min.js.
_SHA256 = "2d27e8ad3d228164525ce213f9dc716f39b4e3aee0cc773fb3491c96cf4921a2"


@cache
def uplot() -> str:
    """Return uPlot as a script, 50 kB; it defines `window.uPlot`.

    Raises:
        FiveninesError: the file is missing, or is not the one that uPlot's author published.
    """
    try:
        content = Path(str(distribution(_PACKAGE).locate_file(_FILE))).read_bytes()
    except (PackageNotFoundError, OSError) as error:
        raise FiveninesError(f"the charts of the report need {_remedy()} ({error})") from error
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise FiveninesError(f"{_FILE} is not uPlot 1.6.31 as published; the report needs {_remedy()}")
    return content.decode()


def _remedy() -> str:
    return f"the package {_PACKAGE} 1.0.0: pip install --force-reinstall {_PACKAGE}==1.0.0"
