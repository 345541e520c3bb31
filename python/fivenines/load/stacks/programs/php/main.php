<?php
// The program of the PHP client stacks: reads its task, starts a process for each worker, ends with its input.
declare(strict_types=1);

require __DIR__ . '/task.php';
require __DIR__ . '/lines.php';
require __DIR__ . '/kinds.php';
require __DIR__ . '/work.php';
require __DIR__ . '/processes.php';

const KINDS = ['pdo-pgsql' => PdoPgsql::class, 'pdo-mysql' => PdoMysql::class];

try {
    $class = KINDS[implode(' ', array_slice($argv, 1))]
        ?? throw new UnexpectedValueException('name one stack: ' . implode(', ', array_keys(KINDS)));
    // libpq's variables would add settings that the results do not show.
    foreach (array_keys(getenv()) as $variable) {
        if (str_starts_with($variable, 'PG')) {
            putenv($variable);
        }
    }
    $task = Task::read();
    (new Processes($task, new $class($task)))->run();
} catch (Throwable $error) {
    fail($error->getMessage());
}
