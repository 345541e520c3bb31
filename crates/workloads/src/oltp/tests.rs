use super::*;
use crate::testing::{Called, calls, settings};
use base::rng::Rng;

pub fn options() -> OltpOptions {
    settings("oltp_read_write", &["tables=3"])
}

fn run(transaction: Transaction, options: OltpOptions, seed: u64) -> Vec<Called> {
    calls(
        Rc::new(Oltp::new(transaction, Kind::Mysql, options)),
        0,
        seed,
    )
}

fn names(transaction: Transaction, options: OltpOptions) -> Vec<String> {
    let called = run(transaction, options, 1);
    for call in &called {
        assert_eq!(call.statement.types.len(), call.values.len());
    }
    called
        .into_iter()
        .map(|call| call.statement.name.into_owned())
        .collect()
}

#[test]
fn read_write_is_twenty_statements_in_sysbench_order() {
    let names = names(Transaction::ReadWrite, options());
    let mut expected = vec!["begin"];
    expected.extend(["point_select"; 10]);
    expected.extend(["simple_range", "sum_range", "order_range", "distinct_range"]);
    expected.extend([
        "index_update",
        "non_index_update",
        "delete",
        "insert",
        "commit",
    ]);
    assert_eq!(names, expected);
}

#[test]
fn every_transaction_has_its_statements() {
    let count = |transaction| names(transaction, options()).len();
    assert_eq!(count(Transaction::PointSelect), 1);
    assert_eq!(count(Transaction::ReadOnly), 16);
    assert_eq!(count(Transaction::WriteOnly), 6);
    assert_eq!(count(Transaction::UpdateIndex), 1);
    assert_eq!(count(Transaction::UpdateNonIndex), 1);
    assert_eq!(count(Transaction::Insert), 1);
    assert_eq!(count(Transaction::Delete), 1);
}

#[test]
fn switches_are_obeyed() {
    let mut bare = options();
    bare.skip_trx = true;
    (bare.simple_ranges, bare.sum_ranges) = (0, 0);
    (bare.order_ranges, bare.distinct_ranges) = (0, 0);
    bare.delete_inserts = 2;
    let names = names(Transaction::ReadWrite, bare);
    assert_eq!(names.len(), 10 + 2 + 4);
    assert_eq!(&names[12..], ["delete", "insert", "delete", "insert"]);
}

#[test]
fn insert_repeats_the_row_and_table_of_its_delete() {
    let table = |sql: &str| sql.split("sbtest").nth(1).map(|rest| rest[..1].to_string());
    for seed in 0..50 {
        let called = run(Transaction::WriteOnly, options(), seed);
        let of = |name: &str| {
            let call = called
                .iter()
                .find(|call| call.statement.name == name)
                .unwrap();
            (call.values[0], table(&call.statement.sql))
        };
        assert_eq!(of("delete"), of("insert"));
    }
}

#[test]
fn the_same_seed_gives_the_same_statements() {
    let all = |seed| run(Transaction::ReadWrite, options(), seed);
    assert_eq!(all(7), all(7));
    assert_ne!(all(7), all(8));
}

#[test]
fn a_transaction_without_statements_is_refused() {
    let mut empty = options();
    empty.index_updates = 0;
    assert!(make("oltp_update_index", Kind::Mysql, &empty).is_err());
    assert!(make("oltp_read_write", Kind::Mysql, &empty).is_ok());
}

#[test]
fn texts_have_the_shape_of_the_columns() {
    let mut text = Vec::new();
    groups(&mut Rng::new(1, 1), C_GROUPS, &mut text);
    assert_eq!(text.len(), 119);
    assert!(
        text.iter()
            .enumerate()
            .all(|(index, byte)| match index % 12 {
                11 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    );
}
