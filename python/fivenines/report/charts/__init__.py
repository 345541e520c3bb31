"""The charts of the report, independent of the page around them."""
