"""Makes the histories of tests/unit/support importable, and times no property test."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
