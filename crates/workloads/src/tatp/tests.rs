use super::*;
use crate::client::Exchange;
use crate::testing::{Answered, Called, calls, one_row, play, settings};
use proptest::prelude::{any, prop_assert, proptest};
use sql_wire::{Reply, Value};
use std::collections::HashMap;

fn tatp(changes: &[&str]) -> Rc<Tatp> {
    Rc::new(Tatp::new(Kind::Noop, settings("tatp", changes)))
}

fn which(name: &str) -> usize {
    TYPES.iter().position(|of| of.0 == name).unwrap()
}

fn names(called: &[Called]) -> Vec<&str> {
    called.iter().map(|call| &*call.statement.name).collect()
}

fn ints(call: &Called) -> Vec<i32> {
    let of = |value: &Value| match *value {
        Value::Int(number) => Some(number),
        _ => None,
    };
    call.values.iter().filter_map(of).collect()
}

/// Runs a transaction on a server that answers one statement otherwise than with one row.
fn with(
    transaction: &str,
    statement: &str,
    answered: Answered,
) -> (Vec<Called>, Result<End, Failure>) {
    play(tatp(&[]), which(transaction), 3, |called| {
        match called.statement.name == statement {
            true => answered.clone(),
            false => Ok((one_row(), Vec::new())),
        }
    })
}

fn refused(class: Class, code: &str) -> Answered {
    Err(Failure::new(class, code, "no"))
}

#[test]
fn transactions_have_the_statements_of_the_description() {
    let all: [&[&str]; 7] = [
        &["get_subscriber"],
        &["get_destination"],
        &["get_access"],
        &["begin", "update_bit", "update_facility", "commit"],
        &["update_location"],
        &[
            "begin",
            "subscriber_by_number",
            "facilities",
            "insert_forwarding",
            "commit",
        ],
        &[
            "begin",
            "subscriber_by_number",
            "delete_forwarding",
            "commit",
        ],
    ];
    for (which, expected) in all.into_iter().enumerate() {
        let called = calls(tatp(&[]), which, 1);
        assert_eq!(names(&called), expected);
        for call in called {
            assert_eq!(call.statement.types.len(), call.values.len());
        }
    }
}

#[test]
fn finding_no_row_is_expected_and_undone() {
    let none = || Ok((Reply::default(), Vec::new()));
    for (transaction, statement, reason) in [
        ("get_new_destination", "get_destination", NO_FORWARDING),
        ("get_access_data", "get_access", NO_ACCESS),
        ("update_subscriber_data", "update_facility", NO_FACILITY),
        ("delete_call_forwarding", "delete_forwarding", NO_FORWARDING),
    ] {
        let (called, end) = with(transaction, statement, none());
        assert_eq!(end, Ok(End::Expected(reason)));
        assert!(!names(&called).contains(&"commit"), "{transaction}");
    }
}

#[test]
fn a_refused_insert_is_expected_for_its_key_only() {
    for (class, code, expected) in [
        (Class::Constraint, "1062", Some(EXISTS)),
        (Class::Constraint, "23505", Some(EXISTS)),
        (Class::Constraint, "1452", Some(NO_FACILITY)),
        (Class::Constraint, "23503", Some(NO_FACILITY)),
        (Class::Deadlock, "40P01", None),
        (Class::Connection, "closed", None),
    ] {
        let refused = refused(class, code);
        let (called, end) = with("insert_call_forwarding", "insert_forwarding", refused);
        match expected {
            Some(reason) => assert_eq!(end, Ok(End::Expected(reason))),
            None => assert_eq!(end.unwrap_err().class, class),
        }
        assert!(!names(&called).contains(&"commit"));
    }
}

#[test]
fn a_commit_that_fails_is_no_expected_end() {
    let refused = refused(Class::Constraint, "23503");
    let (_, end) = with("insert_call_forwarding", "commit", refused);
    assert_eq!(end.unwrap_err().code, "23503");
}

