//! Command-line parameters of the OLTP family.

use crate::workload::distribution::DistributionOptions;
use clap::ArgAction::Set;
use clap::builder::BoolishValueParser;

/// Parameters with sysbench's names and defaults.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct OltpOptions {
    /// Number of tables.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tables: u32,
    /// Rows per table.
    #[arg(long, value_name = "ROWS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=2_000_000_000))]
    pub table_size: u32,
    /// Rows in a range.
    #[arg(long, value_name = "ROWS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub range_size: u32,
    /// Point selects per transaction.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub point_selects: u32,
    /// Simple range selects per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub simple_ranges: u32,
    /// SELECT SUM() queries per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub sum_ranges: u32,
    /// SELECT ... ORDER BY queries per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub order_ranges: u32,
    /// SELECT DISTINCT queries per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub distinct_ranges: u32,
    /// All kinds of range selects together.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub range_selects: bool,
    /// Updates of the indexed column per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub index_updates: u32,
    /// Updates of a column without index per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub non_index_updates: u32,
    /// Pairs of DELETE and INSERT of the same row per transaction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub delete_inserts: u32,
    /// No BEGIN and COMMIT: every statement stands alone.
    #[arg(long, value_name = "BOOL", default_value_t = false, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub skip_trx: bool,
    /// The server numbers inserted rows; off: the client does.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub auto_inc: bool,
    /// `prepare`: make secondary indexes.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub create_secondary: bool,
    /// `prepare`: how many secondary indexes: on k; on c as well; on pad as well.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub secondary_indexes: u8,
    /// `prepare`: id gets a plain index in place of the primary key.
    #[arg(long, value_name = "BOOL", default_value_t = false, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub secondary: bool,
    #[command(flatten)]
    pub distribution: DistributionOptions,
}

impl OltpOptions {
    /// How many secondary indexes a table gets.
    pub fn indexes(&self) -> usize {
        match self.create_secondary {
            true => usize::from(self.secondary_indexes),
            false => 0,
        }
    }
}
