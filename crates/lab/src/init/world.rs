//! The world: the namespaces in which all hosts of one run live.

use std::path::Path;

use anyhow::Result;
use nix::unistd::sethostname;

use super::WorldArgs;
use super::mounts::{keep_private, mount_kind};
use super::namespaces::{as_first_process, become_mapped_root, map_all_ids, own};
use super::reaper::{Controller, watch};

pub fn run(args: &WorldArgs) -> Result<()> {
    let mut controller = Controller::reached_by(args.lifeline.lifeline)?;
    if args.all_ids {
        map_all_ids()?;
    } else {
        become_mapped_root()?;
    }
    as_first_process(own(args.shared_network), || {
        keep_private()?;
        mount_kind("proc", Path::new("/proc"), "")?;
        sethostname("fivenines-world")?;
        controller.report_ready()?;
        watch(&controller)
    })
}
