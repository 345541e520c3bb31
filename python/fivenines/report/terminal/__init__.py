"""The report as lines and tables of a terminal."""
