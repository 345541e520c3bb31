package stacks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.json.JSONObject;

/** A worker, which writes one row after the other until the process ends. */
final class Worker implements Runnable {
    private final Kind kind;
    private final Task task;
    private final DataSource pool;
    private final int number;
    private final String insert;

    // How far the attempt has got; empty between two attempts.
    private volatile String stage = "";

    Worker(Kind kind, Task task, DataSource pool, int number) {
        this.kind = kind;
        this.task = task;
        this.pool = pool;
        this.number = number;
        this.insert = "INSERT INTO " + task.table() + " (n, attempt) VALUES (?, ?) " + task.suffix();
    }

    /** Returns whether it has no connection yet. */
    boolean waits() {
        return stage.equals("acquire");
    }

    @Override
    public void run() {
        long n = number;
        int attempt = 1;
        while (true) {
            long start = Lines.now();
            stage = "acquire";
            Exception error = null;
            try {
                transact(n, attempt);
            } catch (SQLException | RuntimeException raised) { // whatever the stack raises, the application gets
                error = raised;
            }
            boolean committed = stage.equals("release");
            JSONObject line = new JSONObject()
                .put("event", "transaction").put("n", n).put("worker", number).put("attempt", attempt)
                .put("start_us", start).put("end_us", Lines.now()).put("stage", stage)
                .put("outcome", committed ? "committed" : "failed");
            if (error != null) {
                line.put("code", kind.code(error)).put("message", Lines.brief(error));
                if (stage.equals("commit") && !kind.answered(error)) {
                    line.put("outcome", "in_doubt");
                }
            }
            stage = "";
            Lines.write(line);
            if (task.repeat() && !committed) {
                attempt++;
            } else {
                n += task.workers();
                attempt = 1;
            }
            Lines.pause(committed ? task.thinkMs() : task.pauseMs());
        }
    }

    private void transact(long n, int attempt) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            stage = "work";
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(insert)) {
                statement.setLong(1, n);
                statement.setInt(2, attempt);
                statement.executeUpdate();
            }
            stage = "commit";
            connection.commit();
            stage = "release";
        }
    }
}
