//! One connection: bytes in both directions, each of which ends by itself, and an error that ends both.

use socket2::SockRef;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const BUFFER: usize = 64 * 1024;

/// Who ended a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client said that it is done, or broke off.
    ByClient,
    /// The server did, or could not be connected to.
    ByServer,
}

/// Relays until both directions have ended.
pub fn run(client: TcpStream, target: SocketAddr) -> Ended {
    // no bound of ours: a client that does not want to wait goes away
    let Ok(server) = TcpStream::connect(target) else {
        reset(&client);
        return Ended::ByServer;
    };
    for stream in [&client, &server] {
        let _ = stream.set_nodelay(true);
    }
    // an idle connection over a cut is found as that of a client in the lab with the kernel's times
    let _ = SockRef::from(&server).set_keepalive(true);
    let pair = Pair {
        client,
        server,
        broken: AtomicBool::new(false),
        client_ended: AtomicBool::new(false),
        server_first: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let back = thread::Builder::new()
            .stack_size(128 * 1024)
            .spawn_scoped(scope, || pair.back());
        match back {
            Ok(_) => pair.forth(),
            Err(_) => pair.break_off(),
        }
    });
    match pair.server_first.load(Ordering::Relaxed) {
        true => Ended::ByServer,
        false => Ended::ByClient,
    }
}

/// The connection is to end by a reset, not as if all had been said.
pub fn reset(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

struct Pair {
    client: TcpStream,
    server: TcpStream,
    /// One of the two was broken off: so is the other.
    broken: AtomicBool,
    client_ended: AtomicBool,
    server_first: AtomicBool,
}

impl Pair {
    fn forth(&self) {
        let whole = copy(&self.client, &self.server);
        self.client_ended.store(true, Ordering::Relaxed);
        self.close(whole, &self.server);
    }

    fn back(&self) {
        let whole = copy(&self.server, &self.client);
        if !self.client_ended.load(Ordering::Relaxed) {
            self.server_first.store(true, Ordering::Relaxed);
        }
        self.close(whole, &self.client);
    }

    fn close(&self, whole: bool, receiver: &TcpStream) {
        if self.broken.load(Ordering::Acquire) {
            return;
        }
        if !whole || receiver.shutdown(Shutdown::Write).is_err() {
            self.break_off();
        }
    }

    /// Ends both directions; what is still under way is lost, as with a connection that is reset.
    fn break_off(&self) {
        self.broken.store(true, Ordering::Release);
        for stream in [&self.client, &self.server] {
            reset(stream);
            // wakes who reads from it
            let _ = stream.shutdown(Shutdown::Read);
        }
    }
}

/// Copies until the sender says that it is done (true), or one of the two is broken (false).
fn copy(mut from: &TcpStream, mut to: &TcpStream) -> bool {
    let mut buffer = vec![0; BUFFER];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return true,
            Ok(count) => {
                if to.write_all(&buffer[..count]).is_err() {
                    return false;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::net::TcpListener;

    /// A client, the server's end of its relayed connection, and the relay.
    fn relayed() -> (TcpStream, TcpStream, thread::JoinHandle<Ended>) {
        let (outer, inner) = (listener(), listener());
        let target = inner.local_addr().unwrap();
        let client = TcpStream::connect(outer.local_addr().unwrap()).unwrap();
        let accepted = outer.accept().unwrap().0;
        let relay = thread::spawn(move || run(accepted, target));
        (client, inner.accept().unwrap().0, relay)
    }

    fn listener() -> TcpListener {
        TcpListener::bind("127.0.0.1:0").unwrap()
    }

    #[test]
    fn a_direction_that_ends_leaves_the_other() {
        let (mut client, mut server, relay) = relayed();
        client.write_all(b"question").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut said = String::new();
        server.read_to_string(&mut said).unwrap();
        assert_eq!(said, "question");
        server.write_all(b"answer").unwrap();
        drop(server);
        said.clear();
        client.read_to_string(&mut said).unwrap();
        assert_eq!(said, "answer");
        assert_eq!(relay.join().unwrap(), Ended::ByClient);
    }

    #[test]
    fn many_bytes_arrive_as_they_are() {
        let (mut client, mut server, _relay) = relayed();
        let sent: Vec<u8> = (0..5_000_000_u32)
            .map(|number| (number % 251) as u8)
            .collect();
        let copy = sent.clone();
        let writer = thread::spawn(move || {
            client.write_all(&copy).unwrap();
            client
        });
        let mut got = vec![0; sent.len()];
        server.read_exact(&mut got).unwrap();
        assert!(got == sent);
        drop(writer.join().unwrap());
    }

    #[test]
    fn a_connection_that_the_server_breaks_off_is_broken_off() {
        let (mut client, server, relay) = relayed();
        reset(&server);
        drop(server);
        let error = client.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        assert_eq!(relay.join().unwrap(), Ended::ByServer);
    }

    #[test]
    fn a_client_that_breaks_off_is_gone_for_the_server() {
        let (client, mut server, relay) = relayed();
        reset(&client);
        drop(client);
        let error = server.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        assert_eq!(relay.join().unwrap(), Ended::ByClient);
    }
}
