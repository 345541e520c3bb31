#!/bin/bash
# pgJDBC 42.7.14: setQueryTimeout makes a write that waits for its synchronous standby succeed, on the primary alone.
#
# Guess: with setQueryTimeout(2) (which Spring and ORMs set for transactions with a timeout) a write that the synchronous
# standby does not confirm within 2 s throws SQLTimeoutException, and the program treats it as failed or in doubt.
# Seen on 2026-11-30 with PostgreSQL 18.6: the driver sends a cancel request, the server answers it by not waiting for the
# standby any longer, and executeUpdate returns normally. Only getWarnings() differs, which programs rarely read. Such rows
# are acknowledged, and lost if the standby takes over. Connection.commit() ignores the timeout and waits without a bound.
# So the outage of a synchronous standby appears as statements of 2 s instead of as errors.
#
# Output seen:
#   executeUpdate: 1 row, warning: canceling wait for synchronous replication due to user request
#   it took: at least 2 s
#   commit: still waits after 6 s
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
maven_packages org.postgresql:postgresql:42.7.14
port=$(free_port)
postgres_server server "$port" "synchronous_standby_names = 'standby'" "synchronous_commit = local"
"$postgres/psql" -Xq "host=127.0.0.1 port=$port user=postgres" -c 'CREATE TABLE t (n int)'
cat >Write.java <<'JAVA'
import java.sql.*;

public class Write {
    public static void main(String[] arguments) throws SQLException {
        Connection connection = DriverManager.getConnection(arguments[0]);
        Statement statement = connection.createStatement();
        statement.execute("SET synchronous_commit = on");
        statement.setQueryTimeout(2);
        long start = System.nanoTime();
        int rows = statement.executeUpdate("INSERT INTO t VALUES (1)");
        boolean waited = System.nanoTime() - start > 1_900_000_000L;
        System.out.println(rows + " row, warning: " + statement.getWarnings().getMessage());
        System.out.println(waited ? "at least 2 s" : "less");
        connection.setAutoCommit(false);
        statement.executeUpdate("INSERT INTO t VALUES (2)");
        new Thread(() -> {
            try {
                Thread.sleep(6000);
            } catch (InterruptedException interrupted) {
                return;
            }
            System.out.println("still waits after 6 s");
            System.exit(0);
        }).start();
        connection.commit();
        System.out.println("returned");
        System.exit(0);
    }
}
JAVA
java -cp 'jars/*' Write.java "jdbc:postgresql://127.0.0.1:$port/postgres?user=postgres" >output.txt
expect executeUpdate "$(sed -n 1p output.txt)" "1 row, warning: canceling wait for synchronous replication due to user request"
expect "it took" "$(sed -n 2p output.txt)" "at least 2 s"
expect commit "$(sed -n 3p output.txt)" "still waits after 6 s"
