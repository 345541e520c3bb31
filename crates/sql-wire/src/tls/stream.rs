//! A byte stream with TLS over another one, blocking or not: it is as blocking as what it stands on.

use rustls::{ClientConnection, ProtocolVersion};
use std::io::{self, ErrorKind, Read, Write};

pub struct TlsStream<S> {
    connection: ClientConnection,
    socket: S,
}

impl<S: Read + Write> TlsStream<S> {
    pub fn new(connection: ClientConnection, socket: S) -> TlsStream<S> {
        TlsStream { connection, socket }
    }

    pub fn socket(&self) -> &S {
        &self.socket
    }

    #[cfg(test)]
    pub fn socket_mut(&mut self) -> &mut S {
        &mut self.socket
    }

    /// Goes on with the handshake as far as the bytes at hand allow; true once it is complete.
    pub fn handshake(&mut self) -> io::Result<bool> {
        loop {
            self.push()?;
            if !self.connection.is_handshaking() {
                return Ok(true);
            }
            match self.pull() {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// The server's certificate (DER); empty before the handshake is complete.
    pub fn certificate(&self) -> &[u8] {
        self.connection
            .peer_certificates()
            .and_then(|chain| chain.first())
            .map_or(&[], |certificate| certificate.as_ref())
    }

    /// `TLSv1.3` and the like, once the handshake is complete.
    pub fn version(&self) -> Option<&'static str> {
        match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_3 => Some("TLSv1.3"),
            ProtocolVersion::TLSv1_2 => Some("TLSv1.2"),
            _ => None,
        }
    }

    /// Sends what is encrypted already. What the socket does not take now goes with the next call.
    fn push(&mut self) -> io::Result<()> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut self.socket) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes encrypted bytes from the socket and decrypts whole records; 0 at the stream's end.
    fn pull(&mut self) -> io::Result<usize> {
        let count = self.connection.read_tls(&mut self.socket)?;
        if let Err(error) = self.connection.process_new_packets() {
            // The server may want to know why: an alert waits to be sent.
            let _ = self.push();
            return Err(io::Error::new(ErrorKind::InvalidData, error));
        }
        Ok(count)
    }
}

impl<S: Read + Write> Read for TlsStream<S> {
    /// Hands out what is decrypted already before it looks at the socket: with edge-triggered events
    /// no later call would read it.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.push()?;
        loop {
            match self.connection.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // A stream that ends without a farewell is for the protocol above to judge.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                other => return other,
            }
            if self.pull()? == 0 {
                return Ok(0);
            }
            // A key update wants an answer.
            self.push()?;
        }
    }
}

impl<S: Read + Write> Write for TlsStream<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = self.connection.writer().write(bytes)?;
        self.push()?;
        if taken == 0 && !bytes.is_empty() {
            // The buffer was full; now that some of it is sent there may be room.
            taken = self.connection.writer().write(bytes)?;
            self.push()?;
        }
        match taken {
            0 if !bytes.is_empty() => Err(ErrorKind::WouldBlock.into()),
            taken => Ok(taken),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.push()?;
        self.socket.flush()
    }
}
