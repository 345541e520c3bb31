"""The Python face of fivenines-core."""
