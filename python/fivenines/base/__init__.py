"""Shared by all packages: errors, paths, units, locks, settings, plug-ins. Imports no other package."""
