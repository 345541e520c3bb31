//! How late something began: true minus intended moment, where nothing but the client stood in the way.

use hdrhistogram::{CreationError, Histogram};

pub struct Lag {
    /// Since the last `take`.
    recent_us: Histogram<u32>,
    total_us: Histogram<u32>,
}

/// Microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantiles {
    pub p50: u64,
    pub p99: u64,
    pub max: u64,
}

const LONGEST_US: u64 = 60_000_000;
const DIGITS: u8 = 2;

impl Lag {
    pub fn new() -> Result<Lag, CreationError> {
        Ok(Lag {
            recent_us: Histogram::new_with_bounds(1, LONGEST_US, DIGITS)?,
            total_us: Histogram::new_with_bounds(1, LONGEST_US, DIGITS)?,
        })
    }

    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.recent_us
            .saturating_record((nanoseconds / 1000).max(1));
    }

    /// Closes a part of the run; None when nothing was due in it.
    pub fn take(&mut self) -> Option<Quantiles> {
        let quantiles = quantiles(&self.recent_us);
        // Both have the same bounds, so that nothing can be out of them.
        let _ = self.total_us.add(&self.recent_us);
        self.recent_us.reset();
        quantiles
    }

    /// Of all parts that were closed.
    pub fn total(&self) -> Option<Quantiles> {
        quantiles(&self.total_us)
    }
}

fn quantiles(histogram: &Histogram<u32>) -> Option<Quantiles> {
    (!histogram.is_empty()).then(|| Quantiles {
        p50: histogram.value_at_quantile(0.5),
        p99: histogram.value_at_quantile(0.99),
        max: histogram.max(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let mut lag = Lag::new().unwrap();
        assert_eq!(lag.take(), None);
        lag.record(5_000);
        assert_eq!(lag.take().unwrap().max, 5);
        lag.record(9_000);
        lag.record(0);
        assert_eq!(
            lag.take().unwrap(),
            Quantiles {
                p50: 1,
                p99: 9,
                max: 9
            }
        );
        assert_eq!(
            lag.total().unwrap(),
            Quantiles {
                p50: 5,
                p99: 9,
                max: 9
            }
        );
    }
}
