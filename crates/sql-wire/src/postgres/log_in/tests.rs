use super::*;
use crate::session::{LONGEST_LOG_IN_MESSAGE, Session};
use crate::testing;
use crate::tls::Tls;
use proptest::prelude::*;

fn session(mode: Mode) -> (PostgresSession, Vec<u8>) {
    let mut session = PostgresSession::new(testing::credentials(Tls::new(mode, None).unwrap()));
    let mut out = Vec::new();
    session.open(&mut out);
    (session, out)
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    frame_untagged(&mut bytes, |out| out.extend(body));
    bytes
}

#[test]
fn asks_for_tls_before_it_says_who_it_is() {
    let (mut session, out) = session(Mode::Prefer);
    assert_eq!(out, b"\0\0\0\x08\x04\xd2\x16\x2f");
    let mut out = Vec::new();
    let fed = session.feed(b"S", &mut out).unwrap();
    assert!(matches!(fed.event, Some(Event::StartTls)));
    assert!(out.is_empty() && fed.consumed == 1);
    session.secured(b"certificate", &mut out).unwrap();
    assert!(out.windows(7).any(|window| window == b"user\0u\0"));
}

#[test]
fn disabled_means_not_even_asking() {
    let (_, out) = session(Mode::Disable);
    assert_eq!(&out[4..8], b"\0\x03\0\0");
}

#[test]
fn a_no_is_taken_by_prefer_only() {
    let mut out = Vec::new();
    let (mut preferring, _) = session(Mode::Prefer);
    let fed = preferring.feed(b"N", &mut out).unwrap();
    assert!(fed.event.is_none() && fed.consumed == 1 && !out.is_empty());
    out.clear();
    let (mut insisting, _) = session(Mode::Require);
    let failure = insisting.feed(b"N", &mut out).unwrap_err();
    assert_eq!(failure.code, "no_tls");
    assert!(failure.class.permanent() && out.is_empty());
}

#[test]
fn an_error_instead_of_a_letter_is_not_believed_word_by_word() {
    let (mut session, _) = session(Mode::Prefer);
    let answer = message(b'E', b"SFATAL\0C53300\0Mcall this number\0\0");
    let failure = session.feed(&answer, &mut Vec::new()).unwrap_err();
    assert!(failure.message.contains("disable"), "{failure}");
    assert!(!failure.message.contains("number"), "{failure}");
}

#[test]
fn clear_text_after_the_request_for_tls_is_refused() {
    let (mut session, _) = session(Mode::Require);
    session.feed(b"S", &mut Vec::new()).unwrap();
    let mut out = Vec::new();
    assert!(
        session
            .feed(&message(b'R', &[0, 0, 0, 3]), &mut out)
            .is_err()
    );
    assert!(out.is_empty(), "no password");
}

#[test]
fn a_giant_before_the_log_in_is_refused_by_its_length_alone() {
    let (mut session, _) = session(Mode::Disable);
    let length = (LONGEST_LOG_IN_MESSAGE as u32 + 1).to_be_bytes();
    let start = [b"R".as_slice(), &length].concat();
    assert!(session.feed(&start, &mut Vec::new()).is_err());
}

#[test]
fn an_error_of_protocol_2_may_arrive_in_pieces() {
    let (mut session, _) = session(Mode::Disable);
    let answer = b"Esorry, too many clients already\n\0";
    for end in 5..answer.len() - 2 {
        let fed = session.feed(&answer[..end], &mut Vec::new()).unwrap();
        assert!(fed.consumed == 0 && fed.event.is_none());
    }
    let failure = session.feed(answer, &mut Vec::new()).unwrap_err();
    assert_eq!(failure.message, "sorry, too many clients already");
}

#[test]
fn an_error_of_protocol_2_without_an_end_is_kept_for_the_end_of_the_connection() {
    let (mut session, _) = session(Mode::Disable);
    let answer = b"Ecould not fork new process";
    session.feed(answer, &mut Vec::new()).unwrap();
    assert_eq!(session.ended().message, "could not fork new process");
}

