"""`fivenines schema`: the JSON Schema of experiment files."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path
from typing import Annotated

import typer


def schema(
    output: Annotated[Path | None, typer.Option(help="The file; default: stdout.")] = None,
) -> None:
    """Print the JSON Schema of experiment files, for editors that complete and check them.

    \b
    fivenines schema --output experiment.schema.json

    An editor with the YAML language server (VS Code, Neovim, ...) uses it for a file that begins with
      # yaml-language-server: $schema=experiment.schema.json
    """
    import json

    from fivenines.cli import console
    from fivenines.experiment.schema import schema as made
    from fivenines.results.store import write_text

    text = json.dumps(made(), indent=1, ensure_ascii=False)
    if output is None:
        console.stdout().out(text, highlight=False)
    else:
        write_text(output, f"{text}\n")
        console.say(str(output))
