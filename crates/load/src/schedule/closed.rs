//! Closed loop: every connection starts its next transaction as soon as the one before is answered.

/// Hands out transactions until their number is used up; time is the run's own affair.
pub struct Closed {
    left: Option<u64>,
    started: u64,
}

impl Closed {
    pub fn new(transactions: Option<u64>) -> Closed {
        Closed {
            left: transactions,
            started: 0,
        }
    }

    /// True when another transaction may start.
    #[inline]
    pub fn take(&mut self) -> bool {
        match &mut self.left {
            None => {}
            Some(0) => return false,
            Some(left) => *left -= 1,
        }
        self.started += 1;
        true
    }

    /// One that was taken did not start after all.
    pub fn give_back(&mut self) {
        self.started -= 1;
        if let Some(left) = &mut self.left {
            *left += 1;
        }
    }

    pub fn started(&self) -> u64 {
        self.started
    }

    pub fn is_exhausted(&self) -> bool {
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
        assert!(closed.is_exhausted());
        assert!(Closed::new(None).take());
    }

    #[test]
    fn what_comes_back_is_handed_out_again() {
        let mut closed = Closed::new(Some(1));
        assert!(closed.take());
        closed.give_back();
        assert!(!closed.is_exhausted() && closed.take());
        assert_eq!(closed.started(), 1);
    }
}
