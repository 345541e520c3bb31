use super::*;
use crate::credentials::Credentials;
use crate::session::Session;
use crate::testing;
use crate::tls::Tls;
use proptest::prelude::*;

const PASSWORD: &str = "s3cret";

fn session(mode: Mode) -> MysqlSession {
    MysqlSession::new(Credentials {
        password: PASSWORD.into(),
        ..testing::credentials(Tls::new(mode, None).unwrap())
    })
}

fn packets(payloads: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, payload) in payloads.iter().enumerate() {
        frame(&mut bytes, number as u8 * 2, |out| out.extend(*payload));
    }
    bytes
}

fn hello(capabilities: u32, plugin: &str) -> Vec<u8> {
    let capabilities = (capabilities | PROTOCOL_41 | PLUGIN_AUTH | DEPRECATE_EOF).to_le_bytes();
    let mut payload = b"\x0a8.4.0\0\x01\0\0\0abcdefgh\0".to_vec();
    payload.extend(&capabilities[..2]);
    payload.extend(b"\x2d\x02\0");
    payload.extend(&capabilities[2..]);
    payload.push(21);
    payload.extend([0; 10]);
    payload.extend(b"ijklmnopqrst\0");
    payload.extend(plugin.as_bytes());
    payload.push(0);
    payload
}

fn feed(session: &mut MysqlSession, payload: &[u8]) -> (Result<Option<Event>, Failure>, Vec<u8>) {
    let mut out = Vec::new();
    let fed = session.feed(&packets(&[payload]), &mut out);
    (fed.map(|fed| fed.event), out)
}

#[test]
fn asks_for_tls_before_it_says_who_it_is() {
    let mut session = session(Mode::Prefer);
    let (event, out) = feed(&mut session, &hello(SSL, "caching_sha2_password"));
    assert!(matches!(event, Ok(Some(Event::StartTls))));
    assert_eq!(out.len(), 36, "only the first part of the log-in");
    assert_eq!(out[3], 1, "the packet's number");
    let capabilities = u32::from_le_bytes([out[4], out[5], out[6], out[7]]);
    assert!(capabilities & SSL != 0);
    let mut out = Vec::new();
    session.secured(b"certificate", &mut out).unwrap();
    assert_eq!(out[3], 2);
    assert!(out.windows(2).any(|window| window == b"u\0"));
    let (_, out) = feed(&mut session, &[1, 4]);
    assert_eq!(&out[4..], b"s3cret\0", "through TLS the password itself");
}

#[test]
fn without_an_offer_each_mode_does_what_it_says() {
    for (mode, goes_on) in [
        (Mode::Disable, true),
        (Mode::Prefer, true),
        (Mode::Require, false),
    ] {
        let mut session = session(mode);
        let (event, out) = feed(&mut session, &hello(0, "mysql_native_password"));
        assert_eq!(event.is_ok(), goes_on, "{mode:?}");
        assert_eq!(
            out.is_empty(),
            !goes_on,
            "{mode:?}: nothing is sent unencrypted"
        );
    }
    let mut session = session(Mode::Disable);
    let (event, _) = feed(&mut session, &hello(SSL, "mysql_native_password"));
    assert!(matches!(event, Ok(None)));
}

#[test]
fn clear_text_after_the_request_for_tls_is_refused() {
    let mut session = session(Mode::Prefer);
    let (event, _) = feed(&mut session, &hello(SSL, "mysql_native_password"));
    assert!(matches!(event, Ok(Some(Event::StartTls))));
    let (event, out) = feed(&mut session, b"\xfemysql_clear_password\0");
    assert!(event.is_err() && out.is_empty());
}

#[test]
fn never_sends_the_password_itself_where_others_listen() {
    let mut session = session(Mode::Disable);
    feed(&mut session, &hello(0, "caching_sha2_password"))
        .0
        .unwrap();
    let (event, out) = feed(&mut session, &[1, 4]);
    assert!(matches!(event, Ok(None)));
    assert_eq!(&out[4..], [KEY_REQUEST]);
    let (event, out) = feed(&mut session, b"\x01not a key");
    assert!(event.unwrap_err().message.contains("RSA key") && out.is_empty());
    let (event, out) = feed(&mut session, b"\xfemysql_clear_password\0");
    assert!(event.unwrap_err().message.contains("TLS") && out.is_empty());
}

