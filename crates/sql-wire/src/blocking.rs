//! A simple blocking client over a session, for the paths where speed does not matter.

use super::tls::TlsStream;
use crate::committing::{self, Commits};
use crate::credentials::Credentials;
use crate::effect::Effect;
use crate::endpoint::Endpoint;
use crate::failure::{Class, Failure};
use crate::kind::Kind;
use crate::parameters::Parameters;
use crate::rows::Rows;
use crate::session::{Event, LONGEST_MESSAGE, Reply, Session};
use crate::statement::Statement;
use base::sys;
use socket2::SockRef;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// Being changed into another.
    None,
}

pub struct Client {
    stream: Stream,
    session: Box<dyn Session>,
    credentials: Credentials,
    host: String,
    rest: Vec<u8>,
}

impl Client {
    /// Connects and logs in, to the first address of the endpoint that lets us. `timeout` bounds each
    /// address' connect and log-in together, and each wait for bytes after it.
    pub fn connect(
        kind: Kind,
        endpoint: &Endpoint,
        credentials: &Credentials,
        timeout: Duration,
    ) -> Result<Client, Failure> {
        let credentials = credentials.at(endpoint);
        if let Endpoint::Odbc(connection) = endpoint {
            let stream = Stream::Unix(super::odbc::open(connection, timeout)?);
            return Client::log_in(kind, stream, endpoint, &credentials, timeout);
        }
        if let Endpoint::Unix(path) = endpoint {
            let stream = Stream::Unix(UnixStream::connect(path)?);
            return Client::log_in(kind, stream, endpoint, &credentials, timeout);
        }
        let addresses = endpoint
            .resolve()
            .map_err(|message| Failure::new(Class::Refused, "resolve", message))?;
        let mut last = Failure::new(Class::Refused, "resolve", "no address");
        for address in addresses {
            let stream = TcpStream::connect_timeout(&address, timeout).map(Stream::Tcp);
            let client = stream
                .map_err(Failure::from)
                .and_then(|stream| Client::log_in(kind, stream, endpoint, &credentials, timeout));
            match client {
                Ok(client) => return Ok(client),
                Err(failure) => last = failure,
            }
        }
        Err(last)
    }

    fn log_in(
        kind: Kind,
        stream: Stream,
        endpoint: &Endpoint,
        credentials: &Credentials,
        timeout: Duration,
    ) -> Result<Client, Failure> {
        if let Stream::Tcp(stream) = &stream {
            stream.set_nodelay(true)?;
            SockRef::from(stream).set_tcp_keepalive(&sys::KEEPALIVE)?;
        }
        stream.bound(timeout)?;
        let mut client = Client {
            stream,
            session: super::session(kind, credentials),
            credentials: credentials.clone(),
            host: endpoint.host().unwrap_or_default().to_string(),
            rest: Vec::new(),
        };
        let mut out = Vec::new();
        client.session.open(&mut out);
        if client.session.encrypts_first() {
            client.encrypt(&mut out)?;
        }
        client.exchange(out, Some(Instant::now() + timeout))?;
        Ok(client)
    }

