//! What the real run and its calibration without a server do not have in common.

use crate::generator::args::Args;
use crate::generator::profile::{LoadProfile, RateSearch, Windows};
use crate::schedule::Schedule;
use crate::schedule::think::ThinkTime;
use crate::schedule::timetable::{Steps, Timetable};
use sql_wire::Kind;
use std::path::PathBuf;
use std::time::Duration;
use workloads::Workload;

const GRACE: Duration = Duration::from_secs(2);
/// Long enough for thousands of transactions, short enough not to be noticed.
const REHEARSAL: Duration = Duration::from_millis(50);
const REHEARSED_CONNECTIONS: u32 = 64;

pub struct Frame {
    pub kind: Kind,
    /// At most.
    pub connections: u32,
    pub schedule: Schedule,
    pub profile: LoadProfile,
    pub think: Option<ThinkTime>,
    /// The workload's own pauses are kept.
    pub keep_pauses: bool,
    /// Connecting begins at t = 0.
    pub burst: bool,
    /// Connections of a later step connect all at once.
    pub storm: bool,
    pub with_ledger: bool,
    pub live: bool,
    /// Time between two lines for those who watch.
    pub tick: Option<Duration>,
    /// Has the moment of the start, where several loads agree upon one.
    pub start_file: Option<PathBuf>,
    /// How long transactions under way may still finish when the run ends.
    pub grace: Duration,
}

impl Frame {
    pub fn real(args: &Args, workload: &dyn Workload) -> Frame {
        let drive = &args.drive;
        let goal = drive.goal(workload.ends_itself());
        let schedule = drive.schedule(args.seed, goal);
        let profile = match (drive.search, &drive.windows) {
            (Some(bound), _) => LoadProfile::RateSearch(Box::new(RateSearch::new(args, bound))),
            (None, Some(file)) => {
                let longest = drive
                    .duration
                    .map_or(u64::MAX, |time| time.as_nanos() as u64);
                LoadProfile::Windows(Windows::new(file, drive.most_connections(), longest))
            }
            (None, None) => LoadProfile::stages(drive.timetable()),
        };
        Frame {
            kind: args.driver,
            connections: drive.most_connections(),
            keep_pauses: !schedule.is_open(),
            schedule,
            profile,
            think: drive.think(),
            burst: drive.burst,
            storm: drive.storm,
            with_ledger: args.ledger_rate > 0.0,
            live: args.live,
            tick: args.tick,
            start_file: args.start_file.clone(),
            grace: GRACE,
        }
    }

    /// As fast as possible, without a reader at the other end.
    pub fn calibration(args: &Args) -> Frame {
        let connections = args.drive.most_connections().min(REHEARSED_CONNECTIONS);
        let steps = Steps::constant(connections);
        Frame {
            kind: Kind::Noop,
            connections,
            schedule: Schedule::endless(),
            profile: LoadProfile::stages(Timetable::new(None, &steps, Some(REHEARSAL))),
            think: None,
            keep_pauses: false,
            burst: false,
            storm: false,
            with_ledger: false,
            live: false,
            tick: None,
            start_file: None,
            grace: REHEARSAL,
        }
    }
}
