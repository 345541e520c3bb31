//! Settings of iiBench.

use serde::Deserialize;

/// Defaults are those of iibench.py.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IibenchOptions {
    /// Rows that `prepare` loads before.
    pub rows: u32,
    /// Rows of one INSERT, which is a separate transaction.
    pub batch: u32,
    /// Length of the column `data`, half of which is random.
    pub data_length: u32,
    /// Queries for each INSERT, by the three indexes in turn.
    pub queries: u32,
    /// How many of the newest rows queries start from.
    pub tail: u32,
    /// Number of cash registers.
    pub cash_registers: u32,
    /// Number of customers.
    pub customers: u32,
    /// Number of products.
    pub products: u32,
}
