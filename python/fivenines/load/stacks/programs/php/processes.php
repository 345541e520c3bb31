<?php
// The main process: starts the workers, writes signs of life, and ends the workers with itself.
declare(strict_types=1);

const PR_SET_PDEATHSIG = 1;
const PROT_READ_WRITE = 3;
const MAP_SHARED_ANONYMOUS = 0x21;

final class Processes
{
    private readonly FFI $libc;

    /** The attempts of the workers, in memory that all processes see. */
    private readonly FFI\CData $attempts;

    /** Process ids by worker; the probe is worker -1. */
    private array $pids = [];

    private bool $started = false;

    /** Ends of pipes by worker, which are readable when its process has ended. */
    private array $pipes = [];

    public function __construct(private readonly Task $task, private readonly Kind $kind)
    {
        $this->libc = FFI::cdef('
            typedef struct { int64_t operation, number, start, stage; } attempt;
            int prctl(int option, unsigned long value);
            void *mmap(void *address, size_t length, int protection, int flags, int file, long offset);
        ');
        $size = $task->workers * FFI::sizeof($this->libc->type('attempt'));
        $memory = $this->libc->mmap(null, $size, PROT_READ_WRITE, MAP_SHARED_ANONYMOUS, -1, 0);
        $this->attempts = $this->libc->cast('attempt *', $memory);
    }

    /** Runs the workers until standard input ends. */
    public function run(): never
    {
        // The main process never connects: it has to write signs of life meanwhile.
        $this->start(-1, fn ($pipe) => fwrite($pipe, $this->kind->versions()));
        $next = now() + 1_000_000;
        while (true) {
            $readable = $this->pipes + ['input' => STDIN];
            $none = null;
            $wait = max(0, $next - now());
            if (stream_select($readable, $none, $none, intdiv($wait, 1_000_000), $wait % 1_000_000) === false) {
                $this->abort('select failed');
            }
            if (now() >= $next) {
                write(['event' => 'alive', 'at_us' => now(), ...$this->counted()]);
                $next += 1_000_000;
            }
            if (isset($readable['input']) && (fread(STDIN, 8192) === '' && feof(STDIN))) {
                $this->end();
                write(['event' => 'end', 'at_us' => now()]);
                exit(0);
            }
            unset($readable['input']);
            foreach (array_keys($readable) as $worker) {
                $this->ended($worker);
            }
        }
    }

    /** Returns the number of workers without a connection, once they have started. There is no pool. */
    private function counted(): array
    {
        if (!$this->started) {
            return [];
        }
        $workers = range(0, $this->task->workers - 1);
        $waiting = array_filter($workers, fn ($worker) => $this->attempts[$worker]->stage === ACQUIRE);
        return ['pool' => ['waiting' => count($waiting)]];
    }

    /** Starts a process. */
    private function start(int $worker, callable $program): void
    {
        [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $parent = getmypid();
        $pid = pcntl_fork();
        if ($pid === 0) {
            // The kernel ends it with the main process, however that ends.
            $this->libc->prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (posix_getppid() !== $parent) {
                exit(1);
            }
            fclose($ours);
            try {
                $program($theirs);
            } catch (Throwable $error) {
                fail($error->getMessage());
            }
            exit(0);
        }
        fclose($theirs);
        [$this->pids[$worker], $this->pipes[$worker]] = [$pid, $ours];
    }

    /** Starts the process of a worker, which goes on with its attempt. `pause`: first it moves on from a failed one. */
    private function start_worker(int $worker, bool $pause): void
    {
        $attempt = $this->attempts[$worker];
        $this->start($worker, function () use ($worker, $attempt, $pause) {
            if ($pause) {
                follow($this->task, $attempt, $attempt->stage === RELEASE);
            }
            work($this->task, $this->kind, $worker, $attempt);
        });
    }

    /** Goes on after the end of a process. */
    private function ended(int $worker): void
    {
        $written = stream_get_contents($this->pipes[$worker]);
        pcntl_waitpid($this->pids[$worker], $status);
        fclose($this->pipes[$worker]);
        unset($this->pids[$worker], $this->pipes[$worker]);
        if ($worker >= 0 && pcntl_wifsignaled($status) && pcntl_wtermsig($status) === SIGALRM) {
            $message = "the process was ended after {$this->kind->patience} s";
            report($worker, $this->attempts[$worker], 'request_terminate_timeout', false, $message);
            $this->start_worker($worker, true);
            return;
        }
        if ($worker >= 0 || $status !== 0) {
            $this->abort(pcntl_wifsignaled($status) ? 'a process was ended by signal ' . pcntl_wtermsig($status) : '');
        }
        write(['event' => 'ready', 'at_us' => now(), 'driver' => $written]);
        for ($worker = 0; $worker < $this->task->workers; $worker++) {
            [$this->attempts[$worker]->operation, $this->attempts[$worker]->number] = [$worker, 1];
            $this->start_worker($worker, false);
        }
        $this->started = true;
    }

    /** Fails. A process that failed has written why. */
    private function abort(string $message): never
    {
        $this->end();
        if ($message !== '') {
            fail($message);
        }
        exit(1);
    }

    /** Ends all other processes at once: connections are not closed, as that may wait for a dead server. */
    private function end(): void
    {
        foreach ($this->pids as $pid) {
            posix_kill($pid, SIGKILL);
        }
        foreach ($this->pids as $pid) {
            pcntl_waitpid($pid, $status);
        }
    }
}
