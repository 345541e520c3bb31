"""`fivenines schema`: the JSON Schema of experiment files."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path
from typing import Annotated

import typer


def schema(
    output: Annotated[Path | None, typer.Option(help="The file; default: stdout.", metavar="FILE")] = None,
) -> None:
    """Print the JSON Schema of experiment files, for editors that complete and check them.

    \b
    fivenines schema --output experiment.schema.json

    An editor with the YAML language server (VS Code, Neovim, ...) uses it
    for a file that begins with
      # yaml-language-server: $schema=experiment.schema.json
    as what `fivenines init` writes does.
    """
    from fivenines.cli import console
    from fivenines.experiment.schema import text
    from fivenines.results.store import write_text

    if output is None:
        console.stdout().out(text().rstrip("\n"), highlight=False)
    else:
        write_text(output, text())
        console.say(str(output))


def file_for_editors() -> Path:
    """The schema in the user's cache, for files that name it in their first line; as new as this program.

    Raises:
        FiveninesError: it cannot be written.
    """
    from fivenines import paths
    from fivenines.experiment.schema import NAME, text
    from fivenines.results.store import write_text

    file, made = paths.cache() / NAME, text()
    if not file.is_file() or file.read_text(encoding="utf-8") != made:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_text(file, made)
    return file
