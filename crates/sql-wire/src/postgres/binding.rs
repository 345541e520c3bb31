//! Channel binding `tls-server-end-point` (RFC 5929, section 4): a hash of the server's certificate that
//! ties a log-in to the encrypted channel it runs through.

use crate::der;
use ring::digest::{Algorithm, SHA256, SHA384, SHA512, digest};

/// Signature algorithms by their object identifiers, and the hash that stands for each. MD5 and SHA-1 are
/// replaced by SHA-256, says the RFC.
const HASHES: [(&[u8], &Algorithm); 10] = [
    (&[42, 134, 72, 134, 247, 13, 1, 1, 4], &SHA256), // RSA, MD5
    (&[42, 134, 72, 134, 247, 13, 1, 1, 5], &SHA256), // RSA, SHA-1
    (&[42, 134, 72, 134, 247, 13, 1, 1, 11], &SHA256), // RSA
    (&[42, 134, 72, 134, 247, 13, 1, 1, 12], &SHA384),
    (&[42, 134, 72, 134, 247, 13, 1, 1, 13], &SHA512),
    (&[42, 134, 72, 206, 61, 4, 1], &SHA256), // ECDSA, SHA-1
    (&[42, 134, 72, 206, 61, 4, 3, 2], &SHA256), // ECDSA
    (&[42, 134, 72, 206, 61, 4, 3, 3], &SHA384),
    (&[42, 134, 72, 206, 61, 4, 3, 4], &SHA512),
    (&[96, 134, 72, 1, 101, 3, 4, 3, 2], &SHA256), // DSA
];

/// The binding of a certificate (DER); None when its signature algorithm has no separate hash (Ed25519,
/// RSASSA-PSS), for which the RFC defines no binding.
pub fn server_end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let mut rest = certificate;
    let mut parts = der::take(der::SEQUENCE, &mut rest)?;
    der::take(der::SEQUENCE, &mut parts)?; // what is signed
    let mut algorithm = der::take(der::SEQUENCE, &mut parts)?;
    let object = der::take(der::OBJECT, &mut algorithm)?;
    let (_, hash) = HASHES.iter().find(|(known, _)| *known == object)?;
    Some(digest(hash, certificate).as_ref().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;

    fn certificate(object: &[u8]) -> Vec<u8> {
        let mut algorithm = vec![der::OBJECT, object.len() as u8];
        algorithm.extend(object);
        let mut parts = vec![der::SEQUENCE, 0, der::SEQUENCE, algorithm.len() as u8];
        parts.extend(algorithm);
        let mut whole = vec![der::SEQUENCE, parts.len() as u8];
        whole.extend(parts);
        whole
    }

    #[test]
    fn the_hash_follows_the_signature() {
        for (object, length) in [(HASHES[1].0, 32), (HASHES[3].0, 48), (HASHES[8].0, 64)] {
            let bound = server_end_point(&certificate(object)).unwrap();
            assert_eq!(bound.len(), length);
        }
    }

    #[test]
    fn a_real_certificate_is_bound_by_its_hash() {
        let pem = include_bytes!("../tls/testdata/server.pem");
        let certificate = CertificateDer::from_pem_slice(pem).unwrap();
        let expected = digest(&SHA256, &certificate);
        assert_eq!(server_end_point(&certificate).unwrap(), expected.as_ref());
    }

    #[test]
    fn ed25519_has_none() {
        assert_eq!(server_end_point(&certificate(&[43, 101, 112])), None);
    }

    proptest! {
        #[test]
        fn survives_any_certificate(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = server_end_point(&bytes);
        }
    }
}
