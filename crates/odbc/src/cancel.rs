//! Ends the calls of those who have gone: when our end of a connection's socket is closed while its thread is in a
//! call, the driver has to cancel it. One thread watches all sockets. Each cancellation has a separate thread, as it
//! can connect to a server that does not answer.

use crate::calls::{self, Canceller};
use crate::thread;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// Between two looks.
const EVERY: Duration = Duration::from_millis(200);

/// The call that a connection's thread is in.
pub struct Call {
    socket: RawFd,
    /// Locked while it is cancelled, so that its statement is kept until then.
    under_way: Mutex<Option<Canceller>>,
}

impl Call {
    /// That of the connection behind this socket, which its thread keeps open for as long as it has the call.
    pub fn new(socket: &UnixStream) -> Arc<Call> {
        let call = Arc::new(Call {
            socket: socket.as_raw_fd(),
            under_way: Mutex::new(None),
        });
        watched(|calls| calls.push(Arc::downgrade(&call)));
        call
    }

    /// Makes a call of this statement, which can be cancelled meanwhile.
    #[inline]
    pub fn during<T>(&self, statement: Canceller, call: impl FnOnce() -> T) -> T {
        self.set(Some(statement));
        let result = call();
        // waits until a cancelling is over: the statement must be there
        self.set(None);
        result
    }

    fn set(&self, canceller: Option<Canceller>) {
        if let Ok(mut under_way) = self.under_way.lock() {
            *under_way = canceller;
        }
    }

    fn cancel(&self) {
        if let Ok(mut under_way) = self.under_way.lock()
            && let Some(canceller) = under_way.take()
        {
            canceller.cancel();
        }
    }

    fn is_under_way(&self) -> bool {
        self.under_way.try_lock().is_ok_and(|call| call.is_some())
    }
}

/// Does this with the calls that are looked at, by a thread that is started with the first.
fn watched(action: impl FnOnce(&mut Vec<Weak<Call>>)) {
    static WATCHED: OnceLock<Mutex<Vec<Weak<Call>>>> = OnceLock::new();
    let calls = WATCHED.get_or_init(|| {
        // without it, calls end by the driver's own bounds
        let _ = thread::start("odbc-cancel", 64 * 1024, || {
            loop {
                std::thread::sleep(EVERY);
                watched(look);
            }
        });
        Mutex::default()
    });
    if let Ok(mut calls) = calls.lock() {
        action(&mut calls);
    }
}

fn look(calls: &mut Vec<Weak<Call>>) {
    calls.retain(|call| {
        let Some(call) = call.upgrade() else {
            return false;
        };
        if call.is_under_way() && calls::is_hung_up(call.socket) {
            // a failure to start it leaves the call to the driver's own bounds
            let _ = thread::start("odbc-cancel", 512 * 1024, move || call.cancel());
            return false;
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::stand_in;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    fn is_cancelled() -> bool {
        stand_in::CANCELLED.load(Ordering::SeqCst) > 0
    }

    #[test]
    fn a_call_is_cancelled_when_the_other_end_is_closed_and_not_before() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let statement = stand_in::handle(&[]);
        Call::new(&theirs).during(statement.canceller(), || std::thread::sleep(4 * EVERY));
        assert!(!is_cancelled());
        drop(ours);
        Call::new(&theirs).during(statement.canceller(), || {
            let begun = Instant::now();
            while !is_cancelled() && begun.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(EVERY);
            }
        });
        assert!(is_cancelled());
    }
}
