//! Failures, counted by source, class and code, with the first message of each.

use super::Source;
use serde::Serialize;
use sql_wire::{Class, Failure};

const LONGEST_MESSAGE: usize = 200;

#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    pub class: &'static str,
    pub code: String,
    pub message: String,
    pub count: u64,
    pub first_ms: u64,
    pub last_ms: u64,
    pub source: &'static str,
    #[serde(skip)]
    key: Class,
}

#[derive(Default)]
pub struct Errors {
    entries: Vec<Entry>,
    total: u64,
}

impl Errors {
    pub fn add(&mut self, source: Source, failure: &Failure, at_ms: u64) {
        self.total += 1;
        let known = self.entries.iter_mut().find(|entry| {
            entry.key == failure.class
                && entry.source == source.name()
                && entry.code == failure.code
        });
        match known {
            Some(entry) => {
                entry.count += 1;
                entry.last_ms = at_ms;
            }
            None => self.entries.push(Entry {
                class: failure.class.name(),
                code: failure.code.clone(),
                message: failure.message.chars().take(LONGEST_MESSAGE).collect(),
                count: 1,
                first_ms: at_ms,
                last_ms: at_ms,
                source: source.name(),
                key: failure.class,
            }),
        }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_class_code_and_source_and_keeps_the_first_message() {
        let mut errors = Errors::default();
        let long = "x".repeat(500);
        errors.add(
            Source::Load,
            &Failure::new(Class::Deadlock, "1213", long),
            5,
        );
        errors.add(
            Source::Load,
            &Failure::new(Class::Deadlock, "1213", "other"),
            9,
        );
        errors.add(
            Source::Ledger,
            &Failure::new(Class::Deadlock, "1213", "p"),
            7,
        );
        assert_eq!((errors.total(), errors.entries().len()), (3, 2));
        let entry = &errors.entries()[0];
        assert_eq!((entry.count, entry.first_ms, entry.last_ms), (2, 5, 9));
        assert_eq!(entry.message.len(), LONGEST_MESSAGE);
    }
}
