//! The four tables of TATP and their population.
//!
//! Of a population of S subscribers: S rows of `subscriber`; 1 to 4 of `access_info` and 1 to 4 of
//! `special_facility` for each subscriber, of distinct types, every number equally likely; 0 to 3 of
//! `call_forwarding` for each special facility, of distinct start times among 0, 8 and 16, every number equally
//! likely. (Summaries that speak of "0 to 4" cannot be right: start time is part of the key.) 85 % of the special
//! facilities are active. All other values are even over their domains.
//!
//! Keys between tables belong to the benchmark: `insert_call_forwarding` is expected to fail when the special
//! facility does not exist.

use super::TatpOptions;
use crate::dataset::{Chunk, DataSet, Encoder, Table, append_padded};
use base::rng::Rng;
use sql_wire::Kind;
use std::ops::RangeInclusive;

const SUBSCRIBER: usize = 0;
const ACCESS_INFO: usize = 1;
const SPECIAL_FACILITY: usize = 2;
const CALL_FORWARDING: usize = 3;

/// Digits of a subscriber's number, and of the number that calls are forwarded to.
pub const NUMBER_DIGITS: usize = 15;

pub struct TatpData {
    subscribers: u32,
}

impl TatpData {
    pub fn new(options: &TatpOptions) -> TatpData {
        TatpData {
            subscribers: options.subscribers,
        }
    }
}

/// The number of a subscriber: its id with zeros in front.
pub fn subscriber_number(s_id: u32, out: &mut Vec<u8>) {
    append_padded(u64::from(s_id), NUMBER_DIGITS, out);
}

fn subscriber(s_id: u32, rng: &mut Rng, rows: &mut Encoder) {
    rows.begin().int(s_id);
    rows.plain(|out| subscriber_number(s_id, out));
    for (columns, largest) in [(10, 1), (10, 15), (10, 255)] {
        for _ in 0..columns {
            rows.int(rng.uniform(0, largest));
        }
    }
    rows.int(rng.uniform(1, u32::MAX));
    rows.int(rng.uniform(1, u32::MAX)).end();
}

fn access_info(s_id: u32, rng: &mut Rng, rows: &mut Encoder) {
    let (types, count) = types(rng);
    for ai_type in &types[..count] {
        rows.begin().int(s_id).int(*ai_type);
        rows.int(rng.uniform(0, 255)).int(rng.uniform(0, 255));
        rows.plain(|out| letters(3, rng, out));
        rows.plain(|out| letters(5, rng, out)).end();
    }
}

fn special_facility(s_id: u32, rng: &mut Rng, rows: &mut Encoder) {
    let (types, count) = types(rng);
    for sf_type in &types[..count] {
        rows.begin().int(s_id).int(*sf_type);
        rows.int(i32::from(rng.uniform(1, 100) <= 85));
        rows.int(rng.uniform(0, 255)).int(rng.uniform(0, 255));
        rows.plain(|out| letters(5, rng, out)).end();
    }
}

/// `facilities` are the random numbers of the subscriber's special facilities.
fn call_forwarding(s_id: u32, facilities: &mut Rng, rng: &mut Rng, rows: &mut Encoder) {
    let (types, count) = types(facilities);
    for sf_type in &types[..count] {
        let mut starts = [0, 8, 16];
        shuffle(&mut starts, rng);
        for start in &starts[..rng.uniform(0, 3) as usize] {
            rows.begin().int(s_id).int(*sf_type).int(*start);
            rows.int(start + rng.uniform(1, 8));
            rows.plain(|out| rng.digits(NUMBER_DIGITS, out)).end();
        }
    }
}

/// 1 to 4 distinct types out of 1 to 4: the first ones of the array.
fn types(rng: &mut Rng) -> ([u32; 4], usize) {
    let mut types = [1, 2, 3, 4];
    shuffle(&mut types, rng);
    let count = rng.uniform(1, 4) as usize;
    (types, count)
}

fn shuffle(values: &mut [u32], rng: &mut Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, rng.uniform(0, last as u32) as usize);
    }
}

/// Capital letters.
fn letters(count: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    out.extend((0..count).map(|_| b'A' + rng.uniform(0, 25) as u8));
}

