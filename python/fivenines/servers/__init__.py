"""One database server process: configuration, start, stop, SQL."""
