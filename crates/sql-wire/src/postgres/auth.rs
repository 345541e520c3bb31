//! Logging in to PostgreSQL: trust, clear text, MD5 and SCRAM. Like libpq, a password is sent in clear text to a server that asks for it.

use super::binding;
use super::message::{frame, take_i32};
use super::scram::{Channel, Scram};
use crate::credentials::Credentials;
use crate::failure::Failure;
use crate::options::ChannelBinding;
use md5::{Digest, Md5};

/// How far the log-in has come.
#[derive(Default)]
pub struct Progress {
    /// The channel is encrypted, and this is what it can be bound by.
    channel: Channel,
    scram: Option<Scram>,
    /// The server has asked for a proof.
    answered: bool,
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
    let method = take_i32(&mut rest).ok_or_else(wrong)?;
    accept(method, credentials, progress)?;
    match method {
        0 => progress.check_done()?,
        3 => {
            progress.answered = true;
            password(credentials.password.as_bytes(), out);
        }
        5 => {
            progress.answered = true;
            let salt = rest.get(..4).ok_or_else(wrong)?;
            password(md5_response(credentials, salt).as_bytes(), out);
        }
        10 if progress.scram.is_none() => {
            progress.answered = true;
            let binding = credentials.options.channel_binding;
            progress.scram = Some(Scram::start(rest, &progress.channel, binding, out)?);
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

/// What the user accepts, before anything that a password could be guessed from is sent.
fn accept(method: i32, credentials: &Credentials, progress: &Progress) -> Result<(), Failure> {
    let options = &credentials.options;
    let name = match method {
        0 if progress.answered => return Ok(()),
        0 => "none",
        3 => "password",
        5 => "md5",
        10 => "scram-sha-256",
        _ => return Ok(()),
    };
    options.require_auth.check(name)?;
    match options.channel_binding == ChannelBinding::Require && name != "scram-sha-256" {
        true => Err(Failure::unsupported(format!(
            "channel_binding=require: the server asks for the authentication method {name}, which is not tied \
             to the encrypted channel"
        ))),
        false => Ok(()),
    }
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
        let credentials = crate::testing::credentials(Tls::off());
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
