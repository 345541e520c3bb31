//! The conversation from the server's greeting to its OK.

use super::packet::{self, frame};
use super::{Expect, MysqlSession, auth, classify, rsa};
use crate::failure::Failure;
use crate::session::{Event, LONGEST_MESSAGE};
use crate::tls::{self, Mode};

const LONG_PASSWORD: u32 = 1;
/// `affected` of an UPDATE counts the rows that matched, as on PostgreSQL, not only those that differ now.
const FOUND_ROWS: u32 = 1 << 1;
const LONG_FLAG: u32 = 1 << 2;
const CONNECT_WITH_DB: u32 = 1 << 3;
const PROTOCOL_41: u32 = 1 << 9;
const SSL: u32 = 1 << 11;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
/// Several statements in one text, as sysbench's connections have them, and several results of each call.
const MULTI: u32 = 1 << 16 | 1 << 17 | 1 << 18;
const PLUGIN_AUTH: u32 = 1 << 19;
const DEPRECATE_EOF: u32 = 1 << 24;

const UTF8MB4_GENERAL_CI: u8 = 45;
/// Asks for the public key of caching_sha2_password.
const KEY_REQUEST: u8 = 2;

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
        self.multi = greeting.capabilities & MULTI;
        self.plugin = auth::Plugin::to_begin_with(greeting.plugin);
        self.challenge = greeting.scramble.to_vec();
        self.sequence = sequence.wrapping_add(1);
        match (self.credentials.tls.mode, greeting.capabilities & SSL != 0) {
            (Mode::Disable, _) | (Mode::Prefer, false) => {
                self.log_in_request(out)?;
                Ok(None)
            }
            (_, false) => Err(tls::not_offered()),
            (_, true) => {
                let capabilities = self.capabilities() | SSL;
                frame(out, self.sequence, |out| begin_log_in(capabilities, out));
                self.sequence = self.sequence.wrapping_add(1);
                self.expect = Expect::Tls;
                Ok(Some(Event::StartTls))
            }
        }
    }

    fn capabilities(&self) -> u32 {
        let mut capabilities = LONG_PASSWORD
            | FOUND_ROWS
            | LONG_FLAG
            | PROTOCOL_41
            | TRANSACTIONS
            | SECURE_CONNECTION
            | PLUGIN_AUTH
            | self.multi;
        if self.deprecate_eof {
            capabilities |= DEPRECATE_EOF;
        }
        if !self.credentials.database.is_empty() {
            capabilities |= CONNECT_WITH_DB;
        }
        capabilities
    }

    pub(super) fn log_in_request(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let response = self.response()?;
        let encrypted = if self.expect == Expect::Tls { SSL } else { 0 };
        frame(out, self.sequence, |out| {
            begin_log_in(self.capabilities() | encrypted, out);
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
        self.expect = Expect::LogIn;
        Ok(())
    }

    fn response(&self) -> Result<Vec<u8>, Failure> {
        let password = &self.credentials.password;
        self.plugin
            .response(password, &self.challenge, self.is_private())
    }

    /// Whether the channel is encrypted or local, so that the password itself can be sent.
    fn is_private(&self) -> bool {
        self.credentials.private_transport || self.encrypted
    }

    pub(super) fn log_in(
        &mut self,
        payload: &[u8],
        sequence: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        let next = sequence.wrapping_add(1);
        match payload.first() {
            Some(0x00) if self.credentials.options.init_sql.is_empty() => {
                self.expect = Expect::Nothing;
                self.note_status(payload);
                Ok(Some(Event::Authenticated))
            }
            Some(0x00) => {
                self.expect = Expect::SetUp;
                packet::query(&self.credentials.options.init_sql, out);
                Ok(None)
            }
            Some(0xff) => Ok(Some(Event::Refused(classify::error(payload)))),
            Some(0xfe) => {
                let (plugin, challenge) = auth::switch_request(&payload[1..])?;
                self.plugin = plugin;
                self.challenge = challenge.to_vec();
                let response = self.response()?;
                frame(out, next, |out| out.extend(response));
                Ok(None)
            }
            Some(0x01) if self.plugin == auth::Plugin::CachingSha2 => {
                self.caching_sha2(&payload[1..], next, out)?;
                Ok(None)
            }
            _ => Err(Failure::protocol("a packet during log-in")),
        }
    }

    /// The answer to the statement that the connection string wants first.
    pub(super) fn set_up(&mut self, payload: &[u8]) -> Result<Option<Event>, Failure> {
        match payload.first() {
            Some(0x00) => {
                self.expect = Expect::Nothing;
                self.note_status(payload);
                Ok(Some(Event::Authenticated))
            }
            Some(0xff) => Ok(Some(Event::Refused(classify::error(payload)))),
            _ => Err(Failure::unsupported(
                "the statement that the DSN wants first returns rows: only statements as SET may stand there",
            )),
        }
    }

    /// What an OK packet says of the session's transaction, if it says it.
    fn note_status(&mut self, payload: &[u8]) {
        if let Some((_, status)) = packet::Reader::new(&payload[1..]).ok() {
            self.status = status;
        }
    }

    /// 3 is "known, OK follows", 4 is "send me the password itself", anything else the key to do it with.
    fn caching_sha2(
        &mut self,
        said: &[u8],
        sequence: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let mut password = self.credentials.password.clone().into_bytes();
        password.push(0);
        match said {
            [3] => Ok(()),
            [4] if self.is_private() => {
                frame(out, sequence, |out| out.extend(password));
                Ok(())
            }
            [4] => {
                self.awaits_key = true;
                frame(out, sequence, |out| out.push(KEY_REQUEST));
                Ok(())
            }
            pem if std::mem::take(&mut self.awaits_key) => {
                let scramble = self.challenge.iter().take(auth::SCRAMBLE).cycle();
                for (byte, by) in password.iter_mut().zip(scramble) {
                    *byte ^= by;
                }
                let encrypted = rsa::encrypt(pem, &password).ok_or_else(|| {
                    Failure::protocol("the server's RSA key, or it is too short for the password")
                })?;
                frame(out, sequence, |out| out.extend(encrypted));
                Ok(())
            }
            _ => Err(Failure::protocol("a packet of caching_sha2_password")),
        }
    }
}

/// The part that the requests for TLS and for log-in have in common.
fn begin_log_in(capabilities: u32, out: &mut Vec<u8>) {
    out.extend(capabilities.to_le_bytes());
    out.extend((LONGEST_MESSAGE as u32).to_le_bytes());
    out.push(UTF8MB4_GENERAL_CI);
    out.extend([0; 23]);
}

#[cfg(test)]
mod tests;