impl DataSet for TatpData {
    fn family(&self) -> &'static str {
        "tatp"
    }

    fn description(&self) -> String {
        format!("subscribers={}", self.subscribers)
    }

    fn tables(&self) -> Vec<Table> {
        let table = |name: &str, columns, rows_per_unit| Table {
            name: name.to_string(),
            columns,
            units: u64::from(self.subscribers),
            rows_per_unit,
        };
        vec![
            table("subscriber", SUBSCRIBER_COLUMNS, 1.0),
            table(
                "access_info",
                "s_id, ai_type, data1, data2, data3, data4",
                2.5,
            ),
            table(
                "special_facility",
                "s_id, sf_type, is_active, error_cntrl, data_a, data_b",
                2.5,
            ),
            table(
                "call_forwarding",
                "s_id, sf_type, start_time, end_time, numberx",
                3.75,
            ),
        ]
    }

    fn row_bounds(&self, at: usize, table: &Table) -> RangeInclusive<u64> {
        let subscribers = table.units;
        match at {
            SUBSCRIBER => subscribers..=subscribers,
            CALL_FORWARDING => 0..=12 * subscribers,
            _ => subscribers..=4 * subscribers,
        }
    }

    fn create(&self, kind: Kind) -> Vec<String> {
        let mysql = matches!(kind, Kind::Mysql | Kind::Noop);
        let tiny = if mysql { "TINYINT" } else { "SMALLINT" };
        // 1 to 2^32 - 1
        let location = match kind {
            _ if mysql => "INT UNSIGNED",
            Kind::Oracle => "NUMBER(10)",
            _ => "BIGINT",
        };
        let some = |name: &str, kind: &str| -> String {
            (1..=10)
                .map(|number| format!("{name}_{number} {kind}, "))
                .collect()
        };
        // elsewhere children would have to wait for their parents
        let keys = |keys: &[&str]| -> String {
            let kept = match kind {
                Kind::Postgres => &[],
                _ if mysql => keys,
                _ => &keys[..1],
            };
            kept.iter().map(|key| format!(", {key}")).collect()
        };
        vec![
            format!(
                "CREATE TABLE subscriber (s_id INTEGER NOT NULL, sub_nbr VARCHAR(15) NOT NULL, {}{}{}\
                 msc_location {location}, vlr_location {location}{})",
                some("bit", tiny),
                some("hex", tiny),
                some("byte2", "SMALLINT"),
                keys(&[PRIMARY[SUBSCRIBER].1]),
            ),
            format!(
                "CREATE TABLE access_info (s_id INTEGER NOT NULL, ai_type {tiny} NOT NULL, \
                 data1 SMALLINT, data2 SMALLINT, data3 CHAR(3), data4 CHAR(5){})",
                keys(&[PRIMARY[ACCESS_INFO].1, TO_SUBSCRIBER]),
            ),
            format!(
                "CREATE TABLE special_facility (s_id INTEGER NOT NULL, sf_type {tiny} NOT NULL, \
                 is_active {tiny} NOT NULL, error_cntrl SMALLINT, data_a SMALLINT, data_b CHAR(5){})",
                keys(&[PRIMARY[SPECIAL_FACILITY].1, TO_SUBSCRIBER]),
            ),
            format!(
                "CREATE TABLE call_forwarding (s_id INTEGER NOT NULL, sf_type {tiny} NOT NULL, \
                 start_time {tiny} NOT NULL, end_time {tiny}, numberx VARCHAR(15){})",
                keys(&[PRIMARY[CALL_FORWARDING].1, TO_SPECIAL_FACILITY]),
            ),
        ]
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        for unit in chunk.units() {
            let s_id = unit as u32 + 1;
            let mut rng = chunk.rng(unit);
            match chunk.table {
                SUBSCRIBER => subscriber(s_id, &mut rng, rows),
                ACCESS_INFO => access_info(s_id, &mut rng, rows),
                SPECIAL_FACILITY => special_facility(s_id, &mut rng, rows),
                _ => {
                    let mut facilities = chunk.rng_of(SPECIAL_FACILITY, unit);
                    call_forwarding(s_id, &mut facilities, &mut rng, rows);
                }
            }
        }
    }

    fn index(&self, kind: Kind, at: usize) -> Vec<String> {
        let (table, key) = PRIMARY[at];
        let mut steps = Vec::new();
        if kind == Kind::Postgres {
            steps.push(format!("ALTER TABLE {table} ADD {key}"));
        }
        if at == SUBSCRIBER {
            steps.push("CREATE UNIQUE INDEX subscriber_number ON subscriber (sub_nbr)".to_string());
        }
        steps
    }

    fn finish(&self, kind: Kind) -> Vec<Vec<String>> {
        if matches!(kind, Kind::Mysql | Kind::Noop) {
            return Vec::new();
        }
        let foreign = [
            ("access_info", TO_SUBSCRIBER),
            ("special_facility", TO_SUBSCRIBER),
            ("call_forwarding", TO_SPECIAL_FACILITY),
        ];
        // One by one, as each locks two tables.
        let add = |(table, key)| {
            let name = match kind {
                Kind::Postgres => String::new(),
                _ => format!("CONSTRAINT {table}_parent "),
            };
            vec![format!("ALTER TABLE {table} ADD {name}{key}")]
        };
        foreign.map(add).to_vec()
    }
}

const SUBSCRIBER_COLUMNS: &str = "s_id, sub_nbr, \
    bit_1, bit_2, bit_3, bit_4, bit_5, bit_6, bit_7, bit_8, bit_9, bit_10, \
    hex_1, hex_2, hex_3, hex_4, hex_5, hex_6, hex_7, hex_8, hex_9, hex_10, \
    byte2_1, byte2_2, byte2_3, byte2_4, byte2_5, byte2_6, byte2_7, byte2_8, byte2_9, byte2_10, \
    msc_location, vlr_location";

/// The tables in their order, with their primary keys.
const PRIMARY: [(&str, &str); 4] = [
    ("subscriber", "PRIMARY KEY (s_id)"),
    ("access_info", "PRIMARY KEY (s_id, ai_type)"),
    ("special_facility", "PRIMARY KEY (s_id, sf_type)"),
    ("call_forwarding", "PRIMARY KEY (s_id, sf_type, start_time)"),
];
const TO_SUBSCRIBER: &str = "FOREIGN KEY (s_id) REFERENCES subscriber (s_id)";
const TO_SPECIAL_FACILITY: &str =
    "FOREIGN KEY (s_id, sf_type) REFERENCES special_facility (s_id, sf_type)";

#[cfg(test)]
mod tests;
