"""Processes in a lab: start, enter, find, signal, and end all of them."""
