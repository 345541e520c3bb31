//! How a MySQL client proves that it knows the password.

use super::packet::Reader;
use crate::failure::Failure;
use ed25519_dalek::VerifyingKey;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

pub const SCRAMBLE: usize = 20;
const NONCE: usize = 32;
const KNOWN: &str = "mysql_native_password, caching_sha2_password, client_ed25519, mysql_clear_password and \
                     unix_socket";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plugin {
    NativePassword,
    CachingSha2,
    /// MariaDB's ed25519.
    Ed25519,
    /// The password itself, for servers that ask a directory (PAM, LDAP).
    ClearPassword,
    /// The server looks at the unix socket's peer; there is nothing to prove.
    UnixSocket,
}

impl Plugin {
    pub fn named(name: &[u8]) -> Option<Plugin> {
        match name {
            b"mysql_native_password" => Some(Plugin::NativePassword),
            b"caching_sha2_password" => Some(Plugin::CachingSha2),
            b"client_ed25519" => Some(Plugin::Ed25519),
            b"mysql_clear_password" => Some(Plugin::ClearPassword),
            b"auth_socket" | b"unix_socket" => Some(Plugin::UnixSocket),
            _ => None,
        }
    }

    /// The plugin to begin with when the server suggests this one. One that we do not know, or that needs
    /// more than the greeting's scramble, is answered as native: the server then asks to switch.
    pub fn to_begin_with(name: &[u8]) -> Plugin {
        match Plugin::named(name) {
            Some(Plugin::CachingSha2) => Plugin::CachingSha2,
            _ => Plugin::NativePassword,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Plugin::NativePassword => "mysql_native_password",
            Plugin::CachingSha2 => "caching_sha2_password",
            Plugin::Ed25519 => "client_ed25519",
            Plugin::ClearPassword => "mysql_clear_password",
            Plugin::UnixSocket => "auth_socket",
        }
    }

    /// The proof for this challenge. `private`: the channel is encrypted or local, so the password itself can be sent.
    pub fn response(
        self,
        password: &str,
        challenge: &[u8],
        private: bool,
    ) -> Result<Vec<u8>, Failure> {
        let password = password.as_bytes();
        let challenge = |length| {
            challenge
                .get(..length)
                .ok_or_else(|| Failure::protocol("the log-in's challenge"))
        };
        Ok(match self {
            Plugin::UnixSocket => Vec::new(),
            Plugin::ClearPassword if private => [password, b"\0"].concat(),
            Plugin::ClearPassword => {
                return Err(Failure::unsupported(
                    "the server asks for the password in clear text, which is only sent through TLS or a \
                     unix socket",
                ));
            }
            Plugin::Ed25519 => ed25519(password, challenge(NONCE)?).to_vec(),
            // An empty password is proven by nothing at all.
            _ if password.is_empty() => Vec::new(),
            Plugin::NativePassword => native(password, challenge(SCRAMBLE)?).to_vec(),
            Plugin::CachingSha2 => sha2(password, challenge(SCRAMBLE)?).to_vec(),
        })
    }
}

/// The plugin and the challenge of an authentication switch request.
pub fn switch_request(payload: &[u8]) -> Result<(Plugin, &[u8]), Failure> {
    let mut reader = Reader::new(payload);
    let name = reader.text();
    let plugin = Plugin::named(name).ok_or_else(|| {
        let name = match name {
            // MySQL 4.0's way, asked for by a bare byte.
            b"" => "mysql_old_password".into(),
            name => String::from_utf8_lossy(name),
        };
        Failure::unsupported(format!(
            "the account uses '{name}', which is not supported; supported are {KNOWN}"
        ))
    })?;
    Ok((plugin, reader.rest()))
}

/// MariaDB's ed25519: an ordinary signature of the challenge, but the key is made from the SHA-512 of a
/// password of any length instead of a seed of 32 bytes.
fn ed25519(password: &[u8], challenge: &[u8]) -> [u8; 64] {
    let secret = ExpandedSecretKey::from_bytes(&Sha512::digest(password).into());
    let public = VerifyingKey::from(&secret);
    raw_sign::<Sha512>(&secret, challenge, &public).to_bytes()
}

