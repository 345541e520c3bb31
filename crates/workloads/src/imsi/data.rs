//! Operators, partners, subscribers, visitor IMSIs, and an empty table of events.

use super::numbering::{COUNTRIES, OPERATORS, home_imsi, visitor_imsi};
use super::options::{ImsiOptions, Style};
use super::procedures;
use super::statements::FREE_INDEX;
use crate::dataset::{Chunk, DataSet, Encoder, Table, append_padded};
use sql_wire::Kind;

/// Positions of tables; the last one, imsi_event, has no rows.
const OPERATOR: usize = 0;
const PARTNER: usize = 1;
const HOME: usize = 2;
const VISITOR: usize = 3;

pub struct ImsiData {
    options: ImsiOptions,
}

impl ImsiData {
    pub fn new(options: &ImsiOptions) -> ImsiData {
        ImsiData { options: *options }
    }

    fn row(&self, table: usize, number: u32, rows: &mut Encoder) {
        let name = |text: &'static [u8], out: &mut Vec<u8>| {
            out.extend_from_slice(text);
            append_padded(u64::from(number), 4, out);
        };
        rows.begin();
        match table {
            OPERATOR => {
                rows.int(number).int(number / OPERATORS);
                rows.plain(|out| name(b"home", out)).end();
            }
            PARTNER => {
                rows.int(number);
                rows.int(number / COUNTRIES).int(number % COUNTRIES);
                rows.plain(|out| name(b"partner", out)).end();
            }
            HOME => {
                let place = self.options.home_place(number);
                rows.int(home_imsi(number));
                rows.plain(|out| append_padded(4_700_000_000 + u64::from(number), 15, out));
                rows.int(place.operator).int(place.site);
                rows.null().null().end();
            }
            VISITOR => {
                let place = self.options.visitor_place(number);
                rows.int(visitor_imsi(number));
                rows.int(place.partner()).int(place.site).null().end();
            }
            _ => {}
        }
    }
}

impl DataSet for ImsiData {
    fn family(&self) -> &'static str {
        "imsi"
    }

    fn description(&self) -> String {
        let options = &self.options;
        format!(
            "home={} visitors={} sites={} style={:?}",
            options.home, options.visitors, options.sites, options.style
        )
        .to_lowercase()
    }

    fn tables(&self) -> Vec<Table> {
        let operators = u64::from(self.options.sites * OPERATORS);
        vec![
            Table::of_rows("imsi_operator", "o_id, site, name", operators),
            Table::of_rows(
                "imsi_partner",
                "p_id, o_id, country, name",
                operators * u64::from(COUNTRIES),
            ),
            Table::of_rows(
                "h_imsi_details",
                "h_imsi, msisdn, o_id, site, v_imsi, allocated",
                u64::from(self.options.home),
            ),
            Table::of_rows(
                "v_imsi_info",
                "v_imsi, p_id, site, h_imsi",
                u64::from(self.options.visitors),
            ),
            Table::of_rows("imsi_event", "e_id, site, h_imsi, v_imsi, event", 0),
        ]
    }

    fn create(&self, kind: Kind) -> Vec<String> {
        let (number, moment) = match kind {
            Kind::Postgres => ("BIGSERIAL", "TIMESTAMP"),
            _ => ("BIGINT NOT NULL AUTO_INCREMENT", "DATETIME"),
        };
        vec![
            "CREATE TABLE imsi_operator (o_id INTEGER NOT NULL PRIMARY KEY, site INTEGER NOT NULL, \
             name VARCHAR(40) NOT NULL)"
                .to_string(),
            "CREATE TABLE imsi_partner (p_id INTEGER NOT NULL PRIMARY KEY, o_id INTEGER NOT NULL, \
             country INTEGER NOT NULL, name VARCHAR(40) NOT NULL, UNIQUE (o_id, country))"
                .to_string(),
            format!(
                "CREATE TABLE h_imsi_details (h_imsi BIGINT NOT NULL PRIMARY KEY, \
                 msisdn CHAR(15) NOT NULL, o_id INTEGER NOT NULL, site INTEGER NOT NULL, \
                 v_imsi BIGINT, allocated {moment})"
            ),
            "CREATE TABLE v_imsi_info (v_imsi BIGINT NOT NULL PRIMARY KEY, p_id INTEGER NOT NULL, \
             site INTEGER NOT NULL, h_imsi BIGINT)"
                .to_string(),
            // The site is part of the key: where each site numbers its own events, numbers come twice.
            format!(
                "CREATE TABLE imsi_event (e_id {number}, site INTEGER NOT NULL, \
                 h_imsi BIGINT NOT NULL, v_imsi BIGINT NOT NULL, event CHAR(1) NOT NULL, \
                 created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (e_id, site))"
            ),
        ]
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        for unit in chunk.units() {
            self.row(chunk.table, unit as u32, rows);
        }
    }

    fn finish(&self, kind: Kind) -> Vec<Vec<String>> {
        let index = format!("CREATE INDEX {FREE_INDEX} ON v_imsi_info (p_id, h_imsi, v_imsi)");
        let mut stages = vec![vec![index]];
        if self.options.style == Style::Procedures {
            stages.extend(procedures::create(kind).map(|sql| vec![sql]));
        }
        stages
    }

    fn discard(&self, _kind: Kind) -> Vec<String> {
        procedures::NAMES
            .map(|name| format!("DROP PROCEDURE IF EXISTS {name}"))
            .to_vec()
    }
}
