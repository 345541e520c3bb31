use super::*;
use proptest::prelude::*;

#[test]
fn one_statement_is_known_by_its_words() {
    let expected = [
        ("SELECT 1", "select", Effect::Read),
        (" -- x\n(select 1)", "select", Effect::Read),
        ("/* a */ Update t SET a=1", "update", Effect::Write),
        ("/* x */ COMMIT", "commit", Effect::Commit),
        ("-- x\ncommit ;  -- y", "commit", Effect::Commit),
        ("BEGIN", "begin", Effect::Begin),
        ("START TRANSACTION READ ONLY", "start", Effect::Begin),
        ("END", "end", Effect::Commit),
        ("ROLLBACK", "rollback", Effect::Rollback),
        ("ROLLBACK TO SAVEPOINT a", "rollback", Effect::Read),
        ("ROLLBACK WORK TO a", "rollback", Effect::Read),
        ("RELEASE SAVEPOINT a", "release", Effect::Read),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "with", Effect::Read),
        (
            "WITH x AS (DELETE FROM t RETURNING *) SELECT 1",
            "with",
            Effect::Write,
        ),
        (
            "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
            "with",
            Effect::Write,
        ),
        (
            "WITH x AS (SELECT replace(a, 'b', 'c') FROM t) SELECT 1",
            "with",
            Effect::Read,
        ),
        ("SELECT transfer(1, 2)", "select", Effect::Write),
        ("SELECT a INTO b FROM t", "select", Effect::Write),
        ("SELECT a FROM t FOR UPDATE", "select", Effect::Read),
        ("EXPLAIN DELETE FROM t", "explain", Effect::Read),
        ("EXPLAIN ANALYZE DELETE FROM t", "explain", Effect::Write),
        (
            "EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t",
            "explain",
            Effect::Write,
        ),
        (
            "EXPLAIN (ANALYZE false) DELETE FROM t",
            "explain",
            Effect::Read,
        ),
        ("EXPLAIN ANALYZE SELECT 1", "explain", Effect::Read),
        ("CALL p(1)", "call", Effect::Write),
        (
            "DO $$ BEGIN DELETE FROM t; COMMIT; END $$",
            "do",
            Effect::Write,
        ),
        ("EXECUTE s(1)", "execute", Effect::Write),
        ("COPY t FROM STDIN", "copy", Effect::Write),
        ("COPY (SELECT 1) TO STDOUT", "copy", Effect::Read),
        (
            "MERGE INTO t USING s ON (a = b) WHEN MATCHED THEN DELETE",
            "merge",
            Effect::Write,
        ),
        ("TRUNCATE t", "truncate", Effect::Write),
        ("CREATE TABLE t (a INT)", "create", Effect::Write),
        ("SET search_path = x", "set", Effect::Read),
        ("SELECT ';', $a$ ; COMMIT; $a$", "select", Effect::Read),
        ("ANALYZE t", "analyze", Effect::Write),
        ("", "empty", Effect::Read),
    ];
    for (sql, verb, effect) in expected {
        let sort = super::sort(sql, Kind::Postgres);
        assert_eq!((sort.verb.as_str(), sort.effect), (verb, effect), "{sql}");
    }
}

#[test]
fn locking_reads_need_a_server_that_takes_writes() {
    assert!(sort("SELECT a FROM t WHERE b=1 FOR UPDATE", Kind::Mysql).needs_writable);
    assert!(sort("SELECT a FROM t FOR NO KEY UPDATE", Kind::Postgres).needs_writable);
    assert!(sort("SELECT a FROM t LOCK IN SHARE MODE", Kind::Mysql).needs_writable);
    assert!(!sort("SELECT 'for update' FROM t", Kind::Mysql).needs_writable);
    assert!(!sort("SELECT substring(a for 3) FROM t", Kind::Postgres).needs_writable);
}

