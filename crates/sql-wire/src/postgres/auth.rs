//! Logging in to PostgreSQL: trust, clear text, MD5 and SCRAM. Like libpq, a password is sent in clear text to a server that asks for it.

use super::binding;
use super::message::{frame, take_i32};
use super::scram::{Channel, Scram};
use crate::{Credentials, Failure};
use md5::{Digest, Md5};

/// How far the log-in has come.
#[derive(Default)]
pub struct Progress {
    /// The channel is encrypted, and this is what it can be bound by.
    channel: Channel,
    scram: Option<Scram>,
}

impl Progress {
    /// The transport is encrypted by this certificate (DER).
    pub fn bind_to(&mut self, certificate: &[u8]) {
        self.channel = match binding::server_end_point(certificate) {
            Some(hash) => Channel::Bindable(hash),
            None => Channel::Unbindable,
        };
    }
}

/// Answers one Authentication message.
pub fn answer(
    body: &[u8],
    credentials: &Credentials,
    progress: &mut Progress,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut rest = body;
    let wrong = || Failure::protocol("an authentication message");
    match take_i32(&mut rest).ok_or_else(wrong)? {
        0 => progress.check_done()?,
        3 => password(credentials.password.as_bytes(), out),
        5 => {
            let salt = rest.get(..4).ok_or_else(wrong)?;
            password(md5_response(credentials, salt).as_bytes(), out);
        }
        10 if progress.scram.is_none() => {
            progress.scram = Some(Scram::start(rest, &progress.channel, out)?);
        }
        11 => {
            let exchange = progress.scram.as_mut().ok_or_else(wrong)?;
            exchange.prove(rest, &credentials.password, out)?;
        }
        12 => {
            let exchange = progress.scram.as_mut().ok_or_else(wrong)?;
            exchange.check_server(rest)?;
        }
        other => {
            return Err(Failure::unsupported(format!(
                "the server asks for authentication method {other}; supported are trust, password, md5 and \
                 scram-sha-256"
            )));
        }
    }
    Ok(())
}

impl Progress {
    fn check_done(&self) -> Result<(), Failure> {
        match &self.scram {
            Some(scram) => scram.check_done(),
            None => Ok(()),
        }
    }
}

fn password(text: &[u8], out: &mut Vec<u8>) {
    frame(out, b'p', |out| {
        out.extend(text);
        out.push(0);
    });
}

fn md5_response(credentials: &Credentials, salt: &[u8]) -> String {
    let inner = Md5::new()
        .chain_update(&credentials.password)
        .chain_update(&credentials.user)
        .finalize();
    let outer = Md5::new()
        .chain_update(hex(&inner))
        .chain_update(salt)
        .finalize();
    format!("md5{}", hex(&outer))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::Tls;

    #[test]
    fn md5_is_what_the_server_computes() {
        let credentials = Credentials {
            user: "u".into(),
            password: "p".into(),
            database: String::new(),
            private_transport: false,
            by_odbc: false,
            tls: Tls::off(),
        };
        let stored = hex(&Md5::digest(b"pu"));
        let salted = Md5::new()
            .chain_update(stored)
            .chain_update([1, 2, 3, 4])
            .finalize();
        assert_eq!(
            md5_response(&credentials, &[1, 2, 3, 4]),
            format!("md5{}", hex(&salted))
        );
    }
}
