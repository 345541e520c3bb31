use super::*;
use proptest::prelude::*;

/// 1,024 bits, made for this test.
const PEM: &[u8] = b"-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCznkrj//4Sczqcw9lsr4S0weX1
hZ/a3n6GzWHqUlPDbVSDuMWV5YA9NxlCwWJKbtfSyXF+ltyc/6QLSKIU3awiwd2o
DfpZso7W9UMZLX0N1nmxUsBAnj2S19XHlWqJWiyuSh0CF4u3btLzrmOJkjGdkROc
rj4lDeruncSzTll9MQIDAQAB
-----END PUBLIC KEY-----
";
const PRIVATE_EXPONENT: &[u8] = b"1ca82c9aa3c50d7c84e56df9ca75565ee070a7f361c5b1a9ce28066f34235912a0614\
3a18280d32cf1157ea90bdd8441bac798ebf175d136981d94c1074336ab3069bb8eba7301313d62fb320ef4324e88e32b2467d79\
13770b5107a87564e324cb35d7d80f9517c407b5a4efa387b58a28a42bef4284ba96fb8928306931601";

/// What the server does with it.
fn decrypt(encrypted: &[u8]) -> Option<Vec<u8>> {
    let key = PublicKey::read(PEM).unwrap();
    let exponent = BigUint::parse_bytes(PRIVATE_EXPONENT, 16).unwrap();
    let digits = BigUint::from_bytes_be(encrypted)
        .modpow(&exponent, &key.modulus)
        .to_bytes_be();
    let mut padded = vec![0; key.length - digits.len()];
    padded.extend(digits);
    let (first, rest) = padded.split_first()?;
    let (masked_seed, masked_block) = rest.split_at(HASH);
    let (mut seed, mut block) = (masked_seed.to_vec(), masked_block.to_vec());
    mask(&mut seed, masked_block);
    mask(&mut block, &seed);
    let text = block.strip_prefix(Sha1::digest(b"").as_slice())?;
    let start = text.iter().position(|&byte| byte == 1)?;
    let sound = *first == 0 && text[..start].iter().all(|&byte| byte == 0);
    sound.then(|| text[start + 1..].to_vec())
}

#[test]
fn the_longest_text_fits_and_no_longer_one() {
    let text = [7; 128 - 42];
    assert_eq!(decrypt(&encrypt(PEM, &text).unwrap()), Some(text.to_vec()));
    assert_eq!(encrypt(PEM, &[7; 128 - 41]), None);
}

#[test]
fn keys_without_sense_are_refused() {
    assert_eq!(encrypt(b"", b"x"), None);
    assert_eq!(
        encrypt(
            b"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
            b"x"
        ),
        None
    );
    let even = String::from_utf8_lossy(PEM).replace("Tll9MQIDAQAB", "Tll9MAIDAQAB");
    assert_eq!(encrypt(even.as_bytes(), b"x"), None, "an even modulus");
}

proptest! {
    #[test]
    fn the_server_can_read_it(text in prop::collection::vec(any::<u8>(), 0..86)) {
        prop_assert_eq!(decrypt(&encrypt(PEM, &text).unwrap()), Some(text));
    }

    /// A key with any bytes changed is refused or used, but does no harm.
    #[test]
    fn survives_any_key(at in 0usize..270, byte in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut pem = PEM.to_vec();
        let at = at.min(pem.len() - 1);
        pem[at] = byte;
        let _ = encrypt(&pem, b"password\0");
        let _ = encrypt(&bytes, b"password\0");
    }
}
