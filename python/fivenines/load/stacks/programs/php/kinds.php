<?php
// PDO with PostgreSQL and with MariaDB or MySQL: connections, and what their errors mean.
declare(strict_types=1);

// Beginnings of codes with which a server ends a session: what became of its COMMIT is not said. PostgreSQL's 57P01
// may even follow a commit whose standby has not answered yet. 40003: completion unknown; MySQL's 1053: shutdown,
// 1317: interrupted.
const SESSION_ENDED = '/^(08|57P|40003|1053|1317)/';

/** A driver of PDO. Like a request, a transaction creates its PDO object, and drops it at its end. */
abstract class Kind
{
    /** Whether PDO keeps the connection of a process, and hands it out again after a check of its own. */
    private readonly bool $persistent;

    /** Seconds after which the process of a transaction is ended, as by PHP-FPM's request_terminate_timeout. */
    public readonly int $patience;

    /** Attributes for the constructor of PDO. */
    private readonly array $attributes;

    private readonly string $source;

    public function __construct(private readonly Task $task)
    {
        [$connect, $pool] = $task->settings();
        $this->persistent = $pool->switch('persistent');
        $this->patience = $pool->seconds('request_terminate_timeout') ?? 0;
        $pool->finish();
        // In both drivers PDO::ATTR_TIMEOUT is the bound for connecting.
        $timeout = $connect->number('connect_timeout');
        $attributes = $timeout === null ? [] : [PDO::ATTR_TIMEOUT => $timeout];
        $this->attributes = $attributes + ($this->persistent ? [PDO::ATTR_PERSISTENT => true] : []);
        $this->source = $this->source($task, $connect);
    }

    public function connect(): PDO
    {
        return new PDO($this->source, $this->task->user, $this->task->password, $this->attributes ?: null);
    }

    /** Writes one row in a transaction; `attempt->stage` is how far it got. */
    public function transact(object $attempt): void
    {
        $connection = $this->connect();
        $attempt->stage = WORK;
        $connection->beginTransaction();
        $insert = "INSERT INTO {$this->task->table} (n, attempt) VALUES (?, ?) {$this->task->suffix}";
        $connection->prepare($insert)->execute([$attempt->operation, $attempt->number]);
        $attempt->stage = COMMIT;
        $connection->commit();
        $attempt->stage = RELEASE;
    }

    /** Returns an error's code, and whether it is the server's answer to the statement. */
    public function described(Exception $error): array
    {
        $information = $error instanceof PDOException ? $error->errorInfo : null;
        if (!isset($information[0])) {
            return [get_class($error), false];
        }
        [$code, $of_server] = $this->code((string) $information[0], (int) ($information[1] ?? 0));
        return [$code, $of_server && !preg_match(SESSION_ENDED, $code)];
    }

    /** Reaches the server; returns the versions of PHP and of the client. */
    public function versions(): string
    {
        $client = $this->connect()->getAttribute(PDO::ATTR_CLIENT_VERSION);
        return 'PHP ' . PHP_VERSION . ', ' . $this->client((string) $client);
    }

    /** Returns the data source name; takes the settings that remain. */
    abstract protected function source(Task $task, Settings $connect): string;

    /** Returns the code of an error, and whether the server sent it. */
    abstract protected function code(string $state, int $number): array;

    abstract protected function client(string $version): string;
}

final class PdoPgsql extends Kind
{
    protected function source(Task $task, Settings $connect): string
    {
        foreach (['user', 'password'] as $name) {
            $connect->refuse($name, 'PDO replaces it with the account of the DSN');
        }
        // Of several hosts libpq looks for the writable one. It refuses a keyword that it does not know.
        $hosts = $task->hosts();
        $known = [
            'host' => implode(',', array_column($hosts, 0)),
            'port' => implode(',', array_column($hosts, 1)),
            'dbname' => $task->database,
            ...(count($hosts) > 1 ? ['target_session_attrs' => 'read-write'] : []),
            ...$connect->values,
        ];
        $words = [];
        foreach ($known as $name => $value) {
            if (str_contains($name . $value, ';')) {
                throw new UnexpectedValueException("setting connect.$name: PDO replaces its semicolon with a space");
            }
            $words[] = "$name='" . addcslashes($value, "\\'") . "'";
        }
        return 'pgsql:' . implode(' ', $words);
    }

    protected function code(string $state, int $number): array
    {
        // PDO gives its own states to errors without one of the server: HY000 to a lost connection, and 08006 to each
        // attempt to connect that failed.
        return [$state, !preg_match('/^(HY|IM)/', $state)];
    }

    protected function client(string $version): string
    {
        return "libpq $version";
    }
}

final class PdoMysql extends Kind
{
    protected function source(Task $task, Settings $connect): string
    {
        // mysqlnd reads this when it connects.
        $patience = $connect->number('read_timeout');
        $connect->finish();
        if ($patience !== null) {
            ini_set('mysqlnd.net_read_timeout', (string) $patience);
        }
        [[$host, $port]] = $task->hosts();
        if ($host === 'localhost') {
            throw new UnexpectedValueException('PDO uses a unix socket for localhost: write 127.0.0.1');
        }
        $host = str_contains($host, ':') ? "[$host]" : $host;
        return "mysql:host=$host;port=$port;dbname=" . str_replace(';', ';;', $task->database);
    }

    protected function code(string $state, int $number): array
    {
        // 2000 to 2999 are errors of the client.
        return [(string) ($number ?: $state), $number > 0 && ($number < 2000 || $number >= 3000)];
    }

    protected function client(string $version): string
    {
        return $version;
    }
}