#[test]
fn a_key_that_was_not_asked_for_is_refused() {
    let mut session = session(Mode::Disable);
    feed(&mut session, &hello(0, "caching_sha2_password"))
        .0
        .unwrap();
    assert!(
        feed(&mut session, b"\x01-----BEGIN PUBLIC KEY-----")
            .0
            .is_err()
    );
}

#[test]
fn switches_to_ed25519_with_its_longer_challenge() {
    let mut session = session(Mode::Disable);
    feed(&mut session, &hello(0, "mysql_native_password"))
        .0
        .unwrap();
    let mut request = b"\xfeclient_ed25519\0".to_vec();
    request.extend([9; 32]);
    let (event, out) = feed(&mut session, &request);
    assert!(matches!(event, Ok(None)));
    assert_eq!(out.len(), 4 + 64);
    let (event, _) = feed(&mut session, b"\0\0\0\x02\0\0\0");
    assert!(matches!(event, Ok(Some(Event::Authenticated))));
}

#[test]
fn a_giant_before_the_log_in_is_refused_by_its_length_alone() {
    let mut session = session(Mode::Disable);
    let refused = session.feed(&[0xff, 0xff, 0x7f, 0], &mut Vec::new());
    assert!(refused.unwrap_err().message.contains("length"));
}

/// What a server may say during a log-in, sensible and not.
fn saying() -> impl Strategy<Value = Vec<u8>> {
    let any_bytes = prop::collection::vec(any::<u8>(), 0..60);
    prop_oneof![
        (any::<u32>(), "[a-z_0-9]{0,24}").prop_map(|(bits, plugin)| hello(bits, &plugin)),
        any::<bool>().prop_map(|tls| hello(if tls { SSL } else { 0 }, "caching_sha2_password")),
        Just(vec![1, 3]),
        Just(vec![1, 4]),
        Just(b"\0\0\0\x02\0\0\0".to_vec()),
        Just(b"\xfecaching_sha2_password\0abcdefghijklmnopqrst\0".to_vec()),
        (0usize..40).prop_map(|length| [b"\xfeclient_ed25519\0", &vec![7; length][..]].concat()),
        any_bytes
            .clone()
            .prop_map(|bytes| [b"\x01-----BEGIN PUBLIC KEY-----\n", &bytes[..]].concat()),
        any_bytes,
    ]
}

fn reported(bytes: &[u8], split: usize, mode: Mode) -> (Vec<String>, Vec<u8>) {
    testing::reported(session(mode), Vec::new(), bytes, split)
}

proptest! {
    /// No server can do harm during a log-in, and it does not matter where its bytes are cut.
    #[test]
    fn any_log_in_is_survived_and_pieces_do_not_matter(
        sayings in prop::collection::vec(saying(), 0..6),
        mode in prop_oneof![Just(Mode::Disable), Just(Mode::Prefer), Just(Mode::Require)],
        at in any::<prop::sample::Index>(),
    ) {
        let payloads: Vec<&[u8]> = sayings.iter().map(Vec::as_slice).collect();
        let bytes = packets(&payloads);
        let whole = reported(&bytes, bytes.len(), mode);
        let parts = reported(&bytes, at.index(bytes.len() + 1), mode);
        prop_assert_eq!(whole.0, parts.0);
        prop_assert_eq!(whole.1.len(), parts.1.len());
    }
}

#[test]
fn the_statement_of_the_string_comes_before_anything_else() {
    let mut session = session(Mode::Disable);
    session.credentials.options.init_sql = "SET a=1".to_string();
    feed(&mut session, &hello(0, "mysql_native_password"))
        .0
        .unwrap();
    let (event, out) = feed(&mut session, b"\0\0\0\x02\0\0\0");
    assert!(event.unwrap().is_none());
    assert_eq!(out, b"\x08\0\0\0\x03SET a=1");
    let (event, _) = feed(&mut session, b"\0\0\0\x02\0\0\0");
    assert!(matches!(event, Ok(Some(Event::Authenticated))));
}
