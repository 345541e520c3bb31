//! The lab: the namespaces in which all hosts of one run live.

use std::path::Path;

use anyhow::Result;
use nix::unistd::sethostname;

use super::LabArgs;
use super::mounts::{keep_private, mount_kind};
use super::namespaces::{as_first_process, become_mapped_root, map_all_ids, own};
use super::reaper::{Controller, watch};

pub fn run(args: &LabArgs) -> Result<()> {
    let mut controller = Controller::reached_by(args.lifeline.lifeline)?;
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
