//! What is asked of the database: a workload names its statements and, step by step, which comes next.
//!
//! A new workload is one file with one type behind `Workload`, and one line in `load::cli`.

pub mod distribution;
pub mod oltp;

use crate::driver::{Parameters, Statement};
use crate::rng::Rng;

/// Where a connection stands in its transaction. A workload may use the fields as it likes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    pub step: u32,
    pub repetition: u32,
    pub table: u32,
    pub row: u32,
}

pub trait Workload {
    fn name(&self) -> &'static str;

    /// All statements; their position is the number that `next` returns.
    fn statements(&self) -> &[Statement];

    /// Its transactions write, so they belong to the write endpoint.
    fn writes(&self) -> bool;

    /// False when its parameters leave it without statements.
    fn does_something(&self) -> bool;

    /// A table that must exist, to be told at once when it does not.
    fn needs_table(&self) -> Option<&str>;

    /// The transaction's next statement with its parameters, or None when the transaction is complete.
    ///
    /// A transaction starts with a default cursor.
    fn next(
        &self,
        cursor: &mut Cursor,
        rng: &mut Rng,
        parameters: &mut Parameters,
    ) -> Option<usize>;
}
