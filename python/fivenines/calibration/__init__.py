"""How far to trust fivenines here: known errors are planted, and what is measured is compared with them."""
