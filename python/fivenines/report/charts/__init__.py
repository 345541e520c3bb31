"""The charts of the report: what is drawn, whatever stands around it."""
