"""`fivenines schema`: print the JSON Schema of experiment files."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path
from typing import Annotated

import typer


def schema(
    output: Annotated[Path | None, typer.Option(help="Output file; default: stdout.", metavar="FILE")] = None,
) -> None:
    """Print the JSON Schema of experiment files, for completion and checks in editors.

    \b
    fivenines schema --output experiment.schema.json

    Editors with the YAML language server (VS Code, Neovim, ...) use it for files
    that begin with this line, as files by `fivenines init` do:
      # yaml-language-server: $schema=experiment.schema.json
    """
    from fivenines.cli.output import console
    from fivenines.experiment.schema import text
    from fivenines.results.store import write_text

    if output is None:
        console.stdout().out(text().rstrip("\n"), highlight=False)
    else:
        write_text(output, text())
        console.say(str(output))


def file_for_editors() -> Path:
    """Write the current schema to the user's cache, and return its path.

    Raises:
        FiveninesError: the file cannot be written.
    """
    from fivenines.base import paths
    from fivenines.experiment.schema import NAME, text
    from fivenines.results.store import write_text

    file, made = paths.cache() / NAME, text()
    if not file.is_file() or file.read_text(encoding="utf-8") != made:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_text(file, made)
    return file
