//! Settings of ingest and crud.

use super::Shape;

/// A statement has at most 65,535 parameters, and a parent row takes 8.
const MOST_ROWS: i64 = 8_000;

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct IngestOptions {
    /// Parent tables.
    #[arg(id = "ingest-parents", long = "ingest-parents", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub parents: u32,
    /// Child tables, which belong to the parent tables in turn.
    #[arg(id = "ingest-children", long = "ingest-children", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub children: u32,
    /// Rows that `prepare` loads into each table before.
    #[arg(id = "ingest-rows", long = "ingest-rows", value_name = "ROWS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000_000))]
    pub rows: u32,
    /// Rows of one INSERT.
    #[arg(id = "ingest-batch", long = "ingest-batch", value_name = "ROWS", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS))]
    pub batch: u32,
    /// Children refer to parents by foreign keys.
    #[arg(id = "ingest-foreign-keys", long = "ingest-foreign-keys", value_name = "BOOL", default_value_t = false, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub foreign_keys: bool,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct CrudOptions {
    /// Parent tables.
    #[arg(id = "crud-parents", long = "crud-parents", value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub parents: u32,
    /// Child tables, which belong to the parent tables in turn.
    #[arg(id = "crud-children", long = "crud-children", value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub children: u32,
    /// Rows that `prepare` loads before, over all parent tables; each has a child in every child table.
    #[arg(id = "crud-rows", long = "crud-rows", value_name = "ROWS", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub rows: u32,
    /// Children refer to parents by foreign keys, and go with them.
    #[arg(id = "crud-foreign-keys", long = "crud-foreign-keys", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub foreign_keys: bool,
    /// Rows of one INSERT.
    #[arg(id = "crud-batch", long = "crud-batch", value_name = "ROWS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS))]
    pub batch: u32,
    /// Share of reads; the shares of reads, inserts, updates and deletes add up to 100.
    #[arg(
        id = "crud-select",
        long = "crud-select",
        value_name = "PERCENT",
        default_value_t = 50.0
    )]
    pub select: f64,
    /// Share of inserts.
    #[arg(
        id = "crud-insert",
        long = "crud-insert",
        value_name = "PERCENT",
        default_value_t = 20.0
    )]
    pub insert: f64,
    /// Share of updates.
    #[arg(
        id = "crud-update",
        long = "crud-update",
        value_name = "PERCENT",
        default_value_t = 20.0
    )]
    pub update: f64,
    /// Share of deletes.
    #[arg(
        id = "crud-delete",
        long = "crud-delete",
        value_name = "PERCENT",
        default_value_t = 10.0
    )]
    pub delete: f64,
    /// Share of reads by primary key among the reads; the five kinds add up to 100.
    #[arg(
        id = "crud-read-primary",
        long = "crud-read-primary",
        value_name = "PERCENT",
        default_value_t = 40.0
    )]
    pub read_primary: f64,
    /// Share of reads along a secondary index, with children.
    #[arg(
        id = "crud-read-index",
        long = "crud-read-index",
        value_name = "PERCENT",
        default_value_t = 20.0
    )]
    pub read_index: f64,
    /// Share of reads of a range of dates.
    #[arg(
        id = "crud-read-range",
        long = "crud-read-range",
        value_name = "PERCENT",
        default_value_t = 20.0
    )]
    pub read_range: f64,
    /// Share of reads by a list of primary keys, IN (...).
    #[arg(
        id = "crud-read-in",
        long = "crud-read-in",
        value_name = "PERCENT",
        default_value_t = 10.0
    )]
    pub read_in: f64,
    /// Share of reads by an exact match of a UUID.
    #[arg(
        id = "crud-read-exact",
        long = "crud-read-exact",
        value_name = "PERCENT",
        default_value_t = 10.0
    )]
    pub read_exact: f64,
}

impl IngestOptions {
    pub fn shape(&self) -> Shape {
        Shape {
            parents: self.parents,
            children: self.children,
            foreign_keys: self.foreign_keys,
            rows: self.rows,
            odd: 0,
        }
    }
}

impl CrudOptions {
    pub fn shape(&self) -> Shape {
        Shape {
            parents: self.parents,
            children: self.children,
            foreign_keys: self.foreign_keys,
            rows: self.rows / self.parents,
            odd: self.rows % self.parents,
        }
    }

    /// Reads, inserts, updates, deletes.
    pub fn shares(&self) -> [f64; 4] {
        [self.select, self.insert, self.update, self.delete]
    }

    /// Reads by primary key, by index, by range, by IN, by exact match.
    pub fn read_shares(&self) -> [f64; 5] {
        [
            self.read_primary,
            self.read_index,
            self.read_range,
            self.read_in,
            self.read_exact,
        ]
    }
}
