"""Hosts that are namespaces of this machine, and the lab of such hosts and of virtual machines."""
