"""Engines: where server software comes from. One file each."""
