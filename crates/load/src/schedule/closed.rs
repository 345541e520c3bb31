//! Closed loop: every connection starts its next transaction as soon as the one before is answered.

use super::work::Goal;

/// What may still be started.
enum Left {
    Endless,
    Together(u64),
    /// By connection, and of all.
    Each(Vec<u64>, u64),
}

/// Hands out transactions until their number is used up.
pub struct Closed {
    left: Left,
    /// Whether what is handed out belongs to the work.
    counted: bool,
    /// What starts before belongs to the warm-up: after t = 0, and then as a moment.
    warmup_ns: u64,
    opens_at: u64,
    started: u64,
    /// A connection has asked in vain: what comes back is for it.
    refused: bool,
}

impl Closed {
    /// Without a goal there is no end; `warmup_ns`: for so long what starts is not of the work.
    pub fn new(goal: Option<Goal>, connections: usize, warmup_ns: u64) -> Closed {
        let left = match goal {
            None | Some(Goal::Workload) => Left::Endless,
            Some(Goal::Together(count)) => Left::Together(count),
            Some(Goal::Each(count)) => {
                Left::Each(vec![count; connections], count * connections as u64)
            }
        };
        Closed {
            left,
            counted: goal.is_some(),
            warmup_ns,
            opens_at: 0,
            started: 0,
            refused: false,
        }
    }

    /// This moment is t = 0.
    pub fn begin(&mut self, now: u64) {
        self.opens_at = now + self.warmup_ns;
    }

    /// Whether this connection may start another one, and whether that one is of the work.
    #[inline]
    pub fn take(&mut self, connection: usize, now: u64) -> Option<bool> {
        if !self.counted || now < self.opens_at {
            self.started += 1;
            return Some(false);
        }
        let may = match &mut self.left {
            Left::Endless => true,
            Left::Together(left) => take_one(left),
            Left::Each(left, all) => take_one(&mut left[connection]) && take_one(all),
        };
        if !may {
            self.refused = true;
            return None;
        }
        self.started += 1;
        Some(true)
    }

    /// One that was taken did not start after all. True when others have waited for it.
    pub fn give_back(&mut self, connection: usize, counted: bool) -> bool {
        self.started -= 1;
        counted && self.again(connection)
    }

    /// One of the work failed: another may start in its place. True when others have waited for it.
    pub fn again(&mut self, connection: usize) -> bool {
        match &mut self.left {
            Left::Endless => return false,
            Left::Together(left) => *left += 1,
            Left::Each(left, all) => {
                left[connection] += 1;
                *all += 1;
                // It is this connection's own.
                return false;
            }
        }
        std::mem::take(&mut self.refused)
    }

    pub fn started(&self) -> u64 {
        self.started
    }

    /// From when on work can be done.
    pub fn opens_at(&self) -> u64 {
        self.opens_at
    }

    /// Whether there is nothing more to start for this connection.
    pub fn is_exhausted_for(&self, connection: usize) -> bool {
        match &self.left {
            Left::Each(left, _) => left[connection] == 0,
            _ => self.is_exhausted(),
        }
    }

    pub fn is_exhausted(&self) -> bool {
        matches!(self.left, Left::Together(0) | Left::Each(_, 0))
    }
}

fn take_one(left: &mut u64) -> bool {
    let may = *left > 0;
    *left -= u64::from(may);
    may
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(goal: Goal) -> Closed {
        Closed::new(Some(goal), 2, 0)
    }

    #[test]
    fn hands_out_as_many_as_asked() {
        let mut closed = closed(Goal::Together(2));
        assert_eq!(
            [0, 1, 0].map(|one| closed.take(one, 0)),
            [Some(true), Some(true), None]
        );
        assert!(closed.is_exhausted());
        assert_eq!(Closed::new(None, 2, 0).take(0, 0), Some(false));
    }

    #[test]
    fn each_connection_has_its_own() {
        let mut closed = closed(Goal::Each(1));
        assert_eq!((closed.take(0, 0), closed.take(0, 0)), (Some(true), None));
        assert!(!closed.is_exhausted());
        assert_eq!(
            [0, 1].map(|one| closed.is_exhausted_for(one)),
            [true, false]
        );
        assert_eq!(closed.take(1, 0), Some(true));
        assert!(closed.is_exhausted());
        assert!(!closed.again(0), "no other connection may take it");
        assert_eq!((closed.take(1, 0), closed.take(0, 0)), (None, Some(true)));
    }

    #[test]
    fn what_comes_back_is_handed_out_again() {
        let mut closed = closed(Goal::Together(1));
        closed.take(0, 0);
        assert!(!closed.give_back(0, true), "no connection waits for it");
        assert!(!closed.is_exhausted() && closed.take(0, 0) == Some(true));
        assert_eq!(closed.started(), 1);
    }

    #[test]
    fn who_asked_in_vain_is_to_hear_of_what_failed() {
        let mut closed = closed(Goal::Together(1));
        closed.take(0, 0);
        assert_eq!(closed.take(1, 0), None);
        assert!(closed.again(0));
        assert_eq!((closed.take(1, 0), closed.started()), (Some(true), 2));
    }

    #[test]
    fn a_warm_up_uses_nothing_up() {
        let mut closed = Closed::new(Some(Goal::Together(1)), 1, 50);
        closed.begin(100);
        assert_eq!(
            [100, 149, 150, 151].map(|now| closed.take(0, now)),
            [Some(false), Some(false), Some(true), None]
        );
    }
}
