//! Before the run: does this machine allow so many connections, is there a usable server, and does it keep settings?

mod kept_settings;
mod limits;
mod servers;

pub use limits::check as check_limits;
pub use servers::{check as check_servers, connect};
