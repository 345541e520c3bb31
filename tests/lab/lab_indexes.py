"""The indexes of a table, as the server itself names them."""

from lab_prepare import Site


def indexes(place: Site, table: str) -> set[str]:
    """Their names."""
    if place.node.driver == "mysql":
        return {row[2] for row in place.query(f"SHOW INDEX FROM {table}")}
    return {
        row[0]
        for row in place.query(f"SELECT indexname FROM pg_indexes WHERE tablename = '{table}'")
    }