/// Whether changes may be committed once a call was sent, from no transaction and from an open one; and whether
/// one is open afterwards.
fn paths(sql: &str, kind: Kind) -> [(Option<u16>, bool); 2] {
    let effect = effect(sql, kind);
    [false, true].map(|open| {
        let path = effect.path(open, kind);
        (path.lasts_after, path.open)
    })
}

#[test]
fn a_text_of_several_statements_commits_where_one_of_them_does() {
    let expected = [
        (
            "BEGIN; INSERT INTO t VALUES (1); COMMIT",
            [(Some(3), false), (Some(3), false)],
        ),
        (
            "BEGIN; INSERT INTO t VALUES (1); COMMIT; SELECT 1",
            [(Some(3), false), (Some(3), false)],
        ),
        (
            "BEGIN; INSERT INTO t VALUES (1)",
            [(None, true), (None, true)],
        ),
        (
            "BEGIN; INSERT INTO t VALUES (1); ROLLBACK",
            [(None, false), (None, false)],
        ),
        ("BEGIN; SELECT 1; COMMIT", [(None, false), (Some(3), false)]),
        ("SELECT 1; SELECT 2", [(None, false), (None, true)]),
        (
            "INSERT INTO t VALUES (1); COMMIT AND CHAIN",
            [(Some(2), true), (Some(2), true)],
        ),
        (
            "ROLLBACK; UPDATE t SET a = 1; BEGIN",
            [(None, true), (None, true)],
        ),
        (
            "UPDATE t SET a = ';' ; /* ; */ SELECT 1",
            [(Some(3), false), (None, true)],
        ),
    ];
    for (sql, ends) in expected {
        assert_eq!(paths(sql, Kind::Postgres), ends, "{sql}");
    }
    assert!(effect("BEGIN; INSERT INTO t VALUES (1); COMMIT", Kind::Postgres).writes());
    assert!(effect("BEGIN; SELECT 1; COMMIT", Kind::Postgres).is_read());
}

#[test]
fn mysql_commits_each_statement_and_before_definitions() {
    let expected = [
        (
            "INSERT INTO t VALUES (1); SELECT 1",
            [(Some(1), false), (None, true)],
        ),
        (
            "BEGIN; INSERT INTO t VALUES (1); BEGIN",
            [(Some(3), true), (Some(1), true)],
        ),
        (
            "BEGIN; INSERT INTO t VALUES (1); CREATE TABLE u (a INT)",
            [(Some(2), false), (Some(1), false)],
        ),
        ("SET autocommit=0", [(None, false), (None, true)]),
        ("SET autocommit=1", [(None, false), (Some(0), false)]),
        (
            "SET @@session.autocommit = ON",
            [(None, false), (Some(0), false)],
        ),
        ("LOCK TABLES t WRITE", [(None, false), (Some(0), false)]),
        ("TRUNCATE t", [(Some(1), false), (Some(0), false)]),
        (
            "CREATE TEMPORARY TABLE x (a INT)",
            [(Some(u16::MAX), false), (None, true)],
        ),
        ("CALL p()", [(Some(1), false), (Some(1), true)]),
        ("XA COMMIT 'x'", [(Some(1), false), (Some(1), true)]),
        (
            "XA COMMIT 'x' ONE PHASE",
            [(Some(u16::MAX), false), (Some(u16::MAX), false)],
        ),
        ("XA PREPARE 'x'", [(None, false), (None, false)]),
        (
            "/*!50000 COMMIT */",
            [(Some(u16::MAX), false), (Some(u16::MAX), false)],
        ),
        (
            "# x\ncommit",
            [(Some(u16::MAX), false), (Some(u16::MAX), false)],
        ),
        (
            r"INSERT INTO t VALUES ('a\'; COMMIT; SELECT \'')",
            [(Some(u16::MAX), false), (None, true)],
        ),
        ("SELECT 5--1; COMMIT", [(None, false), (Some(2), false)]),
        ("SELECT 1 INTO @a", [(None, false), (None, true)]),
        (
            "ANALYZE FORMAT=JSON DELETE FROM t",
            [(Some(u16::MAX), false), (None, true)],
        ),
        (
            "REPLACE INTO t VALUES (1)",
            [(Some(u16::MAX), false), (None, true)],
        ),
        (
            "LOAD DATA INFILE 'x' INTO TABLE t",
            [(Some(u16::MAX), false), (None, true)],
        ),
        ("HANDLER t OPEN", [(None, false), (None, true)]),
    ];
    for (sql, ends) in expected {
        assert_eq!(paths(sql, Kind::Mysql), ends, "{sql}");
    }
}

