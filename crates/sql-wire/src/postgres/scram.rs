//! SCRAM-SHA-256 (RFC 5802, 7677), through TLS with channel binding.

use super::message::frame;
use crate::failure::{Class, Failure};
use crate::options::ChannelBinding;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use ring::rand::{SystemRandom, generate};
use ring::{hmac, pbkdf2};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::num::NonZeroU32;

const MECHANISM: &str = "SCRAM-SHA-256";
const WITH_BINDING: &str = "SCRAM-SHA-256-PLUS";
/// RFC 7677 asks for 4096; a server that wants millions would keep the event loop busy for seconds.
const MOST_ITERATIONS: u32 = 1_000_000;
/// Number of accounts with a cached stretched password, enough for a few servers.
const REMEMBERED: usize = 8;

/// What is known of the channel under the exchange.
#[derive(Clone, Default)]
pub enum Channel {
    #[default]
    Plain,
    /// Encrypted by a certificate that nothing can be bound to.
    Unbindable,
    Bindable(Vec<u8>),
}

fn unproven() -> Failure {
    Failure::unsupported("the server could not prove that it knows the password")
}

/// Why `channel_binding=require` cannot be had.
fn unbound(channel: &Channel) -> Failure {
    let why = match channel {
        Channel::Plain => "the connection is not encrypted",
        Channel::Unbindable => "nothing can be bound to a certificate with this signature",
        Channel::Bindable(_) => "the server does not offer SCRAM-SHA-256-PLUS",
    };
    Failure::unsupported(format!("channel_binding=require: {why}"))
}

/// One exchange. Passwords are used as they are, without SASLprep, which leaves ASCII unchanged.
pub struct Scram {
    nonce: String,
    /// The header that says what is bound, and what is bound.
    binding: Vec<u8>,
    header_length: usize,
    step: Step,
}

/// Each step is taken once: stretching a password costs time that a server must not take again and again.
enum Step {
    Begun,
    Proven { server_signature: [u8; 32] },
    Done,
}

impl Scram {
    pub fn start(
        mechanisms: &[u8],
        channel: &Channel,
        wanted: ChannelBinding,
        out: &mut Vec<u8>,
    ) -> Result<Scram, Failure> {
        let channel = match wanted {
            ChannelBinding::Disable => &Channel::Plain,
            ChannelBinding::Prefer | ChannelBinding::Require => channel,
        };
        let offers = |wanted: &str| {
            mechanisms
                .split(|&byte| byte == 0)
                .any(|name| name == wanted.as_bytes())
        };
        let (mechanism, header, bound) = match channel {
            Channel::Bindable(hash) if offers(WITH_BINDING) => {
                (WITH_BINDING, "p=tls-server-end-point,,", hash.as_slice())
            }
            _ if wanted == ChannelBinding::Require => return Err(unbound(channel)),
            _ if !offers(MECHANISM) => {
                return Err(Failure::unsupported(
                    "the server offers no SASL mechanism that is known (SCRAM-SHA-256, and with TLS \
                     SCRAM-SHA-256-PLUS)",
                ));
            }
            // "We could bind, but you do not offer it": a man in the middle who took the offer away is
            // found out.
            Channel::Bindable(_) => (MECHANISM, "y,,", &[][..]),
            Channel::Plain | Channel::Unbindable => (MECHANISM, "n,,", &[][..]),
        };
        let scram = Scram {
            nonce: nonce()?,
            binding: [header.as_bytes(), bound].concat(),
            header_length: header.len(),
            step: Step::Begun,
        };
        let mut first = scram.binding[..scram.header_length].to_vec();
        first.extend(scram.client_first().as_bytes());
        frame(out, b'p', |out| {
            out.extend(mechanism.as_bytes());
            out.push(0);
            out.extend((first.len() as i32).to_be_bytes());
            out.extend(first);
        });
        Ok(scram)
    }

    /// The user name is left empty: PostgreSQL takes it from the start-up message.
    fn client_first(&self) -> String {
        format!("n=,r={}", self.nonce)
    }

