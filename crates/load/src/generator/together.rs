//! Loads of several hosts on the same servers: separate numbers for each, and a common start time.

use super::live::Live;
use anyhow::Context;
use base::arguments::Usage;
use base::sys;
use std::io;
use std::path::PathBuf;

/// Which of how many loads this one is; counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub index: usize,
    pub count: usize,
}

impl Place {
    /// The first of the numbers of this load, where each of all loads has so many.
    pub fn first(self, each: usize) -> usize {
        self.index * each
    }

    /// The n-th number of this load, where all loads take numbers in turn.
    pub fn number(self, n: usize) -> i64 {
        (n * self.count + self.index) as i64
    }
}

/// `2/3`: the second of three.
pub fn place(text: &str) -> Result<Place, String> {
    let wrong = || format!("{text:?} is no place: write which of how many, as in 2/3");
    let (which, count) = text.split_once('/').ok_or_else(wrong)?;
    let which: usize = which.parse().map_err(|_| wrong())?;
    let count: usize = count.parse().map_err(|_| wrong())?;
    if !(1..=count).contains(&which) || count > 64 {
        return Err(wrong());
    }
    Ok(Place {
        index: which - 1,
        count,
    })
}

/// The time t = 0: as soon as all connections are open, or the time in a file.
pub struct Gate {
    file: Option<PathBuf>,
    reported: bool,
    at: Option<u64>,
}

impl Gate {
    pub fn new(file: Option<PathBuf>) -> Gate {
        Gate {
            file,
            reported: false,
            at: None,
        }
    }

    /// Whether all connections are open and only the start time is awaited.
    pub fn is_waiting(&self) -> bool {
        self.reported
    }

    /// The moment, where it is known and still to come.
    pub fn due(&self) -> u64 {
        self.at.unwrap_or(u64::MAX)
    }

    /// Everybody is connected: t = 0 if it has come.
    pub fn opens(&mut self, live: &Live) -> anyhow::Result<Option<u64>> {
        let Some(file) = &self.file else {
            return Ok(Some(sys::monotonic_ns()));
        };
        if !self.reported {
            live.ready();
            self.reported = true;
        }
        if self.at.is_none() {
            // The file is renamed into its place, so that it is whole when it is there.
            self.at = match std::fs::read_to_string(file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error).context("cannot read the start time"),
                Ok(text) => Some(text.trim().parse().map_err(|_| {
                    Usage::error(format!("{}: {text:?} is no moment", file.display()))
                })?),
            };
        }
        Ok(self.at.filter(|&at| sys::monotonic_ns() >= at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_which_of_how_many() {
        assert_eq!(place("2/3"), Ok(Place { index: 1, count: 3 }));
        assert_eq!(place("1/1"), Ok(Place { index: 0, count: 1 }));
        for text in ["", "2", "0/3", "4/3", "1/0", "a/b", "-1/3", "1/65"] {
            assert!(place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_of_two_loads_never_meet() {
        let all: Vec<i64> = (0..2)
            .flat_map(|index| (0..50).map(move |n| Place { index, count: 2 }.number(n)))
            .collect();
        let distinct: std::collections::BTreeSet<i64> = all.iter().copied().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(Place { index: 2, count: 3 }.first(4), 8);
    }
}
