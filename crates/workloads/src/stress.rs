//! The practitioner's stress tool: parent tables tbtest1, tbtest2, … with child tables tbtest_child1, ….
//!
//! Two workloads share the tables and how rows get into them: `ingest` inserts batches, `crud` also reads,
//! updates and deletes. Child table c belongs to parent table ((c - 1) mod parents) + 1.
//!
//! Sources: M. Tusa, "MHA, Galera, Aurora", 2015, and the author's stress tool, class RunnableQueryInsertPCH
//! (columns, lengths and ranges of values). There a child's `a` is the number of a parent and no key; here
//! (`a`, `date`) is the parent's primary key, so that it can be a foreign key on either kind of server.

mod crud;
mod data;
mod ingest;
mod inserts;
mod options;
mod values;

pub use crud::make as make_crud;
pub use data::StressData;
pub use ingest::make as make_ingest;
pub use options::{CrudOptions, IngestOptions};

/// Names of workloads, and of families: the two have the same tables, with different content.
pub const INGEST: &[&str] = &["ingest"];
pub const CRUD: &[&str] = &["crud"];

/// How many tables there are, and how they hang together. Tables are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub parents: u32,
    pub children: u32,
    pub foreign_keys: bool,
    /// Rows of each parent table that `prepare` loads, but for one more in the first `odd` tables. Each has
    /// one child in every child table.
    pub rows: u32,
    pub odd: u32,
}

impl Shape {
    /// Rows that `prepare` loads into a parent table.
    pub fn rows_of(&self, parent: u32) -> u32 {
        self.rows + u32::from(parent < self.odd)
    }

    pub fn parent_of(&self, child: u32) -> u32 {
        child % self.parents
    }

    /// The child tables of a parent table.
    pub fn children_of(&self, parent: u32) -> impl Iterator<Item = u32> + use<> {
        (parent..self.children).step_by(self.parents as usize)
    }
}

pub fn parent_table(parent: u32) -> String {
    format!("tbtest{}", parent + 1)
}

pub fn child_table(child: u32) -> String {
    format!("tbtest_child{}", child + 1)
}

#[cfg(test)]
mod tests;
