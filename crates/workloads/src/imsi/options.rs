//! Settings of imsi.

use serde::Deserialize;

/// How the transactions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Statement by statement, each a round trip.
    Statements,
    /// As stored procedures: one call.
    Procedures,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImsiOptions {
    /// Home IMSIs, the subscribers, over all sites.
    pub home: u32,
    /// Visitor IMSIs that are lent to them, over all sites.
    pub visitors: u32,
    /// Number of sites, each with separate subscribers and visitor IMSIs.
    pub sites: u32,
    /// Site of this load's subscribers; 0: connection i works for site i mod sites.
    pub site: u32,
    /// Statements of the client, or stored procedures, which `prepare` creates.
    pub style: Style,
    /// Share of transactions that only release.
    pub release: u32,
}
