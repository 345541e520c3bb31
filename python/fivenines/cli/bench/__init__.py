"""`fivenines bench`: its options, its run and its output."""
