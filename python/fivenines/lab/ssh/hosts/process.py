"""Commands on another machine, each represented by a local process (`fivenines-core agent run`)."""

from fivenines.lab.processes.process import OwnProcess
from fivenines.lab.vm.process import AttachedProcess, VmProcess


class RemoteProcess(OwnProcess, VmProcess):
    """A remote command, represented by a local process without a parent starter."""


class RemoteAdopted(AttachedProcess, RemoteProcess):
    """A remote server that a supervisor starts."""
