//! The conversation with a connection's thread, waiting for each answer.

use anyhow::{Context, Result, bail};
use odbc::frame::{self, Answer};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub struct Thread {
    stream: UnixStream,
    input: Vec<u8>,
    /// Of the last answer's frame.
    used: usize,
}

impl Thread {
    /// A connection that has not logged in.
    pub fn start(connection: &str, log_in: Duration) -> Result<Thread> {
        Ok(Thread {
            stream: odbc::open(connection, log_in)
                .context("cannot start a thread for the driver")?,
            input: Vec::new(),
            used: 0,
        })
    }

    /// Sends a request; the answer must be there within the bound.
    pub fn ask(&mut self, request: &[u8], bound: Duration) -> Result<Answer<'_>> {
        self.stream.set_read_timeout(Some(bound))?;
        self.stream.write_all(request)?;
        self.input.drain(..self.used);
        let mut buffer = [0; 16 * 1024];
        self.used = loop {
            if let Some((_, length)) = whole(&self.input)? {
                break length;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => bail!("the driver's thread ended without an answer"),
                Ok(count) => self.input.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    bail!("no answer from the driver in {} s", bound.as_secs_f64())
                }
                Err(error) => return Err(error.into()),
            }
        };
        match whole(&self.input)? {
            Some((answer, _)) => Ok(answer),
            None => bail!("the driver's thread gave no answer"),
        }
    }
}

fn whole(input: &[u8]) -> Result<Option<(Answer<'_>, usize)>> {
    frame::answer(input)
        .map_err(|_| anyhow::anyhow!("the driver's thread sent an incomplete answer"))
}
