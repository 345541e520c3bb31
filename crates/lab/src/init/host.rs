//! A host: own root, network, PIDs and name. Its files are those of an engine's root file system, or the
//! machine's programs, read-only. Writable are /run, /tmp and the folders bound below /run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use nix::mount::{MntFlags, umount2};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{chdir, pivot_root, sethostname};

use super::mounts::{below, bind_read_only, bind_writable, folder, keep_private, mount_kind};
use super::namespaces::{as_first_process, own};
use super::reaper::{Lifeline, watch};
use super::{devices, root};

#[derive(Args)]
pub struct HostArgs {
    #[command(flatten)]
    lifeline: Lifeline,
    /// Host name
    #[arg(long)]
    name: String,
    /// Stay in the lab's network
    #[arg(long)]
    shared_network: bool,
    /// Root file system to overlay; without it the host sees the machine's programs, read-only
    #[arg(long)]
    lower: Option<PathBuf>,
    /// Further folder of the machine to mount read-only at the same path
    #[arg(long, conflicts_with = "lower")]
    show: Vec<PathBuf>,
    /// Folder of the host's own: gets `upper`, `work` and `root`
    #[arg(long)]
    scratch: PathBuf,
    /// Folder to show inside, writable, as SOURCE:/run/…
    #[arg(long)]
    bind: Vec<String>,
    /// Folder to show inside, read-only, as SOURCE:/run/…
    #[arg(long)]
    bind_ro: Vec<String>,
}

pub fn run(args: &HostArgs) -> Result<()> {
    let mut controller = args.lifeline.controller()?;
    as_first_process(own(args.shared_network), || {
        keep_private()?;
        let root = build_root(args)?;
        enter(&root)?;
        sethostname(&args.name)?;
        controller.report_ready()?;
        watch(&controller)
    })
}

fn build_root(args: &HostArgs) -> Result<PathBuf> {
    // In a host with several users all of them read these files; outside, the scratch folder is closed.
    umask(Mode::from_bits_truncate(0o022));
    let own = folder(&args.scratch.join("root"))?;
    match &args.lower {
        Some(lower) => root::overlay(lower, &args.scratch, &own)?,
        None => root::programs(&own, &args.show)?,
    }
    devices::processes(&own)?;
    devices::devices(&own)?;
    mount_kind("tmpfs", &folder(&own.join("run"))?, "mode=755")?;
    mount_kind("tmpfs", &folder(&own.join("tmp"))?, "mode=1777")?;
    for text in &args.bind {
        let (source, target) = places(text, &own)?;
        bind_writable(source, &target)?;
    }
    for text in &args.bind_ro {
        let (source, target) = places(text, &own)?;
        bind_read_only(source, &target)?;
    }
    if args.lower.is_none() {
        root::seal(&own)?;
    }
    Ok(own)
}

fn places<'a>(text: &'a str, root: &Path) -> Result<(&'a Path, PathBuf)> {
    let (source, target) = text.split_once(':').context("--bind needs SOURCE:/run/…")?;
    Ok((Path::new(source), folder(&below(root, Path::new(target)))?))
}

fn enter(root: &Path) -> Result<()> {
    chdir(root)?;
    pivot_root(".", ".").context("cannot change the root")?;
    umount2(".", MntFlags::MNT_DETACH).context("cannot unmount the old root")?;
    chdir("/")?;
    Ok(())
}
