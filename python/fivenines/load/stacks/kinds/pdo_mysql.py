"""`pdo-mysql`: PDO with MariaDB and MySQL, by mysqlnd (PHP)."""

from typing import ClassVar

from fivenines.load.stacks.stack import PhpStack


class PdoMysql(PhpStack):
    """PDO with MariaDB and MySQL, by mysqlnd (PHP)."""

    name = "pdo-mysql"
    description = "PDO with MariaDB and MySQL, by mysqlnd (PHP)"
    driver = "mysql"
    several_hosts = False
    recommended: ClassVar = {"connect.connect_timeout": 2, "connect.read_timeout": 5}
    documentation = (
        "php.net/manual/en/pdo.setattribute.php; "
        "php.net/manual/en/mysqlnd.config.php#ini.mysqlnd.net-read-timeout"
    )
