use super::*;
use crate::testing::{Called, calls};
use crate::writes_and_reads::{MIXED, READ_ONLY};
use proptest::prelude::*;
use sql_wire::Value;
use std::collections::BTreeMap;

fn workload(keys: u32, max_appends: u32, reads: u32) -> Rc<dyn Workload> {
    let options = AppendOptions {
        keys,
        max_appends,
        operations: 4,
        reads,
        read_only: 0,
        isolation: Isolation::Server,
    };
    make(Kind::Mysql, &options)
}

/// The key and the value of each append.
fn appends(all: &[Called]) -> Vec<(i64, i64)> {
    all.iter()
        .filter(|called| called.statement.name == "append")
        .map(|called| match called.values[0] {
            Value::BigInt(key) => (key, called.texts[0].parse().unwrap()),
            _ => panic!("{called:?}"),
        })
        .collect()
}

proptest! {
    #[test]
    fn values_are_unique_and_lists_are_replaced_in_time(
        keys in 1..6u32, most in 1..5u32, seeds in 1..60u64
    ) {
        let workload = workload(keys, most, 30);
        let mut by_key = BTreeMap::<i64, u32>::new();
        let mut last = 0;
        for seed in 0..seeds {
            let all = calls(Rc::clone(&workload), 0, seed);
            prop_assert!((3..=6).contains(&all.len()));
            for (key, value) in appends(&all) {
                prop_assert!(value > last);
                last = value;
                *by_key.entry(key).or_default() += 1;
            }
        }
        prop_assert!(by_key.values().all(|&count| count <= most));
        let full = by_key.values().filter(|&&count| count == most).count();
        prop_assert!(by_key.len() <= full + keys as usize);
    }
}

#[test]
fn values_of_several_loads_never_meet() {
    let values = |index| {
        let workload = workload(3, 100, 0);
        workload.one_of(index, 2);
        let all: Vec<Called> = (0..20)
            .flat_map(|seed| calls(Rc::clone(&workload), 0, seed))
            .collect();
        let values = appends(&all).into_iter().map(|(_, value)| value);
        values.collect::<std::collections::BTreeSet<i64>>()
    };
    assert!(!values(0).is_empty() && values(0).is_disjoint(&values(1)));
}

#[test]
fn a_transaction_that_only_reads_appends_nothing() {
    let options = AppendOptions {
        keys: 5,
        max_appends: 32,
        operations: 4,
        reads: 0,
        read_only: 40,
        isolation: Isolation::Server,
    };
    let workload = make(Kind::Postgres, &options);
    let types = workload.transactions();
    assert_eq!(types.len(), 2);
    assert!(types[MIXED].writes && !types[READ_ONLY].writes);
    for seed in 0..20 {
        assert!(appends(&calls(Rc::clone(&workload), READ_ONLY, seed)).is_empty());
        assert!(!appends(&calls(Rc::clone(&workload), MIXED, seed)).is_empty());
    }
}

#[test]
fn a_transaction_begins_and_commits_around_its_operations() {
    let all = calls(workload(5, 32, 50), 0, 7);
    assert_eq!(all[0].statement.effect, Effect::Begin);
    assert_eq!(all[all.len() - 1].statement.effect, Effect::Commit);
    let reads = calls(workload(5, 32, 100), 0, 7);
    assert!(appends(&reads).is_empty());
}
