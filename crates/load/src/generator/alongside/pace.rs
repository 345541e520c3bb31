//! The times of operations of the ledger and of side workloads.

/// After a failure a client tries again this soon, whatever its rate: it measures when a server is back.
pub const RETRY_NS: u64 = 10_000_000;
const SECOND_NS: f64 = 1e9;

/// Turns at a steady rate.
pub struct Pace {
    interval_ns: Option<f64>,
    /// In intervals.
    phase: f64,
    started_ns: u64,
    turns: u64,
}

impl Pace {
    pub fn new(rate: f64, phase: f64) -> Pace {
        Pace {
            interval_ns: (rate > 0.0).then(|| SECOND_NS / rate),
            phase,
            started_ns: u64::MAX,
            turns: 0,
        }
    }

    /// t = 0.
    pub fn begin(&mut self, now: u64) {
        self.started_ns = now;
    }

    pub fn due(&self) -> u64 {
        match self.interval_ns {
            Some(interval) if self.started_ns < u64::MAX => {
                self.started_ns + ((self.turns as f64 + self.phase) * interval) as u64
            }
            _ => u64::MAX,
        }
    }

    /// The turn that has come, and the number of missed turns before it.
    pub fn take(&mut self, now: u64) -> Option<(u64, u64)> {
        if now < self.due() {
            return None;
        }
        let mut missed = 0;
        let mut turn = self.turns;
        self.turns += 1;
        while self.due() <= now {
            turn = self.turns;
            self.turns += 1;
            missed += 1;
        }
        Some((turn, missed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_at_their_rate_and_those_that_passed_are_counted() {
        let mut pace = Pace::new(100.0, 0.5);
        assert_eq!((pace.due(), pace.take(u64::MAX - 1)), (u64::MAX, None));
        pace.begin(1_000_000_000);
        assert_eq!(pace.due(), 1_005_000_000);
        assert_eq!(pace.take(1_004_999_999), None);
        assert_eq!(pace.take(1_005_000_000), Some((0, 0)));
        assert_eq!(pace.due(), 1_015_000_000);
        assert_eq!(pace.take(1_049_000_000), Some((4, 3)));
        assert_eq!(pace.due(), 1_055_000_000);
        assert_eq!(Pace::new(0.0, 0.0).due(), u64::MAX);
    }
}
