use super::*;
use crate::testing::{Called, calls};
use crate::writes_and_reads::{MIXED, READ_ONLY};
use proptest::prelude::*;
use sql_wire::Value;
use std::collections::BTreeSet;

fn workload(keys: u32, reads: u32, read_only: u32) -> Rc<dyn Workload> {
    let options = RegistersOptions {
        keys,
        reads,
        read_only,
    };
    make(Kind::Postgres, &options)
}

/// The key and the value of a write.
fn written(called: &Called) -> (i64, i64) {
    match called.values[..] {
        [Value::BigInt(key), Value::BigInt(value)] => (key, value),
        _ => panic!("{called:?}"),
    }
}

proptest! {
    #[test]
    fn each_value_is_written_once(keys in 1..6u32, seeds in 1..60u64) {
        let workload = workload(keys, 0, 0);
        let mut values = BTreeSet::new();
        for seed in 0..seeds {
            let all = calls(Rc::clone(&workload), MIXED, seed);
            prop_assert_eq!(all.len(), 1);
            let (key, value) = written(&all[0]);
            prop_assert!((1..=i64::from(keys)).contains(&key));
            prop_assert!(values.insert(value));
        }
    }
}

#[test]
fn values_of_several_loads_never_meet() {
    let values = |index| {
        let workload = workload(3, 0, 0);
        workload.one_of(index, 2);
        let all = (0..20).flat_map(|seed| calls(Rc::clone(&workload), MIXED, seed));
        let values: BTreeSet<i64> = all.map(|called| written(&called).1).collect();
        values
    };
    assert!(values(0).len() == 20 && values(0).is_disjoint(&values(1)));
}

#[test]
fn an_operation_is_one_statement_and_no_transaction() {
    for seed in 0..20 {
        let read = calls(workload(5, 100, 0), MIXED, seed);
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].statement.effect, Effect::Read);
        let write = calls(workload(5, 0, 0), MIXED, seed);
        assert_eq!(write[0].statement.effect, Effect::Write);
    }
}

#[test]
fn what_only_reads_may_go_to_replicas() {
    let workload = workload(5, 0, 40);
    let types = workload.transactions();
    assert!(types[MIXED].writes && !types[READ_ONLY].writes);
    for seed in 0..20 {
        let all = calls(Rc::clone(&workload), READ_ONLY, seed);
        assert_eq!(all[0].statement.name, "register_read");
    }
}
