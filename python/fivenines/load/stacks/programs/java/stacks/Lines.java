package stacks;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.json.JSONObject;

/** The lines that the program writes: see fivenines.load.stacks.protocol. */
final class Lines {
    private static final FileOutputStream OUTPUT = new FileOutputStream(FileDescriptor.out);

    // The pool, once it is open: what it counts.
    private static volatile Supplier<JSONObject> counters;

    private Lines() {}

    /** Returns microseconds of CLOCK_MONOTONIC. */
    static long now() {
        return System.nanoTime() / 1000;
    }

    /** Writes a line at once. */
    static synchronized void write(JSONObject line) {
        try {
            OUTPUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException error) { // the reader has gone
            Runtime.getRuntime().halt(1);
        }
    }

    /** Writes that the pool is open; signs of life have its counters from now on. */
    static void ready(String versions, Supplier<JSONObject> counted) {
        counters = counted;
        write(new JSONObject().put("event", "ready").put("at_us", now()).put("driver", versions));
    }

    /** Ends the process as failed; the last line of its error output says why. */
    static synchronized void fail(Throwable error) {
        error.printStackTrace();
        System.err.println(brief(error));
        Runtime.getRuntime().halt(1);
    }

    /** Returns the beginning of an error's message, on one line. */
    static String brief(Throwable error) {
        String message = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
        String line = message.replaceAll("\\s+", " ");
        return line.substring(0, Math.min(line.length(), 200));
    }

    /**
     * Writes signs of life until standard input ends, then the last line, and ends the process at once: pools are not
     * closed, as that may wait for a dead server.
     */
    static void liveUntilTheEnd() throws IOException {
        Thread alive = new Thread(() -> {
            while (true) {
                pause(1000);
                JSONObject line = new JSONObject().put("event", "alive").put("at_us", now());
                write(counters == null ? line : line.put("pool", counters.get()));
            }
        });
        alive.setDaemon(true);
        alive.start();
        while (System.in.read() >= 0) {
            // What follows the task has no meaning.
        }
        synchronized (Lines.class) {
            write(new JSONObject().put("event", "end").put("at_us", now()));
            Runtime.getRuntime().halt(0);
        }
    }

    static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException error) { // no thread of this program is interrupted
            throw new IllegalStateException(error);
        }
    }

    /** Returns the version in the path of a class's archive, such as HikariCP-7.1.0.jar. */
    static String versionOf(Class<?> type) {
        String archive = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        return archive.replaceFirst(".*-", "").replaceFirst("\\.jar$", "");
    }
}
