//! What all clients of a run share, be they workers, the ledger's clients or probes; one thread owns it all.

mod binding;
mod clock;
mod place;
mod sessions;
mod sockets;
mod timers;
mod tokens;

pub use binding::Binding;
pub use clock::Clock;
pub use place::{Place, place};
pub use sessions::Sessions;
pub use sockets::{Sockets, Timing};
pub use timers::{Alarm, Timers};
pub use tokens::{ALARM, FIRST_PROBE, RESOLVED, SIGNAL, owner_of, token};

use super::endpoints::Endpoints;
use crate::record::Recorder;
use base::rng::Rng;
use sql_wire::Failure;

pub struct Shared {
    pub clock: Clock,
    pub endpoints: Endpoints,
    pub sessions: Sessions,
    pub sockets: Sockets,
    /// Moments that connections and their owners wait for.
    pub timers: Timers,
    pub recorder: Recorder,
    /// For jitter, apart from the workload's numbers.
    pub rng: Rng,
    /// The failure that ends the run: of a result file, or the first when the user wants that.
    pub fatal: Option<Failure>,
}
