"""Results on disk: layout, records, reading."""
