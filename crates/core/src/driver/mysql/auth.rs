//! How a MySQL client proves that it knows the password without sending it.

use super::packet::Reader;
use crate::driver::Failure;
use sha1::{Digest, Sha1};
use sha2::Sha256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plugin {
    NativePassword,
    CachingSha2,
    /// The server looks at the unix socket's peer; there is nothing to prove.
    UnixSocket,
}

impl Plugin {
    pub fn named(name: &[u8]) -> Option<Plugin> {
        match name {
            b"mysql_native_password" => Some(Plugin::NativePassword),
            b"caching_sha2_password" => Some(Plugin::CachingSha2),
            b"auth_socket" | b"unix_socket" => Some(Plugin::UnixSocket),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Plugin::NativePassword => "mysql_native_password",
            Plugin::CachingSha2 => "caching_sha2_password",
            Plugin::UnixSocket => "auth_socket",
        }
    }

    /// The proof for this challenge; an empty password is proven by nothing at all.
    pub fn response(self, password: &str, scramble: [u8; 20]) -> Vec<u8> {
        if password.is_empty() {
            return Vec::new();
        }
        match self {
            Plugin::NativePassword => native(password.as_bytes(), &scramble).to_vec(),
            Plugin::CachingSha2 => sha2(password.as_bytes(), &scramble).to_vec(),
            Plugin::UnixSocket => Vec::new(),
        }
    }
}

/// The plugin and the challenge of an authentication switch request.
pub fn switch_request(payload: &[u8]) -> Result<(Plugin, [u8; 20]), Failure> {
    let mut reader = Reader::new(payload);
    let name = reader.text();
    let plugin = Plugin::named(name).ok_or_else(|| {
        Failure::unsupported(format!(
            "the account uses '{}', known are mysql_native_password and caching_sha2_password",
            String::from_utf8_lossy(name)
        ))
    })?;
    let mut scramble = [0; 20];
    if let Some(challenge) = reader.take(20) {
        scramble.copy_from_slice(challenge);
    }
    Ok((plugin, scramble))
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

    #[test]
    fn empty_password_proves_nothing() {
        assert!(Plugin::CachingSha2.response("", [1; 20]).is_empty());
    }

    #[test]
    fn unknown_plugin_is_named() {
        let failure = switch_request(b"client_ed25519\0xyz").unwrap_err();
        assert!(failure.message.contains("client_ed25519"), "{failure}");
    }
}
