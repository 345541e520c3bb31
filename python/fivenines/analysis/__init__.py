"""From trial records to numbers with intervals."""
