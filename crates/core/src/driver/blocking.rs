//! A simple blocking client over a session, for the paths where speed does not matter.

use super::{Class, Credentials, Event, Failure, Kind, Reply, Row, Session};
use crate::endpoint::Endpoint;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

trait Stream: Read + Write {
    /// Bounds each read and write from now on.
    fn bound(&self, timeout: Duration) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn bound(&self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }
}

impl Stream for UnixStream {
    fn bound(&self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }
}

pub struct Client {
    stream: Box<dyn Stream>,
    session: Box<dyn Session>,
    rest: Vec<u8>,
}

impl Client {
    /// Connects and logs in. `timeout` bounds the connect and each wait for bytes after it.
    pub fn connect(
        kind: Kind,
        endpoint: &Endpoint,
        credentials: &Credentials,
        timeout: Duration,
    ) -> Result<Client, Failure> {
        let mut credentials = credentials.clone();
        credentials.private_transport = matches!(endpoint, Endpoint::Unix(_));
        let mut client = Client {
            stream: open(endpoint, timeout)?,
            session: super::session(kind, &credentials),
            rest: Vec::new(),
        };
        let mut out = Vec::new();
        client.session.open(&mut out);
        client.exchange(out)?;
        Ok(client)
    }

    /// Bounds the waits of later calls.
    pub fn set_timeout(&self, timeout: Duration) -> Result<(), Failure> {
        Ok(self.stream.bound(timeout)?)
    }

    pub fn query(&mut self, sql: &str) -> Result<Reply, Failure> {
        let mut out = Vec::new();
        self.session.query(sql, &mut out);
        self.exchange(out)
    }

    /// The rows of the last query.
    pub fn rows(&self) -> &[Row] {
        self.session.rows()
    }

    fn exchange(&mut self, mut out: Vec<u8>) -> Result<Reply, Failure> {
        let mut buffer = [0; 16 * 1024];
        loop {
            self.stream.write_all(&out)?;
            out.clear();
            let fed = self.session.feed(&self.rest, &mut out)?;
            self.rest.drain(..fed.consumed);
            match fed.event {
                Some(Event::Authenticated) => return Ok(Reply::default()),
                Some(Event::Done(reply)) => return Ok(reply),
                Some(Event::Refused(failure)) => return Err(failure),
                None if !out.is_empty() => continue,
                None => {}
            }
            match self.stream.read(&mut buffer)? {
                0 => return Err(Failure::lost()),
                count => self.rest.extend(&buffer[..count]),
            }
        }
    }
}

fn open(endpoint: &Endpoint, timeout: Duration) -> Result<Box<dyn Stream>, Failure> {
    let stream: Box<dyn Stream> = match endpoint {
        Endpoint::Unix(path) => Box::new(UnixStream::connect(path)?),
        Endpoint::Tcp { .. } => {
            let address = endpoint
                .resolve()
                .map_err(|message| Failure::new(Class::Refused, "resolve", message))?;
            let stream = TcpStream::connect_timeout(&address, timeout)?;
            stream.set_nodelay(true)?;
            Box::new(stream)
        }
    };
    stream.bound(timeout)?;
    Ok(stream)
}
