//! What runs in addition to the load, at steady rates: the ledger, probes, and side workloads.

mod ledger;
mod pace;
mod prober;
mod side_workloads;

pub use ledger::{Ledger, Plan as LedgerPlan};
pub use pace::RETRY_NS;
pub use prober::{ProbeArgs, Prober};
pub use side_workloads::{Plan as SidePlan, SideWorkloads};
