//! sysbench 1.0.20's tables: the same schema, the same shape of data.
//!
//! Two differences. Rows have their numbers from the loader, so that they are the same for every loader; the
//! server goes on numbering behind them. And a table may have further secondary indexes, or none.

use super::options::OltpOptions;
use crate::dataset::{Chunk, DataSet, Encoder, Table};
use crate::distribution::Distribution;
use base::rng::Rng;
use sql_wire::Kind;

/// The columns of secondary indexes, in the order in which they are made.
const INDEXED: [&str; 3] = ["k", "c", "pad"];

/// Groups of digits in the texts of c and of pad.
pub const C_GROUPS: usize = 10;
pub const PAD_GROUPS: usize = 5;

/// Groups of eleven digits with dashes between, the texts of sysbench's columns c and pad.
pub fn groups(rng: &mut Rng, count: usize, out: &mut Vec<u8>) {
    for index in 0..count {
        if index > 0 {
            out.push(b'-');
        }
        rng.digits(11, out);
    }
}

pub struct OltpData {
    options: OltpOptions,
    distribution: Distribution,
}

impl OltpData {
    pub fn new(options: &OltpOptions) -> OltpData {
        OltpData {
            options: *options,
            distribution: Distribution::new(options.distribution()),
        }
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        1..=self.options.tables
    }

    /// Rows have their numbers from the loader, and no text is empty: neither is left to the server.
    fn create_plainly(&self, table: u32) -> String {
        let key = match self.options.secondary {
            true => "",
            false => ", PRIMARY KEY (id)",
        };
        format!(
            "CREATE TABLE sbtest{table}(id INTEGER NOT NULL, k INTEGER NOT NULL, c CHAR(120) NOT NULL, \
             pad CHAR(60) NOT NULL{key})"
        )
    }

    fn create_table(&self, kind: Kind, table: u32) -> String {
        if kind.is_by_odbc_alone() {
            return self.create_plainly(table);
        }
        let id = match (kind, self.options.auto_inc) {
            (Kind::Postgres, true) => "SERIAL",
            (_, true) => "INTEGER NOT NULL AUTO_INCREMENT",
            (_, false) => "INTEGER NOT NULL",
        };
        // no engine is named: InnoDB is every server's own choice, but for that of NDB Cluster
        let key = match (kind, self.options.secondary) {
            (Kind::Postgres, _) => "",
            (_, false) => ", PRIMARY KEY (id)",
            (_, true) => ", KEY xid (id)",
        };
        format!(
            "CREATE TABLE sbtest{table}(id {id}, k INTEGER DEFAULT '0' NOT NULL, \
             c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL{key})"
        )
    }

    /// PostgreSQL's key on id, which MySQL's tables have from the beginning, and its numbering.
    fn key(&self, table: usize) -> Vec<String> {
        let key = match self.options.secondary {
            true => format!("CREATE INDEX xid_{table} ON sbtest{table}(id)"),
            false => format!("ALTER TABLE sbtest{table} ADD PRIMARY KEY (id)"),
        };
        let last = self.options.table_size;
        let number =
            format!("SELECT setval(pg_get_serial_sequence('sbtest{table}', 'id'), {last})");
        match self.options.auto_inc {
            true => vec![key, number],
            false => vec![key],
        }
    }
}

