"""The report in words: results, decisions, cautions, definitions."""
