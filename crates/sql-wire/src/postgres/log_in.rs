//! The messages before the first authentication message: a request for TLS, then the startup message.

use super::message::frame_untagged;
use super::{Expect, PostgresSession};
use crate::failure::{Class, Failure};
use crate::session::{Event, Fed};
use crate::tls::{self, Mode};

const PROTOCOL_VERSION: i32 = 3 << 16;
const SSL_REQUEST: i32 = 80_877_103;

impl PostgresSession {
    pub(super) fn begin(&mut self, out: &mut Vec<u8>) {
        match self.credentials.tls.mode {
            Mode::Disable => self.start_up(out),
            _ if self.credentials.options.direct_tls => self.expect = Expect::Tls,
            _ => {
                frame_untagged(out, |out| out.extend(SSL_REQUEST.to_be_bytes()));
                self.expect = Expect::Encryption;
            }
        }
    }

    /// One letter answers the request for TLS.
    pub(super) fn encryption(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure> {
        let event = match input.first() {
            None => return Ok(Fed::nothing(0)),
            Some(b'S') => {
                self.expect = Expect::Tls;
                Some(Event::StartTls)
            }
            Some(b'N') if self.credentials.tls.mode == Mode::Prefer => {
                self.start_up(out);
                None
            }
            Some(b'N') => return Err(tls::not_offered()),
            // The message could come from an attacker, as nothing is authenticated yet: it is not shown.
            Some(b'E') => {
                return Err(Failure::new(
                    Class::Refused,
                    "no_tls",
                    "the server answers the request for TLS with an error: it is overloaded, or too old \
                     to know TLS (then use --tls disable)",
                ));
            }
            Some(_) => return Err(Failure::protocol("the answer to the request for TLS")),
        };
        Ok(Fed { consumed: 1, event })
    }

    pub(super) fn start_up(&mut self, out: &mut Vec<u8>) {
        frame_untagged(out, |out| {
            out.extend(PROTOCOL_VERSION.to_be_bytes());
            let asked = &self.credentials.options.startup;
            let names_itself = asked.iter().any(|(name, _)| name == "application_name");
            let settings = [
                ("user", self.credentials.user.as_str()),
                ("database", self.credentials.database.as_str()),
                // A database of another encoding would take the bytes of a script's texts for its own.
                ("client_encoding", "UTF8"),
                (
                    "application_name",
                    if names_itself { "" } else { "fivenines" },
                ),
            ];
            let asked = asked
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            for (name, value) in settings
                .into_iter()
                .chain(asked)
                .filter(|(_, value)| !value.is_empty())
            {
                out.extend(name.as_bytes());
                out.push(0);
                out.extend(value.as_bytes());
                out.push(0);
            }
            out.push(0);
        });
        self.expect = Expect::LogIn;
    }
}

#[cfg(test)]
mod tests;
