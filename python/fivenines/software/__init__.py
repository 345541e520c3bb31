"""Engines: sources of server software. One module per engine."""
