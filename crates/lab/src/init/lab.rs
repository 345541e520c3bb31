//! The lab: the namespaces in which all hosts of one run live.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use nix::unistd::sethostname;

use super::mounts::{keep_private, mount_kind};
use super::namespaces::{as_first_process, become_mapped_root, map_all_ids, own};
use super::reaper::{Lifeline, watch};

#[derive(Args)]
pub struct LabArgs {
    #[command(flatten)]
    lifeline: Lifeline,
    /// Map all user and group ids one to one, not only the caller's to 0; needs root
    #[arg(long)]
    all_ids: bool,
    /// Stay in the machine's network
    #[arg(long)]
    shared_network: bool,
}

pub fn run(args: &LabArgs) -> Result<()> {
    let mut controller = args.lifeline.controller()?;
    if args.all_ids {
        map_all_ids()?;
    } else {
        become_mapped_root()?;
    }
    as_first_process(own(args.shared_network), || {
        keep_private()?;
        mount_kind("proc", Path::new("/proc"), "")?;
        sethostname("fivenines-lab")?;
        controller.report_ready()?;
        watch(&controller)
    })
}
