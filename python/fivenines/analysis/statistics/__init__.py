"""Statistics: intervals, comparisons, power, ratios, trends. They know no database."""
