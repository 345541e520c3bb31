use super::*;
use crate::dataset::DataSet;
use crate::testing::{Called, calls, client, one_row, play, rows_of, settings};
use sql_wire::Value;

fn options(changes: &[&str]) -> IibenchOptions {
    settings("iibench", changes)
}

fn iibench(arguments: &[&str]) -> Rc<Iibench> {
    Rc::new(Iibench::new(Kind::Mysql, &options(arguments)))
}

fn insert(arguments: &[&str], seed: u64) -> Called {
    calls(iibench(arguments), INSERT, seed).remove(0)
}

#[test]
fn a_batch_is_one_statement_with_the_values_of_all_rows() {
    let called = insert(&["batch=3", "data_length=20"], 1);
    assert_eq!(called.values.len(), 15);
    assert_eq!(called.statement.types.len(), 15);
    assert_eq!(
        called.statement.sql.matches("LOCALTIMESTAMP(0), ?").count(),
        3
    );
    assert!(called.texts.iter().all(|text| text.len() == 20));
    assert_ne!(called.texts[0], called.texts[1]);
}

#[test]
fn the_same_seed_gives_the_same_rows() {
    assert_eq!(insert(&[], 7), insert(&[], 7));
    assert_ne!(insert(&[], 7), insert(&[], 8));
}

#[test]
fn prices_follow_the_customer() {
    let called = insert(&["customers=50000"], 3);
    for row in called.values.chunks(5) {
        let &[_, Value::Int(customer), _, Value::Double(price), _] = row else {
            panic!("{row:?}");
        };
        let above = price - f64::from(customer) / 100.0;
        assert!((-0.001..5.0).contains(&above), "{customer} {price}");
    }
}

#[test]
fn columns_reach_their_ends_and_no_further() {
    let limits = ["cash_registers=4", "products=1", "customers=3"];
    let mut seen = [0u32; 4];
    for row in insert(&limits, 3).values.chunks(5) {
        let &[
            Value::Int(register),
            Value::Int(customer),
            Value::Int(product),
            ..,
        ] = row
        else {
            panic!("{row:?}");
        };
        seen[register as usize] += 1;
        assert!((0..3).contains(&customer) && product == 0);
    }
    assert!(seen.iter().all(|&count| count > 180), "{seen:?}");
}

#[test]
fn queries_come_as_often_as_asked_and_in_equal_parts() {
    let workload = iibench(&["queries=3"]);
    let client = client(&*workload, 5);
    let mut counts = [0u32; 4];
    for _ in 0..12_000 {
        counts[workload.pick(&client).unwrap()] += 1;
    }
    assert!(
        counts.iter().all(|count| count.abs_diff(3000) < 250),
        "{counts:?}"
    );
    let only = iibench(&[]);
    assert_eq!(only.transactions().len(), 1);
    assert_eq!(only.pick(&client), Some(INSERT));
}

#[test]
fn a_query_begins_at_one_of_the_newest_rows() {
    for which in 1..=3 {
        let workload = iibench(&["queries=1", "tail=100"]);
        let (called, end) = play(workload, which, 9, |_| {
            Ok((one_row(), vec![vec!["17", "12.5"]]))
        });
        assert_eq!(end.unwrap(), End::Committed);
        assert!(matches!(called[0].values[0], Value::Int(back) if (0..100).contains(&back)));
        assert_eq!(called[1].statement.name, TYPES[which].0);
        assert_eq!(called[1].values.last(), Some(&Value::Double(12.5)));
        assert_eq!(called[1].values.len(), called[1].statement.types.len());
        assert!(called[1].statement.sql.contains(INDEXES[which - 1].0));
    }
}

#[test]
fn an_empty_table_is_no_error() {
    let workload = iibench(&["queries=1"]);
    let (called, end) = play(workload, 1, 9, |_| Ok((Default::default(), Vec::new())));
    assert_eq!(called.len(), 1);
    assert!(matches!(end, Ok(End::Expected(_))));
}

#[test]
fn rows_of_prepare_are_numbered_and_dated_in_their_order() {
    let data = IibenchData::new(&options(&["rows=5000"]));
    let lines = rows_of(&data, 0, 999..1001, 1);
    assert_eq!(&lines[0][..2], ["1000", "2015-01-01 00:00:00"]);
    assert_eq!(&lines[1][..2], ["1001", "2015-01-01 00:00:01"]);
    assert_eq!(lines[1].len(), data.tables()[0].columns.split(", ").count());
}
