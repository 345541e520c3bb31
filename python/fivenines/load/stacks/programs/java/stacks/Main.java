package stacks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.json.JSONObject;

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
        Created created = new Created();
        HikariConfig configuration = kind.configuration(task);
        configuration.setMetricsTrackerFactory(created);
        HikariDataSource pool = new HikariDataSource(configuration);
        String versions;
        try (Connection connection = pool.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            // MySQL Connector/J writes its own name in front of the version, and its revision in brackets behind it.
            String version = about.getDriverVersion().replaceFirst("^mysql-connector-j-", "").replaceFirst(" .*", "");
            String driver = about.getDriverName() + " " + version;
            versions = "HikariCP " + Lines.versionOf(HikariDataSource.class) + ", " + driver;
        }
        List<Worker> workers =
            IntStream.range(0, task.workers()).mapToObj(number -> new Worker(kind, task, pool, number)).toList();
        HikariPoolMXBean counters = pool.getHikariPoolMXBean();
        Lines.ready(versions + ", Java " + Runtime.version(), () -> new JSONObject()
            .put("waiting", workers.stream().filter(Worker::waits).count())
            .put("open", counters.getTotalConnections())
            .put("idle", counters.getIdleConnections())
            .put("created", created.number()));
        workers.forEach(Main::daemon);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }
}
