//! The lines that the program writes: see `fivenines.load.stacks.protocol`.

use std::io::{self, Write};
use std::process;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use nix::time::{clock_gettime, ClockId};
use serde_json::{json, Value};

static OUTPUT: Mutex<()> = Mutex::new(());

/// Returns what the pool counts, once it is open.
static COUNTERS: OnceLock<Box<dyn Fn() -> Value + Send + Sync>> = OnceLock::new();

/// Returns microseconds of `CLOCK_MONOTONIC`. The clock of the standard library does not show its number.
pub fn now() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux has this clock");
    time.tv_sec() * 1_000_000 + time.tv_nsec() / 1000
}

/// Writes a line at once.
pub fn write(line: &Value) {
    let _only = only();
    write_locked(line);
}

/// Writes that the pool is open; signs of life have its counters from now on.
pub fn ready(versions: &str, counters: impl Fn() -> Value + Send + Sync + 'static) {
    let _ = COUNTERS.set(Box::new(counters));
    write(&json!({"event": "ready", "at_us": now(), "driver": versions}));
}

/// Ends the program; the last line of its error output says why.
pub fn fail(message: &str) -> ! {
    let _only = only();
    eprintln!("{}", one_line(message));
    process::exit(1);
}

/// Returns a message on one line.
pub fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes signs of life until standard input ends, then the last line, and ends the program at once: pools are
/// not closed, as that may wait for a dead server.
pub fn live_until_the_end() -> ! {
    thread::spawn(|| loop {
        thread::sleep(Duration::from_secs(1));
        let mut line = json!({"event": "alive", "at_us": now()});
        if let Some(counters) = COUNTERS.get() {
            line["pool"] = counters();
        }
        write(&line);
    });
    // What follows the task has no meaning.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    let _only = only();
    write_locked(&json!({"event": "end", "at_us": now()}));
    process::exit(0);
}

fn only() -> MutexGuard<'static, ()> {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_locked(line: &Value) {
    let mut output = io::stdout().lock();
    if writeln!(output, "{line}")
        .and_then(|()| output.flush())
        .is_err()
    {
        process::exit(1); // the reader has gone
    }
}
