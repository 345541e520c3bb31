//! sysbench 1.0.20's tables: the same schema, the same shape of data.

use super::{Args, Progress};
use crate::driver::blocking::Client;
use crate::driver::{Failure, Kind};
use crate::rng::Rng;
use crate::workload::distribution::Distribution;
use crate::workload::oltp::{C_GROUPS, PAD_GROUPS, groups};

/// Rows per INSERT: about 200 kB of text, well below the smallest packet limit in use.
const ROWS_PER_INSERT: u32 = 1000;

/// Creates, fills and indexes one table.
pub fn load_table(
    args: &Args,
    client: &mut Client,
    table: u32,
    progress: &Progress,
) -> Result<(), Failure> {
    if args.drop {
        client.query(&format!("DROP TABLE IF EXISTS sbtest{table}"))?;
    }
    client.query(&create_table(args.driver, table, args.auto_inc))?;
    let mut rows = Rows::new(args, table);
    let mut first = 1;
    while first <= args.table_size {
        let count = ROWS_PER_INSERT.min(args.table_size - first + 1);
        client.query(&rows.insert(first, count))?;
        progress.add(u64::from(count));
        first += count;
    }
    client.query(&format!("CREATE INDEX k_{table} ON sbtest{table}(k)"))?;
    Ok(())
}

fn create_table(kind: Kind, table: u32, auto_inc: bool) -> String {
    let (id, engine) = match (kind, auto_inc) {
        (Kind::Postgres, true) => ("SERIAL", ""),
        (Kind::Postgres, false) => ("INTEGER NOT NULL", ""),
        (_, true) => ("INTEGER NOT NULL AUTO_INCREMENT", " /*! ENGINE = innodb */"),
        (_, false) => ("INTEGER NOT NULL", " /*! ENGINE = innodb */"),
    };
    format!(
        "CREATE TABLE sbtest{table}(\
         id {id}, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
         pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)){engine}"
    )
}

/// Makes the INSERT statements of one table.
struct Rows {
    table: u32,
    table_size: u32,
    auto_inc: bool,
    distribution: Distribution,
    rng: Rng,
    sql: Vec<u8>,
}

impl Rows {
    fn new(args: &Args, table: u32) -> Rows {
        Rows {
            table,
            table_size: args.table_size,
            auto_inc: args.auto_inc,
            distribution: Distribution::new(args.distribution),
            rng: Rng::new(args.seed, u64::from(table)),
            sql: Vec::new(),
        }
    }

    fn insert(&mut self, first: u32, count: u32) -> String {
        let columns = if self.auto_inc {
            "k, c, pad"
        } else {
            "id, k, c, pad"
        };
        let head = format!("INSERT INTO sbtest{}({columns}) VALUES", self.table);
        self.sql.clear();
        self.sql.extend(head.as_bytes());
        for id in first..first + count {
            self.sql
                .extend(if id == first { b"(" } else { b",(" as &[u8] });
            if !self.auto_inc {
                self.sql.extend(format!("{id}, ").as_bytes());
            }
            let k = self.distribution.pick(&mut self.rng, 1, self.table_size);
            self.sql.extend(format!("{k}, '").as_bytes());
            groups(&mut self.rng, C_GROUPS, &mut self.sql);
            self.sql.extend(b"', '");
            groups(&mut self.rng, PAD_GROUPS, &mut self.sql);
            self.sql.extend(b"')");
        }
        String::from_utf8_lossy(&self.sql).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_is_sysbenchs() {
        let mysql = create_table(Kind::Mysql, 3, true);
        assert!(
            mysql.starts_with("CREATE TABLE sbtest3(id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER")
        );
        assert!(
            create_table(Kind::Postgres, 1, true)
                .contains("id SERIAL, k INTEGER DEFAULT '0' NOT NULL")
        );
    }

    #[test]
    fn rows_have_the_shape_of_sysbenchs() {
        let mut rows = Rows {
            table: 2,
            table_size: 100,
            auto_inc: false,
            distribution: Distribution::new(Default::default()),
            rng: Rng::new(1, 2),
            sql: Vec::new(),
        };
        let sql = rows.insert(5, 2);
        assert!(
            sql.starts_with("INSERT INTO sbtest2(id, k, c, pad) VALUES(5, "),
            "{sql}"
        );
        assert_eq!(sql.matches("),(6, ").count(), 1);
        let fields: Vec<&str> = sql.split('\'').collect();
        assert_eq!((fields[1].len(), fields[3].len()), (119, 59));
    }
}
