use super::*;
use crate::testing::{Called, client, one_row, play, settings};
use proptest::prelude::*;
use sql_wire::Class;

fn options(changes: &[&str]) -> BulkloadOptions {
    settings("bulkload", changes)
}

fn bulkload(kind: Kind, arguments: &[&str]) -> Rc<Bulkload> {
    Rc::new(Bulkload::new(kind, &options(arguments)))
}

/// Runs one transaction on a server that takes everything.
fn load(workload: &Rc<Bulkload>) -> (Vec<Called>, End) {
    let (called, end) = play(Rc::clone(workload) as Rc<dyn Workload>, 0, 1, |_| {
        Ok((one_row(), Vec::new()))
    });
    (called, end.unwrap())
}

/// How many rows a statement inserts.
fn rows(called: &Called) -> usize {
    called.statement.sql.matches("),(").count() + 1
}

fn names(called: &[Called]) -> Vec<String> {
    called
        .iter()
        .map(|call| call.statement.name.to_string())
        .collect()
}

#[test]
fn a_chunk_brings_parents_before_children() {
    let workload = bulkload(Kind::Mysql, &["rows=1000", "batch=250"]);
    let (called, end) = load(&workload);
    assert_eq!(end, End::Committed);
    assert_eq!(
        names(&called),
        ["begin", "text", "text", "text", "text", "commit"]
    );
    let heads: Vec<&str> = called[1..5]
        .iter()
        .map(|call| call.statement.sql.split('(').next().unwrap())
        .collect();
    assert_eq!(
        heads,
        [
            "INSERT INTO bulk_customer",
            "INSERT INTO bulk_order",
            "INSERT INTO bulk_item",
            "INSERT INTO bulk_item"
        ]
    );
    assert_eq!([1, 2, 3, 4].map(|at| rows(&called[at])), [3, 30, 250, 50]);
}

#[test]
fn a_client_has_nothing_left_when_all_is_loaded() {
    let workload = bulkload(Kind::Mysql, &["rows=1150", "batch=500"]);
    let client = client(&*workload, 1);
    let mut items = 0;
    let mut chunks = 0;
    while workload.pick(&client).is_some() {
        let (called, _) = load(&workload);
        items += called
            .iter()
            .filter(|call| call.statement.sql.starts_with("INSERT INTO bulk_item"))
            .map(rows)
            .sum::<usize>();
        chunks += 1;
    }
    assert_eq!((items, chunks), (1150, 3));
}

#[test]
fn a_chunk_that_failed_is_loaded_again_unless_it_is_there() {
    for there in [false, true] {
        let workload = bulkload(Kind::Mysql, &["rows=500"]);
        let as_any = || Rc::clone(&workload) as Rc<dyn Workload>;
        let client = client(&*workload, 1);
        assert_eq!(workload.pick(&client), Some(0));
        let (_, end) = play(as_any(), 0, 1, |_| {
            Err(Failure::new(Class::Deadlock, "1213", ""))
        });
        assert!(end.is_err());
        assert_eq!(workload.pick(&client), Some(0));
        let (called, end) = play(as_any(), 0, 1, |call| {
            Ok(match call.statement.name == "is_loaded" {
                true => (one_row(), vec![vec![if there { "1" } else { "0" }]]),
                false => (one_row(), Vec::new()),
            })
        });
        assert_eq!(matches!(end, Ok(End::Expected(_))), there);
        assert_eq!(called.len() > 1, !there);
        assert_eq!(workload.pick(&client), None);
    }
}

#[test]
fn checks_are_put_off_as_each_server_does_it() {
    let off = ["checks=false"];
    let mysql = bulkload(Kind::Mysql, &off);
    assert_eq!(mysql.session_setup(Kind::Mysql).len(), 1);
    assert!(!names(&load(&mysql).0).contains(&"defer".to_string()));
    let postgres = bulkload(Kind::Postgres, &off);
    assert!(postgres.session_setup(Kind::Postgres).is_empty());
    assert_eq!(names(&load(&postgres).0)[..2], ["begin", "defer"]);
    assert!(
        bulkload(Kind::Mysql, &[])
            .session_setup(Kind::Mysql)
            .is_empty()
    );
    assert_eq!(names(&load(&bulkload(Kind::Postgres, &[])).0)[1], "text");
}

#[test]
fn two_runs_load_the_same() {
    let all = || load(&bulkload(Kind::Mysql, &[])).0;
    assert_eq!(all(), all());
}

proptest! {
    #[test]
    fn chunks_cover_every_row_once(rows in 1u32..30_000, batch in 1u32..2_000) {
        let mut options = options(&[]);
        (options.rows, options.batch) = (rows, batch);
        let workload = Bulkload::new(Kind::Mysql, &options);
        let mut next = [0, 0, 0];
        for chunk in 0..workload.chunks() {
            for (range, next) in workload.ranges(chunk).into_iter().zip(&mut next) {
                prop_assert_eq!(range.start, *next);
                prop_assert!(!range.is_empty());
                *next = range.end;
            }
        }
        let ends = [rows.div_ceil(100), rows.div_ceil(10), rows];
        prop_assert_eq!(next, ends);
    }
}
