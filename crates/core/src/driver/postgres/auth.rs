//! Logging in to PostgreSQL: trust, clear text, MD5 and SCRAM-SHA-256 (RFC 5802, 7677).

use super::message::{frame, take_i32};
use crate::driver::{Credentials, Failure};
use crate::sys;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use md5::Md5;
use sha2::{Digest, Sha256};

const MECHANISM: &str = "SCRAM-SHA-256";
/// RFC 7677 asks for 4096; a server that wants millions would keep the event loop busy for seconds.
const MOST_ITERATIONS: u32 = 1_000_000;

/// Answers one Authentication message.
pub fn answer(
    body: &[u8],
    credentials: &Credentials,
    scram: &mut Option<Scram>,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut rest = body;
    let wrong = || Failure::protocol("an authentication message");
    match take_i32(&mut rest).ok_or_else(wrong)? {
        0 => {}
        3 => password(credentials.password.as_bytes(), out),
        5 => {
            let salt = rest.get(..4).ok_or_else(wrong)?;
            password(md5_response(credentials, salt).as_bytes(), out);
        }
        10 => *scram = Some(Scram::start(rest, out)?),
        11 => {
            let exchange = scram.as_mut().ok_or_else(wrong)?;
            exchange.prove(rest, &credentials.password, out)?;
        }
        12 => scram.as_ref().ok_or_else(wrong)?.check_server(rest)?,
        other => {
            return Err(Failure::unsupported(format!(
                "the server asks for authentication method {other}; known are trust, password, md5 and \
                 scram-sha-256"
            )));
        }
    }
    Ok(())
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

/// One SCRAM exchange. Passwords are used as they are, without SASLprep, which leaves ASCII unchanged.
pub struct Scram {
    nonce: String,
    server_signature: [u8; 32],
}

impl Scram {
    fn start(mechanisms: &[u8], out: &mut Vec<u8>) -> Result<Scram, Failure> {
        let offered = mechanisms
            .split(|&byte| byte == 0)
            .any(|name| name == MECHANISM.as_bytes());
        if !offered {
            return Err(Failure::unsupported(
                "the server offers no SASL mechanism that works without TLS (SCRAM-SHA-256 is known)",
            ));
        }
        let scram = Scram {
            nonce: BASE64.encode(sys::random_bytes::<18>()),
            server_signature: [0; 32],
        };
        let first = format!("n,,{}", scram.client_first());
        frame(out, b'p', |out| {
            out.extend(MECHANISM.as_bytes());
            out.push(0);
            out.extend((first.len() as i32).to_be_bytes());
            out.extend(first.as_bytes());
        });
        Ok(scram)
    }

    /// The user name is left empty: PostgreSQL takes it from the start-up message.
    fn client_first(&self) -> String {
        format!("n=,r={}", self.nonce)
    }

    fn prove(
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
        let iterations: u32 = field("i=")
            .and_then(|count| count.parse().ok())
            .ok_or_else(wrong)?;
        if !nonce.starts_with(&self.nonce) || !(1..=MOST_ITERATIONS).contains(&iterations) {
            return Err(wrong());
        }
        let without_proof = format!("c=biws,r={nonce}");
        let signed = format!("{},{text},{without_proof}", self.client_first());
        let (proof, server_signature) = proofs(password.as_bytes(), &salt, iterations, &signed);
        self.server_signature = server_signature;
        frame(out, b'p', |out| {
            out.extend(without_proof.as_bytes());
            out.extend(b",p=");
            out.extend(BASE64.encode(proof).as_bytes());
        });
        Ok(())
    }

    fn check_server(&self, server_final: &[u8]) -> Result<(), Failure> {
        let expected = format!("v={}", BASE64.encode(self.server_signature));
        if server_final != expected.as_bytes() {
            return Err(Failure::unsupported(
                "the server could not prove that it knows the password",
            ));
        }
        Ok(())
    }
}

/// The client's proof and the signature that the server must show in return.
fn proofs(password: &[u8], salt: &[u8], iterations: u32, signed: &str) -> ([u8; 32], [u8; 32]) {
    let salted = stretch(password, salt, iterations);
    let client_key = hmac(&salted, b"Client Key");
    let stored_key: [u8; 32] = Sha256::digest(client_key).into();
    let client_signature = hmac(&stored_key, signed.as_bytes());
    let server_key = hmac(&salted, b"Server Key");
    (
        xor(client_key, client_signature),
        hmac(&server_key, signed.as_bytes()),
    )
}

/// PBKDF2 with HMAC-SHA-256 and one block of output.
fn stretch(password: &[u8], salt: &[u8], iterations: u32) -> [u8; 32] {
    let mut salt = salt.to_vec();
    salt.extend(1u32.to_be_bytes());
    let mut block = hmac(password, &salt);
    let mut result = block;
    for _ in 1..iterations {
        block = hmac(password, &block);
        result = xor(result, block);
    }
    result
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut padded = [0u8; 64];
    if key.len() > padded.len() {
        padded[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        padded[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new()
        .chain_update(padded.map(|byte| byte ^ 0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(padded.map(|byte| byte ^ 0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

fn xor(left: [u8; 32], right: [u8; 32]) -> [u8; 32] {
    std::array::from_fn(|index| left[index] ^ right[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677, section 3.
    #[test]
    fn proofs_match_the_rfc() {
        let salt = BASE64.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let signed = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
                      s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        let (proof, server) = proofs(b"pencil", &salt, 4096, signed);
        assert_eq!(
            BASE64.encode(proof),
            "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert_eq!(
            BASE64.encode(server),
            "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
        );
    }

    #[test]
    fn md5_is_what_the_server_computes() {
        let credentials = Credentials {
            user: "u".into(),
            password: "p".into(),
            database: String::new(),
            private_transport: false,
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