    /// Makes each statement commit by itself, and each COMMIT do nothing else. Returns what new sessions must be sent
    /// for that; None: the server does so by default.
    pub fn commit_each(&mut self, kind: Kind) -> Result<Option<&'static str>, Failure> {
        let wanted = committing::statement(&self.commits(kind)?);
        if let Some(sql) = wanted {
            self.query(sql)?;
        }
        Ok(wanted)
    }

    /// Requires that a COMMIT does nothing else, of a server whose sessions are left as they are.
    ///
    /// # Errors
    /// A COMMIT also begins a transaction or ends the session, or the connection was lost.
    pub fn require_plain_commits(&mut self, kind: Kind) -> Result<(), Failure> {
        committing::require_plain(&self.commits(kind)?)
    }

    /// How sessions commit. The status flags do not show it: MySQL 9.7 calls a session of `SET GLOBAL autocommit = 0`
    /// one that commits.
    fn commits(&mut self, kind: Kind) -> Result<Commits, Failure> {
        if kind != Kind::Mysql || self.credentials.by_odbc {
            return Ok(Commits::default());
        }
        match self.query(committing::QUESTION) {
            Ok(_) => {}
            Err(failure) if failure.class == Class::Connection => return Err(failure),
            Err(_) => self.rows_mut().start(0),
        }
        let by_itself = self.session.standing().is_none_or(|now| now.autocommit);
        Ok(Commits::read(self.rows(), by_itself))
    }

    /// Bounds the waits of later calls.
    pub fn set_timeout(&self, timeout: Duration) -> Result<(), Failure> {
        Ok(self.stream.bound(timeout)?)
    }

    pub fn query(&mut self, sql: &str) -> Result<Reply, Failure> {
        self.text(sql.as_bytes())
    }

    /// As `query`, with any bytes.
    pub fn text(&mut self, sql: &[u8]) -> Result<Reply, Failure> {
        let mut out = Vec::new();
        self.session.text(sql, Effect::Write, true, &mut out);
        self.exchange(out, None)
    }

    /// Executes COPY ... FROM STDIN with this data.
    pub fn copy(&mut self, sql: &str, data: Arc<Vec<u8>>) -> Result<Reply, Failure> {
        let mut out = Vec::new();
        self.session.copy(sql, data, &mut out);
        self.exchange(out, None)
    }

    /// Executes a statement, which keeps its number for as long as the connection lasts.
    pub fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
    ) -> Result<Reply, Failure> {
        let mut out = Vec::new();
        self.session
            .execute(id, statement, parameters, true, &mut out);
        self.exchange(out, None)
    }

    /// The same rows, to be swapped for another buffer.
    pub fn rows_mut(&mut self) -> &mut Rows {
        self.session.rows()
    }

    /// The rows of the last query.
    pub fn rows(&mut self) -> &Rows {
        self.session.rows()
    }

    /// Sends, and reads until there is an answer. A server that drips bytes must be done by the deadline.
    fn exchange(&mut self, mut out: Vec<u8>, deadline: Option<Instant>) -> Result<Reply, Failure> {
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
                Some(Event::StartTls) => {
                    self.stream.write_all(&out)?;
                    out.clear();
                    self.encrypt(&mut out)?;
                    continue;
                }
                None if !out.is_empty() => continue,
                None => {}
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(io::Error::from(io::ErrorKind::TimedOut).into());
            }
            if self.rest.len() > LONGEST_MESSAGE {
                return Err(Failure::protocol("a message without end"));
            }
            match self.stream.read(&mut buffer)? {
                0 => return Err(self.session.ended()),
                count => self.rest.extend(&buffer[..count]),
            }
        }
    }

    fn encrypt(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let Stream::Tcp(socket) = std::mem::replace(&mut self.stream, Stream::None) else {
            return Err(Failure::protocol("TLS on what is not a TCP connection"));
        };
        if !self.rest.is_empty() {
            return Err(Failure::protocol("clear text before the TLS handshake"));
        }
        let connection = self.credentials.tls.connection(&self.host)?;
        let mut stream = TlsStream::new(connection, socket);
        if !stream.handshake()? {
            return Err(io::Error::from(io::ErrorKind::TimedOut).into());
        }
        self.session.secured(stream.certificate(), out)?;
        self.stream = Stream::Tls(Box::new(stream));
        Ok(())
    }
}

impl Stream {
    /// Bounds each read and write from now on.
    fn bound(&self, timeout: Duration) -> io::Result<()> {
        let socket = match self {
            Stream::Tcp(socket) => SockRef::from(socket),
            Stream::Unix(socket) => SockRef::from(socket),
            Stream::Tls(stream) => SockRef::from(stream.socket()),
            Stream::None => return Ok(()),
        };
        socket.set_read_timeout(Some(timeout))?;
        socket.set_write_timeout(Some(timeout))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(buffer),
            Stream::Unix(stream) => stream.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
            Stream::None => Ok(0),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
            Stream::None => Ok(0),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
