//! One connection: bytes in both directions, each of which ends by itself, and a break that ends both.
//!
//! One thread waits for both sockets together. A direction may have ended while the other is idle, and the next thing
//! to happen is that one of the two ends breaks: a thread that only reads from the other end would never know.
//!
//! Both ends see what they would see of each other without the relay (`tests` compares the two), with two limits.
//! A client is connected before its server is, so it finds out by a reset that it was refused. And its keepalive
//! and its time-outs of TCP reach the relay, which answers for a server that is cut off.

use libc::{POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDHUP, c_short};
use socket2::{Domain, SockRef, Socket, Type};
use sql_wire::endpoint::Endpoint as Target;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::time::Duration;

const BUFFER: usize = 64 * 1024;
/// Milliseconds between two looks at what no event of a socket reports.
const LOOK: i32 = 20;
/// As long as it takes.
const FOREVER: i32 = -1;
/// Asks for the bytes that the kernel has not sent yet; linux/sockios.h.
const SIOCOUTQNSD: libc::c_ulong = 0x894b;

/// Which end was the first to end a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client has closed its direction, or the connection.
    ByClient,
    /// The server did, or could not be connected to.
    ByServer,
}

/// Relays until both directions have ended, or one end has broken off.
///
/// A client whose server cannot be connected to is reset. `hung_up` says whether the program of the client has closed
/// its socket, as its FIN alone says only that it will send no more.
pub fn run(client: TcpStream, target: &Target, hung_up: impl Fn(&TcpStream) -> bool) -> Ended {
    reset_at_end(&client, true);
    let server = match connect(&client, target, hung_up) {
        Ok(server) => server,
        Err(ended) => return ended,
    };
    reset_at_end(&client, false);
    for stream in [&client, &server] {
        let _ = stream.set_nodelay(true);
    }
    // an idle connection over a cut is found as that of a client in the lab with the kernel's times
    let _ = SockRef::from(&server).set_keepalive(true);
    Connection::new(client, server).relay()
}

/// Whether the connection ends with a reset when it is dropped, instead of an orderly close.
pub fn reset_at_end(stream: &TcpStream, yes: bool) {
    let _ = SockRef::from(stream).set_linger(yes.then_some(Duration::ZERO));
}

/// Connects to the server for as long as its client wants that. There is no bound of ours: where nothing answers, the
/// client waits. When it gives up, its attempt must not reach a server that answers later.
fn connect(
    client: &TcpStream,
    target: &Target,
    hung_up: impl Fn(&TcpStream) -> bool,
) -> Result<TcpStream, Ended> {
    // A name is resolved for each connection, as by a client of the lab.
    let addresses = target.resolve().map_err(|_| Ended::ByServer)?;
    let server = begin_to_connect(client, addresses[0]).map_err(|_| Ended::ByServer)?;
    let mut half_closed = false;
    loop {
        let (asked, patience) = match half_closed {
            false => (POLLRDHUP, FOREVER),
            true => (0, LOOK),
        };
        let asked = [(client, asked), (&server, POLLOUT)];
        let [of_client, of_server] = wait(asked.map(Some), patience);
        if of_server != 0 {
            return match server.take_error() {
                Ok(None) => Ok(server),
                _ => Err(Ended::ByServer),
            };
        }
        half_closed |= of_client & POLLRDHUP != 0;
        if is_broken(of_client) || (half_closed && hung_up(client)) {
            return Err(Ended::ByClient);
        }
    }
}

fn begin_to_connect(client: &TcpStream, target: SocketAddr) -> io::Result<TcpStream> {
    client.set_nonblocking(true)?;
    let socket = Socket::new(Domain::for_address(target), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    match socket.connect(&target.into()) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket.into()),
    }
}

/// One of the two ends of a connection.
struct End {
    stream: TcpStream,
    /// Both directions of its socket have ended, which the kernel reports again and again.
    done: bool,
}

struct Connection {
    client: End,
    server: End,
    to_server: Pipe,
    to_client: Pipe,
}

impl Connection {
    fn new(client: TcpStream, server: TcpStream) -> Connection {
        let end = |stream| End {
            stream,
            done: false,
        };
        Connection {
            client: end(client),
            server: end(server),
            to_server: Pipe::new(),
            to_client: Pipe::new(),
        }
    }

    fn relay(mut self) -> Ended {
        let mut first = None;
        while !(self.to_server.closed && self.to_client.closed) {
            let broken = self.step();
            if first.is_none() {
                first = match broken {
                    Some(Broken::Client) => Some(Ended::ByClient),
                    Some(Broken::Server) => Some(Ended::ByServer),
                    None if self.to_server.ended => Some(Ended::ByClient),
                    None if self.to_client.ended => Some(Ended::ByServer),
                    None => None,
                };
            }
            if let Some(broken) = broken {
                self.break_off(&broken);
                break;
            }
        }
        first.unwrap_or(Ended::ByClient)
    }

    /// Waits until something can be done, and does it; which end has broken, if one has.
    fn step(&mut self) -> Option<Broken> {
        let client = self.client.asked(&self.to_server, &self.to_client);
        let server = self.server.asked(&self.to_client, &self.to_server);
        let [of_client, of_server] = wait([client, server], FOREVER);
        if is_broken(of_client) {
            return Some(Broken::Client);
        }
        if is_broken(of_server) {
            return Some(Broken::Server);
        }
        self.client.done |= of_client & POLLHUP != 0;
        self.server.done |= of_server & POLLHUP != 0;
        let (client, server) = (&self.client.stream, &self.server.stream);
        if can_move(of_client, of_server) {
            match self.to_server.advance(client, server) {
                Err(Failed::Source) => return Some(Broken::Client),
                Err(Failed::Sink) => return Some(Broken::Server),
                Ok(()) => {}
            }
        }
        if can_move(of_server, of_client) {
            match self.to_client.advance(server, client) {
                Err(Failed::Source) => return Some(Broken::Server),
                Err(Failed::Sink) => return Some(Broken::Client),
                Ok(()) => {}
            }
        }
        None
    }

