//! Settings of the OLTP family.

use crate::distribution::{DistributionOptions, Shape};
use serde::Deserialize;

/// Parameters with sysbench's names.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OltpOptions {
    /// Number of tables.
    pub tables: u32,
    /// Rows per table.
    pub table_size: u32,
    /// Rows in a range.
    pub range_size: u32,
    /// Point selects per transaction.
    pub point_selects: u32,
    /// Simple range selects per transaction.
    pub simple_ranges: u32,
    /// SELECT SUM() queries per transaction.
    pub sum_ranges: u32,
    /// SELECT ... ORDER BY queries per transaction.
    pub order_ranges: u32,
    /// SELECT DISTINCT queries per transaction.
    pub distinct_ranges: u32,
    /// Updates of the indexed column per transaction.
    pub index_updates: u32,
    /// Updates of a column without index per transaction.
    pub non_index_updates: u32,
    /// Pairs of DELETE and INSERT of the same row per transaction.
    pub delete_inserts: u32,
    /// No BEGIN and COMMIT: every statement stands alone.
    pub skip_trx: bool,
    /// The server numbers inserted rows; off: the client does.
    pub auto_inc: bool,
    /// `prepare`: how many secondary indexes: on k; on c as well; on pad as well.
    pub secondary_indexes: u8,
    /// `prepare`: id gets a plain index in place of the primary key.
    pub secondary: bool,
    /// How rows are picked.
    pub distribution: Shape,
    pub rand_spec_iter: u32,
    pub rand_spec_pct: u32,
    pub rand_spec_res: u32,
    pub rand_pareto_h: f64,
    pub rand_zipfian_exp: f64,
}

impl OltpOptions {
    /// How rows are picked, with what shapes it.
    pub fn distribution(&self) -> DistributionOptions {
        DistributionOptions {
            distribution: self.distribution,
            rand_spec_iter: self.rand_spec_iter,
            rand_spec_pct: self.rand_spec_pct,
            rand_spec_res: self.rand_spec_res,
            rand_pareto_h: self.rand_pareto_h,
            rand_zipfian_exp: self.rand_zipfian_exp,
        }
    }
}
