//! Settings of TATP.

use crate::shares::shares;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TatpOptions {
    /// Subscribers: the scale.
    pub subscribers: u32,
    /// Which transactions: r80w20, r20w80, or the percentages of get_subscriber_data, get_new_destination,
    /// get_access_data, update_subscriber_data, update_location, insert_call_forwarding and
    /// delete_call_forwarding, with commas between.
    pub mix: TatpMix,
    /// How subscribers are chosen.
    pub choice: TatpChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TatpChoice {
    /// Some subscribers more often than others, by the formula of the description.
    Nonuniform,
    Uniform,
}

/// The shares of the seven transactions, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct TatpMix(pub [f64; 7]);

impl TryFrom<String> for TatpMix {
    type Error = String;

    fn try_from(text: String) -> Result<TatpMix, String> {
        match text.as_str() {
            "r80w20" => return Ok(TatpMix([35.0, 10.0, 35.0, 2.0, 14.0, 2.0, 2.0])),
            "r20w80" => return Ok(TatpMix([9.0, 2.0, 9.0, 8.0, 56.0, 8.0, 8.0])),
            _ => {}
        }
        shares(&text)
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
            let mix: TatpMix = TatpMix::try_from(text.to_string()).unwrap();
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
            assert!(TatpMix::try_from(text.to_string()).is_err(), "{text}");
        }
    }
}
