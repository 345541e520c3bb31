//! Process 1 collects whoever has ended; those who wait for one of its own ask here.

use std::collections::HashMap;
use std::sync::{Condvar, LazyLock, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

use nix::sys::wait::{WaitStatus, waitpid};

static ENDED: LazyLock<Mutex<HashMap<i32, i32>>> = LazyLock::new(Mutex::default);
static NEWS: Condvar = Condvar::new();

const IDLE: Duration = Duration::from_millis(5);

/// Collects from now on.
pub fn begin() {
    spawn(|| {
        loop {
            match waitpid(None, None) {
                Ok(WaitStatus::Exited(pid, code)) => note(pid.as_raw(), code),
                Ok(WaitStatus::Signaled(pid, signal, _)) => note(pid.as_raw(), -(signal as i32)),
                Ok(_) => {}
                // there is nobody to wait for now
                Err(_) => sleep(IDLE),
            }
        }
    });
}

fn note(pid: i32, code: i32) {
    ENDED
        .lock()
        .expect("nobody panics with it")
        .insert(pid, code);
    NEWS.notify_all();
}

/// Waits until a child has ended: its code, or the number of the signal below zero.
pub fn await_end(pid: i32) -> i32 {
    let mut ended = ENDED.lock().expect("nobody panics with it");
    loop {
        if let Some(code) = ended.remove(&pid) {
            // of orphans nobody asks
            if ended.len() > 1000 {
                ended.clear();
            }
            return code;
        }
        ended = NEWS.wait(ended).expect("nobody panics with it");
    }
}
