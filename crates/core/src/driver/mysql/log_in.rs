//! The conversation from the server's greeting to its OK.

use super::packet::{self, frame};
use super::{Expect, MysqlSession, auth, classify};
use crate::driver::{Event, Failure, LONGEST_MESSAGE};

const LONG_PASSWORD: u32 = 1;
const LONG_FLAG: u32 = 1 << 2;
const CONNECT_WITH_DB: u32 = 1 << 3;
const PROTOCOL_41: u32 = 1 << 9;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
const PLUGIN_AUTH: u32 = 1 << 19;
const DEPRECATE_EOF: u32 = 1 << 24;

const UTF8MB4_GENERAL_CI: u8 = 45;

impl MysqlSession {
    pub(super) fn greeting(
        &mut self,
        payload: &[u8],
        sequence: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        if payload.first() == Some(&0xff) {
            return Ok(Some(Event::Refused(classify::error(payload))));
        }
        let greeting = packet::Greeting::read(payload)
            .ok_or_else(|| Failure::protocol("the server's greeting"))?;
        if greeting.capabilities & PROTOCOL_41 == 0 {
            return Err(Failure::unsupported("the server is older than MySQL 4.1"));
        }
        self.deprecate_eof = greeting.capabilities & DEPRECATE_EOF != 0;
        // A plugin we do not know is answered as native: the server then asks to switch, and names it.
        self.plugin = auth::Plugin::named(greeting.plugin).unwrap_or(auth::Plugin::NativePassword);
        let response = self
            .plugin
            .response(&self.credentials.password, greeting.scramble);
        self.log_in_request(sequence.wrapping_add(1), &response, out);
        self.expect = Expect::LogIn;
        Ok(None)
    }

    fn log_in_request(&self, sequence: u8, response: &[u8], out: &mut Vec<u8>) {
        let mut capabilities = LONG_PASSWORD
            | LONG_FLAG
            | PROTOCOL_41
            | TRANSACTIONS
            | SECURE_CONNECTION
            | PLUGIN_AUTH;
        if self.deprecate_eof {
            capabilities |= DEPRECATE_EOF;
        }
        if !self.credentials.database.is_empty() {
            capabilities |= CONNECT_WITH_DB;
        }
        frame(out, sequence, |out| {
            out.extend(capabilities.to_le_bytes());
            out.extend((LONGEST_MESSAGE as u32).to_le_bytes());
            out.push(UTF8MB4_GENERAL_CI);
            out.extend([0; 23]);
            out.extend(self.credentials.user.as_bytes());
            out.push(0);
            out.push(response.len() as u8);
            out.extend(response);
            if !self.credentials.database.is_empty() {
                out.extend(self.credentials.database.as_bytes());
                out.push(0);
            }
            out.extend(self.plugin.name().as_bytes());
            out.push(0);
        });
    }

    pub(super) fn log_in(
        &mut self,
        payload: &[u8],
        sequence: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        let next = sequence.wrapping_add(1);
        match payload.first() {
            Some(0x00) => {
                self.expect = Expect::Nothing;
                Ok(Some(Event::Authenticated))
            }
            Some(0xff) => Ok(Some(Event::Refused(classify::error(payload)))),
            Some(0xfe) => {
                let (plugin, scramble) = auth::switch_request(&payload[1..])?;
                self.plugin = plugin;
                let response = plugin.response(&self.credentials.password, scramble);
                frame(out, next, |out| out.extend(response));
                Ok(None)
            }
            // caching_sha2_password: 3 is "known, OK follows", 4 is "send me the password itself".
            Some(0x01) if payload.get(1) == Some(&3) => Ok(None),
            Some(0x01) if payload.get(1) == Some(&4) => {
                self.full_authentication(next, out).map(|()| None)
            }
            _ => Err(Failure::protocol("a packet during log-in")),
        }
    }

    fn full_authentication(&self, sequence: u8, out: &mut Vec<u8>) -> Result<(), Failure> {
        if !self.credentials.private_transport {
            return Err(Failure::unsupported(
                "caching_sha2_password wants full authentication, which needs TLS, and this program does \
                 not speak TLS yet: log in once as this user by other means (the server then remembers), \
                 or use mysql_native_password or a unix socket",
            ));
        }
        frame(out, sequence, |out| {
            out.extend(self.credentials.password.as_bytes());
            out.push(0);
        });
        Ok(())
    }
}
