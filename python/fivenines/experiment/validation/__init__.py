"""Checks of an experiment that span several values, and the wording of their errors."""
