use super::shape::Shape;
use super::values::DAYS;
use super::*;
use crate::dataset::DataSet;
use crate::testing::{Called, calls, client, play, rows_of, settings};
use crate::{End, Workload};
use proptest::prelude::*;
use sql_wire::{Effect, Kind, Reply, Value};
use std::rc::Rc;

fn ingest(kind: Kind, arguments: &[&str]) -> Rc<dyn Workload> {
    make_ingest(kind, &settings("ingest", arguments))
}

fn crud(arguments: &[&str]) -> Rc<dyn Workload> {
    make_crud(Kind::Mysql, &settings("crud", arguments))
}

fn names(called: &[Called]) -> Vec<&str> {
    called
        .iter()
        .map(|call| call.statement.name.as_ref())
        .collect()
}

/// The number of the table in a statement on this kind of table.
fn table(call: &Called, prefix: &str) -> u32 {
    let rest = call.statement.sql.split(prefix).nth(1).unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
fn an_insert_brings_a_batch_of_parents_and_of_children() {
    let workload = ingest(Kind::Mysql, &["batch=4"]);
    for seed in 0..20 {
        let called = calls(Rc::clone(&workload), 0, seed);
        assert_eq!(
            names(&called),
            ["begin", "insert", "insert_child", "commit"]
        );
        assert_eq!((called[1].values.len(), called[2].values.len()), (32, 12));
        for call in &called {
            assert_eq!(call.values.len(), call.statement.types.len());
        }
        assert_eq!(
            table(&called[1], "tbtest"),
            table(&called[2], "tbtest_child")
        );
        // Children carry the date of the first parent; dates are the fourth text of a parent.
        assert!(
            called[2]
                .texts
                .iter()
                .step_by(2)
                .all(|date| *date == called[1].texts[3])
        );
        assert!(
            called[2]
                .statement
                .sql
                .contains("(LAST_INSERT_ID(), ?, ?, ?)")
        );
    }
}

#[test]
fn without_children_an_insert_is_one_statement() {
    let workload = ingest(Kind::Mysql, &["children=0"]);
    assert_eq!(names(&calls(workload, 0, 1)), ["insert"]);
}

#[test]
fn several_children_of_a_parent_all_get_its_number() {
    for (kind, expected) in [
        (
            Kind::Mysql,
            vec![
                "begin",
                "insert",
                "number",
                "insert_child",
                "insert_child",
                "commit",
            ],
        ),
        (
            Kind::Postgres,
            vec!["begin", "insert", "insert_child", "insert_child", "commit"],
        ),
    ] {
        let arguments = ["parents=1", "children=2", "batch=1"];
        let (called, end) = play(ingest(kind, &arguments), 0, 1, |call| {
            let rows = match call.statement.name.as_ref() {
                "insert" if kind != Kind::Postgres => Vec::new(),
                _ => vec![vec!["4711"]],
            };
            Ok((crate::testing::one_row(), rows))
        });
        assert_eq!(end.unwrap(), End::Committed);
        assert_eq!(names(&called), expected);
        for call in called
            .iter()
            .filter(|call| call.statement.name == "insert_child")
        {
            assert_eq!(call.values[0], Value::BigInt(4711));
        }
        let returning = called[1].statement.sql.ends_with("RETURNING autoInc");
        assert_eq!(returning, kind == Kind::Postgres);
    }
}

#[test]
fn operations_come_in_their_shares() {
    let workload = crud(&["select=40", "insert=30"]);
    let client = client(workload.as_ref(), 3);
    let mut counts = [0u32; 9];
    for _ in 0..20_000 {
        counts[workload.pick(&client).unwrap()] += 1;
    }
    let expected = [3200, 1600, 1600, 800, 800, 6000, 4000, 2000, 0];
    for (count, expected) in counts.iter().zip(expected) {
        assert!(count.abs_diff(expected) < 250, "{counts:?}");
    }
}

#[test]
fn inserts_of_one_row_and_of_a_batch_share_a_mix() {
    let arguments = [
        "insert=40",
        "select=30",
        "batch=50",
        "batch_share=25",
        "parents=2",
        "children=2",
    ];
    let workload = crud(&arguments);
    let picker = client(workload.as_ref(), 3);
    let mut counts = [0u32; 9];
    for _ in 0..20_000 {
        counts[workload.pick(&picker).unwrap()] += 1;
    }
    assert!(
        counts[5].abs_diff(6000) < 250 && counts[8].abs_diff(2000) < 200,
        "{counts:?}"
    );
    for (which, insert, rows) in [(5, "insert", 1), (8, "insert_batch", 50)] {
        let called = calls(Rc::clone(&workload), which, 1);
        assert_eq!(
            names(&called)[1..3],
            [insert.to_string(), format!("{insert}_child")]
        );
        assert_eq!(
            (called[1].values.len(), called[2].values.len()),
            (8 * rows, 3 * rows)
        );
    }
}

#[test]
fn inserts_that_are_all_alike_are_of_one_type() {
    for (arguments, rows) in [
        (["batch=1", "batch_share=50"], 1),
        (["batch=7", "batch_share=100"], 7),
    ] {
        let workload = crud(&arguments);
        assert_eq!(workload.transactions().len(), 8);
        let called = calls(workload, 5, 1);
        assert_eq!(
            (called[1].statement.name.as_ref(), called[1].values.len()),
            ("insert", 8 * rows)
        );
    }
}

#[test]
fn reads_are_single_statements_within_the_bounds_of_their_columns() {
    let workload = crud(&["rows=30000"]);
    for (which, name) in [
        "read_primary",
        "read_index",
        "read_range",
        "read_in",
        "read_exact",
    ]
    .into_iter()
    .enumerate()
    {
        for seed in 0..50 {
            let called = calls(Rc::clone(&workload), which, seed);
            assert_eq!(names(&called), [name]);
            assert_eq!(called[0].statement.effect, Effect::Read);
            assert_eq!(called[0].values.len(), called[0].statement.types.len());
            for value in &called[0].values {
                assert!(!matches!(value, Value::BigInt(key) if !(1..=2000).contains(key)));
            }
            if name == "read_range" {
                assert!(called[0].texts[0] < called[0].texts[1]);
            }
        }
    }
}

#[test]
fn exact_matches_ask_for_rows_that_prepare_loads() {
    let options: CrudOptions = settings("crud", &["rows=3", "parents=3"]);
    let data = StressData::new("crud", options.shape());
    let mut uuids: Vec<String> = (1..4)
        .map(|seed| rows_of(&data, 1, 0..1, seed)[0][2].clone())
        .collect();
    uuids.dedup();
    let mut known = Vec::new();
    values::uuid(&mut values::uuid_stream(1, 1), &mut known);
    assert_eq!(uuids, [String::from_utf8(known).unwrap()]);
}

#[test]
fn an_update_of_a_row_that_is_gone_is_expected() {
    let (_, end) = play(crud(&[]), 6, 1, |_| Ok((Reply::default(), Vec::new())));
    assert!(matches!(end, Ok(End::Expected(_))));
}

/// What a delete calls when its victim is row 5, and how it ends when so many rows go with each statement.
fn delete(arguments: &[&str], affected: u64) -> (Vec<Called>, End) {
    let (called, end) = play(crud(arguments), 7, 1, |call| {
        match call.statement.name.as_ref() {
            "victim" => Ok((crate::testing::one_row(), vec![vec!["5", "2015-02-03"]])),
            _ => Ok((Reply { rows: 0, affected }, Vec::new())),
        }
    });
    (called, end.unwrap())
}

#[test]
fn a_delete_takes_the_children_along() {
    let (called, end) = delete(&[], 1);
    assert_eq!(
        (names(&called), end),
        (vec!["victim", "delete"], End::Committed)
    );
    let (called, end) = delete(&["foreign_keys=false"], 1);
    assert_eq!(
        names(&called),
        ["victim", "begin", "delete_child", "delete", "commit"]
    );
    assert_eq!(end, End::Committed);
    assert_eq!(
        table(&called[2], "tbtest_child"),
        table(&called[3], "tbtest")
    );
    for call in &called[2..4] {
        assert_eq!(call.values[0], Value::BigInt(5));
        assert_eq!(call.texts, ["2015-02-03"]);
    }
}

#[test]
fn a_delete_that_came_too_late_commits_nothing() {
    let (called, end) = delete(&["foreign_keys=false"], 0);
    assert!(matches!(end, End::Expected(_)));
    assert!(!names(&called).contains(&"commit"));
}

#[test]
fn the_same_seed_gives_the_same_statements() {
    for which in 0..8 {
        let all = |seed| calls(crud(&[]), which, seed);
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
    }
}

#[test]
fn every_row_has_a_child_with_its_date() {
    let options: CrudOptions = settings("crud", &["rows=20", "parents=3", "children=4"]);
    let data = StressData::new("crud", options.shape());
    let tables = data.tables();
    let column = |table: usize, column: usize| -> Vec<String> {
        let rows = rows_of(&data, table, 0..tables[table].units, 9);
        rows.into_iter().map(|mut row| row.remove(column)).collect()
    };
    for child in 0..4 {
        let parent = child % 3;
        assert_eq!(column(parent, 0), column(3 + child, 0));
        assert_eq!(column(parent, 7), column(3 + child, 2));
    }
    let total: u64 = tables[..3].iter().map(|table| table.units).sum();
    assert_eq!(total, 20);
}

#[test]
fn foreign_keys_are_made_only_if_wanted() {
    let made = |foreign_keys| {
        let shape = Shape {
            foreign_keys,
            ..settings::<CrudOptions>("crud", &[]).shape()
        };
        let stages = StressData::new("crud", shape).finish(Kind::Mysql);
        stages
            .concat()
            .iter()
            .filter(|sql| sql.contains("FOREIGN KEY"))
            .count()
    };
    assert_eq!((made(true), made(false)), (15, 0));
}

proptest! {
    #[test]
    fn every_child_table_has_one_parent_table(parents in 1u32..40, children in 0u32..80) {
        let shape = Shape { parents, children, foreign_keys: false, rows: 0, odd: 0 };
        let mut seen = Vec::new();
        for parent in 0..parents {
            for child in shape.children_of(parent) {
                prop_assert_eq!(shape.parent_of(child), parent);
                seen.push(child);
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..children).collect::<Vec<_>>());
    }

    #[test]
    fn dates_sort_like_their_days(first in 0..DAYS, second in 0..DAYS) {
        let date = |day| { let mut out = Vec::new(); values::date(day, &mut out); out };
        prop_assert_eq!(first.cmp(&second), date(first).cmp(&date(second)));
    }
}
