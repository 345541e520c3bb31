use super::*;
use crate::testing;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::collections::{HashMap, HashSet};

const SUBSCRIBERS: u32 = 20_000;

fn rows_of(table: usize, first: u64, count: u64, seed: u64) -> Vec<Vec<String>> {
    let data = TatpData {
        subscribers: SUBSCRIBERS,
    };
    testing::rows_of(&data, table, first..first + count, seed)
}

fn all(table: usize) -> Vec<Vec<String>> {
    rows_of(table, 0, u64::from(SUBSCRIBERS), 1)
}

/// How many groups of rows with equal first columns have 0, 1, 2, … members, as shares of all groups.
fn shares_of_counts(rows: &[Vec<String>], columns: usize, groups: usize) -> Vec<f64> {
    let mut members: HashMap<&[String], usize> = HashMap::new();
    for row in rows {
        *members.entry(&row[..columns]).or_default() += 1;
    }
    let mut counts = vec![0usize; 5];
    for count in members.values() {
        counts[*count] += 1;
    }
    counts[0] = groups - members.len();
    counts
        .into_iter()
        .map(|count| count as f64 / groups as f64)
        .collect()
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 0.015, "{value}, not {expected}");
}

#[test]
fn subscribers_are_numbered_and_within_their_domains() {
    let rows = all(SUBSCRIBER);
    assert_eq!(rows.len(), SUBSCRIBERS as usize);
    for (at, row) in rows.iter().enumerate() {
        let id = at as u64 + 1;
        assert_eq!(row.len(), 34);
        assert_eq!(
            (row[0].clone(), row[1].clone()),
            (id.to_string(), format!("{id:015}"))
        );
        let numbers: Vec<u64> = row[2..]
            .iter()
            .map(|field| field.parse().unwrap())
            .collect();
        assert!(numbers[..10].iter().all(|&bit| bit <= 1));
        assert!(numbers[10..20].iter().all(|&hex| hex <= 15));
        assert!(numbers[20..30].iter().all(|&byte| byte <= 255));
        assert!(
            numbers[30..]
                .iter()
                .all(|&place| (1..1 << 32).contains(&place))
        );
    }
    let ones = rows.iter().filter(|row| row[2] == "1").count();
    near(ones as f64 / f64::from(SUBSCRIBERS), 0.5);
}

#[test]
fn one_to_four_access_infos_and_facilities_of_distinct_types() {
    for table in [ACCESS_INFO, SPECIAL_FACILITY] {
        let rows = all(table);
        let keys: HashSet<(&str, &str)> = rows
            .iter()
            .map(|row| (row[0].as_str(), row[1].as_str()))
            .collect();
        assert_eq!(keys.len(), rows.len());
        assert!(
            rows.iter()
                .all(|row| ["1", "2", "3", "4"].contains(&row[1].as_str()))
        );
        let shares = shares_of_counts(&rows, 1, SUBSCRIBERS as usize);
        assert_eq!(shares[0], 0.0);
        shares[1..].iter().for_each(|&share| near(share, 0.25));
        for kind in ["1", "2", "3", "4"] {
            let share = rows.iter().filter(|row| row[1] == kind).count() as f64;
            near(share / rows.len() as f64, 0.25);
        }
    }
}

#[test]
fn texts_have_their_lengths_and_most_facilities_are_active() {
    for row in &all(ACCESS_INFO)[..1000] {
        assert_eq!((row[4].len(), row[5].len()), (3, 5));
        assert!(
            row[4]
                .bytes()
                .chain(row[5].bytes())
                .all(|byte| byte.is_ascii_uppercase())
        );
    }
    let facilities = all(SPECIAL_FACILITY);
    let active = facilities.iter().filter(|row| row[2] == "1").count();
    near(active as f64 / facilities.len() as f64, 0.85);
}

#[test]
fn call_forwardings_belong_to_facilities_that_exist() {
    let facilities = all(SPECIAL_FACILITY);
    let known: HashSet<&[String]> = facilities.iter().map(|row| &row[..2]).collect();
    let rows = all(CALL_FORWARDING);
    let keys: HashSet<&[String]> = rows.iter().map(|row| &row[..3]).collect();
    assert_eq!(keys.len(), rows.len());
    for row in &rows {
        assert!(known.contains(&row[..2]));
        let start: u32 = row[2].parse().unwrap();
        let end: u32 = row[3].parse().unwrap();
        assert!([0, 8, 16].contains(&start) && (1..=8).contains(&(end - start)));
        assert!(row[4].len() == 15 && row[4].bytes().all(|byte| byte.is_ascii_digit()));
    }
    let shares = shares_of_counts(&rows, 2, facilities.len());
    shares[..4].iter().for_each(|&share| near(share, 0.25));
    assert_eq!(shares[4], 0.0);
}

proptest! {
    #[test]
    fn rows_depend_on_seed_and_subscriber_only(
        table in 0usize..4, first in 0u64..19_000, count in 2u64..50, cut in 1u64..49, seed in any::<u64>(),
    ) {
        let cut = cut.min(count - 1);
        let mut parts = rows_of(table, first, cut, seed);
        parts.extend(rows_of(table, first + cut, count - cut, seed));
        prop_assert_eq!(parts, rows_of(table, first, count, seed));
    }

    #[test]
    fn counts_stay_within_the_bounds(first in 0u64..20_000, seed in any::<u64>()) {
        let one = TatpData { subscribers: 1 };
        for (at, table) in one.tables().iter().enumerate() {
            let count = rows_of(at, first, 1, seed).len() as u64;
            prop_assert!(one.row_bounds(at, table).contains(&count));
        }
    }
}
