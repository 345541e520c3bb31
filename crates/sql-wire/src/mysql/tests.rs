use super::execution::COM_STMT_EXECUTE;
use super::*;
use crate::effect::Effect;
use crate::kind::Kind;
use crate::parameters::Type;
use crate::rows::Value;
use crate::session::Reply;
use crate::testing;
use crate::tls::Tls;
use proptest::prelude::*;

fn session() -> MysqlSession {
    let mut session = MysqlSession::new(testing::credentials(Tls::off()));
    session.expect = Expect::Nothing;
    session.deprecate_eof = true;
    session
}

fn select() -> Statement {
    Statement::new(
        Kind::Mysql,
        "point_select",
        Effect::Read,
        "SELECT c FROM t WHERE id=?",
        &[Type::Int],
    )
}

fn packets(payloads: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for payload in payloads {
        frame(&mut bytes, 1, |out| out.extend(*payload));
    }
    bytes
}

const END: &[u8] = &[0xfe, 0, 0, 2, 0, 0, 0];
/// The definition of a VARCHAR column.
const COLUMN: &[u8] =
    b"\x03def\x00\x00\x00\x01a\x01a\x0c\x2d\x00\x01\x00\x00\x00\xfd\x00\x00\x00\x00\x00";

#[test]
fn first_use_prepares_then_executes() {
    let mut session = session();
    let mut parameters = Parameters::default();
    parameters.int(7);
    let mut out = Vec::new();
    session.execute(3, &select(), &parameters, false, &mut out);
    assert_eq!(out[4], COM_STMT_PREPARE);
    out.clear();
    let reply = packets(&[
        &[0, 9, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0],
        b"parameter",
        b"column",
    ]);
    assert!(session.feed(&reply, &mut out).unwrap().event.is_none());
    assert_eq!(&out[4..9], &[COM_STMT_EXECUTE, 9, 0, 0, 0]);
    assert_eq!(&out[14..], &[0, 1, 3, 0, 7, 0, 0, 0]);
    let reply = packets(&[&[1], b"column", b"\0\0row", END]);
    let fed = session.feed(&reply, &mut out).unwrap();
    assert!(matches!(
        fed.event,
        Some(Event::Done(Reply { rows: 1, .. }))
    ));
    out.clear();
    session.execute(3, &select(), &parameters, false, &mut out);
    assert_eq!(&out[14..], &[0, 0, 7, 0, 0, 0], "types are sent once");
}

#[test]
fn what_cannot_be_prepared_is_sent_as_text() {
    let mut session = session();
    let begin = Statement::new(Kind::Mysql, "begin", Effect::Begin, "BEGIN", &[]);
    let mut out = Vec::new();
    session.execute(0, &begin, &Parameters::default(), false, &mut out);
    out.clear();
    session
        .feed(&packets(&[b"\xff\x0f\x05#HY000no"]), &mut out)
        .unwrap();
    assert_eq!(&out[4..], b"\x03BEGIN");
}

#[test]
fn keeps_rows_of_text_queries() {
    let mut session = session();
    session.query("SHOW", Effect::Read, true, &mut Vec::new());
    let reply = packets(&[&[2], COLUMN, COLUMN, b"\x02on\xfb", END]);
    session.feed(&reply, &mut Vec::new()).unwrap();
    assert_eq!(session.rows().text(0, 0).as_deref(), Some("on"));
    assert_eq!(session.rows().get(0, 1), Some(Value::Null));
}

#[test]
fn bytes_may_arrive_one_by_one() {
    let mut session = session();
    session.query("SELECT", Effect::Read, true, &mut Vec::new());
    let reply = packets(&[&[1], COLUMN, b"\x01x", END]);
    let mut held = Vec::new();
    let mut events = 0;
    for byte in reply {
        held.push(byte);
        let fed = session.feed(&held, &mut Vec::new()).unwrap();
        held.drain(..fed.consumed);
        events += usize::from(fed.event.is_some());
    }
    assert_eq!((events, held.len()), (1, 0));
}

#[test]
fn unasked_error_is_a_failure() {
    let failure = session()
        .feed(&packets(&[b"\xff\x1d\x04#08S01bye"]), &mut Vec::new())
        .unwrap_err();
    assert_eq!(failure.class, crate::failure::Class::Shutdown);
}

/// A session in one of four states.
fn started(start: u8) -> MysqlSession {
    let mut session = session();
    let mut out = Vec::new();
    match start {
        0 => session.expect = Expect::Greeting,
        1 => session.expect = Expect::LogIn,
        2 => session.query("SELECT 1", Effect::Read, true, &mut out),
        _ => session.execute(0, &select(), &Parameters::default(), false, &mut out),
    }
    session
}

fn any_expectation() -> impl Strategy<Value = u8> {
    0u8..4
}

proptest! {
    /// No bytes from a server may panic or be consumed beyond what was given.
    #[test]
    fn survives_any_bytes(start in any_expectation(), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut session = started(start);
        testing::feed_all(&mut session, &bytes);
    }

    /// The same, but as well-formed packets, which get further into the parser.
    #[test]
    fn survives_any_packets(
        start in any_expectation(),
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
    ) {
        let mut session = started(start);
        let views: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
        let bytes = packets(&views);
        testing::feed_all(&mut session, &bytes);
    }
}
