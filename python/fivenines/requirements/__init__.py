"""What is asked of a solution: measures by name, conditions on them, and the sections made of these."""
