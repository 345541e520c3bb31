//! What a directed link does to frames, as the controller sets it.

use serde::Deserialize;

/// Up to this bandwidth a modem's deep buffer is assumed.
const SLOW_BPS: u64 = 64_000;
const SLOW_QUEUE_US: u64 = 2_000_000;
const QUEUE_US: u64 = 200_000;

/// Settings of one direction. Without any, frames pass as fast as they can.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct Spec {
    /// One way.
    pub latency_us: u64,
    /// The latency of each frame varies evenly by up to this much, more or less.
    pub jitter_us: u64,
    /// Bits per second.
    pub bandwidth: Option<u64>,
    /// Share of frames that are lost.
    pub loss: f64,
    /// Share of frames that skip the latency.
    pub reorder: f64,
    /// How long a frame may wait for the bandwidth.
    pub queue_us: Option<u64>,
}

impl Spec {
    pub fn problem(&self) -> Option<String> {
        for (name, share) in [("loss", self.loss), ("reorder", self.reorder)] {
            if !(0.0..=1.0).contains(&share) {
                return Some(format!("{name} is a share from 0 to 1, found {share}"));
            }
        }
        if self.bandwidth == Some(0) {
            return Some("bandwidth is at least 1 bit/s".into());
        }
        None
    }

    pub fn latency_ns(&self) -> u64 {
        self.latency_us * 1000
    }

    pub fn jitter_ns(&self) -> u64 {
        self.jitter_us * 1000
    }

    /// The longest wait for the bandwidth: as set, or two seconds for modems and 200 ms for others.
    pub fn queue_ns(&self) -> u64 {
        let default = match self.bandwidth {
            Some(rate) if rate <= SLOW_BPS => SLOW_QUEUE_US,
            _ => QUEUE_US,
        };
        self.queue_us.unwrap_or(default) * 1000
    }

    /// How long the link is busy with so many bytes.
    pub fn transmission_ns(&self, bytes: u64) -> u64 {
        match self.bandwidth {
            None => 0,
            Some(rate) => (u128::from(bytes) * 8_000_000_000 / u128::from(rate)) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_deep_on_modems_only() {
        let queue = |bandwidth, queue_us| {
            let spec = Spec {
                bandwidth,
                queue_us,
                ..Spec::default()
            };
            spec.queue_ns() / 1_000_000
        };
        assert_eq!(queue(Some(57_000), None), 2000);
        assert_eq!(queue(Some(64_000), None), 2000);
        assert_eq!(queue(Some(64_001), None), 200);
        assert_eq!(queue(None, None), 200);
        assert_eq!(queue(Some(57_000), Some(5_000)), 5);
    }

    #[test]
    fn a_byte_takes_eight_bits() {
        let spec = Spec {
            bandwidth: Some(1_000_000),
            ..Spec::default()
        };
        assert_eq!(spec.transmission_ns(1500), 12_000_000);
        assert_eq!(Spec::default().transmission_ns(1500), 0);
    }

    #[test]
    fn shares_are_from_0_to_1_and_unknown_keys_are_refused() {
        let loss = Spec {
            loss: 1.1,
            ..Spec::default()
        };
        assert!(loss.problem().unwrap().starts_with("loss is a share"));
        assert_eq!(
            Spec {
                loss: 1.0,
                ..Spec::default()
            }
            .problem(),
            None
        );
        assert!(
            Spec {
                bandwidth: Some(0),
                ..Spec::default()
            }
            .problem()
            .is_some()
        );
        assert!(serde_json::from_str::<Spec>(r#"{"delay": 1}"#).is_err());
    }
}
