//! The start of the run, which loads of several hosts on the same servers have in common.

use super::live::Live;
use anyhow::Context;
use base::arguments::Usage;
use base::sys;
use std::io;
use std::path::PathBuf;

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
