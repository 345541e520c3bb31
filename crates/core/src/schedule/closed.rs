//! Closed loop: every connection starts its next transaction as soon as the one before is answered.

/// Hands out transactions until their number is used up; time is the run's own affair.
pub struct Closed {
    left: Option<u64>,
}

impl Closed {
    pub fn new(transactions: Option<u64>) -> Closed {
        Closed { left: transactions }
    }

    /// True when another transaction may start.
    #[inline]
    pub fn take(&mut self) -> bool {
        match &mut self.left {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }

    pub fn exhausted(&self) -> bool {
        self.left == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_out_as_many_as_asked() {
        let mut closed = Closed::new(Some(2));
        assert!(closed.take() && closed.take());
        assert!(!closed.take());
        assert!(closed.exhausted());
        assert!(Closed::new(None).take());
    }
}
