"""The settings type "any single fault", for faults that consist of others."""

from typing import TYPE_CHECKING

from fivenines import plugins
from fivenines.faults.settings import FaultSettings

COMPOSED = ("sequence", "repeat")
"""Files of faults that consist of others."""

if TYPE_CHECKING:
    AnySingle = FaultSettings
else:
    AnySingle = plugins.settings_union(
        "fivenines.faults", FaultSettings, "fault", without=(*COMPOSED, "none")
    )
