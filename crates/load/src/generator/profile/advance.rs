//! What follows a moment of the profile.

/// What the run is to do at a moment of its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    GoOn,
    /// This many connections from now on.
    Connections(usize),
    /// Those who wait may work now.
    Work,
    End,
}
