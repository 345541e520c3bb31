"""Where the Rust half is."""

import os
import shutil
import sysconfig
from functools import cache
from pathlib import Path

from fivenines.base.errors import FiveninesError

NAME = "fivenines-core"


@cache
def core_binary() -> Path:
    """The `fivenines-core` program: $FIVENINES_CORE, next to the Python interpreter, or on the PATH.

    Raises:
        FiveninesError: there is none.
    """
    named = os.environ.get("FIVENINES_CORE")
    candidates = [named, str(Path(sysconfig.get_path("scripts")) / NAME), shutil.which(NAME)]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return Path(candidate).absolute()
    raise FiveninesError(
        f"{NAME} was not found: install fivenines with `pip install .`, or name it in FIVENINES_CORE"
    )