/// What a server may say during a log-in, sensible and not.
fn saying() -> impl Strategy<Value = Vec<u8>> {
    let any_bytes = prop::collection::vec(any::<u8>(), 0..60);
    let method = |number: u8| message(b'R', &[0, 0, 0, number]);
    prop_oneof![
        Just(b"S".to_vec()),
        Just(b"N".to_vec()),
        Just(method(0)),
        Just(method(3)),
        Just(message(b'R', b"\0\0\0\x05salt")),
        Just(message(
            b'R',
            b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0"
        )),
        any_bytes
            .clone()
            .prop_map(|body| message(b'R', &[b"\0\0\0\x0b", &body[..]].concat())),
        any_bytes
            .clone()
            .prop_map(|body| message(b'R', &[b"\0\0\0\x0c", &body[..]].concat())),
        any_bytes.clone().prop_map(|body| message(b'E', &body)),
        Just(message(b'Z', b"I")),
        Just(b"Ethe database is full\n\0".to_vec()),
        any_bytes
            .clone()
            .prop_map(|words| [b"E", &words[..]].concat()),
        any_bytes,
    ]
}

/// The events alone: what it writes holds random numbers.
fn reported(bytes: &[u8], split: usize, mode: Mode) -> Vec<String> {
    let (session, out) = session(mode);
    testing::reported(session, out, bytes, split).0
}

proptest! {
    /// No server can do harm during a log-in, and it does not matter where its bytes are cut.
    #[test]
    fn any_log_in_is_survived_and_pieces_do_not_matter(
        sayings in prop::collection::vec(saying(), 0..6),
        mode in prop_oneof![Just(Mode::Disable), Just(Mode::Prefer), Just(Mode::Require)],
        at in any::<prop::sample::Index>(),
    ) {
        let bytes = sayings.concat();
        let whole = reported(&bytes, bytes.len(), mode);
        let parts = reported(&bytes, at.index(bytes.len() + 1), mode);
        prop_assert_eq!(whole, parts);
    }
}

fn asking(options: crate::options::SessionOptions) -> (PostgresSession, Vec<u8>) {
    let (mut session, _) = session(Mode::Require);
    session.credentials.options = options;
    let mut out = Vec::new();
    session.open(&mut out);
    (session, out)
}

#[test]
fn direct_tls_begins_before_the_first_word() {
    let (mut session, out) = asking(crate::options::SessionOptions {
        direct_tls: true,
        ..Default::default()
    });
    assert!(out.is_empty() && session.encrypts_first());
    let mut out = Vec::new();
    session.secured(b"certificate", &mut out).unwrap();
    assert!(out.windows(7).any(|window| window == b"user\0u\0"));
    assert!(!session.encrypts_first());
}

#[test]
fn parameters_of_the_string_are_in_the_first_message() {
    let (mut session, _) = asking(crate::options::SessionOptions {
        startup: vec![
            ("application_name".into(), "nightly".into()),
            ("options".into(), "-c search_path=bench".into()),
        ],
        ..Default::default()
    });
    let mut out = Vec::new();
    session.secured(b"certificate", &mut out).unwrap();
    let said = String::from_utf8_lossy(&out).into_owned();
    assert!(said.contains("application_name\0nightly\0options\0-c search_path=bench\0"));
    assert!(!said.contains("fivenines"));
}

#[test]
fn a_way_to_log_in_that_is_not_accepted_gets_no_password() {
    let (mut session, _) = asking(crate::options::SessionOptions {
        require_auth: "scram-sha-256".parse().unwrap(),
        ..Default::default()
    });
    let mut out = Vec::new();
    session.secured(b"certificate", &mut out).unwrap();
    for asked in [
        &3i32.to_be_bytes()[..],
        b"\0\0\0\x05salt",
        &0i32.to_be_bytes(),
    ] {
        let mut out = Vec::new();
        let failure = session.feed(&message(b'R', asked), &mut out).unwrap_err();
        assert!(failure.message.contains("require_auth"), "{failure}");
        assert!(out.is_empty());
    }
}
