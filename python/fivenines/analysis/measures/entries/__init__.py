"""The measures, in a file for each subject; `measures.measures` lists them all."""
