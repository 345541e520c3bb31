//! Settings of iiBench.

/// Defaults are those of iibench.py.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct IibenchOptions {
    /// Rows that `prepare` loads before.
    #[arg(id = "iibench-rows", long = "iibench-rows", value_name = "ROWS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000_000))]
    pub rows: u32,
    /// Rows of one INSERT, which is a transaction of its own.
    #[arg(id = "iibench-batch", long = "iibench-batch", value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub batch: u32,
    /// Length of the column `data`, half of which is random.
    #[arg(id = "iibench-data-length", long = "iibench-data-length", value_name = "CHARACTERS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=4000))]
    pub data_length: u32,
    /// Queries for each INSERT, by the three indexes in turn.
    #[arg(id = "iibench-queries", long = "iibench-queries", value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub queries: u32,
    /// How many of the newest rows queries start from.
    #[arg(id = "iibench-tail", long = "iibench-tail", value_name = "ROWS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub tail: u32,
    /// Number of cash registers.
    #[arg(id = "iibench-cash-registers", long = "iibench-cash-registers", value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub cash_registers: u32,
    /// Number of customers.
    #[arg(id = "iibench-customers", long = "iibench-customers", value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub customers: u32,
    /// Number of products.
    #[arg(id = "iibench-products", long = "iibench-products", value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub products: u32,
}
