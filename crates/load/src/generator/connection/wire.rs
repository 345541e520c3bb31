//! Bytes to and from the server, until there is an event or nothing more to read.

use super::Connection;
use crate::generator::shared::Shared;
use base::sys;
use sql_wire::{Event, Failure, LONGEST_MESSAGE};
use std::io;

impl Connection {
    #[inline]
    pub(super) fn flush(&mut self, shared: &mut Shared) -> Result<(), Failure> {
        let Some(transport) = &mut self.transport else {
            return Ok(());
        };
        while !self.out.is_empty() {
            match transport.write(&self.out) {
                Ok(count) if count == self.out.len() => self.out.clear(),
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if transport.is_loop() {
            shared.sockets.looping.push(self.token);
        }
        Ok(())
    }

    /// Reads until a reply is complete or the socket is empty. Normally that is one read.
    #[inline]
    pub(super) fn receive(&mut self, shared: &mut Shared) -> Result<Option<Event>, Failure> {
        loop {
            let Some(transport) = &mut self.transport else {
                return Ok(None);
            };
            let count = match transport.read(&mut shared.sockets.buffer) {
                Ok(0) => return Err(self.session.ended()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            shared.clock.now = sys::monotonic_ns();
            let event = self.parse(count, shared)?;
            if !self.out.is_empty() {
                self.flush(shared)?;
            }
            if event.is_some() {
                return Ok(event);
            }
        }
    }

    #[inline]
    pub(super) fn parse(
        &mut self,
        count: usize,
        shared: &mut Shared,
    ) -> Result<Option<Event>, Failure> {
        let fresh = &shared.sockets.buffer[..count];
        if self.rest.is_empty() {
            let fed = self.session.feed(fresh, &mut self.out)?;
            self.rest.extend_from_slice(&fresh[fed.consumed..]);
            return Ok(fed.event);
        }
        if self.rest.len() > LONGEST_MESSAGE {
            return Err(Failure::protocol("a message without end"));
        }
        self.rest.extend_from_slice(fresh);
        let fed = self.session.feed(&self.rest, &mut self.out)?;
        self.rest.drain(..fed.consumed);
        Ok(fed.event)
    }
}