impl DataSet for OltpData {
    fn family(&self) -> &'static str {
        "oltp"
    }

    fn description(&self) -> String {
        let options = &self.options;
        let distribution = options.distribution();
        let shape = match distribution.describes() {
            shape if shape.is_empty() => String::new(),
            shape => format!(" {shape}"),
        };
        format!(
            "tables={} table_size={} auto_inc={} secondary={} secondary_indexes={}{shape}",
            options.tables,
            options.table_size,
            options.auto_inc,
            options.secondary,
            options.secondary_indexes,
        )
    }

    fn tables(&self) -> Vec<Table> {
        let rows = u64::from(self.options.table_size);
        self.numbers()
            .map(|table| Table::of_rows(format!("sbtest{table}"), "id, k, c, pad", rows))
            .collect()
    }

    fn create(&self, kind: Kind) -> Vec<String> {
        self.numbers()
            .map(|table| self.create_table(kind, table))
            .collect()
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        for unit in chunk.units() {
            let mut rng = chunk.rng(unit);
            rows.begin().int(unit as i64 + 1);
            rows.int(self.distribution.pick(&mut rng, 1, self.options.table_size));
            rows.plain(|out| groups(&mut rng, C_GROUPS, out));
            rows.plain(|out| groups(&mut rng, PAD_GROUPS, out)).end();
        }
    }

    fn index(&self, kind: Kind, at: usize) -> Vec<String> {
        let table = at + 1;
        let mut steps = match kind {
            Kind::Postgres => self.key(table),
            _ if kind.is_by_odbc_alone() && self.options.secondary => {
                vec![format!("CREATE INDEX xid_{table} ON sbtest{table}(id)")]
            }
            _ => Vec::new(),
        };
        let columns = &INDEXED[..usize::from(self.options.secondary_indexes)];
        steps.extend(
            columns
                .iter()
                .map(|column| format!("CREATE INDEX {column}_{table} ON sbtest{table}({column})")),
        );
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::options;
    use super::*;
    use crate::testing::rows_of;

    fn line(options: &OltpOptions, table: usize, row: u64) -> Vec<String> {
        rows_of(&OltpData::new(options), table, row - 1..row, 1).remove(0)
    }

    #[test]
    fn schema_is_sysbenchs() {
        let data = OltpData::new(&options());
        let mysql = data.create_table(Kind::Mysql, 3);
        assert!(
            mysql.starts_with("CREATE TABLE sbtest3(id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER")
        );
        assert!(mysql.ends_with("NOT NULL, PRIMARY KEY (id))"));
        let postgres = data.create_table(Kind::Postgres, 1);
        assert!(postgres.contains("id SERIAL, k INTEGER DEFAULT '0' NOT NULL"));
        let steps = data.index(Kind::Postgres, 2);
        assert_eq!(
            (steps[0].as_str(), steps[2].as_str()),
            (
                "ALTER TABLE sbtest3 ADD PRIMARY KEY (id)",
                "CREATE INDEX k_3 ON sbtest3(k)"
            )
        );
        assert_eq!(
            data.index(Kind::Mysql, 0),
            ["CREATE INDEX k_1 ON sbtest1(k)"]
        );
    }

    #[test]
    fn tables_by_odbc_alone_are_plain() {
        let data = OltpData::new(&options());
        for kind in [Kind::Soliddb, Kind::Oracle, Kind::Sqlserver, Kind::Db2] {
            let sql = data.create_table(kind, 1);
            assert!(!sql.contains("DEFAULT") && !sql.contains("AUTO"), "{sql}");
            assert!(sql.ends_with("NOT NULL, PRIMARY KEY (id))"), "{sql}");
        }
    }

    #[test]
    fn secondary_indexes_come_in_variants() {
        let mut options = options();
        options.secondary_indexes = 3;
        assert_eq!(
            OltpData::new(&options).index(Kind::Mysql, 0),
            [
                "CREATE INDEX k_1 ON sbtest1(k)",
                "CREATE INDEX c_1 ON sbtest1(c)",
                "CREATE INDEX pad_1 ON sbtest1(pad)"
            ]
        );
        options.secondary_indexes = 0;
        options.secondary = true;
        let data = OltpData::new(&options);
        assert!(data.index(Kind::Mysql, 0).is_empty());
        assert!(
            data.create_table(Kind::Mysql, 1)
                .contains(", KEY xid (id))")
        );
        let steps = data.index(Kind::Postgres, 0);
        assert_eq!(steps[0], "CREATE INDEX xid_1 ON sbtest1(id)");
    }

    #[test]
    fn rows_have_the_shape_of_sysbenchs() {
        let options = options();
        let fields = line(&options, 1, 7);
        assert_eq!(fields[0], "7");
        let k: u32 = fields[1].parse().unwrap();
        assert!((1..=options.table_size).contains(&k));
        assert_eq!((fields[2].len(), fields[3].len()), (119, 59));
        assert_ne!(fields, line(&options, 2, 7));
        assert_eq!(fields, line(&options, 1, 7));
    }

    #[test]
    fn settings_of_transactions_do_not_change_the_data_set() {
        let mut other = options();
        other.range_size = 7;
        other.rand_pareto_h = 0.5;
        let description = |options: &OltpOptions| OltpData::new(options).description();
        assert_eq!(description(&other), description(&options()));
        other.distribution = crate::distribution::Shape::Pareto;
        assert!(description(&other).ends_with(" distribution=pareto h=0.5"));
    }
}
