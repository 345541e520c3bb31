"""Run a load against an existing database: the work of `fivenines bench`."""
