"""The settings type "any workload", for experiments, clients and benches."""

from typing import TYPE_CHECKING

from fivenines.base import plugins
from fivenines.load.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    AnyWorkload = WorkloadSettings
else:
    AnyWorkload = plugins.settings_union("fivenines.load.workloads", WorkloadSettings, "workload")
