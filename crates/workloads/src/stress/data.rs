//! The tables of ingest and crud, and the rows that are there before.

use super::shape::{Shape, child_table, parent_table};
use super::values::{self, Parent, Texts};
use crate::dataset::{Chunk, DataSet, Encoder, Table};
use sql_wire::Kind;

const PARENT_COLUMNS: &str = "autoInc, a, uuid, b, c, counter, partitionid, date, strrecordtype";
const CHILD_COLUMNS: &str = "a, bb, date, partitionid, stroperation";

pub struct StressData {
    family: &'static str,
    shape: Shape,
    texts: Texts,
}

impl StressData {
    pub fn new(family: &'static str, shape: Shape) -> StressData {
        StressData {
            family,
            shape,
            texts: Texts::new(),
        }
    }

    fn parent_row(&self, chunk: &Chunk, unit: u64, rows: &mut Encoder) {
        let rng = &mut chunk.rng(unit);
        let parent = Parent::draw(rng);
        let known = &mut values::uuid_stream(chunk.table as u32, unit as u32 + 1);
        rows.begin().int(unit as i64 + 1).int(parent.a);
        rows.plain(|out| values::uuid(known, out));
        rows.plain(|out| self.texts.b(rng, out));
        rows.plain(|out| self.texts.c(rng, out));
        rows.int(parent.counter).int(parent.partition);
        rows.plain(|out| values::date(parent.day, out));
        rows.plain(|out| self.texts.record_type(rng, out)).end();
    }

    /// The one child of the parent of the same number.
    fn child_row(&self, chunk: &Chunk, unit: u64, rows: &mut Encoder) {
        let child = chunk.table as u32 - self.shape.parents;
        let parent = self.shape.parent_of(child) as usize;
        let day = Parent::draw(&mut chunk.rng_of(parent, unit)).day;
        let rng = &mut chunk.rng(unit);
        rows.begin().int(unit as i64 + 1).int(unit as i64 + 1);
        rows.plain(|out| values::date(day, out));
        rows.int(values::partition(rng));
        rows.plain(|out| self.texts.operation(rng, out)).end();
    }

    fn create_parent(&self, kind: Kind, parent: u32) -> String {
        let (number, time, key) = match kind {
            Kind::Postgres => ("BIGSERIAL", "", ""),
            _ => (
                "BIGINT NOT NULL AUTO_INCREMENT",
                " ON UPDATE CURRENT_TIMESTAMP",
                ", PRIMARY KEY (autoInc, date)",
            ),
        };
        format!(
            "CREATE TABLE {} (autoInc {number}, a INTEGER NOT NULL, uuid CHAR(36) NOT NULL, \
             b VARCHAR(100) NOT NULL, c CHAR(200) NOT NULL, counter BIGINT, \
             time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP{time}, \
             partitionid INTEGER NOT NULL DEFAULT 0, date DATE NOT NULL, strrecordtype CHAR(3){key})",
            parent_table(parent)
        )
    }

    fn create_child(&self, kind: Kind, child: u32) -> String {
        let (number, time, key) = match kind {
            Kind::Postgres => ("BIGSERIAL", "", ""),
            _ => (
                "BIGINT NOT NULL AUTO_INCREMENT",
                " ON UPDATE CURRENT_TIMESTAMP",
                ", PRIMARY KEY (a, date, bb), UNIQUE KEY bb (bb)",
            ),
        };
        format!(
            "CREATE TABLE {} (a BIGINT NOT NULL, bb {number}, date DATE NOT NULL, \
             partitionid INTEGER NOT NULL DEFAULT 0, stroperation VARCHAR(254), \
             time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP{time}{key})",
            child_table(child)
        )
    }

    /// What MySQL's tables have from the beginning: keys, and the numbering of rows to come.
    fn keys(&self) -> Vec<Vec<String>> {
        let mut keys = Vec::new();
        let mut numbers = Vec::new();
        let mut number = |table: &str, column, rows: u32| {
            numbers.push(format!(
                "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), {}, false)",
                rows + 1
            ));
        };
        for parent in 0..self.shape.parents {
            let table = parent_table(parent);
            keys.push(format!(
                "ALTER TABLE {table} ADD PRIMARY KEY (autoInc, date)"
            ));
            number(&table, "autoinc", self.shape.rows_of(parent));
        }
        for child in 0..self.shape.children {
            let table = child_table(child);
            let rows = self.shape.rows_of(self.shape.parent_of(child));
            keys.push(format!(
                "ALTER TABLE {table} ADD PRIMARY KEY (a, date, bb), ADD UNIQUE (bb)"
            ));
            number(&table, "bb", rows);
        }
        vec![keys, numbers]
    }

    fn foreign_keys(&self) -> Vec<String> {
        (0..self.shape.children)
            .map(|child| {
                let (table, parent) = (child_table(child), self.shape.parent_of(child));
                format!(
                    "ALTER TABLE {table} ADD CONSTRAINT {table}_parent FOREIGN KEY (a, date) \
                     REFERENCES {} (autoInc, date) ON DELETE CASCADE",
                    parent_table(parent)
                )
            })
            .collect()
    }
}

impl DataSet for StressData {
    fn family(&self) -> &'static str {
        self.family
    }

    fn description(&self) -> String {
        let shape = &self.shape;
        format!(
            "parents={} children={} rows={}+{} foreign_keys={}",
            shape.parents, shape.children, shape.rows, shape.odd, shape.foreign_keys
        )
    }

    fn tables(&self) -> Vec<Table> {
        let shape = &self.shape;
        let parents = (0..shape.parents).map(|parent| {
            let rows = u64::from(shape.rows_of(parent));
            Table::of_rows(parent_table(parent), PARENT_COLUMNS, rows)
        });
        let children = (0..shape.children).map(|child| {
            let rows = u64::from(shape.rows_of(shape.parent_of(child)));
            Table::of_rows(child_table(child), CHILD_COLUMNS, rows)
        });
        parents.chain(children).collect()
    }

    fn create(&self, kind: Kind) -> Vec<String> {
        let parents = (0..self.shape.parents).map(|parent| self.create_parent(kind, parent));
        let children = (0..self.shape.children).map(|child| self.create_child(kind, child));
        parents.chain(children).collect()
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        let is_parent = chunk.table < self.shape.parents as usize;
        for unit in chunk.units() {
            match is_parent {
                true => self.parent_row(chunk, unit, rows),
                false => self.child_row(chunk, unit, rows),
            }
        }
    }

    fn finish(&self, kind: Kind) -> Vec<Vec<String>> {
        let mut stages = match kind {
            Kind::Postgres => self.keys(),
            _ => Vec::new(),
        };
        for column in ["a", "date", "uuid"] {
            let index = |parent| {
                let table = parent_table(parent);
                format!("CREATE INDEX {table}_{column} ON {table} ({column})")
            };
            stages.push((0..self.shape.parents).map(index).collect());
        }
        if self.shape.foreign_keys {
            stages.push(self.foreign_keys());
        }
        stages
    }
}
