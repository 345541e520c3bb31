"""The lab: a private world of Linux namespaces on one machine."""
