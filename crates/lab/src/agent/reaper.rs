//! Process 1 collects all ended processes; code that waits for a certain child asks here.

use std::collections::HashMap;
use std::io;
use std::process::{Child, Command};
use std::sync::{Condvar, LazyLock, Mutex};
use std::thread::{sleep, spawn as thread};
use std::time::Duration;

use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

static ENDED: LazyLock<Mutex<HashMap<i32, i32>>> = LazyLock::new(Mutex::default);
static NEWS: Condvar = Condvar::new();

/// Held while a child is made: of one that cannot become its program the standard library collects the end
/// itself, and does not forgive it if that was done before.
static STARTING: Mutex<()> = Mutex::new(());

const IDLE: Duration = Duration::from_millis(5);

/// Collects from now on.
pub fn begin() {
    thread(|| {
        loop {
            match next() {
                Some(pid) => collect(pid),
                // There is no child to wait for now.
                None => sleep(IDLE),
            }
        }
    });
}

/// Starts a command whose end is asked for by `await_end`.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let _alone = STARTING
        .lock()
        .expect("no thread panics while it holds the lock");
    let child = command.spawn()?;
    // Remove the status of an orphan with the same PID that no code has waited for.
    ENDED
        .lock()
        .expect("no thread panics while it holds the lock")
        .remove(&(child.id() as i32));
    Ok(child)
}

/// Waits until a child has ended, which stays to be collected.
fn next() -> Option<Pid> {
    // SAFETY: an empty description is a valid one, and outlives the call.
    unsafe {
        let mut about: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOWAIT;
        let answer = libc::waitid(libc::P_ALL, 0, &raw mut about, options);
        (answer == 0).then(|| Pid::from_raw(about.si_pid()))
    }
}

fn collect(pid: Pid) {
    let _alone = STARTING
        .lock()
        .expect("no thread panics while it holds the lock");
    match waitpid(pid, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(pid, code)) => note(pid.as_raw(), code),
        Ok(WaitStatus::Signaled(pid, signal, _)) => note(pid.as_raw(), -(signal as i32)),
        // its starter was quicker
        _ => {}
    }
}

fn note(pid: i32, code: i32) {
    ENDED
        .lock()
        .expect("no thread panics while it holds the lock")
        .insert(pid, code);
    NEWS.notify_all();
}

/// Waits until a child has ended: its code, or the number of the signal below zero.
pub fn await_end(pid: i32) -> i32 {
    let mut ended = ENDED
        .lock()
        .expect("no thread panics while it holds the lock");
    loop {
        if let Some(code) = ended.remove(&pid) {
            return code;
        }
        ended = NEWS
            .wait(ended)
            .expect("no thread panics while it holds the lock");
    }
}
