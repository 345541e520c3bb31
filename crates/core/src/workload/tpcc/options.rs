//! Settings of TPC-C.

use crate::workload::shares::shares;
use clap::ArgAction::Set;
use clap::builder::BoolishValueParser;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct TpccOptions {
    /// Warehouses: the scale, of about 75 MB each.
    #[arg(id = "tpcc-warehouses", long = "tpcc-warehouses", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub warehouses: u32,
    /// Percentages of new_order, payment, order_status, delivery and stock_level.
    #[arg(
        id = "tpcc-mix",
        long = "tpcc-mix",
        value_name = "MIX",
        default_value = "45,43,4,4,4"
    )]
    pub mix: TpccMix,
    /// Key and think as users at terminals do, clause 5.2.5.
    #[arg(id = "tpcc-think-times", long = "tpcc-think-times", value_name = "BOOL", default_value_t = false, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub think_times: bool,
    /// The warehouse of a connection: its own, or another for each transaction.
    #[arg(
        id = "tpcc-home",
        long = "tpcc-home",
        value_enum,
        default_value = "fixed"
    )]
    pub home: TpccHome,
    /// `prepare`: declare the keys between tables.
    #[arg(id = "tpcc-foreign-keys", long = "tpcc-foreign-keys", value_name = "BOOL", default_value_t = false, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub foreign_keys: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TpccHome {
    /// Connection i works for warehouse i mod N, as terminals do.
    Fixed,
    Random,
}

/// The shares of the five transactions, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TpccMix(pub [f64; 5]);

impl FromStr for TpccMix {
    type Err = String;

    fn from_str(text: &str) -> Result<TpccMix, String> {
        shares(text).map(TpccMix)
    }
}
