//! One port on the machine, and the server of the lab that it stands for.
//!
//! The kernel completes a client's connection before we know of it. If the server's port is closed, the client
//! would be connected and then broken off, where the network would have refused it; and clients that try several
//! servers (libpq) go on to the next one only when they are refused. So a port stops to listen while its server
//! refuses: `shutdown` of a listening socket keeps its port, and `listen` opens it again.
//!
//! Whether the server refuses is found out by connecting: when a client's own connection was refused, when a server
//! ended a connection by itself, or when the keeper says that it may have died; and then ten times a second, until
//! it is there again. A server that is well is not asked.
//!
//! One thread alone closes the port and opens it again. A `shutdown` of a socket that does not listen would mark it, and
//! each connection that it accepts later is at its end from the start.

use super::peer::Owners;
use super::relay::{self, Ended};
use sql_wire::endpoint::Endpoint as Target;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Between two tries of a server that refuses, and from a doubt to the try: processes of one server end one by one.
const PAUSE: Duration = Duration::from_millis(100);
/// Time limit of a connection attempt: a server that does not answer does not refuse.
const BOUND: Duration = Duration::from_secs(1);
/// Between two looks whether the port is open again.
const CLOSED: Duration = Duration::from_millis(10);
/// Connections that wait to be accepted.
const BACKLOG: i32 = 512;
/// A thread of a connection needs little more than its buffer, which is on the heap.
const STACK: usize = 128 * 1024;

pub struct Endpoint {
    doubts: SyncSender<()>,
}

impl Endpoint {
    /// Starts to serve, in separate threads.
    pub fn serve(listener: TcpListener, target: Target, owners: Owners) -> io::Result<Endpoint> {
        let listener = Arc::new(listener);
        let (doubts, doubted) = sync_channel(1);
        let door = Arc::clone(&listener);
        let doubtful = target.clone();
        spawn(move || keep(&door, &doubtful, &doubted))?;
        let tell = doubts.clone();
        spawn(move || accept(&listener, &target, &owners, &tell))?;
        Ok(Endpoint { doubts })
    }

    /// The server may refuse connections by now: look.
    pub fn doubt(&self) {
        // one that waits already will do
        let _ = self.doubts.try_send(());
    }
}

