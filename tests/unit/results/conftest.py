"""Makes the synthetic runs of tests/unit/support importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
