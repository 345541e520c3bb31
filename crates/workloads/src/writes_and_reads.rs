//! What lists and registers have in common: transactions that write or read, others that only read and may go to
//! replicas, and values of which each is written once.

use super::shares::pick_by_weight;
use super::{Client, TransactionType};
use std::cell::Cell;

/// The transactions, by their places: one that writes or reads, and one that only reads.
pub const MIXED: usize = 0;
pub const READ_ONLY: usize = 1;

/// The kinds of transactions, and the percentage of those that only read.
pub struct Types {
    all: Vec<TransactionType>,
    read_only: u32,
}

impl Types {
    pub fn new(name: &str, read_only: u32) -> Types {
        let mut all = vec![TransactionType::new(name, true)];
        if read_only > 0 {
            all.push(TransactionType::new(format!("{name}_read_only"), false));
        }
        Types { all, read_only }
    }

    pub fn all(&self) -> &[TransactionType] {
        &self.all
    }

    pub fn pick(&self, client: &Client) -> usize {
        match self.read_only {
            0 => MIXED,
            share => {
                let weights = [100.0 - f64::from(share), f64::from(share)];
                pick_by_weight(client, weights.iter().copied())
            }
        }
    }
}

/// A place among `keys` in use, and whether it is read there rather than written: `reads` is the percentage of reads
/// in a transaction that may write.
pub fn operation(client: &Client, which: usize, keys: u32, reads: u32) -> (usize, bool) {
    let mut rng = client.rng();
    let at = rng.uniform(0, keys - 1) as usize;
    let is_read = which == READ_ONLY || rng.uniform(1, 100) <= reads;
    (at, is_read)
}

/// Values from 1 on, which those of other loads never meet.
pub struct UniqueValues {
    next: Cell<i64>,
    step: Cell<i64>,
}

impl UniqueValues {
    pub fn new() -> UniqueValues {
        UniqueValues {
            next: Cell::new(1),
            step: Cell::new(1),
        }
    }

    /// Takes those of one of several loads.
    pub fn one_of(&self, index: usize, count: usize) {
        self.next.set(1 + index as i64);
        self.step.set(count as i64);
    }

    pub fn take(&self) -> i64 {
        let value = self.next.get();
        self.next.set(value + self.step.get());
        value
    }
}
