//! A server that others start on the host, as one process out here: it begins when the server is seen, and ends
//! when the server does. Signals for it are the server's, and those of all that it has started.

use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

use super::channel::{Kind, Stream, receive, send};
use super::processes;

const LOOK: Duration = Duration::from_millis(10);

/// Waits for a program of this name, and then for its end.
pub fn run(program: &str, stream: &Stream) -> std::io::Result<()> {
    let (mut from, mut to) = (stream.try_clone()?, stream.try_clone()?);
    let here = Arc::new(Mutex::new(0));
    let listener = Arc::clone(&here);
    let listens = thread::spawn(move || listen(&mut from, &listener));
    let found = loop {
        if listens.is_finished() {
            return Ok(());
        }
        if let Some(pid) = processes::called(program) {
            break pid;
        }
        sleep(LOOK);
    };
    *here
        .lock()
        .expect("no thread panics while it holds the lock") = found;
    send(&mut to, Kind::Output, format!("{found}\n").as_bytes())?;
    while processes::lives(found) && !listens.is_finished() {
        sleep(LOOK);
    }
    send(&mut to, Kind::Exit, &0_i32.to_be_bytes())?;
    stream.shutdown(Shutdown::Both)
}

/// Passes signals on until the other end hangs up: the server is not ours to end then.
fn listen(from: &mut Stream, here: &Mutex<i32>) {
    while let Ok((kind, data)) = receive(from) {
        let pid = *here
            .lock()
            .expect("no thread panics while it holds the lock");
        let number = data.first().copied().map_or(0, i32::from);
        match kind {
            Kind::Signal if pid > 0 => processes::signal(pid, number),
            Kind::SignalAll if pid > 0 => {
                processes::signal_all(pid, number, false);
                let _ = send(from, Kind::Answer, &data);
            }
            _ => {}
        }
    }
}
