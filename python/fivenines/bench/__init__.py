"""A load on a database that somebody else runs: what `fivenines bench` does, with live figures."""
