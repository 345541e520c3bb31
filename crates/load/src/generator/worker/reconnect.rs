//! When a connection leaves its server and connects again.
//!
//! The names are those of sysbench's `--oltp-reconnect-mode`. What they do there (0.4, sysbench/tests/oltp/sb_oltp.c,
//! `get_request_complex`; 1.0 has only "after N transactions"):
//!
//! - session: never;
//! - transaction: after COMMIT;
//! - query: after each statement but BEGIN and COMMIT, also within a transaction, which the server then undoes: the
//!   statements after it stand alone;
//! - random: before each transaction one of the three is drawn, all alike, and where the one before was `session`
//!   and this one is not, it connects again first.
//!
//! Here `query` leaves a transaction whole: a connection that is left within one undoes what was written, and what was
//! reported as done would not be. So it connects again after each statement that stands alone, and after each
//! transaction. The last session of a load is not followed by another. In sysbench connecting is part of an event's
//! time; here a transaction's time has only those connects that happen within it.
//!
//! sysbench 0.5's oltp.lua and common.lua do not know the option: they take it and do nothing.

use base::rng::Rng;
use std::str::FromStr;

/// How long a session lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    Session,
    Transaction,
    Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconnect {
    Always(Lasting),
    /// Drawn for each transaction.
    Random,
    /// After so many transactions.
    After(u32),
}

const DRAWN: [Lasting; 3] = [Lasting::Session, Lasting::Transaction, Lasting::Query];

impl Reconnect {
    /// For the next transaction. Draws only where something is drawn.
    #[inline]
    pub fn lasting(self, rng: &mut Rng) -> Lasting {
        match self {
            Reconnect::Always(lasting) => lasting,
            Reconnect::Random => DRAWN[rng.uniform(0, 2) as usize],
            Reconnect::After(_) => Lasting::Session,
        }
    }

    /// Whether a session ends between two transactions, of which it has had so many.
    #[inline]
    pub fn ends(self, before: Lasting, next: Lasting, transactions: u32) -> bool {
        match self {
            Reconnect::After(most) => transactions >= most,
            _ => (before, next) != (Lasting::Session, Lasting::Session),
        }
    }
}

impl FromStr for Reconnect {
    type Err = String;

    fn from_str(text: &str) -> Result<Reconnect, String> {
        match text {
            "session" => Ok(Reconnect::Always(Lasting::Session)),
            "transaction" => Ok(Reconnect::Always(Lasting::Transaction)),
            "query" => Ok(Reconnect::Always(Lasting::Query)),
            "random" => Ok(Reconnect::Random),
            _ => match text.parse() {
                Ok(count) if count > 0 => Ok(Reconnect::After(count)),
                _ => Err(
                    "expected session, transaction, query, random, or a number of transactions"
                        .to_string(),
                ),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers() {
        assert_eq!("random".parse(), Ok(Reconnect::Random));
        assert_eq!("100".parse(), Ok(Reconnect::After(100)));
        for text in ["", "0", "-1", "never", "Random"] {
            assert!(text.parse::<Reconnect>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_session_lasts_where_two_transactions_leave_it() {
        let ends = |text: &str, before, next, count| {
            text.parse::<Reconnect>().unwrap().ends(before, next, count)
        };
        assert!(!ends("session", Lasting::Session, Lasting::Session, 9));
        assert!(ends(
            "transaction",
            Lasting::Transaction,
            Lasting::Transaction,
            1
        ));
        assert!(ends("query", Lasting::Query, Lasting::Query, 1));
        assert!(!ends("3", Lasting::Session, Lasting::Session, 2));
        assert!(ends("3", Lasting::Session, Lasting::Session, 3));
        assert!(!ends("random", Lasting::Session, Lasting::Session, 9));
        assert!(ends("random", Lasting::Session, Lasting::Query, 1));
        assert!(ends("random", Lasting::Transaction, Lasting::Session, 1));
    }

    #[test]
    fn all_three_are_drawn_alike() {
        let mut rng = Rng::new(1, 0);
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[Reconnect::Random.lasting(&mut rng) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&count| (850..1150).contains(&count)),
            "{counts:?}"
        );
    }
}
