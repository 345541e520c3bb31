"""Start fivenines-core and process its results."""
