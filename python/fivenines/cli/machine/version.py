"""`fivenines version`: print the version."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import platform

from fivenines.cli.options import AsJson


def version(as_json: AsJson = False) -> None:
    """Print the versions of fivenines and Python.

    \b
    fivenines version
    """
    from fivenines import __version__
    from fivenines.cli.output import console

    if as_json:
        console.as_json({"fivenines": __version__, "python": platform.python_version()})
    else:
        console.say(f"fivenines {__version__} (Python {platform.python_version()})")
