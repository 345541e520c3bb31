<?php
// The worker, which writes one row after the other, in a process of its own.
declare(strict_types=1);

// How far a transaction has got.
const ACQUIRE = 0;
const WORK = 1;
const COMMIT = 2;
const RELEASE = 3;
// Between two transactions.
const PAUSE = 4;
const STAGES = ['acquire', 'work', 'commit', 'release'];

/** Works on operations until the process ends. `attempt`: the first one, in memory that the main process sees. */
function work(Task $task, Kind $kind, int $worker, object $attempt): never
{
    while (true) {
        $attempt->stage = ACQUIRE;
        $attempt->start = now();
        $error = null;
        // The signal ends the process, wherever it waits; the main process writes the line then.
        pcntl_alarm($kind->patience);
        try {
            $kind->transact($attempt);
        } catch (Exception $raised) { // whatever PDO raises is what the application gets
            $error = $raised;
            unset($raised);
        }
        pcntl_alarm(0);
        [$code, $answered] = $error === null ? ['', true] : $kind->described($error);
        $committed = report($worker, $attempt, $code, $answered, $error?->getMessage() ?? '');
        $attempt->stage = PAUSE;
        follow($task, $attempt, $committed);
    }
}

/** Writes what came of an attempt; returns whether it was committed. */
function report(int $worker, object $attempt, string $code, bool $answered, string $message): bool
{
    $committed = $code === '' || $attempt->stage === RELEASE;
    $doubtful = !$committed && $attempt->stage === COMMIT && !$answered;
    write([
        'event' => 'transaction', 'n' => $attempt->operation, 'worker' => $worker, 'attempt' => $attempt->number,
        'start_us' => $attempt->start, 'end_us' => now(),
        'outcome' => $committed ? 'committed' : ($doubtful ? 'in_doubt' : 'failed'),
        'stage' => STAGES[$attempt->stage],
        ...($code === '' ? [] : ['code' => $code, 'message' => brief($message)]),
    ]);
    return $committed;
}

/** Pauses, and moves on to the next attempt. */
function follow(Task $task, object $attempt, bool $committed): void
{
    if ($task->repeat && !$committed) {
        $attempt->number++;
    } else {
        $attempt->operation += $task->workers;
        $attempt->number = 1;
    }
    usleep(1000 * ($committed ? $task->think_ms : $task->pause_ms));
}
