"""The engines that come with fivenines, one file each."""
