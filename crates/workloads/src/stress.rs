//! The practitioner's stress tool: parent tables tbtest1, tbtest2, … with child tables tbtest_child1, ….
//!
//! Two workloads share the tables and how rows get into them: `ingest` inserts batches, `crud` also reads,
//! updates and deletes. Child table c belongs to parent table ((c - 1) mod parents) + 1.
//!
//! Sources: M. Tusa, "AWS Aurora Benchmarking", 2015, and the author's stress tool, class RunnableQueryInsertPCH
//! (columns, lengths and ranges of values). There a child's `a` is the number of a parent and no key; here
//! (`a`, `date`) is the parent's primary key, so that it can be a foreign key on either kind of server.

mod crud;
mod data;
mod ingest;
mod inserts;
mod options;
mod shape;
mod values;

pub use crud::{NAMES as CRUD, make as make_crud};
pub use data::StressData;
pub use ingest::{NAMES as INGEST, make as make_ingest};
pub use options::{CrudOptions, IngestOptions};

#[cfg(test)]
mod tests;
