<?php
// What the program has to do, and the settings of driver and pool.
declare(strict_types=1);

/** The task: see fivenines.load.stacks.protocol. */
final class Task
{
    public function __construct(
        public readonly array $servers,
        public readonly string $user,
        public readonly string $password,
        public readonly string $database,
        public readonly string $table,
        public readonly int $workers,
        public readonly int $think_ms,
        public readonly int $pause_ms,
        public readonly bool $repeat,
        public readonly string $suffix,
        public readonly array $options,
        mixed ...$others,
    ) {
    }

    /** Reads it from the first line of standard input. */
    public static function read(): Task
    {
        return new self(...json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR));
    }

    /** Returns host and port of each server; an IPv6 address has no brackets. */
    public function hosts(): array
    {
        $pair = static function (string $server): array {
            $colon = (int) strrpos($server, ':');
            return [trim(substr($server, 0, $colon), '[]'), substr($server, $colon + 1)];
        };
        return array_map($pair, $this->servers);
    }

    /** Returns the settings of the driver and of the pool. */
    public function settings(): array
    {
        $found = ['connect' => [], 'pool' => []];
        foreach ($this->options as $key => $value) {
            [$prefix, $name] = explode('.', (string) $key, 2) + [1 => ''];
            if (!isset($found[$prefix])) {
                throw new UnexpectedValueException("setting $key: write connect.NAME or pool.NAME");
            }
            $found[$prefix][$name] = is_bool($value) ? var_export($value, true) : (string) $value;
        }
        return [new Settings('connect', $found['connect']), new Settings('pool', $found['pool'])];
    }
}

/** Settings with the same prefix. Each is taken by its name; what is left at the end is unknown. */
final class Settings
{
    private array $known = [];

    public function __construct(private readonly string $prefix, public array $values)
    {
    }

    /** Takes a number; null if it is not set. */
    public function number(string $name): ?int
    {
        return $this->taken($name, 'a number', static fn (string $text) =>
            preg_match('/^\d{1,9}$/D', $text) ? (int) $text : null);
    }

    /** Takes `true` or `false`; false if it is not set. */
    public function switch(string $name): bool
    {
        $words = ['true' => true, 'false' => false];
        return $this->taken($name, 'true or false', static fn (string $text) => $words[$text] ?? null) ?? false;
    }

    /** Takes a time in whole seconds, such as `5s`; null if it is not set. */
    public function seconds(string $name): ?int
    {
        $units = ['s' => 1, 'm' => 60];
        return $this->taken($name, 'a time in whole seconds such as 5s', static fn (string $text) =>
            preg_match('/^([1-9]\d{0,6})([sm])$/D', $text, $part) ? (int) $part[1] * $units[$part[2]] : null);
    }

    /** Fails for a setting that would be ignored. */
    public function refuse(string $name, string $because): void
    {
        if (isset($this->values[$name])) {
            throw new UnexpectedValueException("setting $this->prefix.$name: $because");
        }
    }

    /** Fails if a setting is left: it would be ignored. */
    public function finish(): void
    {
        foreach (array_keys($this->values) as $name) {
            $this->refuse((string) $name, 'this stack has ' . implode(', ', $this->known));
        }
    }

    private function taken(string $name, string $wanted, callable $parse): mixed
    {
        $this->known[] = $name;
        $text = $this->values[$name] ?? null;
        unset($this->values[$name]);
        if ($text === null) {
            return null;
        }
        return $parse($text)
            ?? throw new UnexpectedValueException("setting $this->prefix.$name: write $wanted instead of $text");
    }
}
