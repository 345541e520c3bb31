use super::*;
use crate::effect::Effect;
use crate::failure::Class;
use crate::testing;
use crate::tls::Tls;
use odbc::frame::Request;

fn session(kind: Kind) -> OdbcSession {
    let credentials = Credentials {
        password: "secret".to_string(),
        by_odbc: true,
        ..testing::credentials(Tls::off())
    };
    OdbcSession::new(kind, &credentials)
}

fn requests(mut bytes: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    while let Some((request, length)) = frame::request(bytes).unwrap() {
        all.push(match request {
            Request::Execute { id, values, .. } => format!("execute {id} {}", values.count()),
            Request::Prepare { id, sql, types } => format!("prepare {id} {sql} {types:?}"),
            Request::Query { sql, .. } => format!("query {sql}"),
            Request::Transaction(what) => format!("{what:?}"),
            Request::Open { password, options } => format!("open {password} {options}"),
            Request::Quit => "quit".to_string(),
        });
        bytes = &bytes[length..];
    }
    all
}

#[test]
fn a_statement_is_told_once_with_odbcs_placeholders() {
    let mut session = session(Kind::Postgres);
    let types = &[Type::Int, Type::Text];
    let sql = "SELECT a FROM t WHERE b=? AND c=?";
    let statement = Statement::new(Kind::Postgres, "x", Effect::Read, sql, types);
    let mut parameters = Parameters::default();
    parameters.int(1);
    parameters.text(|out| out.extend(b"x"));
    let mut out = Vec::new();
    session.open(&mut out);
    session.execute(5, &statement, &parameters, true, &mut out);
    session.execute(5, &statement, &parameters, true, &mut out);
    session.quit(&mut out);
    let reported = format!("prepare 5 {sql} [Int, Text]");
    assert_eq!(
        requests(&out),
        [
            "open secret Protocol=7.4-0;BoolsAsChar=0",
            &reported,
            "execute 5 2",
            "execute 5 2",
            "quit"
        ]
    );
}

#[test]
fn transactions_are_statements_where_the_server_has_them() {
    for (kind, expected) in [
        (Kind::Mysql, ["query BEGIN", "query COMMIT"]),
        (Kind::Postgres, ["query BEGIN", "query COMMIT"]),
        (Kind::Oracle, ["Begin", "Commit"]),
        (Kind::Soliddb, ["Begin", "Commit"]),
        (Kind::Db2, ["Begin", "Commit"]),
        (Kind::Sqlserver, ["Begin", "Commit"]),
    ] {
        let mut session = session(kind);
        let mut out = Vec::new();
        let begin = Statement::new(kind, "begin", Effect::Begin, "BEGIN", &[]);
        session.execute(0, &begin, &Parameters::default(), false, &mut out);
        session.query("COMMIT", Effect::Commit, false, &mut out);
        assert_eq!(requests(&out), expected, "{kind:?}");
    }
}

#[test]
fn names_of_dbmss_tell_their_dialects() {
    for (name, expected) in [
        ("MariaDB", Some(Kind::Mysql)),
        ("MySQL", Some(Kind::Mysql)),
        ("PostgreSQL", Some(Kind::Postgres)),
        ("solidDB", Some(Kind::Soliddb)),
        ("Oracle", Some(Kind::Oracle)),
        ("Microsoft SQL Server", Some(Kind::Sqlserver)),
        ("DB2/LINUXX8664", Some(Kind::Db2)),
        ("SQLite", None),
    ] {
        assert_eq!(dialect(name), expected, "{name}");
    }
}

