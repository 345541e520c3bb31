"""Hosts that are namespaces of this machine, and the lab of such hosts and of virtual machines.

`first` starts a host; `commands`, `processes` and others are its parts, see `fivenines.lab.hosts`.
"""
