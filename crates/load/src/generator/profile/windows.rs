//! Loads that take turns: windows in which this one works, so that several solutions can be up at once and only
//! one of them is loaded at a time (an interleaved comparison).
//!
//! ```text
//!   Waiting (for the file) ──> Closed ──from──> Settling ──measured──> Measuring ──to──> Closed, or the end
//! ```
//!
//! Connections stay open all the time. Outside of its windows no transaction starts; one that is under way when a
//! window ends goes on to its end. What counts is what is answered between `measured` and `to`: the first part of
//! a window is left out, as caches warm up and the last transactions of the previous load end in it.
//! All moments are on CLOCK_MONOTONIC, which the loads of all labs of a machine share.

use super::advance::Advance;
use crate::generator::worker::Load;
use crate::record::schedule::TurnSummary;
use anyhow::Context;
use base::arguments::Usage;
use std::io;
use std::path::{Path, PathBuf};

/// How often to look whether the file is there.
const LOOK_NS: u64 = 10_000_000;

/// One window, in nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: u64,
    measured: u64,
    to: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Closed,
    Settling,
    Measuring,
}

pub struct Windows {
    pub connections: u32,
    file: PathBuf,
    spans: Vec<Span>,
    position: usize,
    phase: Phase,
    due: u64,
    /// The user's bound on the whole run.
    longest_ns: u64,
    ends_at: u64,
    done: Vec<TurnSummary>,
}

impl Windows {
    pub fn new(file: &Path, connections: u32, longest_ns: u64) -> Windows {
        Windows {
            connections,
            file: file.to_path_buf(),
            spans: Vec::new(),
            position: 0,
            phase: Phase::Waiting,
            due: u64::MAX,
            longest_ns,
            ends_at: u64::MAX,
            done: Vec::new(),
        }
    }

    pub fn done(&self) -> &[TurnSummary] {
        &self.done
    }

    pub fn due(&self) -> u64 {
        self.due.min(self.ends_at)
    }

    /// t = 0: all connections are open and wait.
    pub fn begin(&mut self, now: u64, load: &mut Load) {
        self.due = now;
        self.ends_at = now.saturating_add(self.longest_ns);
        load.turns.may_work = false;
    }

    pub fn advance(&mut self, load: &mut Load) -> io::Result<Advance> {
        if load.now() >= self.ends_at {
            return Ok(Advance::End);
        }
        match self.phase {
            Phase::Waiting => return self.look(load),
            Phase::Closed => {
                load.turns.may_work = true;
                self.enter(Phase::Settling);
                return Ok(Advance::Work);
            }
            Phase::Settling => {
                load.shared.recorder.end_part(load.now())?;
                self.enter(Phase::Measuring);
            }
            Phase::Measuring => {
                load.turns.may_work = false;
                let part = load.shared.recorder.end_part(load.now())?;
                self.done.push(TurnSummary::new(&part));
                self.position += 1;
                if self.position == self.spans.len() {
                    return Ok(Advance::End);
                }
                self.enter(Phase::Closed);
            }
        }
        Ok(Advance::GoOn)
    }

    /// The file is renamed into its place, so that it is whole when it is there.
    fn look(&mut self, load: &Load) -> io::Result<Advance> {
        match std::fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.due = load.now() + LOOK_NS;
                return Ok(Advance::GoOn);
            }
            Err(error) => return Err(error),
            Ok(text) => self.spans = parse(&text).map_err(io::Error::other)?,
        }
        if self.spans.is_empty() {
            return Ok(Advance::End);
        }
        self.enter(Phase::Closed);
        Ok(Advance::GoOn)
    }

    fn enter(&mut self, phase: Phase) {
        let span = self.spans[self.position];
        self.phase = phase;
        self.due = match phase {
            Phase::Waiting | Phase::Closed => span.from,
            Phase::Settling => span.measured,
            Phase::Measuring => span.to,
        };
    }
}

/// Lines of three moments: `from measured to`, in order and without overlap.
fn parse(text: &str) -> anyhow::Result<Vec<Span>> {
    let mut before = 0;
    let mut spans = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = || format!("line {} of the windows: {line:?}", number + 1);
        let moments: Vec<u64> = line
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<_, _>>()
            .with_context(wrong)?;
        let &[from, measured, to] = moments.as_slice() else {
            return Err(Usage::error(format!("{}: expected three moments", wrong())));
        };
        if !(before <= from && from <= measured && measured < to) {
            return Err(Usage::error(format!("{}: out of order", wrong())));
        }
        before = to;
        spans.push(Span { from, measured, to });
    }
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn windows_are_three_moments_a_line() {
        let span = |from, measured, to| Span { from, measured, to };
        assert_eq!(
            parse("1 2 3\n3 3 9\n").unwrap(),
            [span(1, 2, 3), span(3, 3, 9)]
        );
        assert!(parse("").unwrap().is_empty());
        for text in ["1 2", "1 2 3 4", "1 x 3", "2 1 3", "1 3 3", "5 6 7\n6 7 8"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in "[0-9 \n-]{0,60}") {
            for pair in parse(&text).unwrap_or_default().windows(2) {
                prop_assert!(pair[0].to <= pair[1].from);
            }
        }
    }
}