fn accept(listener: &TcpListener, target: &Target, owners: &Owners, doubts: &SyncSender<()>) {
    loop {
        match listener.accept() {
            Ok((client, from)) => {
                // also where there is no thread for it
                relay::reset_at_end(&client, true);
                let (owners, doubts, target) = (owners.clone(), doubts.clone(), target.clone());
                let _ = spawn(move || {
                    if let Err(refusal) = owners.require_ours(from, &client) {
                        eprintln!("refused: {refusal}");
                        return;
                    }
                    let hung_up = |client: &TcpStream| owners.have_hung_up(from, client);
                    if relay::run(client, &target, hung_up) == Ended::ByServer {
                        let _ = doubts.try_send(());
                    }
                });
            }
            // it does not listen now
            Err(error) if error.kind() == ErrorKind::InvalidInput => thread::sleep(CLOSED),
            // too many descriptors, or a client that has gone
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

/// Closes the port while the server refuses. Doubts that come meanwhile are no more than a further look afterwards.
fn keep(listener: &TcpListener, target: &Target, doubts: &Receiver<()>) {
    while doubts.recv().is_ok() {
        thread::sleep(PAUSE);
        if !refuses(target) {
            continue;
        }
        // SAFETY: no pointers are passed; the descriptor is open as long as `listener` lives.
        unsafe { libc::shutdown(listener.as_raw_fd(), libc::SHUT_RDWR) };
        while refuses(target) {
            thread::sleep(PAUSE);
        }
        while let Err(error) = listen(listener) {
            eprintln!("cannot listen again: {error}");
            thread::sleep(BOUND);
        }
    }
}

fn listen(listener: &TcpListener) -> io::Result<()> {
    // SAFETY: no pointers are passed; the descriptor is open as long as `listener` lives.
    match unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Returns whether a connection is refused now; false if it is accepted or not answered, or has no address.
fn refuses(target: &Target) -> bool {
    let addresses = target.resolve().unwrap_or_default();
    let Some(address) = addresses.first() else {
        return false;
    };
    TcpStream::connect_timeout(address, BOUND)
        .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().stack_size(STACK).spawn(work)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::peer::tests::of_this_user;
    use super::*;
    use std::io::{Read, Write};
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    /// A listening socket that keeps its port when it stops listening.
    fn door() -> TcpListener {
        let found = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = found.local_addr().unwrap();
        drop(found);
        TcpListener::bind(address).unwrap()
    }

    fn until(what: &str, condition: impl Fn() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !condition() {
            assert!(Instant::now() < deadline, "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Answers clients until it is dropped; then its port refuses connections.
    struct Server {
        address: SocketAddr,
        ended: Arc<AtomicBool>,
        thread: Option<thread::JoinHandle<()>>,
    }

    impl Server {
        fn at(address: SocketAddr) -> Server {
            let listener = TcpListener::bind(address).unwrap();
            let ended = Arc::new(AtomicBool::new(false));
            let end = Arc::clone(&ended);
            let serve = move || {
                for client in listener.incoming().flatten() {
                    if end.load(Ordering::Relaxed) {
                        break;
                    }
                    answer(client);
                }
            };
            Server {
                address,
                ended,
                thread: Some(thread::spawn(serve)),
            }
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            self.ended.store(true, Ordering::Relaxed);
            let _ = TcpStream::connect(self.address);
            self.thread.take().unwrap().join().unwrap();
        }
    }

    fn answer(mut client: TcpStream) {
        // one that only tries whether it refuses says nothing
        if client.read(&mut [0; 8]).is_ok_and(|count| count > 0) {
            let _ = client.write_all(b"hello");
        }
    }

    /// What a client hears of the server behind a port.
    fn ask(port: SocketAddr) -> io::Result<String> {
        let mut client = TcpStream::connect(port)?;
        client.write_all(b"x")?;
        let mut heard = String::new();
        client.read_to_string(&mut heard)?;
        Ok(heard)
    }

    fn closed_port() -> SocketAddr {
        door().local_addr().unwrap()
    }

    #[test]
    fn a_port_is_as_its_server_after_any_number_of_doubts() {
        let target = closed_port();
        let listener = door();
        let port = listener.local_addr().unwrap();
        let endpoint = Endpoint::serve(listener, target.into(), of_this_user()).unwrap();
        for doubts in [0, 1, 2, 5] {
            let doubt = || {
                for _ in 0..doubts {
                    endpoint.doubt();
                    // long enough for it to be looked into
                    thread::sleep(2 * PAUSE);
                }
            };
            let server = Server::at(target);
            until("it does not accept", || !refuses(&port.into()));
            doubt();
            assert_eq!(ask(port).unwrap(), "hello", "{doubts} doubts");
            drop(server);
            endpoint.doubt();
            until("it still accepts", || refuses(&port.into()));
            doubt();
            assert!(refuses(&port.into()), "{doubts} doubts");
        }
    }

    #[test]
    fn a_port_is_as_its_server_while_doubts_never_end() {
        let target = closed_port();
        let listener = door();
        let port = listener.local_addr().unwrap();
        let endpoint = Endpoint::serve(listener, target.into(), of_this_user()).unwrap();
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                // A separate descriptor, in case the rest fails.
                for _ in 0..60_000 {
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    endpoint.doubt();
                    thread::sleep(Duration::from_millis(1));
                }
            });
            for _ in 0..3 {
                let server = Server::at(target);
                until("it does not answer", || {
                    ask(port).is_ok_and(|heard| heard == "hello")
                });
                drop(server);
                until("it still accepts", || refuses(&port.into()));
            }
            ended.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_client_that_is_refused_closes_the_port() {
        let target = closed_port();
        // directly
        let refusal = ask(target).unwrap_err().kind();
        assert_eq!(refusal, ErrorKind::ConnectionRefused);
        // through the relay: it is connected before its server can be
        let listener = door();
        let port = listener.local_addr().unwrap();
        let _endpoint = Endpoint::serve(listener, target.into(), of_this_user()).unwrap();
        let mut client = TcpStream::connect(port).unwrap();
        let mut byte = [0];
        let error = client.read(&mut byte).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        until("it still accepts", || refuses(&port.into()));
    }
}