#[test]
fn the_body_of_a_routine_is_part_of_its_statement() {
    let procedure = "CREATE PROCEDURE p() BEGIN IF 1 THEN DELETE FROM t; END IF; CASE 1 WHEN 1 THEN COMMIT; END CASE; END; \
                     CALL p()";
    assert_eq!(pieces::statements(procedure, Kind::Mysql).len(), 2);
    let function = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT 1";
    assert_eq!(pieces::statements(function, Kind::Postgres).len(), 2);
    assert_eq!(
        pieces::statements("BEGIN; SELECT 1; END; SELECT 2", Kind::Postgres).len(),
        4
    );
    let compound = "BEGIN NOT ATOMIC INSERT INTO t VALUES (1); COMMIT; END; SELECT 1";
    assert_eq!(pieces::statements(compound, Kind::Mysql).len(), 2);
}

/// Texts that hide a semicolon.
fn hiding(kind: Kind) -> Vec<&'static str> {
    let mut all = vec![
        "';'",
        "'it''s; '",
        "\"a;b\"",
        "/* ; */",
        "-- ;\n",
        "'/* ;'",
        "\"--;\"",
    ];
    all.extend(match kind {
        Kind::Mysql => [r"'\'; '", r#""\";""#, "`;`", "# ;\n", "'\\\\'"],
        _ => [
            "$$;$$",
            "$a$ $$;$$ $a$",
            r"E'\';'",
            "/* /* ; */ ; */",
            r"'\'",
        ],
    });
    all
}

proptest! {
    /// Only semicolons outside quotes and comments end a statement, whatever stands between them.
    #[test]
    fn texts_are_cut_where_they_were_joined(
        mysql in any::<bool>(),
        parts in prop::collection::vec(prop::collection::vec(0usize..12, 1..6), 1..6),
    ) {
        let kind = if mysql { Kind::Mysql } else { Kind::Postgres };
        let all = hiding(kind);
        let statements: Vec<String> = parts
            .iter()
            .map(|part| {
                let middle: Vec<&str> = part.iter().map(|&index| all[index % all.len()]).collect();
                format!("SELECT {}, 1", middle.join(" , "))
            })
            .collect();
        let text = statements.join(";");
        prop_assert_eq!(pieces::statements(&text, kind), statements);
    }

    /// A commit is seen wherever it stands, and none is seen that is quoted.
    #[test]
    fn a_commit_is_seen_where_it_is_one(before in 0usize..12, quoted in 0usize..12, mysql in any::<bool>()) {
        let kind = if mysql { Kind::Mysql } else { Kind::Postgres };
        let all = hiding(kind);
        let (before, quoted) = (all[before % all.len()], all[quoted % all.len()]);
        let open = format!("BEGIN; UPDATE t SET a = 1, b = 2 {before} ; SELECT {quoted} , 'COMMIT'");
        prop_assert_eq!(effect(&open, kind).path(false, kind).lasts_after, None);
        let closed = format!("{open}; {quoted} {before}; commit");
        if quoted.starts_with(['/', '-', '#']) && before.starts_with(['/', '-', '#']) {
            prop_assert!(effect(&closed, kind).path(false, kind).lasts_after.is_some());
        }
    }
}