#[test]
fn a_subscriber_must_be_there() {
    for (transaction, statement) in [
        ("get_subscriber_data", "get_subscriber"),
        ("update_subscriber_data", "update_bit"),
        ("update_location", "update_location"),
        ("insert_call_forwarding", "subscriber_by_number"),
        ("delete_call_forwarding", "subscriber_by_number"),
    ] {
        let (_, end) = with(transaction, statement, Ok((Reply::default(), Vec::new())));
        let failure = end.unwrap_err();
        assert!(failure.message.contains("subscribers"), "{failure}");
    }
}

#[test]
fn numbers_are_ids_with_zeros_in_front() {
    let workload = tatp(&["subscribers=1"]);
    let called = calls(workload, which("update_location"), 1);
    assert_eq!(called[0].texts, ["000000000000001"]);
}

#[test]
fn the_mix_is_obeyed() {
    for (flags, shares) in [
        (&[][..], [35.0, 10.0, 35.0, 2.0, 14.0, 2.0, 2.0]),
        (&["mix=r20w80"], [9.0, 2.0, 9.0, 8.0, 56.0, 8.0, 8.0]),
        (
            &["mix=0,100,0,0,0,0,0"],
            [0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ),
    ] {
        let workload = tatp(flags);
        let exchange = Exchange::new(Kind::Noop, workload.statements());
        let client = Client::new(0, exchange, Rng::new(5, 0));
        let mut seen = [0.0; 7];
        for _ in 0..100_000 {
            seen[workload.pick(&client).unwrap()] += 1.0;
        }
        for (seen, share) in seen.into_iter().zip(shares) {
            // Five standard deviations of a binomial distribution.
            let deviation = f64::sqrt(1000.0 * share * (1.0 - share / 100.0));
            assert!(
                (seen - 1000.0 * share).abs() <= 5.0 * deviation,
                "{seen} {share}"
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_statements() {
    for which in 0..7 {
        let all = |seed| calls(tatp(&[]), which, seed);
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
    }
}

#[test]
fn parameters_cover_their_domains_evenly() {
    let mut seen: HashMap<(usize, i32), u32> = HashMap::new();
    for seed in 0..6000 {
        let called = calls(tatp(&[]), which("get_new_destination"), seed);
        for (place, value) in ints(&called[0]).into_iter().enumerate().skip(1) {
            *seen.entry((place, value)).or_default() += 1;
        }
    }
    let count = |place, values: Vec<i32>, each: u32| {
        let of_place = seen.keys().filter(|key| key.0 == place).count();
        assert_eq!(of_place, values.len());
        for value in values {
            let seen = f64::from(seen[&(place, value)]);
            assert!((seen - f64::from(each)).abs() < 5.0 * f64::from(each).sqrt());
        }
    };
    count(1, vec![1, 2, 3, 4], 1500);
    count(2, vec![0, 8, 16], 2000);
    count(3, (1..=24).collect(), 250);
}

#[test]
fn some_subscribers_are_chosen_more_often() {
    let most = |flags: &[&str]| {
        let workload = tatp(flags);
        let mut rng = Rng::new(3, 3);
        let mut seen = vec![0u32; 100_001];
        for _ in 0..200_000 {
            seen[workload.subscriber(&mut rng) as usize] += 1;
        }
        assert_eq!(seen[0], 0);
        *seen.iter().max().unwrap()
    };
    let (even, uneven) = (most(&["choice=uniform"]), most(&[]));
    assert!(even < 20 && uneven > 100, "{even} {uneven}");
}

#[test]
fn the_constant_of_the_choice_goes_with_the_population() {
    let all = [1, 1_000_000, 1_000_001, 10_000_000, 10_000_001].map(spread);
    assert_eq!(all, [65_535, 65_535, 1_048_575, 1_048_575, 2_097_151]);
}

proptest! {
    #[test]
    fn subscribers_exist(seed in any::<u64>(), subscribers in 1u32..2_000_000_000) {
        let workload = tatp(&[&format!("subscribers={subscribers}")]);
        let s_id = workload.subscriber(&mut Rng::new(seed, 0));
        prop_assert!((1..=subscribers).contains(&s_id));
    }
}
