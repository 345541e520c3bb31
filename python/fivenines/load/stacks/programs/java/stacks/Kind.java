package stacks;

import com.zaxxer.hikari.HikariConfig;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.postgresql.util.PSQLException;

/** A driver under HikariCP. */
enum Kind {
    PGJDBC("hikari-pgjdbc", "postgresql", new org.postgresql.Driver()),
    MARIADB("hikari-mariadb", "mariadb", new org.mariadb.jdbc.Driver()),
    MYSQL("hikari-mysql", "mysql", mysql());

    // Beginnings of SQLSTATEs, and numbers, with which a server ends a session: what became of its COMMIT is not
    // said. PostgreSQL's 57P01 may even follow a commit whose standby has not answered yet. 40003: completion
    // unknown; MySQL's 1053: shutdown, 1317: interrupted.
    private static final Set<String> SESSION_ENDED = Set.of("08", "57P", "40003");
    private static final Set<Integer> SESSION_ENDED_NUMBERS = Set.of(1053, 1317);

    private final String name;
    private final String scheme;
    private final Driver driver;

    Kind(String name, String scheme, Driver driver) {
        this.name = name;
        this.scheme = scheme;
        this.driver = driver;
    }

    private static Driver mysql() {
        try {
            return new com.mysql.cj.jdbc.Driver();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    static Kind named(String name) {
        for (Kind kind : values()) {
            if (kind.name.equals(name)) {
                return kind;
            }
        }
        String known = Arrays.stream(values()).map(kind -> kind.name).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("name one stack: " + known);
    }

    /** Returns the configuration of the pool, with account and settings. */
    HikariConfig configuration(Task task) throws SQLException {
        Properties pool = new Properties();
        pool.setProperty("maximumPoolSize", String.valueOf(task.workers()));
        // HikariCP refuses names that it does not know.
        pool.putAll(task.settings("pool"));
        HikariConfig configuration = new HikariConfig(pool);
        String url = url(task);
        configuration.setJdbcUrl(url);
        configuration.setUsername(task.user());
        configuration.setPassword(task.password());
        if (this == PGJDBC && task.servers().size() > 1) {
            configuration.addDataSourceProperty("targetServerType", "primary");
        }
        if (this != PGJDBC) {
            // Without TLS an account of MySQL's default kind needs the server's public key, unless the server has
            // cached its password; the drivers fetch the key only where that is allowed.
            configuration.addDataSourceProperty("allowPublicKeyRetrieval", "true");
        }
        Map<String, String> settings = task.settings("connect");
        refuseUnknown(url, settings.keySet());
        settings.forEach(configuration::addDataSourceProperty);
        return configuration;
    }

    private String url(Task task) {
        // Without this mode MariaDB's driver does not look for another host when the first one has gone.
        String mode = this == MARIADB && task.servers().size() > 1 ? "sequential:" : "";
        return "jdbc:" + scheme + ":" + mode + "//" + String.join(",", task.servers()) + "/" + task.database();
    }

    /** Fails if a setting is none of the driver's: drivers ignore such names. */
    private void refuseUnknown(String url, Set<String> settings) throws SQLException {
        Set<String> known = new TreeSet<>();
        for (DriverPropertyInfo info : driver.getPropertyInfo(url, new Properties())) {
            known.add(info.name);
        }
        for (String setting : settings) {
            if (!known.contains(setting)) {
                throw new IllegalArgumentException("setting connect." + setting + ": the driver has no such property");
            }
        }
    }

    /** Returns the SQLSTATE or the number of an error of the server, or the name of one of the driver or the pool. */
    String code(Exception error) {
        if (error instanceof SQLException sql && !ofThePool(error)) {
            if (this != PGJDBC && sql.getErrorCode() > 0) {
                return String.valueOf(sql.getErrorCode());
            }
            if (sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return error.getClass().getSimpleName();
    }

    /** Returns whether HikariCP itself has given up; such an error has the SQLSTATE of an earlier one. */
    private static boolean ofThePool(Exception error) {
        StackTraceElement[] trace = error.getStackTrace();
        return trace.length > 0 && trace[0].getClassName().startsWith("com.zaxxer.hikari.");
    }

    /** Returns whether an error is the server's answer to the statement, and not the session's end. */
    boolean answered(Exception error) {
        if (!(error instanceof SQLException sql) || sql.getSQLState() == null) {
            return false;
        }
        boolean sent = this == PGJDBC
            ? error instanceof PSQLException own && own.getServerErrorMessage() != null
            : sql.getErrorCode() > 0;
        return sent
            && SESSION_ENDED.stream().noneMatch(sql.getSQLState()::startsWith)
            && !SESSION_ENDED_NUMBERS.contains(sql.getErrorCode());
    }
}
