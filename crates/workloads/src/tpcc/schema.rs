//! TPC-C's tables, clause 1.3, with the keys and indexes that its transactions need.
//!
//! One addition: `history` has a primary key, h_id, as clusters that replicate rows need one for every table.
//! Keys between tables are left out unless asked for, as nearly every published implementation does.

use sql_wire::Kind;

/// Each table with its columns, parents first.
pub const COLUMNS: [(&str, &str); 9] = [
    (
        "warehouse",
        "w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd",
    ),
    ("item", "i_id, i_im_id, i_name, i_price, i_data"),
    (
        "district",
        "d_id, d_w_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip, d_tax, d_ytd, d_next_o_id",
    ),
    (
        "customer",
        "c_id, c_d_id, c_w_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, \
         c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, \
         c_delivery_cnt, c_data",
    ),
    (
        "stock",
        "s_i_id, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, \
         s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data",
    ),
    (
        "orders",
        "o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local",
    ),
    (
        "order_line",
        "ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, \
         ol_dist_info",
    ),
    ("new_order", "no_o_id, no_d_id, no_w_id"),
    (
        "history",
        "h_id, h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data",
    ),
];

/// In the order of `COLUMNS`; {time} and {serial} are the server's types.
const DEFINITIONS: [&str; 9] = [
    "w_id INTEGER NOT NULL, w_name VARCHAR(10), w_street_1 VARCHAR(20), w_street_2 VARCHAR(20), \
     w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9), w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2)",
    "i_id INTEGER NOT NULL, i_im_id INTEGER, i_name VARCHAR(24), i_price DECIMAL(5,2), i_data VARCHAR(50)",
    "d_id SMALLINT NOT NULL, d_w_id INTEGER NOT NULL, d_name VARCHAR(10), d_street_1 VARCHAR(20), \
     d_street_2 VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2), d_zip CHAR(9), d_tax DECIMAL(4,4), \
     d_ytd DECIMAL(12,2), d_next_o_id INTEGER",
    "c_id INTEGER NOT NULL, c_d_id SMALLINT NOT NULL, c_w_id INTEGER NOT NULL, c_first VARCHAR(16), \
     c_middle CHAR(2), c_last VARCHAR(16), c_street_1 VARCHAR(20), c_street_2 VARCHAR(20), \
     c_city VARCHAR(20), c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16), c_since {time}, c_credit CHAR(2), \
     c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4), c_balance DECIMAL(12,2), \
     c_ytd_payment DECIMAL(12,2), c_payment_cnt INTEGER, c_delivery_cnt INTEGER, c_data VARCHAR(500)",
    "s_i_id INTEGER NOT NULL, s_w_id INTEGER NOT NULL, s_quantity INTEGER, s_dist_01 CHAR(24), \
     s_dist_02 CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24), s_dist_05 CHAR(24), s_dist_06 CHAR(24), \
     s_dist_07 CHAR(24), s_dist_08 CHAR(24), s_dist_09 CHAR(24), s_dist_10 CHAR(24), s_ytd INTEGER, \
     s_order_cnt INTEGER, s_remote_cnt INTEGER, s_data VARCHAR(50)",
    "o_id INTEGER NOT NULL, o_d_id SMALLINT NOT NULL, o_w_id INTEGER NOT NULL, o_c_id INTEGER, \
     o_entry_d {time}, o_carrier_id SMALLINT, o_ol_cnt SMALLINT, o_all_local SMALLINT",
    "ol_o_id INTEGER NOT NULL, ol_d_id SMALLINT NOT NULL, ol_w_id INTEGER NOT NULL, \
     ol_number SMALLINT NOT NULL, ol_i_id INTEGER, ol_supply_w_id INTEGER, ol_delivery_d {time}, \
     ol_quantity SMALLINT, ol_amount DECIMAL(6,2), ol_dist_info CHAR(24)",
    "no_o_id INTEGER NOT NULL, no_d_id SMALLINT NOT NULL, no_w_id INTEGER NOT NULL",
    "h_id {serial}, h_c_id INTEGER, h_c_d_id SMALLINT, h_c_w_id INTEGER, h_d_id SMALLINT, h_w_id INTEGER, \
     h_date {time}, h_amount DECIMAL(6,2), h_data VARCHAR(24)",
];

/// Primary keys, in the order of `COLUMNS`.
const PRIMARY: [&str; 9] = [
    "w_id",
    "i_id",
    "d_w_id, d_id",
    "c_w_id, c_d_id, c_id",
    "s_w_id, s_i_id",
    "o_w_id, o_d_id, o_id",
    "ol_w_id, ol_d_id, ol_o_id, ol_number",
    "no_w_id, no_d_id, no_o_id",
    "h_id",
];

/// Customers by last name (payment, order status), and the last order of a customer (order status).
const INDEXES: [(&str, &str); 2] = [
    (
        "customer",
        "CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first)",
    ),
    (
        "orders",
        "CREATE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
    ),
];

