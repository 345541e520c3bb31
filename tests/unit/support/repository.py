"""The folder of the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[3]
