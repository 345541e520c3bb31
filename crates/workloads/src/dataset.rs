//! What `prepare` loads: tables, and a function from row numbers to rows.
//!
//! A family of workloads describes its data by one type behind `DataSet`, in `workload/<family>/data.rs`.
//! Loading, resuming, escaping and progress are `prepare`'s business.

mod encoder;
mod table;

pub use encoder::{Encoder, append_padded};
pub use table::Table;

use base::rng::Rng;
use sql_wire::Kind;
use std::ops::{Range, RangeInclusive};

/// Some consecutive units of one table: one transaction of one loading thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The table's position in `DataSet::tables`.
    pub table: usize,
    pub first: u64,
    pub count: u64,
    pub seed: u64,
}

impl Chunk {
    /// The numbers of its units.
    pub fn units(&self) -> Range<u64> {
        self.first..self.first + self.count
    }

    /// The random numbers of one unit. They depend on the seed, the table and the unit only, so a data set
    /// is the same whatever the number of threads, the size of chunks or the order of loading.
    pub fn rng(&self, unit: u64) -> Rng {
        self.rng_of(self.table, unit)
    }

    /// The random numbers of a unit of another table, for rows that must agree with it.
    pub fn rng_of(&self, table: usize, unit: u64) -> Rng {
        // Connections of a load have the streams from 0 on.
        const LOADING: u64 = 1 << 63;
        Rng::new(self.seed, LOADING | (table as u64) << 44 | unit)
    }
}

/// The data of one family of workloads, at the scale that its options ask for.
pub trait DataSet: Sync {
    /// The family's name; a database holds at most one data set of a family.
    fn family(&self) -> &'static str;

    /// Every setting that rows or schema depend on, but for the seed: "tables=4 table_size=10000". A data
    /// set of another description is not resumed and not taken for this one. Add a version when the rules of
    /// the population change.
    fn description(&self) -> String;

    /// All tables, parents before children; they are dropped in reverse order.
    fn tables(&self) -> Vec<Table>;

    /// How many rows a table may have when it is loaded, by its position; `prepare` checks.
    fn row_bounds(&self, _at: usize, table: &Table) -> RangeInclusive<u64> {
        table.units..=table.units
    }

    /// Statements that create the tables. On MySQL with primary keys, as rows are stored in their order, and
    /// with foreign keys, which are not checked while loading; on PostgreSQL better without, and primary keys
    /// in `index`, foreign keys in `finish`.
    fn create(&self, kind: Kind) -> Vec<String>;

    /// The rows of a chunk's units.
    fn fill(&self, chunk: &Chunk, rows: &mut Encoder);

    /// What follows on one table alone when its rows are there, in order: its keys and indexes. Runs as soon
    /// as it can, while the table is still in the server's memory.
    fn index(&self, _kind: Kind, _at: usize) -> Vec<String> {
        Vec::new()
    }

    /// What follows when all tables have their rows and indexes: keys between tables, procedures. Stages
    /// follow one another; the statements of one stage run at the same time. Statistics for the planner are
    /// `prepare`'s business.
    fn finish(&self, _kind: Kind) -> Vec<Vec<String>> {
        Vec::new()
    }

    /// Objects that `--drop` removes before the tables, IF EXISTS: procedures, sequences.
    fn discard(&self, _kind: Kind) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_depend_on_seed_table_and_unit_only() {
        let chunk = |first, count| Chunk {
            table: 3,
            first,
            count,
            seed: 7,
        };
        let draw = |chunk: Chunk, unit| chunk.rng(unit).next_u64();
        assert_eq!(draw(chunk(0, 10), 5), draw(chunk(5, 1), 5));
        assert_ne!(draw(chunk(0, 10), 5), draw(chunk(0, 10), 6));
        let other = Chunk {
            table: 4,
            ..chunk(0, 10)
        };
        assert_ne!(draw(chunk(0, 10), 5), draw(other, 5));
        assert_eq!(other.rng_of(3, 5).next_u64(), draw(chunk(0, 10), 5));
    }
}
