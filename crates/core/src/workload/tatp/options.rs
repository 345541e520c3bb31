//! Settings of TATP.

use crate::workload::shares::shares;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct TatpOptions {
    /// Subscribers: the scale.
    #[arg(id = "tatp-subscribers", long = "tatp-subscribers", value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=2_000_000_000))]
    pub subscribers: u32,
    /// Which transactions: r80w20, r20w80, or the percentages of get_subscriber_data, get_new_destination,
    /// get_access_data, update_subscriber_data, update_location, insert_call_forwarding and
    /// delete_call_forwarding, with commas between.
    #[arg(
        id = "tatp-mix",
        long = "tatp-mix",
        value_name = "MIX",
        default_value = "r80w20"
    )]
    pub mix: TatpMix,
    /// How subscribers are chosen.
    #[arg(
        id = "tatp-choice",
        long = "tatp-choice",
        value_enum,
        default_value = "nonuniform"
    )]
    pub choice: TatpChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TatpChoice {
    /// Some subscribers more often than others, by the formula of the description.
    Nonuniform,
    Uniform,
}

/// The shares of the seven transactions, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TatpMix(pub [f64; 7]);

impl FromStr for TatpMix {
    type Err = String;

    fn from_str(text: &str) -> Result<TatpMix, String> {
        match text {
            "r80w20" => return Ok(TatpMix([35.0, 10.0, 35.0, 2.0, 14.0, 2.0, 2.0])),
            "r20w80" => return Ok(TatpMix([9.0, 2.0, 9.0, 8.0, 56.0, 8.0, 8.0])),
            _ => {}
        }
        shares(text)
            .map(TatpMix)
            .map_err(|problem| format!("expected r80w20, r20w80 or seven percentages: {problem}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_have_names_or_figures_that_add_up() {
        for text in [
            "r80w20",
            "r20w80",
            "100,0,0,0,0,0,0",
            "10, 10,10,10,10,10, 40",
        ] {
            let mix: TatpMix = text.parse().unwrap();
            assert_eq!(mix.0.iter().sum::<f64>(), 100.0, "{text}");
        }
        for text in [
            "",
            "r50w50",
            "50,50",
            "1,1,1,1,1,1,1",
            "-5,105,0,0,0,0,0",
            "a,0,0,0,0,0,0",
        ] {
            assert!(text.parse::<TatpMix>().is_err(), "{text}");
        }
    }
}
