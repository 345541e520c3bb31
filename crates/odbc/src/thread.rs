//! Threads for calls of ODBC: no signal is theirs, as those that end the program are taken elsewhere.

use std::io;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Starts a detached thread.
pub fn start(name: &str, stack: usize, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new();
    let builder = builder.name(name.to_string()).stack_size(stack);
    // a thread has the mask of the one that starts it, from its first moment on
    let before = all_blocked();
    let started = builder.spawn(body);
    // SAFETY: a mask that was read.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut()) };
    started.map(drop)
}

/// Blocks all signals of this thread; what was blocked before.
fn all_blocked() -> libc::sigset_t {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: both are filled in before they are read; with this first argument the call does not fail.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, null(), before.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), null_mut());
        before.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn blocks_terminate() -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: filled in by the call.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), libc::SIGTERM) == 1
        }
    }

    #[test]
    fn signals_are_for_others_and_stay_so_for_who_starts_it() {
        let (tell, done) = mpsc::channel();
        start("x", 64 * 1024, move || {
            tell.send(blocks_terminate()).unwrap()
        })
        .unwrap();
        assert!(done.recv().unwrap());
        assert!(!blocks_terminate());
    }
}
