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

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Drivers are C programs that expect room; what is not touched is not taken.
const STACK: usize = 1 << 20;

/// Threads whose connection, or the attempt to make it, is not over.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Threads that have not come back from their driver, or serve a connection.
pub fn running() -> usize {
    RUNNING.load(Ordering::Relaxed)
}

/// Starts the thread of a connection by this connection string, which logs in when it is told to; `login` is what
/// the driver is told to wait at most. When the end that is given back is closed, the thread says goodbye.
pub fn open(connection: &str, login: Duration) -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    let connection = connection.to_string();
    RUNNING.fetch_add(1, Ordering::Relaxed);
    let started = std::thread::Builder::new()
        .name("odbc".to_string())
        .stack_size(STACK)
        .spawn(move || {
            serve::serve(theirs, &connection, login);
            RUNNING.fetch_sub(1, Ordering::Relaxed);
        });
    match started {
        Ok(_) => Ok(ours),
        Err(error) => {
            RUNNING.fetch_sub(1, Ordering::Relaxed);
            Err(error)
        }
    }
}
