//! The population of TPC-C's nine tables, clause 4.3.3.
//!
//! The sums agree from the beginning, so that the consistency conditions of clause 3.3.2 hold right after
//! loading. "Now" is a fixed time, as the same seed has to give the same rows.

use super::options::TpccOptions;
use super::random::{
    CUSTOMERS, Constants, DISTRICTS, ITEMS, a_string, data_string, last_name, zip,
};
use super::schema;
use crate::dataset::{Chunk, DataSet, Encoder, Table};
use base::rng::Rng;
use sql_wire::Kind;
use std::ops::RangeInclusive;

/// Positions of tables, parents first.
pub const WAREHOUSE: usize = 0;
pub const ITEM: usize = 1;
pub const DISTRICT: usize = 2;
pub const CUSTOMER: usize = 3;
pub const STOCK: usize = 4;
pub const ORDERS: usize = 5;
pub const ORDER_LINE: usize = 6;
pub const NEW_ORDER: usize = 7;
pub const HISTORY: usize = 8;
/// No table: the random numbers of each district's permutation of customers.
const PERMUTATION: usize = 9;

/// Orders of a district when loaded; those from this one on are not delivered yet.
const ORDERS_OF_DISTRICT: u32 = CUSTOMERS;
const FIRST_NEW: u32 = 2101;
const NEW_OF_DISTRICT: u32 = ORDERS_OF_DISTRICT - FIRST_NEW + 1;

/// When everything happened that is there when a run begins: 2024-01-01, in seconds since 1970.
const LOADED_AT: i64 = 1_704_067_200;

pub struct TpccData {
    warehouses: u32,
    foreign_keys: bool,
}

impl TpccData {
    pub fn new(options: &TpccOptions) -> TpccData {
        TpccData {
            warehouses: options.warehouses,
            foreign_keys: options.foreign_keys,
        }
    }
}

/// Which warehouse, which district and which row in it a unit is; each counts from 1.
fn place(unit: u64, rows_of_district: u32) -> (u32, u32, u32) {
    let row = (unit % u64::from(rows_of_district)) as u32 + 1;
    let (w, d) = place_of_district(unit / u64::from(rows_of_district));
    (w, d, row)
}

fn place_of_district(district: u64) -> (u32, u32) {
    let districts = u64::from(DISTRICTS);
    (
        (district / districts) as u32 + 1,
        (district % districts) as u32 + 1,
    )
}

/// Two lines of street, city, state, zip code, clause 4.3.3.1.
fn address(rng: &mut Rng, rows: &mut Encoder) {
    for _ in 0..3 {
        rows.plain(|out| a_string(rng, 10, 20, out));
    }
    rows.plain(|out| a_string(rng, 2, 2, out));
    rows.plain(|out| zip(rng, out));
}

fn warehouse(unit: u64, rng: &mut Rng, rows: &mut Encoder) {
    rows.begin().int(unit as i64 + 1);
    rows.plain(|out| a_string(rng, 6, 10, out));
    address(rng, rows);
    rows.decimal(rng.uniform(0, 2000).into(), 4);
    rows.decimal(30_000_000, 2).end();
}

fn district(unit: u64, rng: &mut Rng, rows: &mut Encoder) {
    let (w, d) = place_of_district(unit);
    rows.begin().int(d).int(w);
    rows.plain(|out| a_string(rng, 6, 10, out));
    address(rng, rows);
    rows.decimal(rng.uniform(0, 2000).into(), 4);
    rows.decimal(3_000_000, 2).int(ORDERS_OF_DISTRICT + 1).end();
}

fn item(unit: u64, rng: &mut Rng, rows: &mut Encoder) {
    rows.begin()
        .int(unit as i64 + 1)
        .int(rng.uniform(1, 10_000));
    rows.plain(|out| a_string(rng, 14, 24, out));
    rows.decimal(rng.uniform(100, 10_000).into(), 2);
    rows.plain(|out| data_string(rng, 26, 50, out)).end();
}

fn stock(unit: u64, rng: &mut Rng, rows: &mut Encoder) {
    let items = u64::from(ITEMS);
    rows.begin()
        .int((unit % items) as i64 + 1)
        .int((unit / items) as i64 + 1);
    rows.int(rng.uniform(10, 100));
    for _ in 0..DISTRICTS {
        rows.plain(|out| a_string(rng, 24, 24, out));
    }
    rows.int(0).int(0).int(0);
    rows.plain(|out| data_string(rng, 26, 50, out)).end();
}

fn customer(unit: u64, rng: &mut Rng, rows: &mut Encoder) {
    let (w, d, c) = place(unit, CUSTOMERS);
    // The first thousand have each last name once.
    let name = match c {
        1..=1000 => c - 1,
        _ => Constants::LOAD.pick_last_name(rng),
    };
    rows.begin().int(c).int(d).int(w);
    rows.plain(|out| a_string(rng, 8, 16, out)).text("OE");
    rows.plain(|out| last_name(name, out));
    address(rng, rows);
    rows.plain(|out| rng.digits(16, out)).timestamp(LOADED_AT);
    rows.text(if rng.uniform(0, 9) == 0 { "BC" } else { "GC" });
    rows.decimal(5_000_000, 2);
    rows.decimal(rng.uniform(0, 5000).into(), 4);
    rows.decimal(-1000, 2).decimal(1000, 2).int(1).int(0);
    rows.plain(|out| a_string(rng, 300, 500, out)).end();
}

