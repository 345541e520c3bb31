"""The settings type "any failover manager", for solutions without built-in failover."""

from typing import TYPE_CHECKING

from fivenines.base import plugins
from fivenines.failover.managers.settings import ManagerSettings

if TYPE_CHECKING:
    AnyManager = ManagerSettings
else:
    AnyManager = plugins.settings_union("fivenines.failover.managers", ManagerSettings, "kind")
