"""Hosts that are virtual machines.

`kernel` boots a virtual machine and `agent` sends requests to it. `commands`, `files`, `power` and others are
the parts of the host, see `fivenines.lab.hosts`.
"""
