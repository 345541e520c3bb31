//! Settings of TPC-C.

use crate::shares::shares;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TpccOptions {
    /// Warehouses: the scale, of about 100 MB each.
    pub warehouses: u32,
    /// Percentages of new_order, payment, order_status, delivery and stock_level.
    pub mix: TpccMix,
    /// Key and think as users at terminals do, clause 5.2.5.
    pub think_times: bool,
    /// The warehouse of a connection: its own, or another for each transaction.
    pub home: TpccHome,
    /// `prepare`: declare the keys between tables.
    pub foreign_keys: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TpccHome {
    /// Connection i works for warehouse i mod N, as terminals do.
    Fixed,
    Random,
}

/// The shares of the five transactions, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct TpccMix(pub [f64; 5]);

impl TryFrom<String> for TpccMix {
    type Error = String;

    fn try_from(text: String) -> Result<TpccMix, String> {
        shares(&text).map(TpccMix)
    }
}