#[test]
fn answers_become_events() {
    let mut session = session(Kind::Mysql);
    let mut out = Vec::new();
    session.query("SELECT 1, 'a', NULL", Effect::Read, true, &mut out);
    let mut answer = Vec::new();
    let mut frame = Frame::done(3, &mut answer);
    for value in [
        frame::Value::BigInt(1),
        frame::Value::Text(b"a"),
        frame::Value::Null,
    ] {
        frame.value(value);
    }
    frame.count(1, 0);
    drop(frame);
    let fed = session.feed(&answer[..7], &mut out).unwrap();
    assert!(fed.consumed == 0 && fed.event.is_none(), "half a frame");
    let fed = session.feed(&answer, &mut out).unwrap();
    assert!(matches!(
        fed.event,
        Some(Event::Done(Reply { rows: 1, .. }))
    ));
    assert_eq!(session.rows().int(0, 0), Some(1));
    assert_eq!(session.rows().text(0, 1).as_deref(), Some("a"));
    assert_eq!(session.rows().text(0, 2), None);

    let mut answer = Vec::new();
    Frame::failed("23000", 1062, false, "Duplicate entry", &mut answer);
    let fed = session.feed(&answer, &mut out).unwrap();
    let Some(Event::Refused(failure)) = fed.event else {
        panic!()
    };
    assert_eq!(
        (failure.class, failure.code.as_str()),
        (Class::Constraint, "1062")
    );

    assert!(session.feed(&[1, 0, 0, 0, 99], &mut out).is_err());
}

#[test]
fn the_answer_to_a_commit_is_judged_as_one() {
    let class = |session: &mut OdbcSession| {
        let mut answer = Vec::new();
        Frame::failed("40001", 1213, false, "Deadlock", &mut answer);
        let fed = session.feed(&answer, &mut Vec::new()).unwrap();
        let Some(Event::Refused(failure)) = fed.event else {
            panic!()
        };
        failure.class
    };
    let mut session = session(Kind::Mysql);
    let mut out = Vec::new();
    let (no, commit) = (
        Parameters::default(),
        Statement::new(Kind::Mysql, "commit", Effect::Commit, "COMMIT", &[]),
    );
    session.execute(0, &commit, &no, false, &mut out);
    assert_eq!(class(&mut session), Class::Conflict);
    let update = Statement::new(
        Kind::Mysql,
        "x",
        Effect::Write,
        "UPDATE t SET a=?",
        &[Type::Int],
    );
    session.execute(1, &update, &no, false, &mut out);
    assert_eq!(class(&mut session), Class::Deadlock);
    session.query("commit", Effect::Commit, false, &mut out);
    assert_eq!(class(&mut session), Class::Conflict);
    session.query("SELECT 1", Effect::Read, false, &mut out);
    assert_eq!(class(&mut session), Class::Deadlock);
}

/// The failure of a call, of which the DBMS tells nothing.
fn refused(session: &mut OdbcSession) -> Failure {
    let mut frame = Vec::new();
    Frame::failed("HY000", 14529, false, "x", &mut frame);
    let fed = session.feed(&frame, &mut Vec::new()).unwrap();
    match fed.event {
        Some(Event::Refused(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_write_that_commits_itself_is_in_doubt_as_a_commit_is() {
    let write = Statement::new(
        Kind::Soliddb,
        "x",
        Effect::Write,
        "INSERT INTO t(a) VALUES (?)",
        &[Type::Int],
    );
    let mut parameters = Parameters::default();
    parameters.int(1);
    let mut session = session(Kind::Soliddb);
    let mut out = Vec::new();
    session.execute(0, &write, &parameters, false, &mut out);
    assert!(refused(&mut session).doubt);
    session.query("SELECT 1", Effect::Read, true, &mut out);
    assert!(!refused(&mut session).doubt);
    session.query("BEGIN", Effect::Begin, false, &mut out);
    assert!(!refused(&mut session).doubt);
    session.execute(0, &write, &parameters, false, &mut out);
    assert!(!refused(&mut session).doubt, "it ends with its transaction");
    session.query("COMMIT", Effect::Commit, false, &mut out);
    assert!(refused(&mut session).doubt);
    session.query(
        "INSERT INTO t(a) VALUES (1)",
        Effect::Write,
        false,
        &mut out,
    );
    assert!(refused(&mut session).doubt);
}
