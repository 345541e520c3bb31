"""The settings type "any single fault", for faults that consist of others."""

from typing import TYPE_CHECKING

from fivenines.base import plugins
from fivenines.faults.settings import FaultSettings

# Modules of faults that consist of other faults.
COMPOSED = ("sequence", "repeat")

if TYPE_CHECKING:
    AnySingle = FaultSettings
else:
    AnySingle = plugins.settings_union(
        "fivenines.faults", FaultSettings, "fault", without=(*COMPOSED, "none")
    )
