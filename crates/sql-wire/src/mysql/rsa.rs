//! Encrypting a password with the server's RSA public key, which caching_sha2_password wants where anybody
//! could listen: RSAES-OAEP (RFC 8017, section 7.1) with SHA-1 and MGF1.
//!
//! Only the public operation is needed, which has no secret key to leak; so big integers and this page do.

use crate::der;
use num_bigint::BigUint;
use ring::rand::{SecureRandom, SystemRandom};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;
use sha1::{Digest, Sha1};

const HASH: usize = 20;
/// Servers use 2,048 bits. Larger keys than this would keep the event loop busy.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 64..=1024;
/// 65537 everywhere; larger ones only cost time.
const LONGEST_EXPONENT: usize = 4;

struct PublicKey {
    modulus: BigUint,
    exponent: BigUint,
    /// The modulus' length in bytes.
    length: usize,
}

/// Encrypts with a key in PEM form; None when the key makes no sense or the text is too long for it.
pub fn encrypt(pem: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    let key = PublicKey::read(pem)?;
    let mut seed = [0; HASH];
    SystemRandom::new().fill(&mut seed).ok()?;
    let padded = pad(text, key.length, seed)?;
    let number = BigUint::from_bytes_be(&padded).modpow(&key.exponent, &key.modulus);
    let digits = number.to_bytes_be();
    let mut encrypted = vec![0; key.length];
    encrypted[key.length - digits.len()..].copy_from_slice(&digits);
    Some(encrypted)
}

impl PublicKey {
    fn read(pem: &[u8]) -> Option<PublicKey> {
        let encoded = SubjectPublicKeyInfoDer::from_pem_slice(pem).ok()?;
        let mut rest = encoded.as_ref();
        let mut outer = der::take(der::SEQUENCE, &mut rest)?;
        der::take(der::SEQUENCE, &mut outer)?; // the algorithm; what is not RSA fails below
        let (unused_bits, mut bits) = der::take(der::BIT_STRING, &mut outer)?.split_first()?;
        if *unused_bits != 0 {
            return None;
        }
        let mut numbers = der::take(der::SEQUENCE, &mut bits)?;
        let mut number = || {
            let bytes = der::take(der::INTEGER, &mut numbers)?;
            let zeroes = bytes.iter().take_while(|&&byte| byte == 0).count();
            Some(&bytes[zeroes..])
        };
        let (modulus, exponent) = (number()?, number()?);
        let sensible = MODULUS_BYTES.contains(&modulus.len())
            && modulus.last()? % 2 == 1
            && (1..=LONGEST_EXPONENT).contains(&exponent.len());
        sensible.then(|| PublicKey {
            modulus: BigUint::from_bytes_be(modulus),
            exponent: BigUint::from_bytes_be(exponent),
            length: modulus.len(),
        })
    }
}

/// EME-OAEP encoding with an empty label.
fn pad(text: &[u8], length: usize, seed: [u8; HASH]) -> Option<Vec<u8>> {
    let zeroes = length.checked_sub(2 * HASH + 2 + text.len())?;
    let mut block = Sha1::digest(b"").to_vec();
    block.extend(std::iter::repeat_n(0, zeroes));
    block.push(1);
    block.extend(text);
    mask(&mut block, &seed);
    let mut masked_seed = seed;
    mask(&mut masked_seed, &block);
    Some([&[0], &masked_seed[..], &block].concat())
}

/// XORs with the mask that MGF1 makes of a seed.
fn mask(bytes: &mut [u8], seed: &[u8]) {
    for (counter, chunk) in bytes.chunks_mut(HASH).enumerate() {
        let digest = Sha1::new()
            .chain_update(seed)
            .chain_update((counter as u32).to_be_bytes())
            .finalize();
        for (byte, by) in chunk.iter_mut().zip(digest) {
            *byte ^= by;
        }
    }
}

#[cfg(test)]
mod tests;
