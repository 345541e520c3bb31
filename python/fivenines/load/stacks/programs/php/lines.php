<?php
// The lines that the program writes: see fivenines.load.stacks.protocol.
declare(strict_types=1);

/** Returns microseconds of CLOCK_MONOTONIC. */
function now(): int
{
    return intdiv(hrtime(true), 1000);
}

/** Writes a line at once, in one piece: several processes write to the same pipe, and it is shorter than PIPE_BUF. */
function write(array $values): void
{
    $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;
    $line = json_encode($values, $flags) . "\n";
    if (@fwrite(STDOUT, $line) !== strlen($line)) {
        exit(1); // the reader has gone
    }
}

/** Ends the process; the last line of its error output says why. */
function fail(string $message): never
{
    fwrite(STDERR, one_line($message) . "\n");
    exit(1);
}

function one_line(string $message): string
{
    return trim((string) preg_replace('/\s+/', ' ', $message));
}

/** Returns the beginning of a message. */
function brief(string $message): string
{
    return substr(one_line($message), 0, 200);
}
