use super::*;
use crate::calls::stand_in;
use crate::frame::Answer;

const MANUAL: &str = "SQLSetConnectAttr 102 0";
const AUTOMATIC: &str = "SQLSetConnectAttr 102 1";
const COMMIT: &str = "SQLEndTran 0";
const ROLLBACK: &str = "SQLEndTran 1";

fn session() -> Session {
    let (socket, _) = UnixStream::pair().unwrap();
    let mut session = Session::new(Call::new(&socket), "DSN=x", Duration::from_secs(1));
    let (connection, environment) = (stand_in::handle(&[]), stand_in::handle(&[]));
    session.link = Some(Link::new(connection, environment));
    stand_in::calls();
    session
}

/// The SQLSTATE of the answer; empty: it was done.
fn ask(session: &mut Session, request: Request) -> String {
    let mut out = Vec::new();
    assert!(session.handle(request, &mut out));
    match frame::answer(&out).unwrap().unwrap().0 {
        Answer::Failed { state, .. } => state.to_string(),
        _ => String::new(),
    }
}

fn query() -> Request<'static> {
    let keep = Keep::Count;
    Request::Query { sql: "x", keep }
}

/// Ends a transaction while these calls are refused: the answer, the calls, and that to the next statement.
fn ended(what: Transaction, refused: &[&'static str]) -> (String, Vec<String>, String) {
    let mut session = session();
    assert_eq!(
        ask(&mut session, Request::Transaction(Transaction::Begin)),
        ""
    );
    assert_eq!(stand_in::calls(), [MANUAL]);
    stand_in::refuse(refused);
    let answer = ask(&mut session, Request::Transaction(what));
    let calls = stand_in::calls();
    stand_in::refuse(&[]);
    let next = ask(&mut session, query());
    assert_eq!(
        next.is_empty(),
        stand_in::calls().contains(&"SQLExecDirect".to_string())
    );
    (answer, calls, next)
}

fn is(found: &(String, Vec<String>, String), answer: &str, calls: &[&str], next: &str) {
    assert_eq!(
        (found.0.as_str(), found.2.as_str()),
        (answer, next),
        "{found:?}"
    );
    let ends = found.1.iter().filter(|call| call.starts_with("SQLEnd"));
    let set = found
        .1
        .iter()
        .filter(|call| call.starts_with("SQLSetConnect"));
    assert!(ends.chain(set).eq(calls.iter()), "{found:?}");
}

#[test]
fn transactions_that_end_leave_autocommit_on() {
    is(
        &ended(Transaction::Commit, &[]),
        "",
        &[COMMIT, AUTOMATIC],
        "",
    );
    is(
        &ended(Transaction::Rollback, &[]),
        "",
        &[ROLLBACK, AUTOMATIC],
        "",
    );
    let rolled_back = ended(Transaction::Commit, &[COMMIT]);
    is(&rolled_back, "40001", &[COMMIT, ROLLBACK, AUTOMATIC], "");
}

#[test]
fn what_was_committed_is_not_failed_by_what_comes_after() {
    let found = ended(Transaction::Commit, &[AUTOMATIC]);
    is(&found, "", &[COMMIT, AUTOMATIC], "08S01");
}

#[test]
fn autocommit_is_not_turned_on_while_a_transaction_may_be_open() {
    let found = ended(Transaction::Commit, &[COMMIT, ROLLBACK]);
    is(&found, "40001", &[COMMIT, ROLLBACK], "08S01");
    let found = ended(Transaction::Rollback, &[ROLLBACK]);
    is(&found, "40001", &[ROLLBACK], "08S01");
}

#[test]
fn nothing_is_written_on_a_session_without_autocommit() {
    let found = ended(Transaction::Rollback, &[AUTOMATIC]);
    is(&found, "", &[ROLLBACK, AUTOMATIC], "08S01");
    let found = ended(Transaction::Commit, &[COMMIT, AUTOMATIC]);
    is(&found, "40001", &[COMMIT, ROLLBACK, AUTOMATIC], "08S01");
}

#[test]
fn an_open_transaction_is_rolled_back_before_the_connection_is_closed() {
    let mut session = session();
    ask(&mut session, Request::Transaction(Transaction::Begin));
    ask(&mut session, query());
    stand_in::calls();
    drop(session);
    let calls = stand_in::calls();
    let at = |call: &str| calls.iter().position(|one| one == call).unwrap();
    assert!(at(ROLLBACK) < at("SQLDisconnect"), "{calls:?}");
}

#[test]
fn without_a_transaction_a_connection_is_closed_at_once() {
    let mut session = session();
    ask(&mut session, Request::Transaction(Transaction::Begin));
    ask(&mut session, Request::Transaction(Transaction::Commit));
    stand_in::calls();
    drop(session);
    assert!(!stand_in::calls().iter().any(|call| call == ROLLBACK));
}

#[test]
fn what_the_end_of_a_transaction_ended_is_prepared_again() {
    for (forgets, prepared) in [(false, 0), (true, 1)] {
        let mut session = session();
        session.link.as_mut().unwrap().forgets = forgets;
        let (id, types) = (7, Vec::new());
        let prepare = Request::Prepare {
            id,
            sql: "x",
            types,
        };
        assert!(session.handle(prepare, &mut Vec::new()));
        let mut bytes = Vec::new();
        drop(Frame::execute(id, false, &mut bytes));
        let execute = |session: &mut Session| {
            let (request, _) = frame::request(&bytes).unwrap().unwrap();
            assert_eq!(ask(session, request), "");
        };
        execute(&mut session);
        stand_in::calls();
        assert_eq!(
            ask(&mut session, Request::Transaction(Transaction::Commit)),
            ""
        );
        execute(&mut session);
        let again = stand_in::calls();
        let count = again.iter().filter(|call| *call == "SQLPrepare").count();
        assert_eq!(count, prepared, "{again:?}");
    }
}

#[test]
fn a_begin_that_fails_leaves_nothing_to_be_asked() {
    let mut session = session();
    stand_in::refuse(&[MANUAL]);
    assert_eq!(
        ask(&mut session, Request::Transaction(Transaction::Begin)),
        "40001"
    );
    stand_in::refuse(&[]);
    assert_eq!(ask(&mut session, query()), "08S01");
}
