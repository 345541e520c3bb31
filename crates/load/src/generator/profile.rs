//! The profile of a run: what changes at which moment, be it by timetable or as a search goes on.

mod advance;
mod rate_search;
mod windows;

pub use advance::Advance;
pub use rate_search::RateSearch;
pub use windows::Windows;

use super::worker::Load;
use crate::record::client::SelfWatch;
use crate::record::schedule::StepSummary;
use crate::schedule::timetable::{Stage, Timetable};
use std::io;

pub enum LoadProfile {
    Stages(Stages),
    RateSearch(Box<RateSearch>),
    Windows(Windows),
}

impl LoadProfile {
    pub fn stages(timetable: Timetable) -> LoadProfile {
        LoadProfile::Stages(Stages {
            timetable,
            position: 0,
            origin: None,
        })
    }

    /// Connections at the beginning.
    pub fn connections(&self) -> usize {
        match self {
            LoadProfile::Stages(stages) => stages.current().connections as usize,
            LoadProfile::RateSearch(rate_search) => rate_search.connections as usize,
            LoadProfile::Windows(windows) => windows.connections as usize,
        }
    }

    /// This moment is t = 0.
    pub fn begin(&mut self, now: u64, load: &mut Load) {
        match self {
            LoadProfile::Stages(stages) => stages.origin = Some(now),
            LoadProfile::RateSearch(rate_search) => rate_search.begin(now, load),
            LoadProfile::Windows(windows) => windows.begin(now, load),
        }
    }

    /// When `advance` is to be called.
    pub fn due(&self) -> u64 {
        match self {
            LoadProfile::Stages(stages) => stages
                .origin
                .map_or(u64::MAX, |origin| origin + stages.current().to_ns),
            LoadProfile::RateSearch(rate_search) => rate_search.due(),
            LoadProfile::Windows(windows) => windows.due(),
        }
    }

    /// Goes on to what follows; `idle`: no transaction is under way.
    pub fn advance(
        &mut self,
        load: &mut Load,
        watch: &mut SelfWatch,
        steps: &mut Vec<StepSummary>,
        idle: bool,
    ) -> io::Result<Advance> {
        match self {
            LoadProfile::Stages(stages) => stages.advance(load, steps),
            LoadProfile::RateSearch(rate_search) => rate_search.advance(load, watch, steps, idle),
            LoadProfile::Windows(windows) => windows.advance(load),
        }
    }

    /// The run ends: closes what is under way.
    pub fn end(&mut self, load: &mut Load, steps: &mut Vec<StepSummary>) -> io::Result<()> {
        match self {
            LoadProfile::Stages(stages) => stages.close(load, steps),
            // A window that was cut off says nothing.
            LoadProfile::RateSearch(_) | LoadProfile::Windows(_) => {
                load.shared.recorder.end_part(load.now()).map(drop)
            }
        }
    }

    /// The step under way, from 1.
    pub fn step(&self) -> usize {
        match self {
            LoadProfile::Stages(stages) => stages.position + 1,
            LoadProfile::RateSearch(rate_search) => rate_search.windows().len() + 1,
            LoadProfile::Windows(windows) => windows.done().len() + 1,
        }
    }

    pub fn rate_search(&self) -> Option<&RateSearch> {
        match self {
            LoadProfile::RateSearch(rate_search) => Some(rate_search),
            LoadProfile::Stages(_) | LoadProfile::Windows(_) => None,
        }
    }

    pub fn windows(&self) -> Option<&Windows> {
        match self {
            LoadProfile::Windows(windows) => Some(windows),
            LoadProfile::Stages(_) | LoadProfile::RateSearch(_) => None,
        }
    }
}

/// Steps of the rate and of the number of connections. The arrivals know the rates already.
pub struct Stages {
    timetable: Timetable,
    position: usize,
    origin: Option<u64>,
}

impl Stages {
    fn current(&self) -> Stage {
        self.timetable.0[self.position]
    }

    fn advance(&mut self, load: &mut Load, steps: &mut Vec<StepSummary>) -> io::Result<Advance> {
        // The last one is closed when what is under way has ended.
        if self.position + 1 == self.timetable.0.len() {
            return Ok(Advance::End);
        }
        self.close(load, steps)?;
        self.position += 1;
        Ok(Advance::Connections(self.current().connections as usize))
    }

    fn close(&self, load: &mut Load, steps: &mut Vec<StepSummary>) -> io::Result<()> {
        let part = load.shared.recorder.end_part(load.now())?;
        let stage = self.current();
        steps.push(StepSummary::new(&part, stage.rate, stage.connections));
        Ok(())
    }
}
