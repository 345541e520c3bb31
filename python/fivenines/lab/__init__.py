"""The lab: a private world of Linux namespaces on one machine, without root.

`World` holds the namespaces, `Host` is one machine in it. When the controller ends, for whatever reason,
the kernel ends everything in the world.
"""
