//! Settings of ingest and crud.

use super::shape::Shape;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestOptions {
    /// Parent tables.
    pub parents: u32,
    /// Child tables, which belong to the parent tables in turn.
    pub children: u32,
    /// Rows that `prepare` loads into each table before.
    pub rows: u32,
    /// Rows of one INSERT.
    pub batch: u32,
    /// Children refer to parents by foreign keys.
    pub foreign_keys: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrudOptions {
    /// Parent tables.
    pub parents: u32,
    /// Child tables, which belong to the parent tables in turn.
    pub children: u32,
    /// Rows that `prepare` loads before, over all parent tables; each has a child in every child table.
    pub rows: u32,
    /// Children refer to parents by foreign keys, and go with them.
    pub foreign_keys: bool,
    /// Rows of one INSERT that is a batch.
    pub batch: u32,
    /// Share of batches among the inserts; the others have one row. 100: all inserts are alike.
    pub batch_share: f64,
    /// Share of reads; the shares of reads, inserts, updates and deletes add up to 100.
    pub select: f64,
    /// Share of inserts.
    pub insert: f64,
    /// Share of updates.
    pub update: f64,
    /// Share of deletes.
    pub delete: f64,
    /// Share of reads by primary key among the reads; the five kinds add up to 100.
    pub read_primary: f64,
    /// Share of reads along a secondary index, with children.
    pub read_index: f64,
    /// Share of reads of a range of dates.
    pub read_range: f64,
    /// Share of reads by a list of primary keys, IN (...).
    pub read_in: f64,
    /// Share of reads by an exact match of a UUID.
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

    /// Whether inserts of one row and batches are separate types.
    pub fn mixes_inserts(&self) -> bool {
        self.batch > 1 && self.batch_share < 100.0
    }

    /// Rows of a single insert if other types exist.
    pub fn usual_batch(&self) -> u32 {
        match self.mixes_inserts() {
            true => 1,
            false => self.batch,
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