    pub fn prove(
        &mut self,
        server_first: &[u8],
        password: &str,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let wrong = || Failure::protocol("the server's SCRAM challenge");
        let text = std::str::from_utf8(server_first).map_err(|_| wrong())?;
        let field = |name: &str| text.split(',').find_map(|part| part.strip_prefix(name));
        let nonce = field("r=").ok_or_else(wrong)?;
        let salt = BASE64
            .decode(field("s=").ok_or_else(wrong)?)
            .map_err(|_| wrong())?;
        let iterations = field("i=")
            .and_then(|count| count.parse::<NonZeroU32>().ok())
            .filter(|count| count.get() <= MOST_ITERATIONS)
            .ok_or_else(wrong)?;
        if !nonce.starts_with(&self.nonce) || !matches!(self.step, Step::Begun) {
            return Err(wrong());
        }
        let without_proof = format!("c={},r={nonce}", BASE64.encode(&self.binding));
        let signed = format!("{},{text},{without_proof}", self.client_first());
        let salted = stretched(password, &salt, iterations);
        let (proof, server_signature) = proofs(&salted, &signed);
        self.step = Step::Proven { server_signature };
        frame(out, b'p', |out| {
            out.extend(without_proof.as_bytes());
            out.extend(b",p=");
            out.extend(BASE64.encode(proof).as_bytes());
        });
        Ok(())
    }

    pub fn check_server(&mut self, server_final: &[u8]) -> Result<(), Failure> {
        let Step::Proven { server_signature } = self.step else {
            return Err(Failure::protocol("the server's SCRAM proof"));
        };
        let expected = format!("v={}", BASE64.encode(server_signature));
        if server_final != expected.as_bytes() {
            return Err(unproven());
        }
        self.step = Step::Done;
        Ok(())
    }

    /// A server that lets us in without having proven itself is not the right one.
    pub fn check_done(&self) -> Result<(), Failure> {
        match self.step {
            Step::Done => Ok(()),
            _ => Err(unproven()),
        }
    }
}

fn nonce() -> Result<String, Failure> {
    let bytes = generate::<[u8; 18]>(&SystemRandom::new())
        .map_err(|_| Failure::new(Class::Other, "random", "the kernel gives no random numbers"))?;
    Ok(BASE64.encode(bytes.expose()))
}

/// The client's proof and the signature that the server must show in return.
fn proofs(salted: &[u8; 32], signed: &str) -> ([u8; 32], [u8; 32]) {
    let client_key = hmac(salted, b"Client Key");
    let stored_key: [u8; 32] = Sha256::digest(client_key).into();
    let client_signature = hmac(&stored_key, signed.as_bytes());
    let server_key = hmac(salted, b"Server Key");
    let proof = std::array::from_fn(|index| client_key[index] ^ client_signature[index]);
    (proof, hmac(&server_key, signed.as_bytes()))
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message);
    std::array::from_fn(|index| tag.as_ref()[index])
}

struct Stretched {
    password: String,
    salt: Vec<u8>,
    iterations: NonZeroU32,
    result: [u8; 32],
}

thread_local! {
    /// RFC 5802 allows to remember it, and a burst of a thousand connections would otherwise spend a second
    /// on nothing else.
    static REMEMBER: RefCell<Vec<Stretched>> = const { RefCell::new(Vec::new()) };
}

/// PBKDF2 with HMAC-SHA-256, once per account and thread.
fn stretched(password: &str, salt: &[u8], iterations: NonZeroU32) -> [u8; 32] {
    REMEMBER.with_borrow_mut(|remembered| {
        let known = remembered.iter().find(|known| {
            known.password == password && known.salt == salt && known.iterations == iterations
        });
        if let Some(known) = known {
            return known.result;
        }
        let mut result = [0; 32];
        let algorithm = pbkdf2::PBKDF2_HMAC_SHA256;
        pbkdf2::derive(
            algorithm,
            iterations,
            salt,
            password.as_bytes(),
            &mut result,
        );
        if remembered.len() == REMEMBERED {
            remembered.remove(0);
        }
        remembered.push(Stretched {
            password: password.to_string(),
            salt: salt.to_vec(),
            iterations,
            result,
        });
        result
    })
}

#[cfg(test)]
mod tests;
