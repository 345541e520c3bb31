//! A non-blocking byte stream to a server, with the socket options that failover needs.

use crate::driver::Failure;
use crate::endpoint::Endpoint;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

const KEEPALIVE: TcpKeepalive = TcpKeepalive::new()
    .with_time(Duration::from_secs(10))
    .with_interval(Duration::from_secs(5));

pub enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    /// No server: what is written can be read back. For the noop driver.
    Loop(Vec<u8>),
}

impl Transport {
    /// Starts to connect and registers with the event loop. `unacknowledged` bounds how long the kernel keeps
    /// sending to a peer that has vanished without a word (TCP_USER_TIMEOUT).
    pub fn open(
        endpoint: &Endpoint,
        address: Option<SocketAddr>,
        registry: &Registry,
        token: Token,
        unacknowledged: Duration,
    ) -> Result<Transport, Failure> {
        // Edge-triggered for both directions once: no system call ever to change the interest.
        let both = Interest::READABLE | Interest::WRITABLE;
        match (endpoint, address) {
            (Endpoint::Unix(path), _) => {
                let mut stream = UnixStream::connect(path)?;
                registry.register(&mut stream, token, both)?;
                Ok(Transport::Unix(stream))
            }
            (Endpoint::Tcp { .. }, Some(address)) => {
                let mut stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                let socket = SockRef::from(&stream);
                socket.set_tcp_keepalive(&KEEPALIVE)?;
                socket.set_tcp_user_timeout(Some(unacknowledged))?;
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
            Transport::Loop(_) => (None, true),
        };
        match error {
            Some(error) => Err(error),
            None => Ok(connected),
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
            Transport::Loop(held) => held.write(bytes),
        }
    }
}
