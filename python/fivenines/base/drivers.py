"""Database drivers, imported at their first use, as importing them takes longer than most commands."""

from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import psycopg
    import psycopg.pq
    import pymysql
    import pymysql.constants.ER
    import pymysql.cursors
else:

    class _AtFirstUse(ModuleType):
        """A module that is imported, with some submodules, at the first access to an attribute."""

        def __init__(self, name: str, *parts: str) -> None:
            super().__init__(name)
            self._parts = [f"{name}.{part}" for part in parts]
            # A module becomes an attribute of its package only after other threads can import it.
            self._lock = RLock()

        def __getattr__(self, name: str) -> Any:
            with self._lock:
                for part in self._parts:
                    import_module(part)
                found = getattr(import_module(self.__name__), name)
            setattr(self, name, found)
            return found

    duckdb = _AtFirstUse("duckdb")
    psycopg = _AtFirstUse("psycopg", "pq")
    pymysql = _AtFirstUse("pymysql", "constants.ER", "cursors")
