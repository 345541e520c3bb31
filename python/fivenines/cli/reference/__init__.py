"""Generate the reference pages and the manual pages from the program itself."""
