//! ODBC behind a socket. ODBC's calls block, and the load's event loop must not: each connection is a thread that
//! serves one end of a pair of sockets. What is asked of it and what it answers are frames, so that the other end
//! is driven like a connection to any server, with the same bounds, and is closed like one.
//!
//! The driver manager, libodbc.so.2 of unixODBC, is opened when the first connection is made: nothing of ODBC is
//! needed to build, or to run anything else.

mod calls;
mod cancel;
pub mod frame;
mod serve;
mod statement;
pub mod string;
mod thread;

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Drivers are C programs that expect room; what is not touched is not taken.
const STACK: usize = 1 << 20;

/// Threads beyond those that are expected: a driver that heeds no bound on logging in leaves one for each attempt.
const SPARE: usize = 1024;

/// Number of threads with an open connection or a running login.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// Connections that are expected at a time.
static EXPECTED: AtomicUsize = AtomicUsize::new(0);

/// Threads that have not come back from their driver, or serve a connection.
pub fn running() -> usize {
    RUNNING.load(Ordering::Relaxed)
}

/// Says how many connections, and attempts to make one, there will be at a time.
pub fn expect(connections: usize) {
    EXPECTED.store(connections, Ordering::Relaxed);
}

/// Why no thread was started.
#[derive(Debug)]
pub enum NoThread {
    /// So many are there that have not come back from their driver.
    TooMany(usize),
    Machine(io::Error),
}

impl fmt::Display for NoThread {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoThread::TooMany(running) => write!(
                out,
                "{running} threads have not come back from their driver of ODBC: it does not end attempts to log in \
                 (SQL_ATTR_LOGIN_TIMEOUT); it may have a keyword for that"
            ),
            NoThread::Machine(error) => write!(out, "no thread for a connection by ODBC: {error}"),
        }
    }
}

impl std::error::Error for NoThread {}

impl From<io::Error> for NoThread {
    fn from(error: io::Error) -> NoThread {
        NoThread::Machine(error)
    }
}

/// One of the threads that run, until it is dropped.
struct Running;

impl Running {
    fn new(most: usize) -> Result<Running, NoThread> {
        let before = RUNNING.fetch_add(1, Ordering::Relaxed);
        let counted = Running;
        match before < most {
            true => Ok(counted),
            false => Err(NoThread::TooMany(before)),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Starts the thread of a connection with this connection string, which logs in on request; `login` is the driver's
/// time limit for it. When the returned end is closed, the thread disconnects.
pub fn open(connection: &str, login: Duration) -> Result<UnixStream, NoThread> {
    let running = Running::new(EXPECTED.load(Ordering::Relaxed) + SPARE)?;
    let (ours, theirs) = UnixStream::pair()?;
    let connection = connection.to_string();
    thread::start("odbc", STACK, move || {
        serve::serve(theirs, &connection, login);
        drop(running);
    })?;
    Ok(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_do_not_come_back_are_bounded() {
        let kept: Vec<_> = (0..3).map(|_| Running::new(3).unwrap()).collect();
        let Err(refused) = Running::new(3) else {
            panic!()
        };
        assert!(
            refused
                .to_string()
                .starts_with("3 threads have not come back")
        );
        assert_eq!(running(), 3);
        drop(kept);
        assert_eq!(running(), 0);
    }
}
