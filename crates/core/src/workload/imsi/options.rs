//! Settings of imsi.

/// How the transactions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// Statement by statement, each a round trip.
    Statements,
    /// As stored procedures: one call.
    Procedures,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ImsiOptions {
    /// Home IMSIs, the subscribers, over all sites.
    #[arg(id = "imsi-home", long = "imsi-home", value_name = "N", default_value_t = 525_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub home: u32,
    /// Visitor IMSIs that are lent to them, over all sites.
    #[arg(id = "imsi-visitors", long = "imsi-visitors", value_name = "N", default_value_t = 525_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub visitors: u32,
    /// Sites, each with subscribers and visitor IMSIs of its own.
    #[arg(id = "imsi-sites", long = "imsi-sites", value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub sites: u32,
    /// The site whose subscribers this load works for; 0: connection i works for site i mod sites.
    #[arg(id = "imsi-site", long = "imsi-site", value_name = "SITE", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub site: u32,
    /// Statements of the client, or stored procedures, which `prepare` creates.
    #[arg(
        id = "imsi-style",
        long = "imsi-style",
        value_enum,
        default_value = "statements"
    )]
    pub style: Style,
    /// Share of transactions that only release.
    #[arg(id = "imsi-release", long = "imsi-release", value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub release: u32,
}