    /// Breaks the connection off to the end that is still there, once it has what the other had sent before: bytes that
    /// have arrived are read before a reset is. If it says something itself, it hears of the reset at once.
    fn break_off(&mut self, broken: &Broken) {
        let (gone, left, pipe, back) = match broken {
            Broken::Client => (
                &self.client,
                &self.server,
                &mut self.to_server,
                &self.to_client,
            ),
            Broken::Server => (
                &self.server,
                &self.client,
                &mut self.to_client,
                &self.to_server,
            ),
        };
        while pipe.drain(&gone.stream, &left.stream) {
            let (room, patience) = match pipe.is_full() {
                true => (POLLOUT, FOREVER),
                false => (0, LOOK),
            };
            let asked = room | if back.ended { 0 } else { POLLIN };
            let [found, _] = wait([Some((&left.stream, asked)), None], patience);
            if found & (POLLIN | POLLHUP | POLLERR) != 0 {
                break;
            }
        }
        reset_at_end(&left.stream, true);
    }
}

/// Which end has broken off, or was lost.
enum Broken {
    Client,
    Server,
}

impl End {
    /// What to wait for: bytes for one pipe, and room for those of the other.
    fn asked(&self, from_here: &Pipe, to_here: &Pipe) -> Asked<'_> {
        let more = !from_here.ended && !from_here.is_full();
        let asked = if more { POLLIN } else { 0 } | if to_here.is_full() { POLLOUT } else { 0 };
        (!self.done || asked != 0).then_some((&self.stream, asked))
    }
}

/// One direction.
struct Pipe {
    buffer: Vec<u8>,
    held: Range<usize>,
    /// The source will send no more.
    ended: bool,
    /// The end was passed on to the sink.
    closed: bool,
}

enum Failed {
    Source,
    Sink,
}

impl Pipe {
    fn new() -> Pipe {
        Pipe {
            buffer: vec![0; BUFFER],
            held: 0..0,
            ended: false,
            closed: false,
        }
    }

    /// Whether it holds bytes that the sink had no room for.
    fn is_full(&self) -> bool {
        !self.held.is_empty()
    }

    /// Moves at most one buffer of bytes, without waiting, so that the other direction has its turn.
    fn advance(&mut self, source: &TcpStream, sink: &TcpStream) -> Result<(), Failed> {
        if !self.is_full() && !self.ended {
            self.fill(source).map_err(|_| Failed::Source)?;
        }
        self.flush(sink).map_err(|_| Failed::Sink)?;
        if self.ended && !self.closed && !self.is_full() {
            sink.shutdown(Shutdown::Write).map_err(|_| Failed::Sink)?;
            self.closed = true;
        }
        Ok(())
    }

    /// Moves what a source that is gone has left behind, without waiting; whether the sink still lacks some of it.
    fn drain(&mut self, source: &TcpStream, sink: &TcpStream) -> bool {
        loop {
            if self.flush(sink).is_err() {
                return false;
            }
            if self.is_full() {
                return true;
            }
            if self.ended || self.fill(source).is_err() {
                return unsent(sink) > 0;
            }
        }
    }

    fn fill(&mut self, mut source: &TcpStream) -> io::Result<()> {
        if let Some(count) = unless_blocked(|| source.read(&mut self.buffer))? {
            self.held = 0..count;
            self.ended = count == 0;
        }
        Ok(())
    }

    fn flush(&mut self, mut sink: &TcpStream) -> io::Result<()> {
        while self.is_full() {
            match unless_blocked(|| sink.write(&self.buffer[self.held.clone()]))? {
                Some(count) => self.held.start += count,
                None => break,
            }
        }
        Ok(())
    }
}

/// The result of a call on a socket; nothing if it would have had to wait.
fn unless_blocked(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<Option<usize>> {
    loop {
        match call() {
            Ok(count) => return Ok(Some(count)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Bytes that were written to a socket and have not left it, as its other end has no room for them.
fn unsent(stream: &TcpStream) -> i32 {
    let mut count = 0;
    // SAFETY: the kernel writes one int, and the descriptor is open as long as `stream` lives.
    unsafe { libc::ioctl(stream.as_raw_fd(), SIOCOUTQNSD as _, &raw mut count) };
    count
}

/// A socket, and the events to wait for in addition to those that poll(2) always reports.
type Asked<'a> = Option<(&'a TcpStream, c_short)>;

/// Waits for events of the sockets, so many milliseconds at most; which each of them has.
fn wait(asked: [Asked; 2], patience: i32) -> [c_short; 2] {
    let mut watched = asked.map(|one| libc::pollfd {
        // one that is negative is passed over
        fd: one.map_or(-1, |(stream, _)| stream.as_raw_fd()),
        events: one.map_or(0, |(_, events)| events),
        revents: 0,
    });
    // SAFETY: `watched` has the given number of members, and the descriptors are open while they are borrowed.
    match unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as _, patience) } {
        // Interrupted: the caller waits again.
        ..0 => [0; 2],
        _ => watched.map(|one| one.revents),
    }
}

/// Whether a socket was reset, or its other end is lost.
fn is_broken(events: c_short) -> bool {
    events & POLLERR != 0
}

/// Whether a pipe can move something, by the events of its two ends.
fn can_move(source: c_short, sink: c_short) -> bool {
    source & (POLLIN | POLLHUP) != 0 || sink & POLLOUT != 0
}

#[cfg(test)]
mod tests;
