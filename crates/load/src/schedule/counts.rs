//! What became of the starts of a schedule.

/// `arrived` = `started` + `abandoned` + what waits still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub arrived: u64,
    pub started: u64,
    /// Waited when a window of a search ended, and were given up with it.
    pub abandoned: u64,
    pub backlog_max: u64,
}