/// Table, columns, and what they refer to, clause 1.3.1.
const FOREIGN: [(&str, &str, &str); 10] = [
    ("district", "d_w_id", "warehouse (w_id)"),
    ("customer", "c_w_id, c_d_id", "district (d_w_id, d_id)"),
    ("stock", "s_w_id", "warehouse (w_id)"),
    ("stock", "s_i_id", "item (i_id)"),
    (
        "orders",
        "o_w_id, o_d_id, o_c_id",
        "customer (c_w_id, c_d_id, c_id)",
    ),
    (
        "order_line",
        "ol_w_id, ol_d_id, ol_o_id",
        "orders (o_w_id, o_d_id, o_id)",
    ),
    (
        "order_line",
        "ol_supply_w_id, ol_i_id",
        "stock (s_w_id, s_i_id)",
    ),
    (
        "new_order",
        "no_w_id, no_d_id, no_o_id",
        "orders (o_w_id, o_d_id, o_id)",
    ),
    (
        "history",
        "h_c_w_id, h_c_d_id, h_c_id",
        "customer (c_w_id, c_d_id, c_id)",
    ),
    ("history", "h_w_id, h_d_id", "district (d_w_id, d_id)"),
];

pub fn create(kind: Kind, foreign_keys: bool) -> Vec<String> {
    let postgres = kind == Kind::Postgres;
    let (time, serial) = match postgres {
        true => ("TIMESTAMP", "BIGSERIAL"),
        false => ("DATETIME", "BIGINT NOT NULL AUTO_INCREMENT"),
    };
    let table = |at: usize| {
        let name = COLUMNS[at].0;
        let columns = DEFINITIONS[at]
            .replace("{time}", time)
            .replace("{serial}", serial);
        let mut keys = String::new();
        if !postgres {
            keys = format!(", PRIMARY KEY ({})", PRIMARY[at]);
            let own = FOREIGN.iter().filter(|key| foreign_keys && key.0 == name);
            keys.extend(own.map(|(_, columns, to)| format!(", {}", reference(columns, to))));
        }
        format!("CREATE TABLE {name} ({columns}{keys})")
    };
    (0..COLUMNS.len()).map(table).collect()
}

/// Keys and indexes of one table. `rows` is the number of rows of `history`, behind which the server goes on
/// numbering.
pub fn index(kind: Kind, at: usize, rows: u64) -> Vec<String> {
    let (table, primary) = (COLUMNS[at].0, PRIMARY[at]);
    let mut steps = Vec::new();
    if kind == Kind::Postgres {
        steps.push(format!("ALTER TABLE {table} ADD PRIMARY KEY ({primary})"));
        if table == "history" {
            let sequence = "pg_get_serial_sequence('history', 'h_id')";
            steps.push(format!("SELECT setval({sequence}, {rows})"));
        }
    }
    let own = INDEXES.iter().filter(|(owner, _)| *owner == table);
    steps.extend(own.map(|(_, sql)| (*sql).to_string()));
    steps
}

/// The keys between tables, where they are not there from the beginning.
pub fn finish(kind: Kind, foreign_keys: bool) -> Vec<Vec<String>> {
    if kind != Kind::Postgres || !foreign_keys {
        return Vec::new();
    }
    // One by one, as each locks two tables.
    let add = |(table, columns, to)| {
        vec![format!(
            "ALTER TABLE {table} ADD {}",
            reference(columns, to)
        )]
    };
    FOREIGN.map(add).to_vec()
}

fn reference(columns: &str, to: &str) -> String {
    format!("FOREIGN KEY ({columns}) REFERENCES {to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_definitions() {
        for ((name, columns), definition) in COLUMNS.iter().zip(DEFINITIONS) {
            let defined: Vec<&str> = definition
                .replace("(4,4)", "")
                .replace("(12,2)", "")
                .replace("(5,2)", "")
                .replace("(6,2)", "")
                .leak()
                .split(", ")
                .map(|column| column.split(' ').next().unwrap())
                .collect();
            assert_eq!(columns.split(", ").collect::<Vec<_>>(), defined, "{name}");
        }
    }

    #[test]
    fn foreign_keys_are_made_only_when_asked_for() {
        let count = |kind, wanted| {
            let stages = finish(kind, wanted).concat();
            let all = [create(kind, wanted), stages].concat().join(";");
            all.matches("FOREIGN KEY").count()
        };
        for kind in [Kind::Mysql, Kind::Postgres] {
            assert_eq!((count(kind, false), count(kind, true)), (0, FOREIGN.len()));
        }
    }

    #[test]
    fn both_servers_get_all_primary_keys() {
        let mysql = create(Kind::Mysql, false).join(";");
        assert_eq!(mysql.matches("PRIMARY KEY").count(), 9);
        let steps: Vec<String> = (0..9).flat_map(|at| index(Kind::Postgres, at, 1)).collect();
        let postgres = steps.join(";");
        assert_eq!(postgres.matches("PRIMARY KEY").count(), 9);
    }
}
