"""Software: engines of database servers and tools, from wheels, archives, images and packages."""
