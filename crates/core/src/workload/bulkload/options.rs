//! Settings of bulkload.

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct BulkloadOptions {
    /// Child rows (bulk_item) to load; orders and customers come with them.
    #[arg(id = "bulkload-rows", long = "bulkload-rows", value_name = "ROWS", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub rows: u32,
    /// Rows of one INSERT.
    #[arg(id = "bulkload-batch", long = "bulkload-batch", value_name = "ROWS", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub batch: u32,
    /// Tables refer to each other by foreign keys.
    #[arg(id = "bulkload-foreign-keys", long = "bulkload-foreign-keys", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub foreign_keys: bool,
    /// Foreign and unique keys are checked while loading; false: as far as the server lets them be put off.
    #[arg(id = "bulkload-checks", long = "bulkload-checks", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub checks: bool,
}
