//! One port on the machine, and the server of the lab that it stands for.
//!
//! The kernel completes a client's connection before we know of it. If the server's port is closed, the client
//! would be connected and then broken off, where the network would have refused it; and clients that try several
//! servers (libpq) go on to the next one only when they are refused. So a port stops to listen while its server
//! refuses: `shutdown` of a listening socket keeps its port, and `listen` opens it again.
//!
//! Whether the server refuses is found out by connecting: when a client's own connection was refused, when a server
//! ended a connection by itself, or when somebody says that it may have died; and then ten times a second, until
//! it is there again. A server that is well is not asked.

use super::peer::Owners;
use super::relay::{self, Ended};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Between two tries of a server that refuses, and from a doubt to the try: processes of one server end one by one.
const PAUSE: Duration = Duration::from_millis(100);
/// Bound on a try: whoever does not answer does not refuse.
const BOUND: Duration = Duration::from_secs(1);
/// Connections that wait to be accepted.
const BACKLOG: i32 = 512;
/// A thread of a connection needs little more than its buffer, which is on the heap.
const STACK: usize = 128 * 1024;

pub struct Endpoint {
    doubts: SyncSender<()>,
}

impl Endpoint {
    /// Begins to serve, in threads of its own.
    pub fn serve(
        listener: TcpListener,
        target: SocketAddr,
        owners: Owners,
    ) -> io::Result<Endpoint> {
        let listener = Arc::new(listener);
        let (doubts, doubted) = sync_channel(1);
        let door = Arc::clone(&listener);
        spawn(move || close_when_refused(&door, target, &doubted))?;
        let tell = doubts.clone();
        spawn(move || accept(&listener, target, &owners, &tell))?;
        Ok(Endpoint { doubts })
    }

    /// The server may refuse connections by now: look.
    pub fn doubt(&self) {
        // one that waits already will do
        let _ = self.doubts.try_send(());
    }
}

fn accept(listener: &TcpListener, target: SocketAddr, owners: &Owners, doubts: &SyncSender<()>) {
    loop {
        match listener.accept() {
            Ok((client, from)) => {
                let (owners, doubts) = (owners.clone(), doubts.clone());
                let _ = spawn(move || {
                    if let Err(refusal) = owners.require_ours(from, &client) {
                        eprintln!("refused: {refusal}");
                        relay::reset(&client);
                        return;
                    }
                    if relay::run(client, target) == Ended::ByServer {
                        let _ = doubts.try_send(());
                    }
                });
            }
            // it does not listen now
            Err(error) if error.kind() == ErrorKind::InvalidInput => reopen(listener, target),
            // too many descriptors, or a client that has gone
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

fn close_when_refused(listener: &TcpListener, target: SocketAddr, doubts: &Receiver<()>) {
    while doubts.recv().is_ok() {
        thread::sleep(PAUSE);
        while doubts.try_recv().is_ok() {}
        if refuses(target) {
            // SAFETY: no pointers are passed; the descriptor is open as long as `listener` lives.
            unsafe { libc::shutdown(listener.as_raw_fd(), libc::SHUT_RDWR) };
        }
    }
}

fn reopen(listener: &TcpListener, target: SocketAddr) {
    while refuses(target) {
        thread::sleep(PAUSE);
    }
    // SAFETY: no pointers are passed; the descriptor is open as long as `listener` lives.
    if unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) } < 0 {
        eprintln!("cannot listen again: {}", io::Error::last_os_error());
        thread::sleep(BOUND);
    }
}

/// Whether a connection is refused now; not if it is made, nor if nobody answers.
fn refuses(target: SocketAddr) -> bool {
    TcpStream::connect_timeout(&target, BOUND)
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
    use std::time::Instant;

    /// A listening socket whose port stays its own when it stops to listen.
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

    #[test]
    fn a_port_refuses_while_its_server_refuses() {
        let server = door();
        let target = server.local_addr().unwrap();
        let listener = door();
        let port = listener.local_addr().unwrap();
        let endpoint = Endpoint::serve(listener, target, of_this_user()).unwrap();

        let mut client = TcpStream::connect(port).unwrap();
        let mut served = server.accept().unwrap().0;
        client.write_all(b"ping").unwrap();
        let mut said = [0; 4];
        served.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"ping");

        drop(server);
        endpoint.doubt();
        until("it still accepts", || refuses(port));
        let server = TcpListener::bind(target).unwrap();
        until("it does not accept again", || !refuses(port));
        let mut again = TcpStream::connect(port).unwrap();
        again.write_all(b"x").unwrap();
        // tries of whether it refuses were accepted, too, and say nothing
        let found = server.incoming().flatten().any(|mut one| {
            let mut byte = [0];
            one.read(&mut byte).is_ok_and(|count| count == 1)
        });
        assert!(found);
    }

    #[test]
    fn a_client_that_is_refused_closes_the_port() {
        let closed = door();
        let target = closed.local_addr().unwrap();
        drop(closed);
        let listener = door();
        let port = listener.local_addr().unwrap();
        let _endpoint = Endpoint::serve(listener, target, of_this_user()).unwrap();
        let mut client = TcpStream::connect(port).unwrap();
        let mut byte = [0];
        let error = client.read(&mut byte).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        until("it still accepts", || refuses(port));
    }
}
