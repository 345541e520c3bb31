"""Requirements on solutions: measures by name, conditions on them, and settings that contain conditions."""
