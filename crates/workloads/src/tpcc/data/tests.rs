use super::*;
use crate::testing;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use std::collections::{HashMap, HashSet};

type Line = Vec<String>;

fn data() -> TpccData {
    TpccData {
        warehouses: 3,
        foreign_keys: false,
    }
}

fn rows_of(table: usize, first: u64, count: u64, seed: u64) -> Vec<Line> {
    testing::rows_of(&data(), table, first..first + count, seed)
}

/// All rows of one district of the second warehouse, in tables with units per district.
fn of_district(table: usize) -> Vec<Line> {
    let rows = match table {
        NEW_ORDER => u64::from(NEW_OF_DISTRICT),
        _ => u64::from(CUSTOMERS),
    };
    rows_of(table, 14 * rows, rows, 1)
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

fn share(count: usize, all: usize, expected: f64) {
    let found = count as f64 / all as f64;
    assert!((found - expected).abs() < 0.02, "{found}, not {expected}");
}

#[test]
fn every_row_has_a_value_for_every_column() {
    for (table, (name, columns)) in schema::COLUMNS.iter().enumerate() {
        for row in rows_of(table, 0, 2, 1) {
            assert_eq!(row.len(), columns.split(", ").count(), "{name}");
        }
    }
}

#[test]
fn tables_have_the_cardinalities_of_the_specification() {
    let units: Vec<u64> = data().tables().iter().map(|table| table.units).collect();
    assert_eq!(
        units,
        [
            3, 100_000, 30, 90_000, 300_000, 90_000, 90_000, 27_000, 90_000
        ]
    );
}

#[test]
fn the_sums_of_warehouse_district_and_history_agree() {
    let warehouse = &rows_of(WAREHOUSE, 1, 1, 1)[0];
    let districts = rows_of(DISTRICT, 10, 10, 1);
    assert!(districts.iter().all(|row| row[1] == "2"));
    let sum: f64 = districts.iter().map(|row| number(&row[9])).sum();
    assert_eq!(number(&warehouse[8]), sum);
    let paid: f64 = of_district(HISTORY).iter().map(|row| number(&row[7])).sum();
    assert_eq!(number(&districts[4][9]), paid);
    assert_eq!(districts[4][10], "3001");
    for row in districts.iter().chain([warehouse]) {
        let tax = number(&row[row.len() - if row.len() == 9 { 2 } else { 3 }]);
        assert!((0.0..=0.2).contains(&tax), "{row:?}");
    }
}

#[test]
fn customers_have_names_credit_and_balances_as_specified() {
    let rows = of_district(CUSTOMER);
    assert_eq!(rows.len(), 3000);
    let names = |rows: &[Line]| {
        rows.iter()
            .map(|row| row[5].clone())
            .collect::<HashSet<_>>()
    };
    assert_eq!(names(&rows[..1000]).len(), 1000);
    assert!(names(&rows[1000..]).is_subset(&names(&rows[..1000])));
    assert_eq!(rows[371][5], "PRICALLYOUGHT");
    for row in &rows {
        assert_eq!(
            (row[1].as_str(), row[2].as_str(), row[4].as_str()),
            ("5", "2", "OE")
        );
        assert!((8..=16).contains(&row[3].len()) && row[11].len() == 16);
        assert!((300..=500).contains(&row[20].len()));
        assert!((0.0..=0.5).contains(&number(&row[15])));
        assert_eq!(row[16..20], ["-10.00", "10.00", "1", "0"]);
    }
    share(
        rows.iter().filter(|row| row[13] == "BC").count(),
        rows.len(),
        0.1,
    );
}

#[test]
fn orders_lines_and_new_orders_agree() {
    let orders = of_district(ORDERS);
    let customers: HashSet<&str> = orders.iter().map(|row| row[3].as_str()).collect();
    assert_eq!(customers.len(), 3000);
    let mut lines: HashMap<String, Vec<Line>> = HashMap::new();
    for line in of_district(ORDER_LINE) {
        lines.entry(line[0].clone()).or_default().push(line);
    }
    for row in &orders {
        let lines = &lines[&row[0]];
        assert_eq!(row[6], lines.len().to_string());
        assert!((5..=15).contains(&lines.len()));
        let delivered = number(&row[0]) < 2101.0;
        assert_eq!(row[5] != "\\N", delivered);
        for (at, line) in lines.iter().enumerate() {
            assert_eq!(line[3], (at + 1).to_string());
            assert_eq!(
                (line[6] != "\\N", line[8] == "0.00"),
                (delivered, delivered)
            );
            assert!((1.0..=100_000.0).contains(&number(&line[4])) && line[5] == "2");
        }
    }
    let new: Vec<String> = of_district(NEW_ORDER)
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    let expected: Vec<String> = (2101..=3000).map(|order: u32| order.to_string()).collect();
    assert_eq!(new, expected);
}

#[test]
fn districts_have_permutations_of_their_own() {
    let customers = |first| -> Vec<String> {
        rows_of(ORDERS, first, 3000, 1)
            .into_iter()
            .map(|row| row[3].clone())
            .collect()
    };
    assert_ne!(customers(0), customers(3000));
}

#[test]
fn items_and_stock_are_original_in_a_tenth() {
    for (table, column) in [(ITEM, 4), (STOCK, 16)] {
        let rows = rows_of(table, 0, 10_000, 1);
        let marked = rows
            .iter()
            .filter(|row| row[column].contains("ORIGINAL"))
            .count();
        share(marked, rows.len(), 0.1);
        assert!(
            rows.iter()
                .all(|row| (26..=50).contains(&row[column].len()))
        );
    }
    let second = &rows_of(STOCK, 100_000, 1, 1)[0];
    assert_eq!(second[..2], ["1", "2"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn rows_depend_on_seed_and_unit_only(
        table in 0usize..9, first in 0u64..2, count in 2u64..10, cut in 1u64..9, near in 0u64..9, seed in any::<u64>(),
    ) {
        // Near the border of two districts, where orders change their permutation.
        let units = data().tables()[table].units;
        let first = (first * 3000).saturating_sub(near) % (units - count.min(units - 1));
        let count = count.min(units - first);
        let cut = cut.min(count - 1).max(1).min(count);
        let mut parts = rows_of(table, first, cut, seed);
        parts.extend(rows_of(table, first + cut, count - cut, seed));
        prop_assert_eq!(parts, rows_of(table, first, count, seed));
    }
}
