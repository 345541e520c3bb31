"""The report as a page: sections, tables, figures, scripts, templates."""
