package stacks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.json.JSONObject;

/** What the program has to do: see fivenines.load.stacks.protocol. */
record Task(
    List<String> servers,
    String user,
    String password,
    String database,
    String table,
    int workers,
    long thinkMs,
    long pauseMs,
    boolean repeat,
    String suffix,
    Map<String, String> options) {

    /** Reads it from the first line of standard input; nothing after the line is read. */
    static Task read() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = System.in.read(); next >= 0 && next != '\n'; next = System.in.read()) {
            line.write(next);
        }
        if (line.size() == 0) {
            throw new IOException("no task on standard input");
        }
        JSONObject task = new JSONObject(line.toString(StandardCharsets.UTF_8));
        JSONObject given = task.getJSONObject("options");
        Map<String, String> options = new TreeMap<>();
        for (String name : given.keySet()) {
            options.put(name, String.valueOf(given.get(name)));
            if (!name.startsWith("connect.") && !name.startsWith("pool.")) {
                throw new IllegalArgumentException("setting " + name + ": write connect.NAME or pool.NAME");
            }
        }
        return new Task(
            task.getJSONArray("servers").toList().stream().map(String::valueOf).toList(),
            task.getString("user"),
            task.getString("password"),
            task.getString("database"),
            task.getString("table"),
            task.getInt("workers"),
            task.getLong("think_ms"),
            task.getLong("pause_ms"),
            task.getBoolean("repeat"),
            task.getString("suffix"),
            options);
    }

    /** Returns the settings PREFIX.NAME by name. */
    Map<String, String> settings(String prefix) {
        Map<String, String> found = new TreeMap<>();
        options.forEach((name, value) -> {
            if (name.startsWith(prefix + ".")) {
                found.put(name.substring(prefix.length() + 1), value);
            }
        });
        return found;
    }
}
