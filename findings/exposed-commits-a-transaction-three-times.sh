#!/bin/bash
# Exposed 1.0.0 (Kotlin): a transaction whose COMMIT lost its answer is committed up to three times, without an error.
#
# Guess: transaction { } repeats a block that the server rolled back (deadlock, serialization failure), and throws when the
# connection ends during COMMIT, as the outcome is then unknown.
# Seen on 2026-11-30 with PostgreSQL 18.6 and pgJDBC 42.7.14: with default settings (maxAttempts = 3) any SQLException,
# also that of COMMIT, runs the block again on a new connection. So a failover between the COMMIT and its answer pays
# twice, and the program sees one success. If the answer of the last attempt is lost as well, there are three payments and
# an exception. maxAttempts = 1 avoids it.
#
# Output seen:
#   1 answer lost: committed, payments: 2
#   2 answers lost: committed, payments: 3
#   3 answers lost: failed, payments: 3
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
maven_packages org.jetbrains.exposed:exposed-jdbc:1.0.0 org.postgresql:postgresql:42.7.14 org.slf4j:slf4j-nop:2.0.17
port=$(free_port)
postgres_server server "$port"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$port user=postgres" -c "$1"; }
sql 'CREATE TABLE payments (amount int)'
cat >Pay.java <<'JAVA'
import java.sql.Connection;
import java.sql.SQLException;
import org.jetbrains.exposed.v1.jdbc.Database;
import org.jetbrains.exposed.v1.jdbc.transactions.TransactionsKt;

public class Pay {
    public static void main(String[] arguments) throws Exception {
        Database database = null; // Kotlin's connect(url, driver, user) with its other arguments left out
        for (var method : Database.Companion.getClass().getMethods()) {
            if (method.getName().equals("connect$default") && method.getParameterTypes()[1] == String.class) {
                database = (Database) method.invoke(null, Database.Companion, arguments[0], "org.postgresql.Driver",
                    "postgres", "", null, null, null, null, 0b11110000, null);
            }
        }
        try {
            TransactionsKt.<Object>transaction(database, (Integer) null, (Boolean) null, transaction -> {
                try (var statement = ((Connection) transaction.getConnection().getConnection()).createStatement()) {
                    statement.executeUpdate("INSERT INTO payments VALUES (100)");
                } catch (SQLException error) {
                    throw new RuntimeException(error);
                }
                return null;
            });
            System.out.println("committed");
        } catch (Exception error) {
            System.out.println("failed");
        }
    }
}
JAVA
pay() { java -cp 'jars/*' Pay.java "jdbc:postgresql://127.0.0.1:$1/postgres"; }
for lost in 1 2 3; do paid "$lost" >"$lost.txt"; done
expect "1 answer lost" "$(cat 1.txt)" "committed, payments: 2"
expect "2 answers lost" "$(cat 2.txt)" "committed, payments: 3"
expect "3 answers lost" "$(cat 3.txt)" "failed, payments: 3"
