//! Settings of bulkload.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkloadOptions {
    /// Child rows (bulk_item) to load; orders and customers come with them.
    pub rows: u32,
    /// Rows of one INSERT.
    pub batch: u32,
    /// Tables refer to each other by foreign keys.
    pub foreign_keys: bool,
    /// Foreign and unique keys are checked while loading; false: as far as the server lets them be put off.
    pub checks: bool,
}
