use super::*;
use crate::testing::Called;
use crate::tpcc::money::cents;
use crate::tpcc::tests::{NEW_ORDER, ints, named, names, price, run};
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use std::collections::HashMap;

/// The order lines that were inserted: their nine values, texts last.
fn lines(called: &[Called]) -> Vec<(Vec<i32>, Vec<String>)> {
    let insert = named(called, "insert_lines")[0];
    let values = ints(insert);
    let numbers = values.chunks(7).map(<[i32]>::to_vec);
    numbers
        .zip(insert.texts.chunks(2).map(<[String]>::to_vec))
        .collect()
}

#[test]
fn an_order_is_put_together_in_the_specified_steps() {
    let (called, end) = run(&[], NEW_ORDER, 1);
    assert_eq!(end, Ok(End::Committed));
    let count = lines(&called).len();
    let mut expected = vec![
        "begin",
        "customer_discount",
        "items",
        "lock_district",
        "next_order",
    ];
    expected.extend(["insert_order", "insert_new_order", "lock_stock"]);
    expected.extend(vec!["update_stock"; count]);
    expected.extend(["insert_lines", "commit"]);
    assert_eq!(names(&called), expected);
    let order = ints(named(&called, "insert_order")[0]);
    assert_eq!((order[0], order[4], order[5]), (3001, count as i32, 1));
    for (index, (line, texts)) in lines(&called).into_iter().enumerate() {
        assert_eq!(line[..4], [3001, order[1], 1, index as i32 + 1]);
        let each = cents(price(line[4]).as_bytes()).unwrap();
        let amount = cents(texts[0].as_bytes()).unwrap();
        assert_eq!(amount, each * i64::from(line[6]));
        assert_eq!(texts[1], format!("district{:016}", order[1]));
    }
}

#[test]
fn orders_are_as_varied_as_specified() {
    let (mut undone, mut remote, mut total) = (0, 0, 0);
    let mut counts: HashMap<usize, u32> = HashMap::new();
    for seed in 0..8000 {
        let (called, end) = run(&["warehouses=5"], NEW_ORDER, seed);
        let order = ints(named(&called, "insert_order")[0]);
        *counts.entry(order[4] as usize).or_default() += 1;
        let lines = lines(&called);
        match end.unwrap() {
            End::Committed => assert_eq!(lines.len(), order[4] as usize),
            End::Expected(_) => {
                undone += 1;
                assert_eq!(lines.len(), order[4] as usize - 1);
                assert_eq!(names(&called).last(), Some(&"rollback"));
                assert_eq!(named(&called, "update_stock").len(), lines.len());
            }
        }
        let of_others = lines.iter().filter(|line| line.0[5] != 1).count();
        assert!(order[5] == 0 || of_others == 0);
        remote += of_others;
        total += lines.len();
    }
    assert!((36..=124).contains(&undone), "{undone}");
    let share = remote as f64 / total as f64;
    assert!((0.0082..0.0118).contains(&share), "{share}");
    assert_eq!(counts.len(), 11);
    assert!(
        counts.values().all(|count| (600..860).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn stock_of_several_warehouses_is_locked_in_their_order() {
    for seed in 0..500 {
        let (called, _) = run(&["warehouses=5"], NEW_ORDER, seed);
        let locks = named(&called, "lock_stock");
        let warehouses: Vec<i32> = locks.iter().map(|call| ints(call)[1]).collect();
        assert!(warehouses.windows(2).all(|pair| pair[0] < pair[1]));
        for update in named(&called, "update_stock") {
            let values = ints(update);
            assert!(warehouses.contains(&values[3]));
            assert_eq!(values[2], i32::from(values[3] != 1));
        }
    }
}

#[test]
fn two_lines_with_one_item_share_its_stock() {
    let mut shared = 0;
    for seed in 0..3000 {
        let (called, _) = run(&[], NEW_ORDER, seed);
        let mut left: HashMap<i32, i32> = HashMap::new();
        for update in named(&called, "update_stock") {
            let values = ints(update);
            let before = left.get(&values[4]).copied();
            shared += u32::from(before.is_some());
            let after = left_over(before.unwrap_or(20), values[1]);
            assert_eq!(values[0], after);
            left.insert(values[4], after);
        }
    }
    assert!(shared > 0);
}

proptest! {
    #[test]
    fn stock_stays_between_10_and_100(stock in 10i32..=100, ordered in 1i32..=10) {
        let left = left_over(stock, ordered);
        prop_assert!((10..=100).contains(&left));
        prop_assert_eq!((left + ordered - stock) % 91, 0);
    }

    #[test]
    fn lists_are_filled_up_with_their_last_item(items in proptest::collection::vec(1u32..9, 1..=MOST_LINES)) {
        let filled = filled_up(items.iter().copied());
        prop_assert_eq!(&filled[..items.len()], &items[..]);
        prop_assert!(filled[items.len()..].iter().all(|item| Some(item) == items.last()));
    }
}
