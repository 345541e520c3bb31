package stacks;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** The program of the Java client stacks: reads its task, starts the workers, ends with its input. */
public final class Main {
    private Main() {}

    /**
     * Runs a stack until standard input ends.
     *
     * @param arguments the name of the stack
     */
    public static void main(String[] arguments) {
        try {
            Kind kind = Kind.named(String.join(" ", arguments));
            Task task = Task.read();
            daemon(() -> start(kind, task));
            Lines.liveUntilTheEnd();
        } catch (IOException | RuntimeException error) {
            Lines.fail(error);
        }
    }

    private static void start(Kind kind, Task task) {
        try {
            open(kind, task);
        } catch (Throwable error) { // the program must not go on without its workers
            Lines.fail(error);
        }
    }

    private static void open(Kind kind, Task task) throws SQLException {
        HikariDataSource pool = new HikariDataSource(kind.configuration(task));
        String versions;
        try (Connection connection = pool.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            // MySQL Connector/J writes its own name in front of the version, and its revision in brackets behind it.
            String version = about.getDriverVersion().replaceFirst("^mysql-connector-j-", "").replaceFirst(" .*", "");
            String driver = about.getDriverName() + " " + version;
            versions = "HikariCP " + Lines.versionOf(HikariDataSource.class) + ", " + driver;
        }
        Lines.ready(versions + ", Java " + Runtime.version());
        for (int number = 0; number < task.workers(); number++) {
            daemon(new Worker(kind, task, pool, number));
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }
}
