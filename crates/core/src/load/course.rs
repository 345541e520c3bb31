//! The course of a run: what changes at which moment, be it by timetable or as a search goes on.

use super::hunt::Hunt;
use super::shared::Shared;
use super::windows::Windows;
use crate::record::client::SelfWatch;
use crate::record::schedule::StepSummary;
use crate::schedule::timetable::{Stage, Timetable};
use std::io;

/// What the run is to do at a moment of its course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    GoOn,
    /// This many connections from now on.
    Connections(usize),
    /// Those who wait may work now.
    Work,
    End,
}

pub enum Course {
    Stages(Stages),
    Hunt(Box<Hunt>),
    Windows(Windows),
}

impl Course {
    pub fn stages(timetable: Timetable) -> Course {
        Course::Stages(Stages {
            timetable,
            position: 0,
            origin: None,
        })
    }

    /// Connections at the beginning.
    pub fn connections(&self) -> usize {
        match self {
            Course::Stages(stages) => stages.current().connections as usize,
            Course::Hunt(hunt) => hunt.connections as usize,
            Course::Windows(windows) => windows.connections as usize,
        }
    }

    /// This moment is t = 0.
    pub fn begin(&mut self, now: u64, shared: &mut Shared) {
        match self {
            Course::Stages(stages) => stages.origin = Some(now),
            Course::Hunt(hunt) => hunt.begin(now, shared),
            Course::Windows(windows) => windows.begin(now, shared),
        }
    }

    /// When `advance` is to be called.
    pub fn due(&self) -> u64 {
        match self {
            Course::Stages(stages) => stages
                .origin
                .map_or(u64::MAX, |origin| origin + stages.current().to_ns),
            Course::Hunt(hunt) => hunt.due(),
            Course::Windows(windows) => windows.due(),
        }
    }

    /// Goes on to what follows; `idle`: no transaction is under way.
    pub fn advance(
        &mut self,
        shared: &mut Shared,
        watch: &mut SelfWatch,
        steps: &mut Vec<StepSummary>,
        idle: bool,
    ) -> io::Result<Turn> {
        match self {
            Course::Stages(stages) => stages.advance(shared, steps),
            Course::Hunt(hunt) => hunt.advance(shared, watch, steps, idle),
            Course::Windows(windows) => windows.advance(shared),
        }
    }

    /// The run ends: closes what is under way.
    pub fn end(&mut self, shared: &mut Shared, steps: &mut Vec<StepSummary>) -> io::Result<()> {
        match self {
            Course::Stages(stages) => stages.close(shared, steps),
            // A window that was cut off says nothing.
            Course::Hunt(_) | Course::Windows(_) => shared.recorder.end_part(shared.now).map(drop),
        }
    }

    /// The step under way, from 1.
    pub fn step(&self) -> usize {
        match self {
            Course::Stages(stages) => stages.position + 1,
            Course::Hunt(hunt) => hunt.windows().len() + 1,
            Course::Windows(windows) => windows.done().len() + 1,
        }
    }

    pub fn hunt(&self) -> Option<&Hunt> {
        match self {
            Course::Hunt(hunt) => Some(hunt),
            Course::Stages(_) | Course::Windows(_) => None,
        }
    }

    pub fn windows(&self) -> Option<&Windows> {
        match self {
            Course::Windows(windows) => Some(windows),
            Course::Stages(_) | Course::Hunt(_) => None,
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

    fn advance(&mut self, shared: &mut Shared, steps: &mut Vec<StepSummary>) -> io::Result<Turn> {
        // The last one is closed when what is under way has ended.
        if self.position + 1 == self.timetable.0.len() {
            return Ok(Turn::End);
        }
        self.close(shared, steps)?;
        self.position += 1;
        Ok(Turn::Connections(self.current().connections as usize))
    }

    fn close(&self, shared: &mut Shared, steps: &mut Vec<StepSummary>) -> io::Result<()> {
        let part = shared.recorder.end_part(shared.now)?;
        let stage = self.current();
        steps.push(StepSummary::new(&part, stage.rate, stage.connections));
        Ok(())
    }
}