/// SHA1(password) XOR SHA1(scramble + SHA1(SHA1(password)))
fn native(password: &[u8], scramble: &[u8]) -> [u8; 20] {
    let once = Sha1::digest(password);
    let twice = Sha1::digest(once);
    let mask = Sha1::new()
        .chain_update(scramble)
        .chain_update(twice)
        .finalize();
    std::array::from_fn(|index| once[index] ^ mask[index])
}

/// SHA256(password) XOR SHA256(SHA256(SHA256(password)) + scramble)
fn sha2(password: &[u8], scramble: &[u8]) -> [u8; 32] {
    let once = Sha256::digest(password);
    let twice = Sha256::digest(once);
    let mask = Sha256::new()
        .chain_update(twice)
        .chain_update(scramble)
        .finalize();
    std::array::from_fn(|index| once[index] ^ mask[index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
    use ed25519_dalek::Verifier;

    /// The server's check: it stores SHA1(SHA1(password)) and can undo the mask.
    #[test]
    fn native_response_satisfies_the_server() {
        let scramble = *b"abcdefghijklmnopqrst";
        let response = native(b"secret", &scramble);
        let stored = Sha1::digest(Sha1::digest(b"secret"));
        let mask = Sha1::new()
            .chain_update(scramble)
            .chain_update(stored)
            .finalize();
        let once: Vec<u8> = response.iter().zip(mask).map(|(a, b)| a ^ b).collect();
        assert_eq!(Sha1::digest(once), stored);
    }

    #[test]
    fn sha2_response_satisfies_the_server() {
        let scramble = *b"abcdefghijklmnopqrst";
        let response = sha2(b"secret", &scramble);
        let stored = Sha256::digest(Sha256::digest(b"secret"));
        let mask = Sha256::new()
            .chain_update(stored)
            .chain_update(scramble)
            .finalize();
        let once: Vec<u8> = response.iter().zip(mask).map(|(a, b)| a ^ b).collect();
        assert_eq!(Sha256::digest(once), stored);
    }

    /// The key that MariaDB's documentation shows for the password `secret`.
    #[test]
    fn ed25519_response_satisfies_the_server() {
        let stored = STANDARD_NO_PAD
            .decode("ZIgUREUg5PVgQ6LskhXmO+eZLS0nC8be6HPjYWR4YJY")
            .unwrap();
        let public = VerifyingKey::from_bytes(stored.as_slice().try_into().unwrap()).unwrap();
        let response = ed25519(b"secret", &[7; 32]);
        public.verify(&[7; 32], &response.into()).unwrap();
    }

    #[test]
    fn empty_password_proves_nothing() {
        let response = Plugin::CachingSha2.response("", &[1; 20], false);
        assert!(response.unwrap().is_empty());
    }

    #[test]
    fn clear_password_wants_privacy() {
        let refused = Plugin::ClearPassword.response("s3cret", b"", false);
        let failure = refused.unwrap_err();
        assert!(failure.message.contains("TLS") && !failure.message.contains("s3cret"));
        let sent = Plugin::ClearPassword.response("s3cret", b"", true).unwrap();
        assert_eq!(sent, b"s3cret\0");
    }

    #[test]
    fn a_short_challenge_is_refused() {
        for plugin in [Plugin::NativePassword, Plugin::CachingSha2, Plugin::Ed25519] {
            assert!(plugin.response("p", &[0; 19], true).is_err());
        }
    }

    #[test]
    fn unknown_plugins_are_named() {
        for (request, name) in [(&b"parsec\0xyz"[..], "parsec"), (b"", "mysql_old_password")] {
            let failure = switch_request(request).unwrap_err();
            assert!(failure.message.contains(name), "{failure}");
        }
    }
}
