"""Open connections to MySQL and MariaDB."""

import traceback
from typing import Any

from fivenines.base.drivers import pymysql


def opened(**options: Any) -> Any:
    """Open a connection; `options` as of `pymysql.connect`.

    PyMySQL 1.2.4 does not close the unix socket of a refused connect. The error's frames keep it in a cycle
    until the garbage collector runs, which is rare: two attempts a second at a dead server have used up all
    descriptors of a process after twelve failovers.
    """
    try:
        return pymysql.connect(**options)
    except Exception as error:
        traceback.clear_frames(error.__traceback__)
        raise
