use super::*;
use crate::effect::Effect;
use crate::failure::Class;
use crate::kind::Kind;
use crate::parameters::Type;
use crate::rows::Value;
use crate::session::Reply;
use crate::testing;
use crate::tls::Tls;
use proptest::prelude::*;

fn session() -> PostgresSession {
    let mut session = PostgresSession::new(testing::credentials(Tls::off()));
    session.expect = Expect::Nothing;
    session
}

fn select() -> Statement {
    Statement::new(
        Kind::Postgres,
        "point_select",
        Effect::Read,
        "SELECT c FROM t WHERE id=?",
        &[Type::Int],
    )
}

fn messages(parts: &[(u8, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (tag, body) in parts {
        frame(&mut bytes, *tag, |out| out.extend(*body));
    }
    bytes
}

#[test]
fn parses_once_in_the_flight_of_the_first_execution() {
    let mut session = session();
    let mut parameters = Parameters::default();
    parameters.int(7);
    let mut out = Vec::new();
    session.execute(12, &select(), &parameters, false, &mut out);
    assert!(out.starts_with(b"P"));
    let reply = messages(&[
        (b'1', b""),
        (b'2', b""),
        (b'D', b"\0\0"),
        (b'C', b"SELECT 1\0"),
        (b'Z', b"I"),
    ]);
    let fed = session.feed(&reply, &mut out).unwrap();
    assert!(matches!(
        fed.event,
        Some(Event::Done(Reply { rows: 1, .. }))
    ));
    out.clear();
    session.execute(12, &select(), &parameters, false, &mut out);
    let name = session.prepared.name(12).to_vec();
    let mut expected = b"B\0\0\0\x29\0".to_vec();
    expected.extend(name);
    expected.extend(b"\0\x01\0\x01\0\x01\0\0\0\x04\0\0\0\x07\0\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04");
    assert_eq!(out, expected);
}

#[test]
fn an_error_waits_for_ready_and_a_failed_parse_is_repeated() {
    let mut session = session();
    let mut out = Vec::new();
    session.execute(0, &select(), &Parameters::default(), false, &mut out);
    let error = messages(&[(b'E', b"VERROR\0C42P01\0Mno table\0\0")]);
    assert!(session.feed(&error, &mut out).unwrap().event.is_none());
    let fed = session.feed(&messages(&[(b'Z', b"E")]), &mut out).unwrap();
    let Some(Event::Refused(failure)) = fed.event else {
        panic!("{fed:?}")
    };
    assert_eq!(failure.class, Class::MissingTable);
    assert!(!session.prepared.has(0));
}

#[test]
fn a_fatal_error_does_not_wait() {
    let mut session = session();
    session.query("COMMIT", Effect::Commit, false, &mut Vec::new());
    let fed = session
        .feed(
            &messages(&[(b'E', b"VFATAL\0C57P01\0Mbye\0\0")]),
            &mut Vec::new(),
        )
        .unwrap();
    assert!(matches!(fed.event, Some(Event::Refused(_))));
}

#[test]
fn keeps_rows_of_text_queries() {
    let mut session = session();
    session.query("SELECT", Effect::Read, true, &mut Vec::new());
    let reply = messages(&[(b'D', b"\0\x02\0\0\0\x01t\xff\xff\xff\xff"), (b'Z', b"I")]);
    session.feed(&reply, &mut Vec::new()).unwrap();
    assert_eq!(session.rows().text(0, 0).as_deref(), Some("t"));
    assert_eq!(session.rows().get(0, 1), Some(Value::Null));
}

#[test]
fn rows_are_copied_when_the_server_asks_for_them_and_only_then() {
    let mut session = session();
    let mut out = Vec::new();
    session.copy("COPY t FROM STDIN", b"1\n".to_vec().into(), &mut out);
    out.clear();
    let asked = messages(&[(b'G', b"\0\0\0")]);
    assert!(session.feed(&asked, &mut out).unwrap().event.is_none());
    assert_eq!(out, b"d\0\0\0\x061\nc\0\0\0\x04");
    assert!(session.feed(&asked, &mut out).is_err());
    session.copy("COPY t FROM STDIN", Arc::default(), &mut out);
    session.query("SELECT 1", Effect::Read, false, &mut out);
    assert!(session.feed(&asked, &mut out).is_err());
}

#[test]
fn an_impossible_length_is_refused() {
    let failure = session()
        .feed(b"D\xff\xff\xff\xff", &mut Vec::new())
        .unwrap_err();
    assert_eq!(failure.class, Class::Connection);
}

proptest! {
    /// No bytes from a server may panic or be consumed beyond what was given.
    #[test]
    fn survives_any_messages(
        logging_in in any::<bool>(),
        parts in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..40)), 0..12),
        tail in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let mut session = session();
        let mut out = Vec::new();
        if logging_in {
            session.expect = Expect::LogIn;
        } else {
            session.execute(0, &select(), &Parameters::default(), false, &mut out);
        }
        let views: Vec<(u8, &[u8])> = parts.iter().map(|(tag, body)| (*tag, body.as_slice())).collect();
        let mut bytes = messages(&views);
        bytes.extend(tail);
        testing::feed_all(&mut session, &bytes);
    }

    #[test]
    fn survives_any_authentication(method in 0i32..14, body in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut session = session();
        session.expect = Expect::LogIn;
        let mut message = method.to_be_bytes().to_vec();
        message.extend(body);
        let _ = session.feed(&messages(&[(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0")]), &mut Vec::new());
        let _ = session.feed(&messages(&[(b'R', &message)]), &mut Vec::new());
    }
}

#[test]
fn the_last_words_of_a_pooler_are_kept_for_the_end_of_the_connection() {
    let mut session = session();
    let mut out = Vec::new();
    session.query("COMMIT", Effect::Commit, false, &mut out);
    let mut said = vec![b'E'];
    let body = b"SERROR\0C08006\0Mserver is gone\0\0";
    said.extend((body.len() as u32 + 4).to_be_bytes());
    said.extend(body);
    assert!(session.feed(&said, &mut out).unwrap().event.is_none());
    let failure = session.ended();
    assert_eq!(
        (failure.code.as_str(), failure.message.as_str()),
        ("08006", "server is gone")
    );
    assert!(failure.doubt);
    assert_eq!(session.ended().code, "closed");
}
