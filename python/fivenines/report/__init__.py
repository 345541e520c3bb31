"""From numbers to pages."""