fn history(unit: u64, rng: &mut Rng, rows: &mut Encoder) {
    let (w, d, c) = place(unit, CUSTOMERS);
    rows.begin().int(unit as i64 + 1);
    rows.int(c).int(d).int(w).int(d).int(w).timestamp(LOADED_AT);
    rows.decimal(1000, 2);
    rows.plain(|out| a_string(rng, 12, 24, out)).end();
}

/// Lines of an order, the first number that is drawn for it.
fn line_count(rng: &mut Rng) -> u32 {
    rng.uniform(5, 15)
}

fn order(place: (u32, u32, u32), customer: u32, rng: &mut Rng, rows: &mut Encoder) {
    let (w, d, o) = place;
    let lines = line_count(rng);
    rows.begin()
        .int(o)
        .int(d)
        .int(w)
        .int(customer)
        .timestamp(LOADED_AT);
    match o < FIRST_NEW {
        true => rows.int(rng.uniform(1, 10)),
        false => rows.null(),
    };
    rows.int(lines).int(1).end();
}

/// The lines of an order; `order` are the random numbers of the order itself.
fn order_lines(unit: u64, order: &mut Rng, rng: &mut Rng, rows: &mut Encoder) {
    let (w, d, o) = place(unit, ORDERS_OF_DISTRICT);
    for line in 1..=line_count(order) {
        rows.begin().int(o).int(d).int(w).int(line);
        rows.int(rng.uniform(1, ITEMS)).int(w);
        let amount = match o < FIRST_NEW {
            true => {
                rows.timestamp(LOADED_AT);
                0
            }
            false => {
                rows.null();
                rng.uniform(1, 999_999)
            }
        };
        rows.int(5).decimal(amount.into(), 2);
        rows.plain(|out| a_string(rng, 24, 24, out)).end();
    }
}

fn new_order(unit: u64, rows: &mut Encoder) {
    let (w, d, number) = place(unit, NEW_OF_DISTRICT);
    rows.begin().int(FIRST_NEW - 1 + number).int(d).int(w).end();
}

/// The customers of a district in the order of their orders: a permutation of all.
fn permutation(mut rng: Rng) -> Vec<u32> {
    let mut customers: Vec<u32> = (1..=CUSTOMERS).collect();
    for last in (1..customers.len()).rev() {
        customers.swap(last, rng.uniform(0, last as u32) as usize);
    }
    customers
}

fn orders(chunk: &Chunk, rows: &mut Encoder) {
    let mut known: Option<(u64, Vec<u32>)> = None;
    for unit in chunk.units() {
        let district = unit / u64::from(ORDERS_OF_DISTRICT);
        let customers = match known.take() {
            Some((same, customers)) if same == district => customers,
            _ => permutation(chunk.rng_of(PERMUTATION, district)),
        };
        let place = place(unit, ORDERS_OF_DISTRICT);
        let customer = customers[place.2 as usize - 1];
        order(place, customer, &mut chunk.rng(unit), rows);
        known = Some((district, customers));
    }
}

impl DataSet for TpccData {
    fn family(&self) -> &'static str {
        "tpcc"
    }

    fn description(&self) -> String {
        format!(
            "warehouses={} foreign_keys={}",
            self.warehouses, self.foreign_keys
        )
    }

    fn tables(&self) -> Vec<Table> {
        let districts = u64::from(self.warehouses) * u64::from(DISTRICTS);
        let customers = districts * u64::from(CUSTOMERS);
        let units = [
            self.warehouses.into(),
            ITEMS.into(),
            districts,
            customers,
            u64::from(self.warehouses) * u64::from(ITEMS),
            customers,
            customers,
            districts * u64::from(NEW_OF_DISTRICT),
            customers,
        ];
        let mut tables: Vec<Table> = schema::COLUMNS
            .iter()
            .zip(units)
            .map(|((name, columns), units)| Table::of_rows(*name, columns, units))
            .collect();
        tables[ORDER_LINE].rows_per_unit = 10.0;
        tables
    }

    fn row_bounds(&self, at: usize, table: &Table) -> RangeInclusive<u64> {
        match at {
            ORDER_LINE => 5 * table.units..=15 * table.units,
            _ => table.units..=table.units,
        }
    }

    fn create(&self, kind: Kind) -> Vec<String> {
        schema::create(kind, self.foreign_keys)
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        if chunk.table == ORDERS {
            return orders(chunk, rows);
        }
        for unit in chunk.units() {
            let mut rng = chunk.rng(unit);
            match chunk.table {
                WAREHOUSE => warehouse(unit, &mut rng, rows),
                ITEM => item(unit, &mut rng, rows),
                DISTRICT => district(unit, &mut rng, rows),
                CUSTOMER => customer(unit, &mut rng, rows),
                STOCK => stock(unit, &mut rng, rows),
                ORDER_LINE => {
                    order_lines(unit, &mut chunk.rng_of(ORDERS, unit), &mut rng, rows);
                }
                NEW_ORDER => new_order(unit, rows),
                _ => {
                    debug_assert_eq!(chunk.table, HISTORY);
                    history(unit, &mut rng, rows);
                }
            }
        }
    }

    fn index(&self, kind: Kind, at: usize) -> Vec<String> {
        let rows = u64::from(self.warehouses) * u64::from(DISTRICTS * CUSTOMERS);
        schema::index(kind, at, rows)
    }

    fn finish(&self, kind: Kind) -> Vec<Vec<String>> {
        schema::finish(kind, self.foreign_keys)
    }
}

#[cfg(test)]
mod tests;
