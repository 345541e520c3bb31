"""Kinds of client stacks, one file each."""
