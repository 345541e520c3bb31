//! A non-blocking byte stream to a server, with the socket options that failover needs; or to a thread that makes
//! ODBC's calls.

use base::sys;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use rustls::ClientConnection;
use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive};
use sql_wire::Failure;
use sql_wire::endpoint::Endpoint;
use sql_wire::tls::TlsStream;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// How the kernel notices that the other end of a TCP connection is gone without a word.
#[derive(Clone, Debug, Default)]
pub struct SocketOptions {
    /// Asks a peer that has been idle whether it is still there.
    pub keepalive: Option<TcpKeepalive>,
    /// How long what was sent may stay unacknowledged (TCP_USER_TIMEOUT).
    pub user_timeout: Option<Duration>,
    /// The address of this machine to connect from; None: as the kernel chooses.
    pub from: Option<IpAddr>,
    /// Time limit of an ODBC driver's login; it has none of the other options.
    pub log_in: Duration,
}

pub enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// No server: what is written can be read back. For the noop driver.
    Loop(Vec<u8>),
}

impl Transport {
    /// Starts to connect and registers with the event loop.
    pub fn open(
        endpoint: &Endpoint,
        address: Option<SocketAddr>,
        registry: &Registry,
        token: Token,
        options: &SocketOptions,
    ) -> Result<Transport, Failure> {
        // Edge-triggered for both directions once: no system call ever to change the interest.
        let both = Interest::READABLE | Interest::WRITABLE;
        match (endpoint, address) {
            (Endpoint::Unix(path), _) => {
                let mut stream = UnixStream::connect(path)?;
                registry.register(&mut stream, token, both)?;
                Ok(Transport::Unix(stream))
            }
            (Endpoint::Odbc(connection), _) => {
                let stream = sql_wire::odbc::open(connection, options.log_in)?;
                stream.set_nonblocking(true)?;
                let mut stream = UnixStream::from_std(stream);
                registry.register(&mut stream, token, both)?;
                Ok(Transport::Unix(stream))
            }
            (Endpoint::Tcp { .. }, Some(address)) => {
                let mut stream = match options.from {
                    Some(from) => connect_from(from, address)?,
                    None => TcpStream::connect(address)?,
                };
                stream.set_nodelay(true)?;
                let socket = SockRef::from(&stream);
                if let Some(keepalive) = &options.keepalive {
                    socket.set_tcp_keepalive(keepalive)?;
                }
                socket.set_tcp_user_timeout(options.user_timeout)?;
                registry.register(&mut stream, token, both)?;
                Ok(Transport::Tcp(stream))
            }
            (Endpoint::Tcp { .. }, None) => Ok(Transport::Loop(Vec::new())),
        }
    }

    /// True once connected; an error when connecting failed.
    pub fn is_connected(&self) -> io::Result<bool> {
        let (error, connected) = match self {
            Transport::Tcp(stream) => (stream.take_error()?, stream.peer_addr().is_ok()),
            Transport::Unix(stream) => (stream.take_error()?, stream.peer_addr().is_ok()),
            Transport::Tls(_) | Transport::Loop(_) => (None, true),
        };
        match error {
            Some(error) => Err(error),
            None => Ok(connected),
        }
    }

    /// Encrypts from here on; what was written must be sent.
    pub fn encrypt(self, connection: ClientConnection) -> Result<Transport, Failure> {
        match self {
            Transport::Tcp(socket) => {
                let stream = TlsStream::new(connection, socket);
                Ok(Transport::Tls(Box::new(stream)))
            }
            _ => Err(Failure::protocol("TLS on what is not a TCP connection")),
        }
    }

    pub fn tls(&mut self) -> Option<&mut TlsStream<TcpStream>> {
        match self {
            Transport::Tls(stream) => Some(stream),
            _ => None,
        }
    }

    pub fn is_loop(&self) -> bool {
        matches!(self, Transport::Loop(_))
    }

    #[inline]
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Transport::Tcp(stream) => stream.read(buffer),
            Transport::Unix(stream) => stream.read(buffer),
            Transport::Tls(stream) => stream.read(buffer),
            Transport::Loop(bytes) if bytes.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            Transport::Loop(bytes) => {
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                bytes.drain(..count);
                Ok(count)
            }
        }
    }

    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Transport::Tcp(stream) => stream.write(bytes),
            Transport::Unix(stream) => stream.write(bytes),
            Transport::Tls(stream) => stream.write(bytes),
            Transport::Loop(held) => held.write(bytes),
        }
    }
}

/// Begins to connect from this address. The port is chosen with the destination known, so that each address of a
/// server can have them all.
fn connect_from(from: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let kind = socket2::Type::STREAM.nonblocking().cloexec();
    let socket = Socket::new(Domain::for_address(to), kind, Some(Protocol::TCP))?;
    sys::choose_port_when_connecting(&socket)?;
    socket.bind(&SocketAddr::new(from, 0).into())?;
    match socket.connect(&to.into()) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(TcpStream::from_std(socket.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::Poll;
    use std::net::TcpListener;

    /// What the kernel says about a fresh connection to this address.
    fn options_hold(address: &str) {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint: Endpoint = address.to_string().parse().unwrap();
        let poll = Poll::new().unwrap();
        let patience = Duration::from_millis(1234);
        let options = SocketOptions {
            keepalive: Some(sys::KEEPALIVE),
            user_timeout: Some(patience),
            from: None,
            log_in: patience,
        };
        let place = endpoint.literal();
        let transport =
            Transport::open(&endpoint, place, poll.registry(), Token(0), &options).unwrap();
        let Transport::Tcp(stream) = &transport else {
            panic!()
        };
        let socket = SockRef::from(stream);
        assert!(socket.keepalive().unwrap());
        assert_eq!(
            socket.tcp_keepalive_time().unwrap(),
            Duration::from_secs(10)
        );
        assert_eq!(
            socket.tcp_keepalive_interval().unwrap(),
            Duration::from_secs(5)
        );
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(patience));
        assert!(socket.tcp_nodelay().unwrap());
    }

    #[test]
    fn sockets_notice_a_peer_that_vanished() {
        options_hold("127.0.0.1:0");
    }

    #[test]
    fn so_do_those_of_ipv6() {
        options_hold("[::1]:0");
    }

    #[test]
    fn a_connection_comes_from_the_address_that_was_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint: Endpoint = listener.local_addr().unwrap().to_string().parse().unwrap();
        let poll = Poll::new().unwrap();
        let from: IpAddr = "127.0.0.9".parse().unwrap();
        let options = SocketOptions {
            from: Some(from),
            ..SocketOptions::default()
        };
        let place = endpoint.literal();
        let _kept = Transport::open(&endpoint, place, poll.registry(), Token(0), &options).unwrap();
        assert_eq!(listener.accept().unwrap().1.ip(), from);
    }

    #[test]
    fn an_address_that_is_not_here_is_refused() {
        let to = "127.0.0.1:9".parse().unwrap();
        let error = connect_from("192.0.2.1".parse().unwrap(), to).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable);
    }
}
