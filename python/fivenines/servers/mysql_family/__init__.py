"""What MariaDB and MySQL share."""
